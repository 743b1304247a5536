//! The key `documents` of a toolset, and the limits of folders. Reads texts only; `load` opens the folder.

use std::path::PathBuf;

use callgate_kind::Operator;
use callgate_settings::{Bytes, Count, Kind, forms, keys, member_pointer, words};
use callgate_tool::{SessionSource, Value};
use callgate_tree::Node;

use crate::settings::{BoundCondition, DocumentsLimits, MetadataSource};

keys! {
    pub(crate) ToolsetKeys over (), in "a toolset" {
        /// The folder whose files tools search and read, in place of a description.
        documents => _: DocumentsKeys;
    }
}

keys! {
    /// The limits of a toolset that only folders of documents have.
    pub(crate) LimitKeys over DocumentsLimits, in "`limits`" {
        /// The longest file of a folder; longer ones are left out.
        file_bytes: Bytes;
        /// The number of files of a folder.
        files: Count<1_000_000>;
        /// The bytes of all files of a folder together.
        folder_bytes => bytes: FolderBytes;
        /// The depth to which folders may be nested.
        folder_depth => depth: Count<100>;
        /// The number of snippets of a search, of data stores too.
        snippets: Count<100>;
    }
}

keys! {
    pub(crate) struct DocumentsKeys in "`documents`" {
        /// The documents in words, for the model.
        description: String;
        /// Patterns of files that are left out: `drafts/**`.
        exclude: Vec<String>;
        /// The fields of metadata that the model's conditions take. All fields unless given; none where `where` reads the session,
        /// because the names of fields could tell of documents that a caller may not see.
        filter: Vec<String>;
        /// The folder, relative to this file. No link leads out of it.
        folder: PathBuf, required;
        /// Patterns of the files that are documents, from the folder: `**/*.md`. All Markdown, HTML, text, CSV and JSONL unless given.
        include: Vec<String>;
        /// `front_matter` reads the front matter of Markdown, `structData` of JSON lines and the columns of CSV.
        metadata: MetadataSource;
        /// The address of a document, with `{path}` or `{stem}` for the file: `https://docs.example.com/{path}`.
        uri: String;
        /// Conditions that every document must fulfil, by fields of its metadata. The model never sees them.
        conditions ("where"): Conditions;
    }
}

keys! {
    pub(crate) struct ConditionKeys in "a condition of `where`" {
        /// The field is one of these.
        any: Operand;
        /// The text of the field has this part.
        contains: Operand;
        /// The field is this.
        eq: Operand;
        /// The field is larger.
        gt: Operand;
        /// The field is larger, or this.
        gte: Operand;
        /// The field is smaller.
        lt: Operand;
        /// The field is smaller, or this.
        lte: Operand;
        /// The field is there, and is not this.
        neq: Operand;
        /// The text of the field begins like this.
        starts_with: Operand;
    }
}

impl ConditionKeys {
    /// The conditions on a field, in the order of their names.
    fn bound_conditions(self, field: &str) -> Vec<BoundCondition> {
        let Self { any, contains, eq, gt, gte, lt, lte, neq, starts_with } = self;
        let all = [
            (Operator::In, any),
            (Operator::Contains, contains),
            (Operator::Eq, eq),
            (Operator::Gt, gt),
            (Operator::Gte, gte),
            (Operator::Lt, lt),
            (Operator::Lte, lte),
            (Operator::Neq, neq),
            (Operator::StartsWith, starts_with),
        ];
        let bound = all.into_iter().filter_map(|(operator, value)| {
            Some(BoundCondition { field: field.to_owned(), operator, value: value? })
        });
        bound.collect()
    }
}

words! {
    MetadataSource, "`front_matter` reads what files say of themselves":
    "front_matter" => FrontMatter, "none" => None
}

forms! {
    struct FolderBytes => u64, Kind::Bytes, |reader, mapping, key| {
        reader.get::<Bytes>(mapping, key).and_then(|bytes| u64::try_from(bytes).ok())
    };
    struct Conditions => Vec<BoundCondition>, Kind::Map(&ConditionKeys::KIND), |reader, mapping, key| {
        let help = "for example `{audience: {any: $session.params.audience}}`";
        let expected = "a mapping from fields to conditions";
        let fields = reader.named_values::<ConditionKeys, Vec<_>>(mapping, key, expected, help)?;
        Some(fields.into_iter().flat_map(|(field, keys)| keys.bound_conditions(&field)).collect())
    };
    /// A value of the session, a plain value, or a list of texts.
    struct Operand => SessionSource, Kind::AnyOf(&[Kind::Text, Kind::Number, Kind::Boolean, Kind::List(&Kind::Text)]),
        |reader, mapping, key| {
            let node: &Node = mapping.object.get(key)?;
            let Some(items) = node.as_array() else { return reader.get::<SessionSource>(mapping, key) };
            if items.is_empty() {
                let help = "for example `[staff, all]`, or `$session.params.audience`";
                reader.report_wrong_type(&member_pointer(mapping, key), "values", node, help);
                return None;
            }
            let texts = reader.strings(mapping, key).into_iter().map(Value::from);
            Some(SessionSource::Fixed(Value::Array(texts.collect())))
        };
}
