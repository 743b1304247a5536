//! The key `entities` of a toolset: tables and views, each with the operations that are tools.

use callgate_kind::KindCode;
use callgate_settings::{
    Count, Kind, Mapping, Reader, SettingCode, Words as _, at, forms, keys, pointer_segment, words,
};
use callgate_tool::{SessionSource, ToolsetName, nearest};
use callgate_tree::Node;

/// A table or view, by the name that its tools have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EntityConfig {
    pub(crate) name: String,
    pub(crate) pointer: String,
    pub(crate) table: TableName,
    pub(crate) keys: EntityKeys,
}

/// The name of a table, with its schema if it is stated.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct TableName {
    pub(crate) schema: Option<String>,
    pub(crate) name: String,
}

/// An operation on the rows of an entity.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Operation {
    Create,
    Delete,
    Get,
    List,
    Update,
}

keys! {
    #[derive(Clone, PartialEq)]
    pub(crate) struct EntityKeys in "an entity" {
        /// The number of rows that one update or delete may change; more are rolled back.
        affected: Count;
        /// The purpose of the rows, for the model.
        description: String;
        /// The columns that a model reads; all but bytes and names such as `password` unless given.
        fields: Vec<String>;
        /// The columns that conditions take; the key and indexed ones unless given.
        filter: Vec<String>;
        /// The columns that a model gives, by operation.
        input_fields: InputFieldKeys;
        /// The columns that tell a row; the primary key unless given, which a view has not.
        key: Vec<String>;
        /// `true` for updates and deletes by conditions.
        many: bool;
        /// The operations that are tools; `list` and `get` unless given.
        operations: Operations;
        /// The columns of results, by operation.
        output_fields: OutputFieldKeys;
        /// The values that every row of a caller has, by columns. The model neither sees nor gives them.
        rows: Rows;
        /// The columns that sort; the key and indexed ones unless given.
        sort: Vec<String>;
        /// The table or view, with its schema if it is another than the usual one.
        table: TableName, required;
        /// The column whose value, as it was read, an update or delete must give.
        version: String;
    }
}

keys! {
    #[derive(Clone, PartialEq)]
    pub(crate) struct InputFieldKeys in "`input_fields`" {
        /// The columns of a new row that a model gives.
        create: Vec<String>;
        /// The columns that a model changes.
        update: Vec<String>;
    }
}

keys! {
    #[derive(Clone, PartialEq)]
    pub(crate) struct OutputFieldKeys in "`output_fields`" {
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

words! {
    Operation, "`list` and `get` read; the others change rows, and are tools only by name":
    "create" => Create, "delete" => Delete, "get" => Get, "list" => List, "update" => Update
}

forms! {
    struct Entities => Vec<EntityConfig>, Kind::Map(&EntityKeys::KIND), |reader, mapping, key| {
        let help = "for example `{orders: {table: public.orders}}`";
        let entities = reader.map::<EntityKeys, Vec<_>>(mapping, key, "a mapping from names to tables", help)?;
        let entities = entities.into_iter().filter_map(|(name, keys)| {
            let pointer = format!("{}/{}", at(mapping, key), pointer_segment(&name));
            let is_named = is_valid_name(reader, &name, &pointer, "an entity");
            let table = keys.table.clone().filter(|_| is_named)?;
            Some(EntityConfig { name, pointer, table, keys })
        });
        Some(entities.collect())
    };
    struct Operations => Vec<Operation>, Kind::List(&Operation::KIND),
        |reader, mapping, key| Some(operations(reader, mapping, key));
    struct Rows => Vec<(String, SessionSource)>, Kind::Map(&SessionSource::KIND), |reader, mapping, key| {
        let help = "for example `{owner: $session.params.user_id}`";
        reader.map::<SessionSource, _>(mapping, key, "a mapping from columns to values", help)
    };
    TableName => Self, Kind::Text, |reader, mapping, key| {
        let text = reader.string(mapping, key)?;
        let name = table_name(text);
        if name.is_none() {
            let message = format!("expected the name of a table, with its schema before a dot or without, got: `{text}`");
            reader.complain(SettingCode::WrongValue, at(mapping, key), message, "for example `public.orders`");
        }
        name
    };
}

/// True if models can write a name; another one is reported.
pub(super) fn is_valid_name(reader: &mut Reader, name: &str, pointer: &str, what: &str) -> bool {
    let is_named = ToolsetName::new(name).is_ok();
    if !is_named {
        let message = format!("expected the name of {what}, got: `{name}`");
        let help = "use letters, digits and `_`; tools have it in their names";
        reader.complain(KindCode::ToolName, pointer, message, help);
    }
    is_named
}

/// The name of a table: `orders`, `public.orders`.
pub(super) fn table_name(text: &str) -> Option<TableName> {
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
        let matching_word = Operation::WORDS.iter().find(|(word, _)| *word == text);
        matching_word.map(|(_, operation)| *operation).ok_or_else(|| {
            let message = format!("expected an operation, got: `{text}`");
            match nearest(text, words()) {
                Some(near) => format!("{message}; did you mean `{near}`?"),
                None => message,
            }
        })
    };
    let help = format!("they are `{}`", words().collect::<Vec<_>>().join("`, `"));
    let listed_operations = reader.each(mapping, key, &help, read);
    if mapping.object.get(key).and_then(Node::as_array).is_some_and(<[Node]>::is_empty) {
        let message = "expected an operation at least, got none";
        reader.complain(SettingCode::WrongValue, at(mapping, key), message, help);
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
