//! Tables, views and columns out of `information_schema`. It shows a login what the login has a right on.

mod kind;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{pool::Pool, reader::Reader};
use crate::{
    catalog::{Column, ColumnKind, ForeignKey, Table, TableKind},
    engine::Engine,
    error::Error,
    settings::TableName,
};

/// The tables and views of these names. A name without a schema is one of `database`.
pub(super) async fn tables(
    pool: &Pool,
    database: &str,
    names: &[TableName],
) -> Result<BTreeMap<TableName, Table>, Error> {
    let mut reader = Reader::open(pool).await?;
    let mut tables = BTreeMap::new();
    for name in names {
        let schema = name.schema.as_deref().unwrap_or(database);
        if let Some(table) = table(&mut reader, schema, &name.name).await? {
            tables.insert(name.clone(), table);
        }
    }
    reader.close();
    Ok(tables)
}

/// The names of all tables and views that the login has a right on.
pub(super) async fn all_tables(pool: &Pool) -> Result<Vec<TableName>, Error> {
    let mut reader = Reader::open(pool).await?;
    let rows = reader.rows(ALL_TABLES, &[]).await?;
    reader.close();
    let name = |[schema, name]: [Option<String>; 2]| Some(TableName { schema, name: name? });
    Ok(rows.into_iter().filter_map(fields).filter_map(name).collect())
}

async fn table(reader: &mut Reader, schema: &str, name: &str) -> Result<Option<Table>, Error> {
    let rows = reader.rows(TABLE, &[schema, name]).await?;
    // Names are compared by a collation there.
    let mut found =
        rows.into_iter().filter_map(fields).filter_map(|[schema, name, of, comment]| {
            Some((TableName { schema, name: name? }, of?, comment))
        });
    let is_it = |(found, ..): &(TableName, String, Option<String>)| {
        found.name.eq_ignore_ascii_case(name)
            && found.schema.as_deref().is_some_and(|found| found.eq_ignore_ascii_case(schema))
    };
    let Some((table, of, comment)) = found.find(is_it) else { return Ok(None) };
    let of_table = [table.schema.as_deref().unwrap_or_default(), &table.name];
    let kind = if of.contains("VIEW") { TableKind::View } else { TableKind::Table };
    let mut columns: Vec<Column> =
        reader.rows(COLUMNS, &of_table).await?.into_iter().filter_map(column).collect();
    find_json(reader, &table, &mut columns).await?;
    let indexes = reader.rows(INDEXES, &of_table).await?;
    let (key, unique, indexed) = indexes_of(indexes, &columns);
    let foreign_keys = foreign_keys(reader.rows(FOREIGN_KEYS, &of_table).await?);
    let comment = comment.filter(|comment| !comment.is_empty() && kind == TableKind::Table);
    Ok(Some(Table { name: table, kind, comment, columns, key, unique, indexed, foreign_keys }))
}

fn column(row: Vec<Option<String>>) -> Option<Column> {
    let [name, sql_type, is_nullable, has_default, is_generated, collation, comment] = fields(row)?;
    let is = |flag: Option<String>| flag.is_some_and(|flag| flag == "1");
    let sql_type = sql_type?;
    Some(Column {
        name: name?,
        kind: kind::of(&sql_type),
        sql_type,
        is_nullable: is(is_nullable),
        has_default: is(has_default),
        is_generated: is(is_generated),
        // The others take `ann` for `ann ` at least.
        compares_bytes: collation.is_none_or(|name| name.ends_with("_nopad_bin")),
        comment: comment.filter(|comment| !comment.is_empty()),
    })
}

/// MariaDB keeps JSON as a long text, and says so only of the columns of a statement.
async fn find_json(
    reader: &mut Reader,
    table: &TableName,
    columns: &mut [Column],
) -> Result<(), Error> {
    let is_long = |column: &&mut Column| column.sql_type.eq_ignore_ascii_case("longtext");
    let quote = |name: &str| Engine::Mysql.quote(name);
    let mut long: Vec<&mut Column> = columns.iter_mut().filter(is_long).collect();
    if long.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = long.iter().map(|column| quote(&column.name)).collect();
    let schema = table.schema.as_deref().unwrap_or_default();
    let from = format!("{}.{}", quote(schema), quote(&table.name));
    let text: Arc<str> = format!("SELECT {} FROM {from}", names.join(", ")).into();
    // A login that may not read a column is found later.
    let Ok(statement) = reader.prepare(&text).await else { return Ok(()) };
    for (column, described) in long.iter_mut().zip(&statement.columns) {
        if described.kind() == ColumnKind::Json {
            column.kind = ColumnKind::Json;
        }
    }
    Ok(())
}

/// The primary key, the unique sets of columns that are not null, and the columns that an index begins with.
fn indexes_of(
    rows: Vec<Vec<Option<String>>>,
    columns: &[Column],
) -> (Vec<String>, Vec<Vec<String>>, Vec<String>) {
    let mut indexes: Vec<(String, bool, Vec<Option<String>>)> = Vec::new();
    for row in rows {
        let Some([Some(index), is_unique, name]) = fields(row) else { continue };
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
        let Some([Some(of), Some(column), schema, Some(name), Some(referred)]) = fields(row) else {
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
pub(super) fn fields<const N: usize>(row: Vec<Option<String>>) -> Option<[Option<String>; N]> {
    row.try_into().ok()
}

const ALL_TABLES: &str = "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES
    WHERE TABLE_SCHEMA NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')
    AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW') ORDER BY 1, 2";

const TABLE: &str = "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, TABLE_COMMENT FROM information_schema.TABLES
    WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')";

/// The values of a column that counts up are the database's own.
const COLUMNS: &str = "SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE = 'YES',
    COLUMN_DEFAULT IS NOT NULL, COALESCE(GENERATION_EXPRESSION, '') <> '' OR EXTRA LIKE '%auto_increment%',
    COLLATION_NAME, COLUMN_COMMENT FROM information_schema.COLUMNS
    WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION";

const INDEXES: &str = "SELECT INDEX_NAME, NON_UNIQUE = 0, COLUMN_NAME FROM information_schema.STATISTICS
    WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX";

const FOREIGN_KEYS: &str =
    "SELECT CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME,
    REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE
    WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND REFERENCED_TABLE_NAME IS NOT NULL
    ORDER BY CONSTRAINT_NAME, ORDINAL_POSITION";
