//! The rights of statements on one file: `SQLite` has no logins, so callgate grants to its own statements what the tools need.

mod foreign_keys;

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
};

use rusqlite::Connection;

use crate::{engine::Engine, functions, login::Needs, settings::TableName};

/// The tables and columns that statements may touch, by their names in lower case.
#[derive(Clone, Debug, Default)]
pub(super) struct Rights {
    /// True if a model writes the statements: only listed columns are read, and only harmless functions called.
    is_for_query: bool,
    /// All tables and views of the file, to tell those that a statement names of its own from them.
    names: BTreeSet<String>,
    /// The columns of readable tables that a model's statements must not read.
    withheld: BTreeSet<String>,
    reads: BTreeMap<String, BTreeSet<String>>,
    /// The table, column and view of each read of a view's own statement.
    view_reads: BTreeSet<[String; 3]>,
    inserts: BTreeSet<String>,
    updates: BTreeMap<String, BTreeSet<String>>,
    deletes: BTreeSet<String>,
}

/// The reads of a view's own statement carry the view's name, and so do those of a common table expression of that name.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Views {
    /// The text may hold common table expressions.
    Distrusted,
    Trusted,
}

/// The effect of a part of a statement. The accessor is the view or the trigger that does it.
#[derive(Clone, Copy)]
pub(super) enum Touch<'a> {
    Delete { table: &'a str, accessor: Option<&'a str> },
    Function(&'a str),
    Insert { table: &'a str, accessor: Option<&'a str> },
    Nothing,
    Read { table: &'a str, column: &'a str, accessor: Option<&'a str> },
    Update { table: &'a str, column: &'a str, accessor: Option<&'a str> },
}

impl Touch<'_> {
    /// True for what a statement of the operator may do: anything to rows, nothing to the schema.
    pub(super) fn is_allowed_to_operator(&self) -> bool {
        match *self {
            Touch::Function(name) => !is_refused(name),
            Touch::Nothing => true,
            Touch::Delete { table, .. }
            | Touch::Insert { table, .. }
            | Touch::Read { table, .. }
            | Touch::Update { table, .. } => !is_engine_table(table),
        }
    }
}

impl Rights {
    pub(super) fn from_needs(needs: &Needs, connection: &Connection) -> rusqlite::Result<Self> {
        let mut rights = Self {
            is_for_query: needs.is_for_query,
            names: read_table_names(connection)?,
            ..Self::default()
        };
        for (name, needs) in &needs.tables {
            let table = name.name.to_ascii_lowercase();
            rights.reads.insert(table.clone(), lowercase_names(&needs.selects));
            if !needs.inserts.is_empty() {
                rights.inserts.insert(table.clone());
            }
            if !needs.updates.is_empty() {
                rights.updates.insert(table.clone(), lowercase_names(&needs.updates));
            }
            if needs.deletes {
                rights.deletes.insert(table);
            }
        }
        if needs.is_for_query {
            rights.withheld = withheld_columns(connection, &rights.reads)?;
        } else {
            foreign_keys::add_foreign_key_rights(&mut rights, connection)?;
        }
        Ok(rights)
    }

    /// True if a table or view came or went since these rights were made.
    pub(super) fn has_changed_table_names(
        &self,
        connection: &Connection,
    ) -> rusqlite::Result<bool> {
        Ok(self.names != read_table_names(connection)?)
    }

    /// True if some row is changed.
    pub(super) fn allows_changes(&self) -> bool {
        !(self.inserts.is_empty() && self.updates.is_empty() && self.deletes.is_empty())
    }

    /// The tables with the columns that may be read.
    pub(super) fn reads(&self) -> &BTreeMap<String, BTreeSet<String>> {
        &self.reads
    }

    pub(super) fn is_for_query(&self) -> bool {
        self.is_for_query
    }

    /// All tables and views of the file.
    pub(super) fn table_names(&self) -> &BTreeSet<String> {
        &self.names
    }

    /// True for the name of a table or column, in lower case, that a model's statements must not read.
    pub(super) fn is_withheld(&self, name: &str) -> bool {
        let is_of_others = self.names.contains(name) && !self.reads.contains_key(name);
        is_of_others || self.withheld.contains(name) || is_engine_table(name)
    }

    pub(super) fn allows(&self, touch: Touch<'_>, views: Views) -> bool {
        if !touch.is_allowed_to_operator() {
            return false;
        }
        match touch {
            Touch::Function(name) => {
                let is_listed = || functions::is_listed(Engine::Sqlite, &name.to_ascii_lowercase());
                !self.is_for_query || is_listed()
            }
            Touch::Read { table, column, accessor } if self.is_for_query => {
                self.allows_query_read([table, column], accessor, views)
            }
            // A view's or a trigger's own statement has the schema's text.
            Touch::Nothing
            | Touch::Delete { accessor: Some(_), .. }
            | Touch::Insert { accessor: Some(_), .. }
            | Touch::Read { accessor: Some(_), .. }
            | Touch::Update { accessor: Some(_), .. } => true,
            Touch::Read { table, column, .. } => self.allows_read(table, column),
            Touch::Delete { table, .. } => self.deletes.contains(&table.to_ascii_lowercase()),
            Touch::Insert { table, .. } => self.inserts.contains(&table.to_ascii_lowercase()),
            Touch::Update { table, column, .. } => self
                .updates
                .get(&table.to_ascii_lowercase())
                .is_some_and(|columns| columns.contains(&column.to_ascii_lowercase())),
        }
    }

    /// Adds what a statement of the operator does.
    pub(super) fn add(&mut self, touch: Touch<'_>) {
        match touch {
            Touch::Nothing | Touch::Function(_) => {}
            Touch::Read { table, column, accessor: Some(view) } => {
                self.view_reads.insert([table, column, view].map(str::to_ascii_lowercase));
            }
            Touch::Read { table, column, accessor: None } => {
                let columns = self.reads.entry(table.to_ascii_lowercase()).or_default();
                columns.insert(column.to_ascii_lowercase());
            }
            Touch::Delete { table, .. } => {
                self.deletes.insert(table.to_ascii_lowercase());
            }
            Touch::Insert { table, .. } => {
                self.inserts.insert(table.to_ascii_lowercase());
            }
            Touch::Update { table, column, .. } => {
                let columns = self.updates.entry(table.to_ascii_lowercase()).or_default();
                columns.insert(column.to_ascii_lowercase());
            }
        }
    }

    /// Adds the rights of another, which are those of statements that are not a model's.
    pub(super) fn add_all(&mut self, other: &Self) {
        for (mine, theirs) in [(&mut self.reads, &other.reads), (&mut self.updates, &other.updates)]
        {
            for (table, columns) in theirs {
                mine.entry(table.clone()).or_default().extend(columns.iter().cloned());
            }
        }
        self.inserts.extend(other.inserts.iter().cloned());
        self.deletes.extend(other.deletes.iter().cloned());
        self.add_view_reads(other.clone());
    }

    /// Adds the reads of views' own statements alone.
    pub(super) fn add_view_reads(&mut self, mut other: Self) {
        self.view_reads.append(&mut mem::take(&mut other.view_reads));
    }

    /// Adds a table that a view reads without the authorizer's knowledge.
    pub(super) fn add_unreported_read(&mut self, table: &str, view: &str) {
        self.view_reads.insert([table, "", view].map(str::to_owned));
    }

    /// The views that read one of these tables.
    pub(super) fn views_reading(&self, tables: &BTreeSet<TableName>) -> BTreeSet<&str> {
        let is_one = |table: &str| tables.iter().any(|it| it.name.eq_ignore_ascii_case(table));
        let reads = self.view_reads.iter().filter(|[table, _, _]| is_one(table));
        reads.map(|[_, _, view]| view.as_str()).collect()
    }

    fn allows_changes_to(&self, table: &str) -> bool {
        self.inserts.contains(table)
            || self.updates.contains_key(table)
            || self.deletes.contains(table)
    }

    fn allows_read(&self, table: &str, column: &str) -> bool {
        let table = table.to_ascii_lowercase();
        self.reads.contains_key(&table)
            || TABLE_FUNCTIONS.contains(&table.as_str())
            || self.is_common_table_expression(&table, column)
    }

    /// True for a common table expression of which no column is read. That of a table is said in the same way.
    fn is_common_table_expression(&self, table: &str, column: &str) -> bool {
        column.is_empty() && !self.names.contains(table)
    }

    fn allows_query_read(
        &self,
        [table, column]: [&str; 2],
        accessor: Option<&str>,
        views: Views,
    ) -> bool {
        let [table, column] = [table, column].map(str::to_ascii_lowercase);
        if TABLE_FUNCTIONS.contains(&table.as_str())
            || self.is_common_table_expression(&table, &column)
        {
            return true;
        }
        if let Some(columns) = self.reads.get(&table) {
            // No column at all is read by `count(*)`.
            if column.is_empty() || columns.contains(&column) {
                return true;
            }
        }
        let Some(view) = accessor else { return false };
        views == Views::Trusted
            && self.view_reads.contains(&[table, column, view.to_ascii_lowercase()])
    }
}

fn read_table_names(connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    let mut statement = connection
        .prepare("SELECT lower(name) FROM main.sqlite_schema WHERE type IN ('table', 'view')")?;
    let names = statement.query_map([], |row| row.get(0))?;
    names.collect()
}

fn withheld_columns(
    connection: &Connection,
    reads: &BTreeMap<String, BTreeSet<String>>,
) -> rusqlite::Result<BTreeSet<String>> {
    let mut statement = connection.prepare("SELECT lower(name) FROM pragma_table_xinfo(?1)")?;
    let mut withheld = BTreeSet::new();
    for (table, columns) in reads {
        for column in statement.query_map([table], |row| row.get::<_, String>(0))? {
            withheld.extend(Some(column?).filter(|column| !columns.contains(column)));
        }
    }
    Ok(withheld)
}

fn lowercase_names(names: &BTreeSet<String>) -> BTreeSet<String> {
    names.iter().map(|name| name.to_ascii_lowercase()).collect()
}

/// True for a function that no statement may call: it loads code, or reads or writes files or pointers.
fn is_refused(function: &str) -> bool {
    REFUSED.contains(&function.to_ascii_lowercase().as_str())
}

const REFUSED: [&str; 6] =
    ["edit", "fts3_tokenizer", "load_extension", "readfile", "sqlite_log", "writefile"];

/// True for the engine's own tables and the functions that show its settings: `sqlite_schema`, `pragma_table_info`.
fn is_engine_table(table: &str) -> bool {
    let table = table.to_ascii_lowercase();
    table.starts_with("sqlite_") || table.starts_with("pragma_") || table == "dbstat"
}

/// Tables that are functions of their arguments.
const TABLE_FUNCTIONS: [&str; 2] = ["json_each", "json_tree"];
