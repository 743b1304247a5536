//! Tables, views and columns out of the catalog of PostgreSQL.

mod kind;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use self::kind::kinds;

use self::kind::TypeFacts;
use super::{pool::Pool, reader::Reader};
use crate::{
    catalog::{Column, ForeignKey, Table, TableKind},
    error::Error,
    settings::TableName,
};

/// The tables and views of these names. A name without a schema is one of `public`.
pub(super) async fn tables(
    pool: &Pool,
    names: &[TableName],
) -> Result<BTreeMap<TableName, Table>, Error> {
    let mut reader = Reader::open(pool).await?;
    let mut tables = BTreeMap::new();
    for name in names {
        if let Some(table) = table(&mut reader, name).await? {
            tables.insert(name.clone(), table);
        }
    }
    reader.close();
    Ok(tables)
}

/// The names of all tables and views that the login may read.
pub(super) async fn all_tables(pool: &Pool) -> Result<Vec<TableName>, Error> {
    let mut reader = Reader::open(pool).await?;
    let rows = reader.rows(ALL_TABLES, &[]).await?;
    reader.close();
    Ok(rows.into_iter().filter_map(name).collect())
}

async fn table(reader: &mut Reader, name: &TableName) -> Result<Option<Table>, Error> {
    let schema = name.schema.as_deref().unwrap_or("public");
    let found = reader.rows(TABLE, &[schema, &name.name]).await?;
    let Some([Some(id), Some(kind), comment]) = found.into_iter().next().and_then(three) else {
        return Ok(None);
    };
    let columns = columns(reader, &id).await?;
    let not_null: BTreeSet<_> =
        columns.iter().filter(|column| !column.is_nullable).map(|column| &*column.name).collect();
    let (mut key, mut unique, mut indexed) = (Vec::new(), Vec::new(), Vec::new());
    for row in reader.rows(INDEXES, &[&id]).await? {
        let Some([Some(names), Some(use_of), is_whole]) = three(row) else { continue };
        let names = list(&names);
        if use_of == "primary" {
            key.clone_from(&names);
        }
        if let Some(first) = names.first().filter(|first| !indexed.contains(*first)) {
            indexed.push(first.clone());
        }
        let is_whole = is_whole.is_some_and(|is_whole| is_whole == "true");
        let is_unique = use_of != "plain" && is_whole;
        if is_unique && names.iter().all(|name| not_null.contains(&**name)) {
            unique.push(names);
        }
    }
    let foreign_keys = reader.rows(FOREIGN_KEYS, &[&id]).await?;
    Ok(Some(Table {
        name: TableName { schema: Some(schema.to_owned()), name: name.name.clone() },
        kind: if matches!(&*kind, "v" | "m") { TableKind::View } else { TableKind::Table },
        comment,
        columns,
        key,
        unique,
        indexed,
        foreign_keys: foreign_keys.into_iter().filter_map(foreign_key).collect(),
    }))
}

async fn columns(reader: &mut Reader, id: &str) -> Result<Vec<Column>, Error> {
    let rows = reader.rows(COLUMNS, &[id]).await?;
    let of_types = rows.iter().filter_map(|row| {
        let [Some(of), Some(modifier), ..] = &**row else { return None };
        Some((of.clone(), modifier.clone()))
    });
    let facts = kinds(reader, &of_types.collect::<Vec<_>>()).await?;
    Ok(rows.into_iter().zip(facts).filter_map(|(row, facts)| column(row, facts)).collect())
}

fn column(row: Vec<Option<String>>, facts: TypeFacts) -> Option<Column> {
    let [_, _, name, is_required, has_default, is_generated, is_exact, comment] =
        <[_; 8]>::try_from(row).ok()?;
    let is = |flag: Option<String>| flag.is_some_and(|flag| flag == "true");
    Some(Column {
        name: name?,
        kind: facts.kind,
        sql_type: facts.sql_type,
        is_nullable: !is(is_required) && !facts.is_required,
        has_default: is(has_default) || facts.has_default,
        is_generated: is(is_generated),
        compares_bytes: is(is_exact) && facts.compares_bytes,
        comment,
    })
}

fn foreign_key(row: Vec<Option<String>>) -> Option<ForeignKey> {
    let [columns, schema, name, referred] = <[_; 4]>::try_from(row).ok()?;
    Some(ForeignKey {
        columns: list(&columns?),
        table: TableName { schema, name: name? },
        referred: list(&referred?),
    })
}

fn name(row: Vec<Option<String>>) -> Option<TableName> {
    let [schema, name] = <[_; 2]>::try_from(row).ok()?;
    Some(TableName { schema, name: name? })
}

fn three(row: Vec<Option<String>>) -> Option<[Option<String>; 3]> {
    row.try_into().ok()
}

/// The texts of a list in JSON.
pub(super) fn list(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

const ALL_TABLES: &str = "select n.nspname, c.relname
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_'
    and has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, 'select')
    order by 1, 2";

const TABLE: &str = "select c.oid, c.relkind::text, obj_description(c.oid, 'pg_class')
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p', 'v', 'm', 'f')";

const COLUMNS: &str = "select a.atttypid, a.atttypmod, a.attname, a.attnotnull,
    a.atthasdef and a.attgenerated = '', a.attgenerated <> '' or a.attidentity <> '',
    coalesce(l.collisdeterministic, true), col_description(a.attrelid, a.attnum)
    from pg_attribute a left join pg_collation l on l.oid = a.attcollation
    where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped order by a.attnum";

/// The columns of each index, up to the first expression; whether it is unique; and whether that holds of all rows at all times.
const INDEXES: &str = "select names.list::text,
    case when i.indisprimary then 'primary' when i.indisunique then 'unique' else 'plain' end,
    i.indpred is null and i.indexprs is null and i.indimmediate
    from pg_index i, lateral (
        select coalesce(json_agg(a.attname order by k.n), '[]') as list
        from unnest(i.indkey::int2[]) with ordinality k(attnum, n)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
        where k.n <= i.indnkeyatts
        and k.n < coalesce((select min(e.n) from unnest(i.indkey::int2[]) with ordinality e(attnum, n)
            where e.attnum = 0), 32767)) names
    where i.indrelid = $1::oid and i.indisvalid and (i.indpred is null or i.indisunique)
    order by i.indisprimary desc, i.indexrelid";

const FOREIGN_KEYS: &str = "select
    (select json_agg(a.attname order by k.n)::text from unnest(f.conkey) with ordinality k(attnum, n)
        join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.attnum),
    n.nspname, c.relname,
    (select json_agg(a.attname order by k.n)::text from unnest(f.confkey) with ordinality k(attnum, n)
        join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.attnum)
    from pg_constraint f join pg_class c on c.oid = f.confrelid
    join pg_namespace n on n.oid = c.relnamespace
    where f.conrelid = $1::oid and f.contype = 'f' and f.conparentid = 0 order by f.conname";
