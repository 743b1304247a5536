//! The key `query` of a toolset: SQL that a model writes, over a login of its own that reads the listed columns alone.

use callgate_secret::SecretReference;
use callgate_settings::{
    Form as _, Kind, MapOf, Mapping, Reader, SettingCode, forms, keys, member_pointer,
    pointer_segment,
};

use super::{DatabaseUrl, entity::table_name};
use crate::settings::{QueryFunctions, TableName};

/// The login for SQL of a model, and what it may read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QueryAccess {
    pub(crate) url: SecretReference,
    pub(crate) tables: Vec<(TableName, Vec<String>)>,
    pub(crate) functions: QueryFunctions,
}

keys! {
    pub(crate) struct QueryKeys in "`query`" {
        /// Functions outside of the database's own that the login may execute; `listed` for those of callgate's list alone, whatever the login may do.
        functions: Functions;
        /// The columns that may be read, by tables.
        tables: Tables, required;
        /// The address with a login that reads these columns and nothing else, a secret.
        url: DatabaseUrl, required;
    }
}

forms! {
    struct Query => QueryAccess, Kind::AnyOf(&[Kind::Boolean, QueryKeys::KIND]), |reader, mapping, key| {
        let node = mapping.object.get(key)?;
        match node.as_bool() {
            Some(false) => return None,
            Some(true) => {
                let help = "write `query: {url: env:NAME, tables: {orders: [no, total]}}`";
                reader.report_wrong_type(&member_pointer(mapping, key), "`false` or a mapping", node, help);
                return None;
            }
            None => {}
        }
        let QueryKeys { functions, tables, url } = reader.get::<QueryKeys>(mapping, key)?;
        Some(QueryAccess { url: url?, tables: tables?, functions: functions.unwrap_or_default() })
    };
    struct Functions => QueryFunctions, Kind::AnyOf(&[Kind::Choice(&["listed"]), Kind::List(&Kind::Text)]), |reader, mapping, key| {
        if mapping.object.get(key)?.as_str() == Some("listed") {
            return Some(QueryFunctions::Listed);
        }
        Vec::<String>::read(reader, mapping, key).map(QueryFunctions::Granted)
    };
    struct Tables => Vec<(TableName, Vec<String>)>, Kind::Map(&Kind::List(&Kind::Text)), tables;
}

fn tables(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
) -> Option<Vec<(TableName, Vec<String>)>> {
    let columns = MapOf::<Vec<String>>::read(reader, mapping, key)?;
    let mut tables = Vec::new();
    for (text, columns) in columns {
        if let Some(name) = table_name(&text) {
            tables.push((name, columns));
            continue;
        }
        let pointer = format!("{}/{}", member_pointer(mapping, key), pointer_segment(&text));
        let message = format!("expected the name of a table, got: `{text}`");
        let help = "for example `public.orders: [no, total]`";
        reader.report_fault(SettingCode::WrongValue, pointer, message, help);
    }
    Some(tables)
}
