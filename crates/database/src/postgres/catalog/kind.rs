//! The values of a type: through domains and arrays to the type that has them.

use super::super::reader::CatalogReader;
use crate::{catalog::ColumnKind, error::Error};

/// The facts about a type.
#[derive(Clone, Debug)]
pub(in super::super) struct TypeFacts {
    pub(in super::super) kind: ColumnKind,
    /// The type as a cast takes it.
    pub(in super::super) sql_type: String,
    /// True if a domain refuses null.
    pub(in super::super) is_required: bool,
    pub(in super::super) has_default: bool,
    pub(in super::super) compares_bytes: bool,
    /// The schema of the operators of its order, if it is not the server's own.
    pub(in super::super) order_schema: Option<String>,
}

/// The kinds of types, each by its number and its modifier, in the order given.
pub(in super::super) async fn kinds(
    reader: &mut CatalogReader,
    types: &[(String, String)],
) -> Result<Vec<TypeFacts>, Error> {
    let numbers: Vec<_> = types.iter().map(|(number, _)| &**number).collect();
    let modifiers: Vec<_> = types.iter().map(|(_, modifier)| &**modifier).collect();
    let array = |texts: Vec<&str>| format!("{{{}}}", texts.join(","));
    let rows = reader.read_rows(TYPES, &[&array(numbers), &array(modifiers)]).await?;
    Ok(rows.into_iter().filter_map(facts).collect())
}

fn facts(row: Vec<Option<String>>) -> Option<TypeFacts> {
    let [sql_type, name, modifier, is_array, is_required, has_default, labels, order_schema] =
        <[_; 8]>::try_from(row).ok()?;
    let is = |flag: Option<String>| flag.is_some_and(|flag| flag == "true");
    let modifier = modifier.and_then(|text| text.parse().ok()).unwrap_or(-1);
    let name = name.unwrap_or_default();
    // A cast to a domain cuts bits, and its name does not say to how many.
    let is_cut = matches!(&*name, "bit" | "varbit")
        && modifier > 0
        && !sql_type.as_deref()?.starts_with("bit");
    let kind = match labels {
        Some(labels) => ColumnKind::Enumeration(super::json_texts(&labels)),
        None if is_cut => ColumnKind::Other,
        None => kind(&name, modifier),
    };
    // `char(n)` ignores blanks at the end, and `citext` ignores case.
    let is_checked = !matches!(kind, ColumnKind::Literal | ColumnKind::Other);
    let compares_bytes = is_checked && !matches!(&*name, "bpchar" | "citext");
    let kind = if is(is_array) { ColumnKind::Array(Box::new(kind)) } else { kind };
    Some(TypeFacts {
        kind,
        sql_type: sql_type?,
        is_required: is(is_required),
        has_default: is(has_default),
        compares_bytes,
        order_schema,
    })
}

/// The kind of a type of the database's own, by its name and modifier.
fn kind(name: &str, modifier: i32) -> ColumnKind {
    let characters = || u32::try_from(modifier.saturating_sub(4)).ok().filter(|_| modifier >= 4);
    match name {
        "bool" => ColumnKind::Boolean,
        "bytea" => ColumnKind::Bytes,
        "date" => ColumnKind::Date,
        "float4" | "float8" => ColumnKind::Float,
        "int2" => integer(i16::MIN, i16::MAX),
        "int4" => integer(i32::MIN, i32::MAX),
        "int8" => integer(i64::MIN, i64::MAX),
        "oid" => integer(u32::MIN, u32::MAX),
        "json" | "jsonb" => ColumnKind::Json,
        "numeric" => numeric(modifier),
        "text" | "citext" => ColumnKind::Text { most: None },
        "varchar" | "bpchar" => ColumnKind::Text { most: characters() },
        "uuid" => ColumnKind::Uuid,
        "time" => ColumnKind::Time { has_zone: false },
        "timetz" => ColumnKind::Time { has_zone: true },
        "timestamp" => ColumnKind::Timestamp { has_zone: false },
        "timestamptz" => ColumnKind::Timestamp { has_zone: true },
        _ if LITERALS.contains(&name) => ColumnKind::Literal,
        _ => ColumnKind::Other,
    }
}

/// The types whose values are written as texts that the server checks.
const LITERALS: [&str; 29] = [
    "bit",
    "box",
    "cidr",
    "circle",
    "datemultirange",
    "daterange",
    "inet",
    "int4multirange",
    "int4range",
    "int8multirange",
    "int8range",
    "interval",
    "line",
    "lseg",
    "macaddr",
    "macaddr8",
    "money",
    "nummultirange",
    "numrange",
    "path",
    "point",
    "polygon",
    "tsmultirange",
    "tsquery",
    "tsrange",
    "tstzrange",
    "tsvector",
    "varbit",
    "xml",
];

fn integer(least: impl Into<i128>, most: impl Into<i128>) -> ColumnKind {
    ColumnKind::Integer { least: least.into(), most: most.into() }
}

/// PostgreSQL, `numeric.c`: the precision stands above the scale, which has eleven bits and a sign.
fn numeric(modifier: i32) -> ColumnKind {
    let Some(packed) = modifier.checked_sub(4).filter(|packed| *packed >= 0) else {
        return ColumnKind::Numeric { precision: None, scale: None };
    };
    let precision = u32::try_from((packed >> 16) & 0xffff).ok();
    ColumnKind::Numeric { precision, scale: Some(((packed & 0x7ff) ^ 1024) - 1024) }
}

/// One row for each type: through its domains, and once through an array, to the type with the values. Types of extensions have
/// an empty name, but for `citext`. A B-tree (403) sorts by the operators of the type's own class, which a comparison finds by
/// their schema alone: without it `citext` is compared as `text`.
const TYPES: &str = "with recursive given as (
        select n, number::oid as number, modifier::int4 as modifier
        from unnest($1::text[], $2::text[]) with ordinality given(number, modifier, n)),
    path(n, depth, number, modifier, is_array, is_required, has_default) as (
        select n, 0, number, modifier, false, false, false from given
        union all
        select p.n, p.depth + 1,
            case when t.typtype = 'd' then t.typbasetype else t.typelem end,
            case when t.typtype = 'd' and t.typtypmod <> -1 then t.typtypmod else p.modifier end,
            p.is_array or t.typtype <> 'd',
            p.is_required or (t.typtype = 'd' and t.typnotnull and not p.is_array),
            p.has_default or (t.typdefault is not null and not p.is_array)
        from path p join pg_type t on t.oid = p.number
        where t.typtype = 'd' or (not p.is_array
            and exists (select from pg_type e where e.oid = t.typelem and e.typarray = t.oid))),
    ends as (select distinct on (n) * from path order by n, depth desc)
    select format_type(g.number, g.modifier),
        case when s.nspname = 'pg_catalog' or t.typname = 'citext' then t.typname else '' end,
        e.modifier, e.is_array, e.is_required, e.has_default,
        case when t.typtype = 'e' then (select json_agg(l.enumlabel order by l.enumsortorder)::text
            from pg_enum l where l.enumtypid = t.oid) end,
        (select w.nspname from pg_opclass c
            join pg_amop a on a.amopfamily = c.opcfamily and a.amoplefttype = c.opcintype and a.amoprighttype = c.opcintype
            join pg_operator p on p.oid = a.amopopr join pg_namespace w on w.oid = p.oprnamespace
            where c.opcdefault and c.opcmethod = 403 and c.opcintype = t.oid and a.amopstrategy = 1 and w.nspname <> 'pg_catalog')
    from given g join ends e using (n) join pg_type t on t.oid = e.number
    join pg_namespace s on s.oid = t.typnamespace order by g.n";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(modifier: i32, precision: Option<u32>, scale: Option<i32>) {
        assert_eq!(numeric(modifier), ColumnKind::Numeric { precision, scale });
    }

    #[test]
    fn the_modifier_of_a_numeric_holds_its_precision_and_scale() {
        check(-1, None, None);
        check((20 << 16 | 4) + 4, Some(20), Some(4));
        check((5 << 16) + 4, Some(5), Some(0));
        check((5 << 16 | (-2 & 0x7ff)) + 4, Some(5), Some(-2));
        check((1000 << 16 | 0x3e8) + 4, Some(1000), Some(1000));
    }
}
