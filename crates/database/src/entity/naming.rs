//! The names and words that the settings give columns: `fields: {total: {column: "Total (net)", description: …}}`. All other settings of
//! the entity know a column by its new name, except `rows`, which no model sees.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    catalog::Table,
    finding::{COLUMN, DatabaseFinding},
    settings::EntitySettings,
};

/// The table as the settings name its columns, with the faults of the names.
pub(super) fn name_columns(
    settings: &EntitySettings,
    table: &Arc<Table>,
) -> (Arc<Table>, Vec<DatabaseFinding>) {
    let (mut named, mut findings) = (Table::clone(table), Vec::new());
    let mut names = BTreeMap::new();
    for field in settings.fields.iter().flatten() {
        let pointer = format!("{}/fields/{}", settings.pointer, field.key);
        let own = field.column.as_ref().unwrap_or(&field.name);
        let at = table.columns.iter().position(|column| column.name == *own);
        let Some(column) = at.and_then(|at| named.columns.get_mut(at)) else {
            if field.column.is_some() {
                let what = format!("a column of `{}`", table.name.name);
                let columns = table.columns.iter().map(|column| column.name.as_str());
                let pointer = format!("{pointer}/column");
                findings.push(DatabaseFinding::unknown(COLUMN, pointer, &what, own, columns));
            }
            continue;
        };
        if !field.description.is_empty() {
            column.comment = Some(field.description.clone());
        }
        if field.name == *own {
            continue;
        }
        if settings.rows.iter().any(|(row, _)| row == own) {
            let message = format!("expected a column that the model may know, got: `{own}`");
            let help = "leave it out, since `rows` fills it from the session";
            findings.push(DatabaseFinding::error(COLUMN, pointer, message, help));
            continue;
        }
        column.name.clone_from(&field.name);
        column.own_name = Some(own.clone());
        names.insert(own.clone(), field.name.clone());
        if named.columns.iter().filter(|column| column.name == field.name).count() > 1 {
            let message =
                format!("expected a name that no other column has, got: `{}`", field.name);
            let help = "choose another name, or give the other column one";
            findings.push(DatabaseFinding::error(COLUMN, pointer, message, help));
        }
    }
    let sets = named.unique.iter_mut().chain([&mut named.key, &mut named.indexed]);
    let sets = sets.chain(named.foreign_keys.iter_mut().map(|foreign| &mut foreign.columns));
    for name in sets.flatten() {
        if let Some(new) = names.get(name) {
            name.clone_from(new);
        }
    }
    (Arc::new(named), findings)
}
