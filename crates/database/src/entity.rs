//! An entity: the settings of one table or view resolved against what the database says of it. It says which columns each
//! operation reads, takes, filters and sorts by; `plan` makes statements of it. Faults of the settings are findings.

mod absence;
mod aggregate;
mod fit;
mod naming;
mod resolve;
mod visibility;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

pub(crate) use absence::MissingColumns;
pub(crate) use fit::{has_usable_key, is_offered_by_default, is_required};
pub(crate) use resolve::{Context, resolve};

use crate::{
    catalog::{Column, Table},
    login::{Needs, TableNeeds},
    operation::Operation,
    settings::{SessionSource, TableName},
};

/// One table or view with its operations. Each name of a column is one of the table.
#[derive(Debug)]
pub(crate) struct Entity {
    pub(crate) pointer: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) table: Arc<Table>,
    pub(crate) key: Vec<String>,
    /// True if the database says that no two rows have one key.
    pub(crate) is_key_unique: bool,
    pub(crate) rows: Vec<(String, SessionSource)>,
    /// The columns that a model may read.
    pub(crate) fields: Vec<String>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) inputs: BTreeMap<Operation, Vec<String>>,
    pub(crate) outputs: BTreeMap<Operation, Vec<String>>,
    pub(crate) filter: Vec<String>,
    pub(crate) sort: Vec<String>,
    /// The columns that conditions and orders do not take.
    pub(crate) missing: Vec<MissingColumns>,
    pub(crate) many: bool,
    pub(crate) affected: u64,
    pub(crate) version: Option<String>,
    /// True if an update writes the next version; otherwise a trigger does.
    pub(crate) writes_version: bool,
    /// Foreign keys into tables whose rows the session decides.
    pub(crate) references: Vec<Reference>,
}

/// A foreign key into a table whose rows the session decides.
#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) columns: Vec<String>,
    pub(crate) table: Arc<Table>,
    pub(crate) referred: Vec<String>,
    pub(crate) rows: Vec<(String, SessionSource)>,
}

impl Entity {
    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.table.column(name)
    }

    /// The columns of these names, in their order.
    pub(crate) fn columns<'a>(&'a self, names: &'a [String]) -> Vec<&'a Column> {
        names.iter().filter_map(|name| self.column(name)).collect()
    }

    /// The columns of the key that a model gives: without those that the session gives.
    pub(crate) fn key_given_by_model(&self) -> impl Iterator<Item = &str> + Clone {
        self.key.iter().map(String::as_str).filter(|name| !self.is_set_by_session(name))
    }

    pub(crate) fn is_set_by_session(&self, column: &str) -> bool {
        self.rows.iter().any(|(name, _)| name == column)
    }

    /// True if a model may know the column.
    pub(crate) fn is_visible_to_model(&self, column: &str) -> bool {
        let inputs = self.inputs.values().chain(self.outputs.values()).flatten();
        inputs.chain(&self.key).any(|name| name == column) && !self.is_set_by_session(column)
    }

    pub(crate) fn inputs(&self, operation: Operation) -> Vec<&Column> {
        self.inputs.get(&operation).map(|names| self.columns(names)).unwrap_or_default()
    }

    pub(crate) fn outputs(&self, operation: Operation) -> Vec<&Column> {
        self.outputs.get(&operation).map(|names| self.columns(names)).unwrap_or_default()
    }

    /// The columns that a person sees before a change, and whose values must be the same when it is made.
    pub(crate) fn reviewed_columns(&self, operation: Operation) -> Vec<&Column> {
        let inputs = self.inputs.get(&operation).into_iter().flatten();
        let outputs = self.outputs.values().flatten().chain(&self.fields);
        let rows = self.rows.iter().map(|(name, _)| name);
        let names: Vec<&String> =
            inputs.chain(outputs).chain(&self.key).chain(rows).chain(&self.version).collect();
        let columns = self.table.columns.iter();
        columns.filter(|column| names.contains(&&column.name)).collect()
    }

    /// The column whose next value an update writes.
    pub(crate) fn written_version_column(&self) -> Option<&Column> {
        let name = self.version.as_deref().filter(|_| self.writes_version)?;
        self.column(name)
    }

    /// Adds the rights that the operations need.
    pub(crate) fn add_needs(&self, needs: &mut Needs) {
        let mut table = TableNeeds::default();
        self.add_column_needs(&mut table);
        let own = |name: String| self.column(&name).map_or(name, |it| it.sql_name().to_owned());
        let own = |names: BTreeSet<String>| names.into_iter().map(own);
        let all = needs.tables.entry(self.table.name.clone()).or_default();
        all.selects.extend(own(table.selects));
        all.inserts.extend(own(table.inserts));
        all.updates.extend(own(table.updates));
        all.deletes |= table.deletes;
        for reference in &self.references {
            let referred: &mut TableNeeds =
                needs.tables.entry(reference.table.name.clone()).or_default();
            referred.selects.extend(reference.referred.iter().cloned());
            referred.selects.extend(reference.rows.iter().map(|(name, _)| name.clone()));
        }
    }

    /// Adds the rights on columns, by the names that models know.
    fn add_column_needs(&self, table: &mut TableNeeds) {
        let rows = || self.rows.iter().map(|(name, _)| name.clone());
        let reads = self.key.iter().chain(&self.filter).chain(&self.sort).chain(&self.version);
        table.selects.extend(reads.cloned().chain(rows()));
        for operation in &self.operations {
            table.selects.extend(self.outputs.get(operation).into_iter().flatten().cloned());
            let inputs = self.inputs.get(operation).into_iter().flatten().cloned();
            match operation {
                Operation::Create => table.inserts.extend(inputs.chain(rows())),
                Operation::Delete => {
                    table.deletes = true;
                    table.selects.extend(self.fields.iter().cloned());
                }
                Operation::Update => {
                    let inputs: Vec<String> = inputs.collect();
                    table.selects.extend(inputs.iter().chain(&self.fields).cloned());
                    table.updates.extend(inputs);
                    let version = self.written_version_column();
                    table.updates.extend(version.map(|column| column.name.clone()));
                }
                Operation::Aggregate | Operation::Get | Operation::List => {}
            }
        }
    }
}

impl Table {
    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

impl TableName {
    /// True if both may name one table: a schema that is not stated is the default one.
    pub(crate) fn may_be_same_table(&self, other: &Self) -> bool {
        let is_one_schema = match (&self.schema, &other.schema) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        is_one_schema && self.name == other.name
    }
}

/// The operations of an entity, in the order of their tools.
pub(crate) fn offered_operations(entity: &Entity) -> impl Iterator<Item = Operation> {
    let all = [
        Operation::List,
        Operation::Get,
        Operation::Aggregate,
        Operation::Create,
        Operation::Update,
        Operation::Delete,
    ];
    all.into_iter().filter(|operation| entity.operations.contains(operation))
}
