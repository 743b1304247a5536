//! The key `entities` of a toolset: tables and views, each with the operations that are tools.

use std::collections::BTreeMap;

use callgate_kind::KindCode;
use callgate_settings::{
    Count, Kind, Mapping, Reader, SettingCode, Words as _, forms, keys, member_pointer,
    pointer_segment,
};
use callgate_tool::{SessionSource, ToolsetName, nearest};
use callgate_tree::Node;

use crate::{
    operation::Operation,
    settings::{EntitySettings, FieldSettings, TableName},
};

keys! {
    pub(crate) EntityKeys over EntitySettings, in "an entity" {
        /// The number of rows that one update or delete may change; more are rolled back.
        affected: Affected;
        /// The purpose of the rows, for the model.
        description: String;
        /// The columns that a model reads, as a list, or by names of your own; all but bytes and names such as `password` unless given.
        fields: Fields;
        /// The columns that conditions take; the key and indexed ones, of a small table all, unless given.
        filter: Vec<String>;
        /// The columns that a model gives, by operation.
        input_fields: InputFields;
        /// The columns that tell a row; the primary key unless given, which a view has not.
        key: Vec<String>;
        /// `true` for updates and deletes by conditions.
        many: bool;
        /// The operations that are tools; `list` and `get` unless given.
        operations: Operations;
        /// The columns of results, by operation.
        output_fields: OutputFields;
        /// The values that every row of a caller has, by columns. The model neither sees nor gives them.
        rows: Rows;
        /// The columns that sort; the key and indexed ones, of a small table all, unless given.
        sort: Vec<String>;
        /// The table or view, with its schema if it is another than the usual one.
        table: TableName, required;
        /// The column whose value, as it was read, an update or delete must give.
        version: String;
    }
}

keys! {
    pub(crate) struct FieldKeys in "a field" {
        /// The column's own name, if models know it by another one.
        column: String;
        /// The purpose of the column, for the model; the database's own comment unless given.
        description: String;
    }
}

keys! {
    pub(crate) struct InputFieldKeys in "`input_fields`" {
        /// The columns of a new row that a model gives.
        create: Vec<String>;
        /// The columns that a model changes.
        update: Vec<String>;
    }
}

keys! {
    pub(crate) struct OutputFieldKeys in "`output_fields`" {
        /// The columns that group rows, and those whose sums, averages and bounds are computed.
        aggregate: Vec<String>;
        /// The columns of a new row that are shown.
        create: Vec<String>;
        /// The columns of one row that are shown.
        get: Vec<String>;
        /// The columns of several rows that are shown.
        list: Vec<String>;
        /// The columns of a changed row that are shown.
        update: Vec<String>;
    }
}

forms! {
    struct Entities => Vec<EntitySettings>, Kind::Map(&EntityKeys::KIND), |reader, mapping, key| {
        let help = "for example `{orders: {table: public.orders}}`";
        let entities = reader.named_values::<EntityKeys, Vec<_>>(mapping, key, "a mapping from names to tables", help)?;
        let entities = entities.into_iter().filter_map(|(name, mut entity)| {
            let pointer = format!("{}/{}", member_pointer(mapping, key), pointer_segment(&name));
            let is_named = is_valid_name(reader, &name, &pointer, "an entity");
            (entity.name, entity.pointer) = (name, pointer);
            if entity.operations.is_empty() {
                entity.operations = vec![Operation::List, Operation::Get];
            }
            report_unused_keys(reader, &entity);
            entity.affected = entity.affected.max(1);
            // A missing table is reported.
            (is_named && !entity.table.name.is_empty()).then_some(entity)
        });
        Some(entities.collect())
    };
    /// The number of rows that a change may change.
    pub(super) struct Affected => u64, Count::<{ usize::MAX }>::KIND,
        |reader, mapping, key| reader.get::<Count>(mapping, key)?.try_into().ok();
    /// The columns by their own names, or by those that models know.
    struct Fields => Vec<FieldSettings>, Kind::AnyOf(&[Kind::List(&Kind::Text), Kind::Map(&FieldKeys::KIND)]),
        |reader, mapping, key| {
            if mapping.object.get(key)?.as_object().is_none() {
                let names = reader.get::<Vec<String>>(mapping, key)?.into_iter().enumerate();
                let listed = |(at, name): (usize, _)| FieldSettings { key: at.to_string(), name, ..FieldSettings::default() };
                return Some(names.map(listed).collect());
            }
            let help = "for example `{total: {column: \"Total (net)\"}}`";
            let fields = reader.named_values::<FieldKeys, Vec<_>>(mapping, key, "a mapping from names to columns", help)?;
            let named = |(name, FieldKeys { column, description }): (String, _)| FieldSettings {
                key: pointer_segment(&name).into_owned(),
                name,
                column,
                description: description.unwrap_or_default(),
            };
            Some(fields.into_iter().map(named).collect())
        };
    struct InputFields => BTreeMap<Operation, Vec<String>>, InputFieldKeys::KIND, |reader, mapping, key| {
        let InputFieldKeys { create, update } = reader.get::<InputFieldKeys>(mapping, key)?;
        Some(fields([(Operation::Create, create), (Operation::Update, update)]))
    };
    struct Operations => Vec<Operation>, Kind::List(&Operation::KIND),
        |reader, mapping, key| Some(operations(reader, mapping, key));
    struct OutputFields => BTreeMap<Operation, Vec<String>>, OutputFieldKeys::KIND, |reader, mapping, key| {
        let OutputFieldKeys { aggregate, create, get, list, update } = reader.get::<OutputFieldKeys>(mapping, key)?;
        Some(fields([
            (Operation::Aggregate, aggregate),
            (Operation::Create, create),
            (Operation::Get, get),
            (Operation::List, list),
            (Operation::Update, update),
        ]))
    };
    struct Rows => Vec<(String, SessionSource)>, Kind::Map(&SessionSource::KIND), |reader, mapping, key| {
        let help = "for example `{owner: $session.params.user_id}`";
        reader.named_values::<SessionSource, _>(mapping, key, "a mapping from columns to values", help)
    };
    TableName => Self, Kind::Text, |reader, mapping, key| {
        let text = reader.string(mapping, key)?;
        let name = table_name(text);
        if name.is_none() {
            let message = format!("expected the name of a table, with its schema before a dot or without, got: `{text}`");
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, "for example `public.orders`");
        }
        name
    };
}

/// Reports the keys about operations that the entity does not have.
fn report_unused_keys(reader: &mut Reader, entity: &EntitySettings) {
    let operations = format!("{}/operations", entity.pointer);
    if reader.complaints.iter().any(|complaint| complaint.pointer.starts_with(&operations)) {
        return;
    }
    let has = |operation: &Operation| entity.operations.contains(operation);
    let mut unused = Vec::new();
    for (key, columns) in
        [("input_fields", &entity.input_fields), ("output_fields", &entity.output_fields)]
    {
        let absent = columns.keys().filter(|&operation| !has(operation));
        unused.extend(absent.map(|it| (format!("{key}/{}", it.as_str()), it.as_str())));
    }
    let is_changed = has(&Operation::Update) || has(&Operation::Delete);
    let of_changes = [
        ("affected", entity.affected > 1),
        ("many", entity.many),
        ("version", entity.version.is_some()),
    ];
    let of_changes = of_changes.iter().filter(|(_, is_given)| *is_given && !is_changed);
    unused.extend(of_changes.map(|(key, _)| ((*key).to_owned(), "update` or `delete")));
    for (key, operation) in unused {
        let message = format!("expected the operation `{operation}` with `{key}`, got none");
        let pointer = format!("{}/{key}", entity.pointer);
        reader.report_fault(SettingCode::UnusedKey, pointer, message, "remove it");
    }
}

/// The columns of the operations that name some.
fn fields<const N: usize>(
    fields: [(Operation, Option<Vec<String>>); N],
) -> BTreeMap<Operation, Vec<String>> {
    fields.into_iter().filter_map(|(operation, fields)| Some((operation, fields?))).collect()
}

/// True if models can write a name; another one is reported.
pub(super) fn is_valid_name(reader: &mut Reader, name: &str, pointer: &str, what: &str) -> bool {
    let is_named = ToolsetName::new(name).is_ok();
    if !is_named {
        let message = format!("expected the name of {what}, got: `{name}`");
        let help = "use letters, digits and `_`; tools have it in their names";
        reader.report_fault(KindCode::ToolName, pointer, message, help);
    }
    is_named
}

/// The name of a table: `orders`, `public.orders`.
pub(crate) fn table_name(text: &str) -> Option<TableName> {
    let (schema, name) = match text.split_once('.') {
        Some((schema, name)) => (Some(schema), name),
        None => (None, text),
    };
    let is_name = |name: &str| !name.is_empty() && !name.contains(['.', '"', '`', '\0']);
    if !is_name(name) || schema.is_some_and(|schema| !is_name(schema)) {
        return None;
    }
    Some(TableName { schema: schema.map(str::to_owned), name: name.to_owned() })
}

fn operations(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Vec<Operation> {
    let words = || Operation::WORDS.iter().map(|(word, _)| *word);
    let read = |text: &str| {
        let mut named = Operation::WORDS.iter().filter(|(word, _)| *word == text);
        named.next().map(|(_, operation)| *operation).ok_or_else(|| {
            let message = format!("expected an operation, got: `{text}`");
            match nearest(text, words()) {
                Some(near) => format!("{message}; did you mean `{near}`?"),
                None => message,
            }
        })
    };
    let help = format!("they are `{}`", words().collect::<Vec<_>>().join("`, `"));
    let listed_operations = reader.parsed_strings(mapping, key, &help, read);
    if mapping.object.get(key).and_then(Node::as_array).is_some_and(<[Node]>::is_empty) {
        let message = "expected an operation at least, got none";
        let help = "for example `[list, get]`";
        reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
    }
    listed_operations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_one_schema_at_most() {
        let name = |schema: Option<&str>, name: &str| {
            Some(TableName { schema: schema.map(str::to_owned), name: name.to_owned() })
        };
        assert_eq!(table_name("orders"), name(None, "orders"));
        assert_eq!(table_name("public.Order Lines"), name(Some("public"), "Order Lines"));
        for text in ["", ".", "a.", ".a", "a.b.c", "\"a\"", "a.`b`"] {
            assert_eq!(table_name(text), None, "{text}");
        }
    }
}
