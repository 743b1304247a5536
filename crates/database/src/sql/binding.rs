//! The values that one statement binds, in the order of its placeholders, and the names that it may write.

use super::{Sql, scope::Scope};
use crate::{
    catalog::{Column, Table, TableKind},
    engine::Engine,
};

/// A statement that is being written, front to back.
#[derive(Debug)]
pub(super) struct Binding<'a> {
    pub(super) engine: Engine,
    table: &'a Table,
    values: Vec<Option<String>>,
}

impl<'a> Binding<'a> {
    pub(super) fn new(engine: Engine, table: &'a Table) -> Self {
        Self { engine, table, values: Vec::new() }
    }

    /// Goes on with another table, the source of which has the values so far.
    pub(super) fn with_table(self, table: &Table) -> Binding<'_> {
        Binding { engine: self.engine, table, values: self.values }
    }

    /// The table's name with its schema, quoted.
    pub(super) fn quoted_table_name(&self) -> String {
        let name = &self.table.name;
        let table = self.engine.quote(&name.name);
        match &name.schema {
            Some(schema) => format!("{}.{table}", self.engine.quote(schema)),
            None => table,
        }
    }

    /// The table by whose name columns are written.
    pub(super) fn scope(&self) -> Scope<'a> {
        let is_stored = self.table.kind == TableKind::Table;
        Scope { engine: self.engine, table: &self.table.name.name, is_stored }
    }

    /// The column of this name in the catalog.
    pub(super) fn column(&self, name: &str) -> Option<&'a Column> {
        self.table.columns.iter().find(|column| column.name == name)
    }

    /// The placeholder of a further value.
    pub(super) fn bind(&mut self, value: Option<&str>) -> String {
        self.values.push(value.map(str::to_owned));
        self.engine.sql().placeholder(self.values.len())
    }

    pub(super) fn statement(self, text: String) -> Sql {
        Sql { text, values: self.values }
    }
}
