//! Resolves the settings of an entity. Every name must be a column, and every column must be of a kind that its use allows;
//! what is not stated gets its default.

mod inputs;
mod notes;
mod version;

use std::{collections::BTreeMap, sync::Arc};

use callgate_tool::{ArgumentName, pointer_segment};
use callgate_tree::quoted_name_list;

use super::{
    Entity, Reference,
    absence::Offered,
    fit::{Fit, is_offered_by_default},
    naming::name_columns,
    visibility::shown_fields,
};
use crate::{
    catalog::{Column, ForeignKey, Table, TableKind},
    engine::{Ability, Engine},
    finding::{COLUMN, DatabaseFinding, ENTITY},
    operation::Operation,
    settings::{EntitySettings, FieldSettings, SessionSource, TableName},
};

/// The settings of other entities, and the engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) engine: Engine,
    pub(crate) entities: &'a [EntitySettings],
    /// The tables by the names in the settings.
    pub(crate) tables: &'a BTreeMap<TableName, Arc<Table>>,
}

/// The entity, with the faults of its settings. It is not to be offered if there are errors among them.
pub(crate) fn resolve(
    settings: &EntitySettings,
    table: &Arc<Table>,
    context: Context<'_>,
) -> (Entity, Vec<DatabaseFinding>) {
    let (table, findings) = name_columns(settings, table);
    let mut resolver = Resolver { settings, table: &table, context, findings };
    let rows = resolver.checked_rows();
    let key = resolver.checked_key();
    let fields = resolver.readable_fields();
    let (filter, sort) = (
        resolver.condition_columns("filter", settings.filter.as_ref(), &fields, &key),
        resolver.condition_columns("sort", settings.sort.as_ref(), &fields, &key),
    );
    let missing = [("filter", &filter), ("sort", &sort)].map(|(key, names)| {
        let (engine, table) = (context.engine, &*table);
        Offered { key, engine, settings, table, fields: &fields, names }.missing_columns()
    });
    let inputs = resolver.inputs(&fields, &key);
    let outputs = resolver.outputs(&fields);
    let version = resolver.checked_version_column(&fields, &key);
    let writes_version = resolver.can_write_version(version.as_deref());
    let references = resolver.session_row_references();
    resolver.check_operations(&key);
    resolver.check_many(&filter);
    let is_key_unique = table.is_unique(&key);
    resolver.warn_of_child_tables();
    let entity = Entity {
        pointer: settings.pointer.clone(),
        name: settings.name.clone(),
        description: description(settings, &table),
        table: Arc::clone(&table),
        key,
        is_key_unique,
        rows,
        fields,
        operations: settings.operations.clone(),
        inputs,
        outputs,
        filter,
        sort,
        missing: missing.into_iter().flatten().collect(),
        many: settings.many,
        affected: settings.affected,
        version,
        writes_version,
        references,
    };
    (entity, resolver.findings)
}

fn description(settings: &EntitySettings, table: &Table) -> String {
    if settings.description.is_empty() {
        return table.comment.clone().unwrap_or_default();
    }
    settings.description.clone()
}

struct Resolver<'a> {
    settings: &'a EntitySettings,
    table: &'a Arc<Table>,
    context: Context<'a>,
    findings: Vec<DatabaseFinding>,
}

impl<'a> Resolver<'a> {
    fn pointer(&self, below: &str) -> String {
        format!("{}/{below}", self.settings.pointer)
    }

    fn report_error(&mut self, code: &'static str, below: &str, message: String, help: &str) {
        let pointer = self.pointer(below);
        self.findings.push(DatabaseFinding::error(code, pointer, message, help));
    }

    /// The column of a name, or a finding.
    fn column_or_finding(&mut self, below: &str, name: &str) -> Option<&'a Column> {
        let table: &'a Table = self.table;
        let table_column = table.column(name);
        if table_column.is_none() {
            let column_names = table.columns.iter().map(|column| column.name.as_str());
            let what = format!("a column of `{}`", table.name.name);
            let pointer = self.pointer(below);
            self.findings.push(DatabaseFinding::unknown(
                COLUMN,
                pointer,
                &what,
                name,
                column_names,
            ));
        }
        table_column
    }

    /// The column of a name that must have a use, or a finding: `use` says which columns it can be.
    fn fitting_column(&mut self, below: &str, name: &str, fit: Fit) -> Option<&'a Column> {
        let column = self.column_or_finding(below, name)?;
        let is_rows = self.settings.rows.iter().any(|(row, _)| row == name);
        let (expected, help) = if is_rows && fit != Fit::Key {
            (
                "a column that the model may know",
                "leave it out, since `rows` fills it from the session",
            )
        } else if !fit.takes(column) {
            (fit.expected_column(), "leave the column out")
        } else if fit.needs_legal_name() && ArgumentName::new(name).is_err() {
            ("a column whose name a model can give", "give it another name under `fields`")
        } else {
            return Some(column);
        };
        self.report_error(COLUMN, below, format!("expected {expected}, got: `{name}`"), help);
        None
    }

    fn checked_rows(&mut self) -> Vec<(String, SessionSource)> {
        let settings = self.settings;
        for (name, _) in &settings.rows {
            let below = format!("rows/{}", pointer_segment(name));
            let Some(column) = self.column_or_finding(&below, name) else { continue };
            if !Fit::Key.takes(column) {
                let message = format!("expected {}, got: `{name}`", Fit::Key.expected_column());
                self.report_error(COLUMN, &below, message, "name another column");
            } else if column.is_generated && settings.operations.contains(&Operation::Create) {
                let message =
                    format!("expected a column that a new row can be given, got: `{name}`");
                self.report_error(COLUMN, &below, message, "leave out the operation `create`");
            }
        }
        settings.rows.clone()
    }

    fn checked_key(&mut self) -> Vec<String> {
        let settings = self.settings;
        let (named, key) = match &settings.key {
            Some(key) => ("key", key),
            None => ("table", &self.table.key),
        };
        let needs_key = settings.operations.iter().any(|it| needs_key(*it));
        for (at, name) in key.iter().enumerate().filter(|_| needs_key) {
            self.fitting_column(&format!("{named}/{at}"), name, Fit::Key);
        }
        key.clone()
    }

    /// The columns that a model reads.
    fn readable_fields(&mut self) -> Vec<String> {
        let settings = self.settings;
        if let Some(fields) = &settings.fields {
            return self.named_fields(fields);
        }
        let is_rows = |column: &&Column| settings.rows.iter().any(|(row, _)| *row == column.name);
        let columns = self.table.columns.iter().filter(|column| !is_rows(column));
        let (read, left): (Vec<_>, Vec<_>) =
            columns.partition(|column| is_offered_by_default(column));
        if !left.is_empty() {
            let names = quoted_name_list(left.into_iter().map(|column| column.name.as_str()));
            let message =
                format!("columns of bytes and those named like credentials are left out: {names}");
            let help = "list the columns that are read under `fields`, with these or without them";
            self.findings.push(DatabaseFinding::note(COLUMN, self.pointer("table"), message, help));
        }
        read.into_iter().map(|column| column.name.clone()).collect()
    }

    /// The columns that the settings list or name.
    fn named_fields(&mut self, fields: &[FieldSettings]) -> Vec<String> {
        let mut names = Vec::new();
        for FieldSettings { key, name, column, .. } in fields {
            // A name whose column is missing is reported.
            let is_reported = column.is_some() && self.table.column(name).is_none();
            if !is_reported
                && self.fitting_column(&format!("fields/{key}"), name, Fit::Output).is_some()
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        names
    }

    fn fitting_names(&mut self, key: &str, names: &[String], fit: Fit) -> Vec<String> {
        let mut accepted_names: Vec<String> = Vec::new();
        for (at, name) in names.iter().enumerate() {
            if self.fitting_column(&format!("{key}/{at}"), name, fit).is_some()
                && !accepted_names.contains(name)
            {
                accepted_names.push(name.clone());
            }
        }
        accepted_names
    }

    /// Reports the columns of a list that a model does not read.
    fn report_unread_columns(&mut self, key: &'static str, names: &[String], fields: &[String]) {
        for (at, name) in names.iter().enumerate() {
            let is_rows = self.settings.rows.iter().any(|(row, _)| row == name);
            if !fields.contains(name) && !is_rows && self.table.column(name).is_some() {
                let message = format!("expected one of `fields`, got: `{name}`");
                self.report_error(COLUMN, &format!("{key}/{at}"), message, "add it to `fields`");
            }
        }
    }

    /// The columns of conditions or of sorting: a part of those that a tool shows, or those that the operator lists.
    fn condition_columns(
        &mut self,
        key: &'static str,
        given: Option<&Vec<String>>,
        fields: &[String],
        of_key: &[String],
    ) -> Vec<String> {
        let shown = shown_fields(self.settings, fields);
        if let Some(names) = given {
            self.report_unread_columns(key, names, fields);
            self.note_hidden_columns(key, names.iter().filter(|name| !shown.contains(name)));
            return self.fitting_names(key, names, Fit::Condition);
        }
        let is_default = |name: &&String| {
            let has_pages = |column: &Column| self.context.engine.has_exact_text(&column.kind);
            let is_usable = key == "filter" || self.table.column(name).is_some_and(has_pages);
            let is_cheap =
                self.table.is_small() || of_key.contains(name) || self.table.indexed.contains(name);
            is_usable && is_cheap
        };
        let fits = |name: &&String| {
            let column = self.table.column(name);
            column.is_some_and(|column| Fit::Condition.takes(column))
                && ArgumentName::new(name).is_ok()
        };
        let fitting = shown.iter().filter(fits);
        let (offered, left): (Vec<_>, Vec<_>) = fitting.partition(is_default);
        let offered = offered.into_iter().cloned().collect();
        self.note_left_out_columns(key, left);
        offered
    }

    fn outputs(&mut self, fields: &[String]) -> BTreeMap<Operation, Vec<String>> {
        let mut outputs = BTreeMap::new();
        for operation in self.settings.operations.iter().copied() {
            let named = match self.settings.output_fields.get(&operation) {
                Some(names) => {
                    let below = format!("output_fields/{}", operation.as_str());
                    self.fitting_names(&below, names, Fit::Output)
                }
                None if operation == Operation::Delete => Vec::new(),
                None if operation == Operation::Aggregate => shown_fields(self.settings, fields),
                None => fields.to_vec(),
            };
            if named.is_empty() && !operation.is_write() {
                let message =
                    format!("expected columns that `{}` reads, got none", operation.as_str());
                self.report_error(ENTITY, "fields", message, "name them under `fields`");
            }
            outputs.insert(operation, named);
        }
        outputs
    }

    fn session_row_references(&self) -> Vec<Reference> {
        let context = self.context;
        let entities = context.entities.iter().filter(|entity| !entity.rows.is_empty());
        let reference = |foreign: &ForeignKey, entity: &EntitySettings| {
            let table = context.tables.get(&entity.table)?;
            let (columns, referred) = (foreign.columns.clone(), foreign.referred.clone());
            let (table, rows) = (Arc::clone(table), entity.rows.clone());
            let is_referred = table.name.may_be_same_table(&foreign.table);
            is_referred.then_some(Reference { columns, table, referred, rows })
        };
        let foreign = self.table.foreign_keys.iter();
        foreign
            .flat_map(|foreign| entities.clone().filter_map(|entity| reference(foreign, entity)))
            .collect()
    }

    fn check_many(&mut self, filter: &[String]) {
        if self.settings.many && self.settings.version.is_some() {
            let message = "expected either `many` or `version`, got both".to_owned();
            let help = "leave one of them out: conditions name no version";
            self.report_error(ENTITY, "many", message, help);
        }
        if self.settings.many && filter.is_empty() {
            let message = "expected columns for the conditions of `many`, got none".to_owned();
            self.report_error(ENTITY, "many", message, "name them under `filter`");
        }
    }

    fn check_operations(&mut self, key: &[String]) {
        let operations = &self.settings.operations;
        if operations.is_empty() {
            let help = "name some of `list`, `get`, `aggregate`, `create`, `update` and `delete`";
            self.report_error(
                ENTITY,
                "operations",
                "expected an operation, got none".to_owned(),
                help,
            );
        }
        for (at, operation) in operations.iter().enumerate() {
            let below = format!("operations/{at}");
            let name = operation.as_str();
            if needs_key(*operation) && key.is_empty() {
                let message = format!("expected a table with a primary key for `{name}`, got none");
                let help = "name the columns that identify a row by `key`";
                self.report_error(ENTITY, &below, message, help);
            }
            let is_view = self.table.kind == TableKind::View;
            // MariaDB does not say if what a view shows is kept by an engine with transactions.
            if operation.is_write() && is_view && !self.context.engine.has(Ability::WritableViews) {
                let message = format!("expected a table for `{name}`, got a view");
                self.report_error(ENTITY, &below, message, "leave out the operation");
            }
        }
        let reserved = |name: &&String| matches!(name.as_str(), "set" | "where");
        if operations.contains(&Operation::Update)
            && let Some(name) = key.iter().chain(&self.settings.version).find(reserved)
        {
            let message = format!(
                "expected a key and a version without the name of an argument of `update`, got: `{name}`"
            );
            let help = "give the column another name under `fields`";
            self.report_error(COLUMN, "operations", message, help);
        }
        if self.settings.affected == 0 {
            let help = "write the most rows that one update or delete may change";
            self.report_error(ENTITY, "affected", "expected at least 1, got: 0".to_owned(), help);
        }
    }
}

fn needs_key(operation: Operation) -> bool {
    matches!(operation, Operation::Delete | Operation::Get | Operation::Update)
}
