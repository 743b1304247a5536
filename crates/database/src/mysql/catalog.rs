//! Tables, views and columns out of `information_schema`. It shows a login what the login has a right on.

mod kind;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{pool::Pool, reader::CatalogReader};
use crate::{
    catalog::{Column, ColumnKind, ForeignKey, Table, TableKind, UpdateTrigger},
    engine::Engine,
    error::Error,
    settings::TableName,
};

/// The tables and views of these names. A name without a schema is one of `database`.
pub(super) async fn read_tables(
    pool: &Pool,
    database: &str,
    names: &[TableName],
) -> Result<BTreeMap<TableName, Table>, Error> {
    let mut reader = CatalogReader::open(pool).await?;
    let mut tables = BTreeMap::new();
    for names in names.chunks(MOST_IN_FLIGHT) {
        let found_tables = find_tables(&mut reader, database, names).await?;
        tables.extend(describe_tables(&mut reader, found_tables).await?);
    }
    reader.give_back_connection();
    Ok(tables)
}

/// The names of all tables and views that the login has a right on.
pub(super) async fn list_tables(pool: &Pool) -> Result<Vec<TableName>, Error> {
    let mut reader = CatalogReader::open(pool).await?;
    let rows = reader.read_rows(ALL_TABLES, &[]).await?;
    reader.give_back_connection();
    let name = |[schema, name]: [Option<String>; 2]| Some(TableName { schema, name: name? });
    Ok(rows.into_iter().filter_map(row_values).filter_map(name).collect())
}

/// A table or view that is there.
struct FoundTable<'a> {
    /// The name in the settings.
    asked: &'a TableName,
    name: TableName,
    kind: TableKind,
    comment: Option<String>,
    n_rows: Option<u64>,
}

/// The tables of these names that are there.
async fn find_tables<'a>(
    reader: &mut CatalogReader,
    database: &str,
    names: &'a [TableName],
) -> Result<Vec<FoundTable<'a>>, Error> {
    let schema = |name: &'a TableName| name.schema.as_deref().unwrap_or(database);
    let values: Vec<_> = names.iter().map(|name| [schema(name), name.name.as_str()]).collect();
    let text: Arc<str> = TABLE.into();
    let asked: Vec<_> = values.iter().map(|values| (&text, values.as_slice())).collect();
    let rows = reader.read_pipelined_rows(&asked).await?;
    let mut tables = Vec::new();
    for ((asked, [schema, name]), rows) in names.iter().zip(&values).zip(rows) {
        // Names are compared by a collation there.
        let is_it = |table: &FoundTable<'_>| {
            let table_name = &table.name;
            table_name.name.eq_ignore_ascii_case(name)
                && table_name
                    .schema
                    .as_deref()
                    .is_some_and(|table_schema| table_schema.eq_ignore_ascii_case(schema))
        };
        let of_row = |row| {
            let [schema, name, of, comment, n_rows] = row_values(row)?;
            let kind = if of?.contains("VIEW") { TableKind::View } else { TableKind::Table };
            let name = TableName { schema, name: name? };
            let comment = comment.filter(|it| !it.is_empty() && kind == TableKind::Table);
            let n_rows = n_rows.and_then(|n_rows| n_rows.parse().ok());
            Some(FoundTable { asked, name, kind, comment, n_rows })
        };
        tables.extend(rows.into_iter().filter_map(of_row).find(is_it));
    }
    Ok(tables)
}

/// The tables with their columns, indexes and references.
async fn describe_tables(
    reader: &mut CatalogReader,
    found_tables: Vec<FoundTable<'_>>,
) -> Result<Vec<(TableName, Table)>, Error> {
    let mut texts: Vec<Arc<str>> = [COLUMNS, INDEXES, FOREIGN_KEYS].map(Arc::from).into();
    // MySQL does not say there of which table a check is.
    texts.extend(reader.is_mariadb()?.then(|| CHECKS.into()));
    let values = |table: &FoundTable<'_>| {
        [table.name.schema.clone().unwrap_or_default(), table.name.name.clone()]
    };
    let values: Vec<[String; 2]> = found_tables.iter().map(values).collect();
    let values: Vec<[&str; 2]> = values.iter().map(|[schema, name]| [&**schema, &**name]).collect();
    let asked = values.iter().flat_map(|values| texts.iter().map(move |text| (text, &values[..])));
    let mut rows = reader.read_pipelined_rows(&asked.collect::<Vec<_>>()).await?.into_iter();
    let mut tables = Vec::new();
    for FoundTable { asked, name, kind, comment, n_rows } in found_tables {
        let mut next = || rows.next().unwrap_or_default();
        let columns = next();
        let row_ends = row_end_columns(&columns);
        let columns: Vec<Column> = columns.into_iter().filter_map(column).collect();
        let (mut indexes, references) = (next(), next());
        indexes.retain(|row| !row.get(2).is_some_and(|name| row_ends.contains(name)));
        let checks = if texts.len() > 3 { next() } else { Vec::new() };
        let constraints = constraint_columns([(&indexes, 2), (&references, 1), (&checks, 1)]);
        let (key, unique, indexed) = keys_and_indexed_columns(indexes, &columns);
        let foreign_keys = foreign_keys(references);
        // The right to see triggers is one to make them.
        let update_trigger = UpdateTrigger::Unknown;
        let table = Table {
            name,
            kind,
            comment,
            n_rows,
            columns,
            key,
            unique,
            indexed,
            foreign_keys,
            update_trigger,
            constraints,
        };
        tables.push((asked.clone(), table));
    }
    mark_json_columns(reader, &mut tables).await?;
    Ok(tables)
}

/// The columns of indexes and constraints by their names, out of rows that have the name first and the column at an index.
fn constraint_columns(
    sources: [(&[Vec<Option<String>>], usize); 3],
) -> BTreeMap<String, Vec<String>> {
    let mut constraints: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (rows, at) in sources {
        for row in rows {
            let value = |at: usize| row.get(at).and_then(Option::clone);
            if let (Some(name), Some(column)) = (value(0), value(at)) {
                constraints.entry(name).or_default().push(column);
            }
        }
    }
    constraints
}

/// The columns that say until when a row of a table with system versioning holds. The server adds them to its unique indexes, and
/// they are equal in all rows that a reading without `FOR SYSTEM_TIME` sees.
fn row_end_columns(columns: &[Vec<Option<String>>]) -> BTreeSet<Option<String>> {
    let is_end = |row: &&Vec<Option<String>>| row.last() == Some(&Some("1".to_owned()));
    columns.iter().filter(is_end).filter_map(|row| row.first().cloned()).collect()
}

fn column(row: Vec<Option<String>>) -> Option<Column> {
    let [name, sql_type, is_nullable, has_default, is_generated, collation, comment, _] =
        row_values(row)?;
    let is = |flag: Option<String>| flag.is_some_and(|flag| flag == "1");
    let sql_type = sql_type?;
    Some(Column {
        name: name?,
        kind: kind::from_sql_type(&sql_type),
        sql_type,
        is_nullable: is(is_nullable),
        has_default: is(has_default),
        is_generated: is(is_generated),
        // The others take `ann` for `ann ` at least.
        compares_bytes: collation.is_none_or(|name| name.ends_with("_nopad_bin")),
        order_schema: None,
        own_name: None,
        comment: comment.filter(|comment| !comment.is_empty()),
    })
}

/// MariaDB keeps JSON as a long text, and says so only of the columns of a statement.
async fn mark_json_columns(
    reader: &mut CatalogReader,
    tables: &mut [(TableName, Table)],
) -> Result<(), Error> {
    let texts: Vec<Arc<str>> =
        tables.iter().filter_map(|(_, table)| select_long_texts(table)).collect();
    if texts.is_empty() {
        return Ok(());
    }
    let mut statements = reader.prepare_each(&texts).await?.into_iter();
    for (_, table) in tables.iter_mut().filter(|(_, table)| select_long_texts(table).is_some()) {
        // A login that may not read a column is found later.
        let Some(statement) = statements.next().flatten() else { continue };
        let long = table.columns.iter_mut().filter(|column| is_long_text(column));
        for (column, described) in long.zip(&statement.columns) {
            if described.kind() == ColumnKind::Json {
                column.kind = ColumnKind::Json;
            }
        }
    }
    Ok(())
}

/// A statement that reads the long texts of a table; `None` if it has none.
fn select_long_texts(table: &Table) -> Option<Arc<str>> {
    let quote = |name: &str| Engine::Mysql.quote(name);
    let long = table.columns.iter().filter(|column| is_long_text(column));
    let names: Vec<_> = long.map(|column| quote(&column.name)).collect();
    let schema = quote(table.name.schema.as_deref().unwrap_or_default());
    let from = format!("{schema}.{}", quote(&table.name.name));
    (!names.is_empty()).then(|| format!("SELECT {} FROM {from}", names.join(", ")).into())
}

fn is_long_text(column: &Column) -> bool {
    column.sql_type.eq_ignore_ascii_case("longtext")
}

/// The primary key, the unique sets of columns that are not null, and the columns that an index begins with.
fn keys_and_indexed_columns(
    rows: Vec<Vec<Option<String>>>,
    columns: &[Column],
) -> (Vec<String>, Vec<Vec<String>>, Vec<String>) {
    let mut indexes: Vec<(String, bool, Vec<Option<String>>)> = Vec::new();
    for row in rows {
        let Some([Some(index), is_unique, name]) = row_values(row) else { continue };
        match indexes.last_mut() {
            Some((last, _, names)) if *last == index => names.push(name),
            _ => indexes.push((index, is_unique.as_deref() == Some("1"), vec![name])),
        }
    }
    let not_null: BTreeSet<_> =
        columns.iter().filter(|column| !column.is_nullable).map(|column| &*column.name).collect();
    let (mut key, mut unique, mut indexed) = (Vec::new(), Vec::new(), Vec::<String>::new());
    for (index, is_unique, names) in indexes {
        if let Some(Some(first)) = names.first()
            && !indexed.contains(first)
        {
            indexed.push(first.clone());
        }
        // An expression has no name.
        let Some(names) = names.into_iter().collect::<Option<Vec<String>>>() else { continue };
        if index == "PRIMARY" {
            key.clone_from(&names);
        }
        if is_unique && names.iter().all(|name| not_null.contains(&**name)) {
            unique.push(names);
        }
    }
    (key, unique, indexed)
}

fn foreign_keys(rows: Vec<Vec<Option<String>>>) -> Vec<ForeignKey> {
    let mut keys: Vec<(String, ForeignKey)> = Vec::new();
    for row in rows {
        let Some([Some(of), Some(column), schema, Some(name), Some(referred)]) = row_values(row)
        else {
            continue;
        };
        match keys.last_mut() {
            Some((last, key)) if *last == of => {
                key.columns.push(column);
                key.referred.push(referred);
            }
            _ => {
                let table = TableName { schema, name };
                keys.push((
                    of,
                    ForeignKey { columns: vec![column], table, referred: vec![referred] },
                ));
            }
        }
    }
    keys.into_iter().map(|(_, key)| key).collect()
}

/// The values of a row, of which there are so many.
pub(super) fn row_values<const N: usize>(row: Vec<Option<String>>) -> Option<[Option<String>; N]> {
    row.try_into().ok()
}

const ALL_TABLES: &str = "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES
    WHERE TABLE_SCHEMA NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')
    AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW') ORDER BY 1, 2";

const TABLE: &str = "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, TABLE_COMMENT, TABLE_ROWS FROM information_schema.TABLES
    WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')";

/// The values of a column that counts up are the database's own.
const COLUMNS: &str = "SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE = 'YES',
    COLUMN_DEFAULT IS NOT NULL, COALESCE(GENERATION_EXPRESSION, '') <> '' OR EXTRA LIKE '%auto_increment%',
    COLLATION_NAME, COLUMN_COMMENT, GENERATION_EXPRESSION = 'ROW END' FROM information_schema.COLUMNS
    WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION";

const INDEXES: &str = "SELECT INDEX_NAME, NON_UNIQUE = 0, COLUMN_NAME FROM information_schema.STATISTICS
    WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX";

const FOREIGN_KEYS: &str =
    "SELECT CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME,
    REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE
    WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND REFERENCED_TABLE_NAME IS NOT NULL
    ORDER BY CONSTRAINT_NAME, ORDINAL_POSITION";

/// The columns that a check names. That of a column alone has its name.
const CHECKS: &str = "SELECT k.CONSTRAINT_NAME, c.COLUMN_NAME FROM information_schema.CHECK_CONSTRAINTS k
    JOIN information_schema.COLUMNS c ON c.TABLE_SCHEMA = k.CONSTRAINT_SCHEMA AND c.TABLE_NAME = k.TABLE_NAME
    WHERE k.CONSTRAINT_SCHEMA = ? AND k.TABLE_NAME = ? AND INSTR(k.CHECK_CLAUSE, CONCAT('`', c.COLUMN_NAME, '`')) > 0
    ORDER BY 1, c.ORDINAL_POSITION";

/// The tables that are read together: the server gets the requests for all of them before the first answer is read.
const MOST_IN_FLIGHT: usize = 64;
