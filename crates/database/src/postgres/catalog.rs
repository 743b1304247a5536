//! Tables, views and columns out of the catalog of PostgreSQL.

mod kind;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use self::kind::kinds;

use self::kind::TypeFacts;
use super::{pool::Pool, reader::CatalogReader};
use crate::{
    catalog::{Column, ForeignKey, Table, TableKind, UpdateTrigger},
    error::Error,
    settings::TableName,
    transaction::Rows,
};

/// The tables and views of these names. A name without a schema is one of `public`.
pub(super) async fn read_tables(
    pool: &Pool,
    names: &[TableName],
) -> Result<BTreeMap<TableName, Table>, Error> {
    let mut reader = CatalogReader::open(pool).await?;
    let asked: Vec<[&str; 2]> =
        names.iter().map(|name| [name.schema.as_deref().unwrap_or("public"), &name.name]).collect();
    let asked = serde_json::to_string(&asked).unwrap_or_default();
    let table_rows = reader.read_rows(TABLES, &[&asked]).await?;
    let table_rows: Vec<[Option<String>; 6]> =
        table_rows.into_iter().filter_map(|row| row.try_into().ok()).collect();
    let ids: Vec<&str> = table_rows.iter().filter_map(|[_, id, ..]| id.as_deref()).collect();
    let ids = format!("{{{}}}", ids.join(","));
    let mut parts = CatalogParts {
        columns: by_table(reader.read_rows(COLUMNS, &[&ids]).await?),
        indexes: by_table(reader.read_rows(INDEXES, &[&ids]).await?),
        foreign_keys: by_table(reader.read_rows(FOREIGN_KEYS, &[&ids]).await?),
        constraints: by_table(reader.read_rows(CONSTRAINTS, &[&ids]).await?),
        types: BTreeMap::new(),
    };
    let types = parts.columns.values().flatten().filter_map(|row| type_and_modifier(row));
    let types: Vec<_> = types.collect::<BTreeSet<_>>().into_iter().collect();
    let facts = kinds(&mut reader, &types).await?;
    parts.types = types.into_iter().zip(facts).collect();
    reader.give_back_connection();
    let table = |[at, id, kind, comment, has_trigger, n_rows]: [Option<String>; 6]| {
        let name = names.get(at?.parse::<usize>().ok()?.checked_sub(1)?)?;
        let kind = match &*kind? {
            "v" | "m" => TableKind::View,
            "parent" => TableKind::Parent,
            _ => TableKind::Table,
        };
        let mut table = parts.table(name, &id?, kind, comment);
        table.n_rows = n_rows.and_then(|n_rows| n_rows.parse().ok());
        table.update_trigger = match has_trigger.as_deref() {
            Some("true") => UpdateTrigger::Present,
            _ => UpdateTrigger::Absent,
        };
        Some((name.clone(), table))
    };
    Ok(table_rows.into_iter().filter_map(table).collect())
}

/// Rows by the number of the table that they are about.
type ByTable = BTreeMap<String, Rows>;

fn by_table(rows: Rows) -> ByTable {
    let mut by_table = ByTable::new();
    for mut row in rows {
        if !row.is_empty()
            && let Some(id) = row.remove(0)
        {
            by_table.entry(id).or_default().push(row);
        }
    }
    by_table
}

/// The number and the modifier of a column's type.
fn type_and_modifier(row: &[Option<String>]) -> Option<(String, String)> {
    let [Some(of), Some(modifier), ..] = row else { return None };
    Some((of.clone(), modifier.clone()))
}

/// The columns, indexes, references and types of tables, as the catalog has them.
struct CatalogParts {
    columns: ByTable,
    indexes: ByTable,
    foreign_keys: ByTable,
    constraints: ByTable,
    types: BTreeMap<(String, String), TypeFacts>,
}

impl CatalogParts {
    fn table(&self, name: &TableName, id: &str, kind: TableKind, comment: Option<String>) -> Table {
        let rows = |of: &ByTable| of.get(id).cloned().unwrap_or_default();
        let column = |row: Vec<Option<String>>| {
            let facts = self.types.get(&type_and_modifier(&row)?)?.clone();
            column(row, facts)
        };
        let columns: Vec<Column> = rows(&self.columns).into_iter().filter_map(column).collect();
        let not_null = columns.iter().filter(|column| !column.is_nullable);
        let not_null: BTreeSet<_> = not_null.map(|column| &*column.name).collect();
        let (mut key, mut unique, mut indexed) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows(&self.indexes) {
            let Some([Some(names), Some(use_of), is_whole]) = three_values(row) else { continue };
            let names = json_texts(&names);
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
        let schema = name.schema.clone().unwrap_or_else(|| "public".to_owned());
        let foreign_keys = rows(&self.foreign_keys).into_iter().filter_map(foreign_key).collect();
        let name = TableName { schema: Some(schema), name: name.name.clone() };
        let update_trigger = UpdateTrigger::default();
        let constraint = |row: Vec<Option<String>>| {
            let [name, columns] = <[_; 2]>::try_from(row).ok()?;
            Some((name?, json_texts(&columns?)))
        };
        let constraints = rows(&self.constraints).into_iter().filter_map(constraint).collect();
        Table {
            name,
            kind,
            comment,
            n_rows: None,
            columns,
            key,
            unique,
            indexed,
            foreign_keys,
            update_trigger,
            constraints,
        }
    }
}

/// The names of all tables and views that the login may read.
pub(super) async fn list_tables(pool: &Pool) -> Result<Vec<TableName>, Error> {
    let mut reader = CatalogReader::open(pool).await?;
    let rows = reader.read_rows(ALL_TABLES, &[]).await?;
    reader.give_back_connection();
    Ok(rows.into_iter().filter_map(name).collect())
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
        order_schema: facts.order_schema,
        own_name: None,
        comment,
    })
}

fn foreign_key(row: Vec<Option<String>>) -> Option<ForeignKey> {
    let [columns, schema, name, referred] = <[_; 4]>::try_from(row).ok()?;
    Some(ForeignKey {
        columns: json_texts(&columns?),
        table: TableName { schema, name: name? },
        referred: json_texts(&referred?),
    })
}

fn name(row: Vec<Option<String>>) -> Option<TableName> {
    let [schema, name] = <[_; 2]>::try_from(row).ok()?;
    Some(TableName { schema, name: name? })
}

fn three_values(row: Vec<Option<String>>) -> Option<[Option<String>; 3]> {
    row.try_into().ok()
}

/// The texts of a list in JSON.
pub(super) fn json_texts(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

const ALL_TABLES: &str = "select n.nspname, c.relname
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_'
    and has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, 'select')
    order by 1, 2";

/// The tables, with whether a trigger of users runs when a row is updated (bit 16 of its type), and about how many rows there are by the statistics. A
/// login may not be able to ask for the size.
const TABLES: &str = "select j.n, c.oid,
    case when c.relkind <> 'p' and exists (select from pg_inherits i where i.inhparent = c.oid) then 'parent' else c.relkind::text end,
    obj_description(c.oid, 'pg_class'),
    exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal and t.tgenabled <> 'D' and t.tgtype & 16 <> 0),
    case when c.reltuples > 0 then c.reltuples::bigint end
    from json_array_elements($1::json) with ordinality j(t, n) join pg_namespace n on n.nspname = j.t ->> 0
    join pg_class c on c.relnamespace = n.oid and c.relname = j.t ->> 1 and c.relkind in ('r', 'p', 'v', 'm', 'f')";

const COLUMNS: &str = "select a.attrelid, a.atttypid, a.atttypmod, a.attname, a.attnotnull,
    a.atthasdef and a.attgenerated = '', a.attgenerated <> '' or a.attidentity <> '',
    coalesce(l.collisdeterministic, true), col_description(a.attrelid, a.attnum)
    from pg_attribute a left join pg_collation l on l.oid = a.attcollation
    where a.attrelid = any ($1::text::oid[]) and a.attnum > 0 and not a.attisdropped order by a.attrelid, a.attnum";

/// The columns of each index, up to the first expression; whether it is unique; and whether that holds of all rows at all times.
const INDEXES: &str = "select i.indrelid, names.list::text,
    case when i.indisprimary then 'primary' when i.indisunique then 'unique' else 'plain' end,
    i.indpred is null and i.indexprs is null and i.indimmediate
    from pg_index i, lateral (
        select coalesce(json_agg(a.attname order by k.n), '[]') as list
        from unnest(i.indkey::int2[]) with ordinality k(attnum, n)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
        where k.n <= i.indnkeyatts
        and k.n < coalesce((select min(e.n) from unnest(i.indkey::int2[]) with ordinality e(attnum, n)
            where e.attnum = 0), 32767)) names
    where i.indrelid = any ($1::text::oid[]) and i.indisvalid and (i.indpred is null or i.indisunique)
    order by i.indisprimary desc, i.indexrelid";

/// The columns of constraints, and of unique indexes that are none.
const CONSTRAINTS: &str = "select x.of, x.name, json_agg(a.attname order by k.n)::text
    from (select conrelid, conname, conkey from pg_constraint where contype in ('c', 'f', 'p', 'u', 'x')
        union all select i.indrelid, c.relname, i.indkey::int2[] from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indisunique and not exists (select from pg_constraint f where f.conindid = i.indexrelid and f.conrelid = i.indrelid)
    ) x(of, name, numbers), unnest(x.numbers) with ordinality k(attnum, n)
    join pg_attribute a on a.attnum = k.attnum and k.attnum > 0
    where a.attrelid = x.of and x.of = any ($1::text::oid[]) group by x.of, x.name";

const FOREIGN_KEYS: &str = "select f.conrelid,
    (select json_agg(a.attname order by k.n)::text from unnest(f.conkey) with ordinality k(attnum, n)
        join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.attnum),
    n.nspname, c.relname,
    (select json_agg(a.attname order by k.n)::text from unnest(f.confkey) with ordinality k(attnum, n)
        join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.attnum)
    from pg_constraint f join pg_class c on c.oid = f.confrelid
    join pg_namespace n on n.oid = c.relnamespace
    where f.conrelid = any ($1::text::oid[]) and f.contype = 'f' and f.conparentid = 0 order by f.conname";
