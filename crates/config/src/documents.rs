//! The key `documents` of a toolset: a folder whose files are searched and read by tools. Reads texts only; `build/documents`
//! opens the folder.

use std::path::PathBuf;

use callgate_settings::{Kind, at, forms, keys, words};
use callgate_tool::{SessionSource, Value};
use callgate_tree::Node;

/// The documents of a toolset.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DocumentsConfig {
    /// `None` for a toolset of another kind.
    pub(crate) keys: Option<DocumentsKeys>,
    pub(crate) limits: DocumentsLimits,
}

/// The limits that an operator sets.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DocumentsLimits {
    pub(crate) file_bytes: Option<usize>,
    pub(crate) files: Option<usize>,
    pub(crate) folder_bytes: Option<usize>,
    pub(crate) folder_depth: Option<usize>,
    pub(crate) result_bytes: Option<usize>,
    pub(crate) snippets: Option<usize>,
}

/// The source of metadata.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Metadata {
    FrontMatter,
    None,
}

keys! {
    #[derive(Clone, PartialEq)]
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
        metadata: Metadata;
        /// The address of a document, with `{path}` or `{stem}` for the file: `https://docs.example.com/{path}`.
        uri: String;
        /// Conditions that every document must fulfil, by fields of its metadata. The model never sees them.
        conditions ("where"): Conditions;
    }
}

keys! {
    #[derive(Clone, PartialEq)]
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
    /// The operands, each with the name of its comparison.
    pub(crate) fn operands(&self) -> impl Iterator<Item = (&'static str, &SessionSource)> {
        let Self { any, contains, eq, gt, gte, lt, lte, neq, starts_with } = self;
        let all = [
            ("any", any),
            ("contains", contains),
            ("eq", eq),
            ("gt", gt),
            ("gte", gte),
            ("lt", lt),
            ("lte", lte),
            ("neq", neq),
            ("starts_with", starts_with),
        ];
        all.into_iter().filter_map(|(name, operand)| Some((name, operand.as_ref()?)))
    }
}

words! {
    Metadata, "`front_matter` reads what files say of themselves":
    "front_matter" => FrontMatter, "none" => None
}

forms! {
    struct Documents => DocumentsKeys, DocumentsKeys::KIND,
        |reader, mapping, key| reader.get::<DocumentsKeys>(mapping, key);
    struct Conditions => Vec<(String, ConditionKeys)>, Kind::Map(&ConditionKeys::KIND), |reader, mapping, key| {
        let help = "for example `{audience: {any: $session.params.audience}}`";
        reader.map::<ConditionKeys, _>(mapping, key, "a mapping from fields to conditions", help)
    };
    /// A value of the session, a plain value, or a list of texts.
    struct Operand => SessionSource, Kind::AnyOf(&[Kind::Text, Kind::Number, Kind::Boolean, Kind::List(&Kind::Text)]),
        |reader, mapping, key| {
            let node: &Node = mapping.object.get(key)?;
            let Some(items) = node.as_array() else { return reader.get::<SessionSource>(mapping, key) };
            if items.is_empty() {
                let help = "for example `[staff, all]`, or `$session.params.audience`";
                reader.expected(&at(mapping, key), "values", node, help);
                return None;
            }
            let texts = reader.strings(mapping, key).into_iter().map(Value::from);
            Some(SessionSource::Fixed(Value::Array(texts.collect())))
        };
}
