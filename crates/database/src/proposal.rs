//! A proposal of the entities that a database has, and of the least login for them: for `callgate init`. Nothing is changed; the
//! statements for the login are for an owner of the database to run.

use std::collections::BTreeSet;

use callgate_secret::Secret;
use callgate_tool::ArgumentName;
use callgate_tree::quoted_name_list;

use crate::{
    catalog::Table,
    driver::Driver,
    endpoint::Connecting,
    entity::{has_usable_key, is_offered_by_default},
    error::Error,
    keys::table_name,
    load::Surroundings,
    login::{Needs, OwnLogin, TableNeeds},
    settings::{DatabaseLimits, FieldSettings, TableName},
};

/// The entities that a database could have.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Proposal {
    /// The tables and views.
    pub entities: Vec<ProposedEntity>,
    /// The statements that make a login with the rights of these entities; empty where the engine has no logins.
    pub login: Vec<String>,
    /// The rights that everybody has in this database, so that the login has them too.
    pub allowed: Vec<String>,
    /// The tables that are left out, and what the proposal withholds of others, in sentences.
    pub notes: Vec<String>,
}

/// A table or view with the name that its tools would have.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProposedEntity {
    /// The name in the names of tools.
    pub name: String,
    /// The table.
    pub table: TableName,
    /// The comment of the table; empty if it has none.
    pub description: String,
    /// True if one row can be got by its key.
    pub has_key: bool,
    /// The columns with names that models can write; empty where all can keep their own.
    pub fields: Vec<FieldSettings>,
}

/// Reads which tables there are.
///
/// # Errors
/// The database cannot be reached, or refuses the login.
pub async fn propose(url: Secret, around: Surroundings) -> Result<Proposal, Error> {
    let Surroundings { network, tls, base, .. } = around;
    let limits = DatabaseLimits { connections: 1, ..DatabaseLimits::default() };
    let connecting = Connecting { url, base, limits, is_read_only: true, network, tls };
    let driver = Driver::connect(&connecting).await?;
    let (names, unnamable): (Vec<_>, Vec<_>) =
        driver.list_tables().await?.into_iter().partition(is_nameable);
    let tables = driver.read_tables(&names).await?.into_values();
    let (tables, unread): (Vec<_>, Vec<_>) =
        tables.partition(|table| table.columns.iter().any(is_offered_by_default));
    let needs = reading_needs(&tables);
    let OwnLogin { statements, allowed } = driver.propose_login(&needs).await?;
    let unread: Vec<_> = unread.into_iter().map(|table| table.name).collect();
    let notes = [
        left_out_note(&unnamable, "no configuration takes a `.`, `\"` or `` ` `` in their names"),
        left_out_note(&unread, "all of their columns are bytes, or named like credentials"),
    ];
    let notes = notes.into_iter().flatten().chain(tables.iter().filter_map(unread_key_note));
    let notes = notes.collect();
    Ok(Proposal { entities: entities(&tables), login: statements, allowed, notes })
}

/// True if a configuration that names the table names this one.
fn is_nameable(name: &TableName) -> bool {
    table_name(&name.to_string()).as_ref() == Some(name)
}

fn left_out_note(names: &[TableName], reason: &str) -> Option<String> {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let listed = || quoted_name_list(names.iter().map(String::as_str));
    (!names.is_empty()).then(|| format!("left out, since {reason}: {}", listed()))
}

/// The columns of the key that a model does not read.
fn unread_key_columns(table: &Table) -> impl Iterator<Item = &str> {
    let is_withheld = move |name: &&String| !table.column(name).is_some_and(is_offered_by_default);
    table.key.iter().filter(is_withheld).map(String::as_str)
}

fn unread_key_note(table: &Table) -> Option<String> {
    unread_key_columns(table).next()?;
    let (name, columns) = (&table.name, quoted_name_list(unread_key_columns(table)));
    Some(format!(
        "`{name}` has no `get`: no result shows {columns} of its key, which a login reads for the order of lists"
    ))
}

fn entities(tables: &[Table]) -> Vec<ProposedEntity> {
    let mut taken = BTreeSet::new();
    let mut entities = Vec::new();
    for table in tables {
        let full = legal_entity_name(&table.name.to_string());
        let names = [legal_entity_name(&table.name.name), full.clone()];
        let numbered = (2_u32..=u32::MAX).map(|number| format!("{full}_{number}"));
        let mut names = names.into_iter().chain(numbered);
        let Some(name) = names.find(|name| taken.insert(name.clone())) else {
            continue;
        };
        entities.push(ProposedEntity {
            name,
            table: table.name.clone(),
            description: table.comment.clone().unwrap_or_default(),
            has_key: has_usable_key(table) && unread_key_columns(table).next().is_none(),
            fields: fields_with_legal_names(table),
        });
    }
    entities
}

/// The columns that a model reads, if it cannot write the names of some: these get others.
fn fields_with_legal_names(table: &Table) -> Vec<FieldSettings> {
    let is_legal = |name: &str| ArgumentName::new(name).is_ok();
    let columns = || table.columns.iter().filter(|column| is_offered_by_default(column));
    if columns().all(|column| is_legal(&column.name)) {
        return Vec::new();
    }
    let mut taken: BTreeSet<String> = table.columns.iter().map(|it| it.name.clone()).collect();
    let field = |own: &String| {
        if is_legal(own) {
            return FieldSettings { name: own.clone(), ..FieldSettings::default() };
        }
        let name = legal_column_name(own);
        let numbered = (2_u32..=u32::MAX).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        let name = names.find(|name| taken.insert(name.clone())).unwrap_or(name);
        let description = if own.is_ascii() { String::new() } else { own.clone() };
        FieldSettings { column: Some(own.clone()), name, description, ..FieldSettings::default() }
    };
    columns().map(|column| &column.name).map(field).collect()
}

/// The words of a column's name, of letters and digits, with `_` between them.
fn legal_column_name(own: &str) -> String {
    let words = own.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name: String = words.collect::<Vec<_>>().join("_").chars().take(MOST_LETTERS).collect();
    match name.chars().next() {
        None => "column".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{name}"),
        Some(_) => name,
    }
}

/// A name of letters, digits and `_`, without a digit at its beginning.
fn legal_entity_name(table: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let mark = table.starts_with(|c: char| c.is_ascii_digit()).then_some('_');
    mark.into_iter().chain(table.chars().map(letter)).take(MOST_LETTERS).collect()
}

/// The letters of an entity's name: those of a tool's name without the toolset's and the operation's.
const MOST_LETTERS: usize = 40;

/// The rights of tools that read the proposed entities, in the order of their keys.
fn reading_needs(tables: &[Table]) -> Needs {
    let mut needs = Needs::default();
    for table in tables {
        let columns = table.columns.iter().filter(|column| is_offered_by_default(column));
        let selects = columns.map(|column| &column.name).chain(&table.key).cloned().collect();
        needs.tables.insert(table.name.clone(), TableNeeds { selects, ..TableNeeds::default() });
    }
    needs
}

#[cfg(test)]
mod tests {
    use callgate_tool::ToolsetName;

    use super::*;
    use crate::catalog::{Column, ColumnKind};

    #[test]
    fn an_entity_has_a_name_that_models_can_write() {
        for (table, expected) in [
            ("orders", "orders"),
            ("Order Lines", "order_lines"),
            ("sales.orders", "sales_orders"),
            ("2023_sales", "_2023_sales"),
            ("Größe", "gr__e"),
        ] {
            assert_eq!(legal_entity_name(table), expected);
            assert!(ToolsetName::new(expected).is_ok(), "{expected}");
        }
        assert!(ToolsetName::new(&legal_entity_name(&"9".repeat(80))).is_ok());
    }

    #[test]
    fn columns_get_names_that_models_can_write() {
        for (own, expected) in [
            ("Order Date", "Order_Date"),
            ("2nd", "_2nd"),
            ("Größe", "Gr_e"),
            ("名前", "column"),
            ("a\"b", "a_b"),
        ] {
            assert_eq!(legal_column_name(own), expected);
        }
        let named = |own: &[&str]| {
            let column = |own: &&str| Column::of_statement(own, ColumnKind::Uuid);
            let columns = own.iter().map(column).collect();
            fields_with_legal_names(&Table::of_columns("a", columns))
                .into_iter()
                .map(|field| field.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(named(&["a b", "a_b", "a-b", "c"]), ["a_b_2", "a_b", "a_b_3", "c"]);
        assert!(named(&["no", "total"]).is_empty());
    }

    #[test]
    fn tables_with_long_or_equal_names_are_all_proposed() {
        let long = "recurring_transaction_rules_invoice_custom_sections";
        let names = [format!("{long}_a"), format!("{long}_b"), "A".to_owned(), "a".to_owned()];
        let table = |name: &String| Table::of_columns(name, Vec::new());
        let proposed = entities(&names.iter().map(table).collect::<Vec<_>>());
        let proposed: Vec<_> = proposed.iter().map(|entity| entity.name.as_str()).collect();
        let short = "recurring_transaction_rules_invoice_cust";
        assert_eq!(proposed, [short, &format!("{short}_2"), "a", "a_2"]);
    }
}
