//! The columns that conditions and orders of an entity do not take, each with the reason and the key that brings it.

use std::collections::{BTreeMap, BTreeSet};

use callgate_tool::{ArgumentName, Arguments, Value};
use callgate_tree::quoted_name_list;

use super::{Entity, fit::Fit, visibility::shown_fields};
use crate::{
    catalog::{Column, ColumnKind, MOST_OF_SMALL, Table},
    engine::{Ability, Engine},
    operation::Operation,
    settings::EntitySettings,
};

/// Columns that conditions or orders do not take, for one reason.
#[derive(Debug)]
pub(crate) struct MissingColumns {
    /// `filter` or `sort`.
    key: &'static str,
    names: Vec<String>,
    reason: String,
}

/// The facts that decide about a key.
pub(super) struct Offered<'a> {
    pub(super) key: &'static str,
    pub(super) engine: Engine,
    pub(super) settings: &'a EntitySettings,
    pub(super) table: &'a Table,
    /// The columns that a model reads.
    pub(super) fields: &'a [String],
    /// The columns that the key takes.
    pub(super) names: &'a [String],
}

impl Offered<'_> {
    /// The columns that the key does not take, by their reasons.
    pub(super) fn missing_columns(&self) -> Vec<MissingColumns> {
        let mut by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let is_missing = |column: &&Column| !self.names.contains(&column.name);
        for column in self.table.columns.iter().filter(is_missing) {
            by_reason.entry(self.absence_reason(column)).or_default().push(column.name.clone());
        }
        let key = self.key;
        let columns = by_reason.into_iter();
        columns.map(|(reason, names)| MissingColumns { key, names, reason }).collect()
    }

    fn absence_reason(&self, column: &Column) -> String {
        let (key, name) = (self.key, &column.name);
        let listed = match key {
            "filter" => &self.settings.filter,
            _ => &self.settings.sort,
        };
        if self.settings.rows.iter().any(|(row, _)| row == name) {
            return "the session gives them (`rows`)".to_owned();
        }
        if !self.fields.contains(name) {
            return format!("a model does not read them; name them under `fields` and `{key}`");
        }
        if listed.is_none() && !shown_fields(self.settings, self.fields).contains(name) {
            return format!("no tool shows them; name them under `{key}`");
        }
        if column.kind == ColumnKind::Any {
            return "they have no type; a view gives them one by `cast(… as integer)`".to_owned();
        }
        if !Fit::Condition.takes(column) {
            return "values of their types are not compared".to_owned();
        }
        if ArgumentName::new(name).is_err() {
            return "a model cannot write their names; give them others under `fields`".to_owned();
        }
        if listed.is_some() {
            return format!("`{key}` of the entity lists others; add them there");
        }
        if key == "sort" && !self.engine.has_exact_text(&column.kind) {
            return format!("an order by their texts has no pages; name them under `{key}`");
        }
        let size = match self.table.n_rows {
            None => "a number of rows that the database does not say".to_owned(),
            Some(_) if !self.engine.has(Ability::RowEstimates) => {
                format!("more than {MOST_OF_SMALL} rows")
            }
            Some(n_rows) => format!("about {n_rows} rows"),
        };
        format!(
            "no index begins with them, and the table has {size}; make an index, or name them under `{key}`"
        )
    }
}

impl Entity {
    /// The columns that a tool's conditions and orders do not take, in sentences.
    pub(crate) fn absence_notes(&self, operation: Operation) -> Vec<String> {
        let is_of_operation = |missing: &&MissingColumns| match operation {
            Operation::List => true,
            Operation::Aggregate => missing.key == "filter",
            Operation::Delete | Operation::Update => self.many && missing.key == "filter",
            Operation::Create | Operation::Get => false,
        };
        let sentence = |MissingColumns { key, names, reason }: &MissingColumns| {
            let argument = if *key == "filter" { "where" } else { key };
            let names = quoted_name_list(names.iter().map(String::as_str));
            format!("`{argument}` does not take {names}: {reason}")
        };
        self.missing.iter().filter(is_of_operation).map(sentence).collect()
    }

    /// The columns of a call's conditions and order that no index begins with.
    pub(crate) fn unindexed_columns(&self, arguments: &Arguments) -> Vec<String> {
        let mut names = BTreeSet::new();
        arguments.get("where").into_iter().for_each(|value| add_member_names(value, &mut names));
        let sort = arguments.get("sort").and_then(Value::as_array).into_iter().flatten();
        names.extend(sort.filter_map(Value::as_str).map(|name| name.trim_start_matches('-')));
        let columns = self.table.columns.iter().filter(|column| names.contains(&*column.name));
        let columns = columns.filter(|column| !self.table.is_first_in_index(&column.name));
        columns.map(|column| column.name.clone()).collect()
    }
}

/// Adds the names of members at any depth: those of columns are among them.
fn add_member_names<'a>(value: &'a Value, names: &mut BTreeSet<&'a str>) {
    if let Some(members) = value.as_object() {
        for (name, value) in members.iter() {
            names.insert(name);
            add_member_names(value, names);
        }
    }
    value.as_array().into_iter().flatten().for_each(|item| add_member_names(item, names));
}
