//! The tables and views of a file, read with the engine's own table-valued functions.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::{
    declared_type::{self, Strictness},
    rights::Rights,
};
use crate::{
    catalog::{Column, ForeignKey, MOST_OF_SMALL, Table, TableKind, UpdateTrigger},
    engine::Engine,
    settings::TableName,
};

/// The tables and views of these names, whatever their case.
pub(super) fn read_tables(
    connection: &Connection,
    names: &[TableName],
) -> rusqlite::Result<BTreeMap<TableName, Table>> {
    let mut tables = BTreeMap::new();
    for name in names.iter().filter(|name| is_main(name)) {
        let found_table =
            connection.prepare_cached(ONE)?.query_row([&name.name], FoundTable::read).optional()?;
        if let Some(found_table) = found_table {
            tables.insert(name.clone(), table(connection, &found_table)?);
        }
    }
    Ok(tables)
}

/// The names of all tables and views, in their order.
pub(super) fn list_tables(connection: &Connection) -> rusqlite::Result<Vec<TableName>> {
    let mut statement = connection.prepare(ALL)?;
    let names = statement.query_map([], |row| Ok(TableName { schema: None, name: row.get(0)? }))?;
    names.collect()
}

/// A statement on each view that may be read.
pub(super) fn select_readable_views(
    connection: &Connection,
    rights: &Rights,
) -> rusqlite::Result<Vec<String>> {
    let mut statement =
        connection.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'view'")?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?;
    let mut views = Vec::new();
    for name in names {
        let name = name?;
        if rights.reads().contains_key(&name.to_ascii_lowercase()) {
            views.push(format!("SELECT * FROM main.{}", quoted_identifier(&name)));
        }
    }
    Ok(views)
}

/// The texts of all views by their names in lower case.
pub(super) fn view_texts(connection: &Connection) -> rusqlite::Result<BTreeMap<String, String>> {
    let mut statement = connection
        .prepare("SELECT lower(name), sql FROM main.sqlite_schema WHERE type = 'view'")?;
    let texts = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    texts.collect()
}

struct FoundTable {
    name: String,
    kind: TableKind,
    strictness: Strictness,
}

impl FoundTable {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let is_view = row.get::<_, String>(1)? == "view";
        let is_strict = row.get::<_, bool>(2)?;
        Ok(Self {
            name: row.get(0)?,
            kind: if is_view { TableKind::View } else { TableKind::Table },
            strictness: if is_strict { Strictness::Strict } else { Strictness::Flexible },
        })
    }
}

fn table(connection: &Connection, found_table: &FoundTable) -> rusqlite::Result<Table> {
    let indexes = indexes_over_all_rows(connection, &found_table.name)?;
    let declared = declared_columns(connection, &found_table.name)?;
    let mut key: Vec<_> = declared.iter().filter(|column| column.key > 0).collect();
    key.sort_by_key(|column| column.key);
    let key: Vec<_> = key.into_iter().map(|column| column.name.clone()).collect();
    // The key of a table without an index for it is the number of its rows.
    let is_row_number = |column: &DeclaredColumn| {
        found_table.kind == TableKind::Table
            && key.len() == 1
            && column.key > 0
            && column.sql_type.eq_ignore_ascii_case("INTEGER")
            && !indexes.iter().any(|index| index.origin == "pk")
    };
    let columns = declared.iter().map(|column| {
        let place = Place { table: found_table, is_row_number: is_row_number(column) };
        self::column(connection, column, &place)
    });
    let columns: Vec<_> = columns.collect::<rusqlite::Result<_>>()?;
    let is_not_null = |name: &String| columns.iter().any(|it| it.name == *name && !it.is_nullable);
    let mut unique: Vec<_> = indexes.iter().filter_map(Index::unique_columns).collect();
    if !key.is_empty() && !unique.contains(&key) {
        unique.insert(0, key.clone());
    }
    unique.retain(|columns| columns.iter().all(is_not_null));
    let mut indexed: Vec<_> = key.first().cloned().into_iter().collect();
    for first in indexes.iter().filter_map(Index::first_column) {
        if !indexed.contains(first) {
            indexed.push(first.clone());
        }
    }
    Ok(Table {
        name: TableName { schema: None, name: found_table.name.clone() },
        kind: found_table.kind,
        comment: None,
        n_rows: count_rows_to_limit(connection, found_table)?,
        foreign_keys: foreign_keys(connection, &found_table.name)?,
        update_trigger: update_trigger(connection, &found_table.name)?,
        constraints: BTreeMap::new(),
        columns,
        key,
        unique,
        indexed,
    })
}

/// The rows, counted up to one beyond those of a small table: the file has no statistics of its own.
fn count_rows_to_limit(
    connection: &Connection,
    table: &FoundTable,
) -> rusqlite::Result<Option<u64>> {
    if table.kind == TableKind::View {
        return Ok(None);
    }
    let (name, most) = (Engine::Sqlite.quote(&table.name), MOST_OF_SMALL.saturating_add(1));
    let text = format!("SELECT count(*) FROM (SELECT 1 FROM {name} LIMIT {most})");
    let counted: u32 = connection.query_row(&text, [], |row| row.get(0))?;
    Ok(Some(counted.into()))
}

/// The beginning of a trigger's text says what it runs at: `CREATE TRIGGER name AFTER UPDATE OF note ON orders BEGIN`.
fn update_trigger(connection: &Connection, table: &str) -> rusqlite::Result<UpdateTrigger> {
    let mut statement = connection.prepare_cached(TRIGGERS)?;
    let has_trigger = statement.exists([table])?;
    Ok(if has_trigger { UpdateTrigger::Present } else { UpdateTrigger::Absent })
}

struct DeclaredColumn {
    name: String,
    sql_type: String,
    is_not_null: bool,
    has_default: bool,
    /// The place in the primary key, from 1.
    key: u32,
    /// 2 and 3 are generated columns.
    hidden: u32,
}

fn declared_columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<DeclaredColumn>> {
    let mut statement = connection.prepare_cached(COLUMNS)?;
    let columns = statement.query_map([table], |row| {
        Ok(DeclaredColumn {
            name: row.get(0)?,
            sql_type: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
            is_not_null: row.get(2)?,
            has_default: row.get(3)?,
            key: row.get(4)?,
            hidden: row.get(5)?,
        })
    })?;
    columns.filter(|column| column.as_ref().map_or(true, |column| column.hidden != 1)).collect()
}

struct Place<'a> {
    table: &'a FoundTable,
    is_row_number: bool,
}

fn column(
    connection: &Connection,
    column: &DeclaredColumn,
    place: &Place<'_>,
) -> rusqlite::Result<Column> {
    let kind = declared_type::kind(&column.sql_type, place.table.strictness);
    let (compares_bytes, counts_up) = match place.table.kind {
        TableKind::Parent | TableKind::View => {
            (view_compares_bytes(connection, &place.table.name, &column.name), false)
        }
        TableKind::Table => is_binary_and_counts_up(connection, &place.table.name, &column.name)?,
    };
    Ok(Column {
        name: column.name.clone(),
        sql_type: column.sql_type.clone(),
        is_nullable: !column.is_not_null && !place.is_row_number,
        has_default: column.has_default || place.is_row_number,
        is_generated: matches!(column.hidden, 2 | 3) || counts_up,
        compares_bytes: compares_bytes
            && declared_type::stores_equal_texts_equally(&column.sql_type, &kind),
        order_schema: None,
        own_name: None,
        comment: None,
        kind,
    })
}

/// Says of a table's column if its collation is that of bytes, and if it counts up (`AUTOINCREMENT`).
fn is_binary_and_counts_up(
    connection: &Connection,
    table: &str,
    column: &str,
) -> rusqlite::Result<(bool, bool)> {
    let (_, collation, _, _, counts_up) =
        connection.column_metadata(Some("main"), table, column)?;
    let is_binary = collation.is_none_or(|name| name.to_bytes().eq_ignore_ascii_case(b"binary"));
    Ok((is_binary, counts_up))
}

/// Asks the engine if it takes texts of other case, or with blanks at the end, for those of a view's column: it has the collation
/// of what it shows, which nothing names.
fn view_compares_bytes(connection: &Connection, view: &str, column: &str) -> bool {
    let text = format!(
        "SELECT count(*) FROM (SELECT {} FROM main.{} WHERE 0 \
         UNION SELECT 'a' UNION SELECT 'A' UNION SELECT 'a ')",
        quoted_identifier(column),
        quoted_identifier(view)
    );
    connection.query_row(&text, [], |row| row.get::<_, i64>(0)).is_ok_and(|distinct| distinct == 3)
}

struct Index {
    origin: String,
    is_unique: bool,
    /// The columns; `None` for an expression.
    columns: Vec<Option<String>>,
}

impl Index {
    fn unique_columns(&self) -> Option<Vec<String>> {
        if self.is_unique { self.columns.iter().cloned().collect() } else { None }
    }

    fn first_column(&self) -> Option<&String> {
        self.columns.first()?.as_ref()
    }
}

/// The indexes over all rows.
fn indexes_over_all_rows(connection: &Connection, table: &str) -> rusqlite::Result<Vec<Index>> {
    let mut statement = connection.prepare_cached(INDEXES)?;
    let mut rows = statement.query([table])?;
    let mut indexes: BTreeMap<i64, Index> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let is_unique = row.get(2)?;
        let origin = row.get(1)?;
        let index = indexes.entry(row.get(0)?);
        let index = index.or_insert_with(|| Index { origin, is_unique, columns: Vec::new() });
        index.columns.push(row.get(3)?);
    }
    Ok(indexes.into_values().collect())
}

fn foreign_keys(connection: &Connection, table: &str) -> rusqlite::Result<Vec<ForeignKey>> {
    let mut statement = connection.prepare_cached(FOREIGN_KEYS)?;
    let mut rows = statement.query([table])?;
    let mut keys: BTreeMap<i64, ForeignKey> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let name = TableName { schema: None, name: row.get(1)? };
        let key = keys.entry(row.get(0)?).or_insert_with(|| ForeignKey {
            columns: Vec::new(),
            table: name,
            referred: Vec::new(),
        });
        key.columns.push(row.get(2)?);
        key.referred.extend(row.get::<_, Option<String>>(3)?);
    }
    let mut keys: Vec<_> = keys.into_values().collect();
    for key in &mut keys {
        // A key that names no columns refers to the primary key.
        if key.referred.len() != key.columns.len() {
            key.referred = primary_key(connection, &key.table.name)?;
        }
    }
    Ok(keys)
}

fn primary_key(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut columns = declared_columns(connection, table)?;
    columns.retain(|column| column.key > 0);
    columns.sort_by_key(|column| column.key);
    Ok(columns.into_iter().map(|column| column.name).collect())
}

fn is_main(name: &TableName) -> bool {
    name.schema.as_ref().is_none_or(|schema| schema.eq_ignore_ascii_case("main"))
}

/// An identifier, as statements take it.
fn quoted_identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

const ALL: &str = "SELECT name FROM pragma_table_list WHERE schema = 'main' \
    AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";

const ONE: &str = "SELECT name, type, strict FROM pragma_table_list(?1) WHERE schema = 'main' \
    AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";

const COLUMNS: &str = "SELECT name, type, \"notnull\", dflt_value IS NOT NULL, pk, hidden \
    FROM pragma_table_xinfo(?1, 'main') ORDER BY cid";

const INDEXES: &str = "SELECT l.seq, l.origin, l.\"unique\", i.name FROM pragma_index_list(?1, 'main') AS l, \
    pragma_index_info(l.name, 'main') AS i WHERE NOT l.partial ORDER BY l.seq, i.seqno";

const FOREIGN_KEYS: &str = "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?1, 'main') \
    ORDER BY id, seq";

const TRIGGERS: &str = "SELECT 1 FROM main.sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) = lower(?1) \
    AND substr(upper(sql), 1, instr(upper(sql), 'BEGIN')) LIKE '%UPDATE%'";
