//! The columns that a model gives, by operation: those that the settings name, or all that can be checked.

use std::collections::BTreeMap;

use callgate_tool::ArgumentName;
use callgate_tree::quoted_name_list;

use super::{
    super::fit::{Fit, is_required},
    Resolver,
};
use crate::{
    catalog::{Column, ColumnKind, Table},
    finding::{COLUMN, DatabaseFinding, ENTITY},
    operation::Operation,
};

impl<'a> Resolver<'a> {
    pub(super) fn inputs(
        &mut self,
        fields: &[String],
        key: &[String],
    ) -> BTreeMap<Operation, Vec<String>> {
        let mut inputs = BTreeMap::new();
        for operation in [Operation::Create, Operation::Update] {
            if !self.settings.operations.contains(&operation) {
                continue;
            }
            let named = if let Some(names) = self.settings.input_fields.get(&operation) {
                let below = format!("input_fields/{}", operation.as_str());
                self.fitting_names(&below, names, Fit::Input)
            } else {
                self.note_read_only_columns(operation, fields);
                self.default_inputs(operation, fields, key)
            };
            if operation == Operation::Create {
                self.check_required_inputs(&named);
            } else if named.is_empty() {
                let message = "expected columns that `update` may change, got none".to_owned();
                self.report_error(ENTITY, "operations", message, "name them under `input_fields`");
            }
            inputs.insert(operation, named);
        }
        inputs
    }

    fn default_inputs(
        &self,
        operation: Operation,
        fields: &[String],
        key: &[String],
    ) -> Vec<String> {
        let is_set_otherwise = |name: &String| {
            operation == Operation::Update
                && (key.contains(name) || self.settings.version.as_ref() == Some(name))
        };
        let fits = |name: &&String| {
            let column = self.table.column(name);
            column.is_some_and(|column| Fit::Input.takes(column))
                && ArgumentName::new(name).is_ok()
                && !is_set_otherwise(name)
        };
        fields.iter().filter(fits).cloned().collect()
    }

    /// Says which columns have values that are only read.
    fn note_read_only_columns(&mut self, operation: Operation, fields: &[String]) {
        let table: &'a Table = self.table;
        let columns = table.columns.iter().filter(|it| fields.contains(&it.name));
        let is_checked = |it: &Column| !matches!(it.kind, ColumnKind::Any | ColumnKind::Other);
        let unwritten = columns.filter(|it| !is_checked(it) && !it.is_generated);
        let types = unwritten.map(|Column { name, sql_type, .. }| match &**sql_type {
            "" => format!("{name} (no type)"),
            sql_type => format!("{name} ({sql_type})"),
        });
        let types: Vec<String> = types.collect();
        if types.is_empty() {
            return;
        }
        let names = quoted_name_list(types.iter().map(String::as_str));
        let operation = operation.as_str();
        let message = format!(
            "columns of types that cannot be checked are left out of `{operation}`: {names}"
        );
        let help = "offer them by `statements` of your own, which name the types of their values";
        let pointer = self.pointer("operations");
        self.findings.push(DatabaseFinding::note(COLUMN, pointer, message, help));
    }

    /// A row cannot be created without the columns that are not null and have no default.
    fn check_required_inputs(&mut self, inputs: &[String]) {
        let table: &'a Table = self.table;
        for column in &table.columns {
            let is_given = inputs.contains(&column.name)
                || self.settings.rows.iter().any(|(name, _)| *name == column.name);
            if !is_given && is_required(column) {
                let message = format!(
                    "expected an input of `create` for each column that is not null and has no default, got none for: `{}`",
                    column.name
                );
                let help = "add it to `input_fields: {create: […]}`, or leave out the operation";
                self.report_error(COLUMN, "operations", message, help);
            }
        }
    }
}
