//! Rights on tables, views, columns and sequences, out of their access lists, and what the login owns.

use std::collections::{BTreeMap, BTreeSet};

use super::{CatalogReader, grantee, qualified_table_name, row_texts, subjects};
use crate::{
    engine::Engine,
    error::Error,
    login::{
        Grade, LoginFinding, Needs, TableNeeds,
        comparison::{HeldRight, surplus_finding},
        finding,
        right::{JudgedRight, Scope},
    },
    postgres::catalog::json_texts,
};

/// One kind of right on one table, as it was granted.
#[derive(Default)]
struct GrantedRight {
    /// The table as statements write it.
    table: String,
    is_sequence: bool,
    /// The columns; all of them if the right is one on the table.
    columns: BTreeSet<String>,
    /// Whom to revoke it from.
    grantees: BTreeSet<String>,
    /// The table that a sequence numbers.
    numbers: String,
}

pub(super) async fn owned_and_granted_findings(
    reader: &mut CatalogReader,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let mut findings = Vec::new();
    for row in reader.read_rows(OWNED, &[]).await? {
        let Some([name, what, quoted]) = row_texts(row) else { continue };
        findings.push(finding(
            Grade::Dangerous,
            format!("owner:{name}"),
            format!("the login, or a role that it can take, owns `{name}`: it can change and drop it, and skips its row policies"),
            format!("ALTER {what} {quoted} OWNER TO CURRENT_USER"),
        ));
    }
    findings.extend(granted_right_findings(reader, needs).await?);
    Ok(findings)
}

/// The findings about rights that were granted.
pub(super) async fn granted_right_findings(
    reader: &mut CatalogReader,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let mut findings = Vec::new();
    let tools = Tools::from_needs(needs);
    let mut granted: BTreeMap<(String, String), GrantedRight> = BTreeMap::new();
    for row in reader.read_rows(GRANTED, &[]).await? {
        let Some([name, kind, table, right, grantee, columns, numbers]) = row_texts(row) else {
            continue;
        };
        let granted_right = granted.entry((name, right)).or_default();
        granted_right.table = table;
        granted_right.is_sequence = kind == "S";
        granted_right.grantees.insert(grantee);
        granted_right.columns.extend(json_texts(&columns));
        granted_right.numbers = numbers;
    }
    for ((name, right), granted) in granted {
        findings.extend(surplus_right_finding(&name, &right, &granted, &tools));
    }
    Ok(findings)
}

/// The needs of the tools, by the names of tables as the catalog's queries write them.
struct Tools<'a> {
    needs: &'a Needs,
    tables: BTreeMap<String, &'a TableNeeds>,
}

impl<'a> Tools<'a> {
    fn from_needs(needs: &'a Needs) -> Self {
        let tables =
            needs.tables.iter().map(|(table, of_table)| (qualified_table_name(table), of_table));
        Self { needs, tables: tables.collect() }
    }

    /// True if a tool adds rows to the table that a sequence numbers, or a statement names the sequence.
    fn uses_sequence(&self, name: &str, numbered: &str) -> bool {
        let adds_rows = self.table(numbered).is_some_and(|table| !table.inserts.is_empty());
        let numbered = unqualified_name(numbered);
        adds_rows
            || self.needs.is_used_by_statements("INSERT", numbered)
            || self.needs.own_writes.iter().any(|words| words.has_name(unqualified_name(name)))
    }

    fn table(&self, name: &str) -> Option<&'a TableNeeds> {
        self.tables.get(name).copied()
    }
}

/// The name of a table or sequence without its schema.
fn unqualified_name(name: &str) -> &str {
    name.split_once('.').map_or(name, |(_, name)| name)
}

/// The finding about a right, unless tools use all of it.
fn surplus_right_finding(
    name: &str,
    right: &str,
    granted: &GrantedRight,
    tools: &Tools<'_>,
) -> Option<LoginFinding> {
    let needs = tools.needs;
    let is_numbering = granted.is_sequence && right == "USAGE";
    if is_numbering && tools.uses_sequence(name, &granted.numbers) {
        return None;
    }
    let (grade, used) = needs.grade_right(&JudgedRight {
        engine: Engine::Postgres,
        word: right,
        scope: if granted.is_sequence { Scope::Sequence } else { Scope::Table },
        table: Some((unqualified_name(name), tools.table(name))),
        columns: &granted.columns,
    })?;
    let none = BTreeSet::new();
    let has_columns = matches!(right, "INSERT" | "SELECT" | "UPDATE") && !granted.is_sequence;
    let what = if granted.is_sequence { "SEQUENCE " } else { "" };
    let held = HeldRight {
        right,
        name,
        on: &format!("{what}{}", granted.table),
        columns: if has_columns { &granted.columns } else { &none },
        named: &[],
        grantees: granted.grantees.iter().cloned().collect(),
    };
    surplus_finding(Engine::Postgres, &held, grade, &used)
}

const OWNED: &str = "select n.nspname || '.' || c.relname,
        case c.relkind when 'v' then 'VIEW' when 'm' then 'MATERIALIZED VIEW' when 'S' then 'SEQUENCE'
            when 'f' then 'FOREIGN TABLE' else 'TABLE' end,
        format('%I.%I', n.nspname, c.relname)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and pg_has_role(c.relowner, 'member')
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
            and d.deptype in ('a', 'i') and c.relkind = 'S')
        and n.nspname !~ '^pg_'
    union all
    select 'schema:' || nspname, 'SCHEMA', quote_ident(nspname) from pg_namespace
    where pg_has_role(nspowner, 'member') and nspname !~ '^pg_temp|^pg_toast_temp'
        and not (nspname = 'public' and nspowner = (select oid from pg_roles where rolname = 'pg_database_owner'))
    union all
    select 'database', 'DATABASE', quote_ident(datname) from pg_database
    where datname = current_database() and pg_has_role(datdba, 'member')";

/// The rights that were granted to whoever the login can be, with the columns that may be given values.
const GRANTED: &str = concat!(
    "with tables as (
        select c.oid, n.nspname || '.' || c.relname as name, c.relkind::text as kind, c.relowner, c.relacl,
            format('%I.%I', n.nspname, c.relname) as quoted
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'),
    rights as (
        select t.oid, x.privilege_type, x.grantee, null::int2 as attnum from tables t,
            lateral aclexplode(coalesce(t.relacl, acldefault(
                case t.kind when 'S' then 's' else 'r' end::\"char\", t.relowner))) x
        where x.grantee <> t.relowner and x.grantee in ",
    subjects!(),
    " union all
        select t.oid, x.privilege_type, x.grantee, a.attnum from tables t
            join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped,
            lateral aclexplode(a.attacl) x
        where a.attacl is not null and x.grantee <> t.relowner and x.grantee in ",
    subjects!(),
    ")
    select t.name, t.kind, t.quoted, r.privilege_type, ",
    grantee!("r.grantee"),
    ", coalesce((select json_agg(a.attname) from pg_attribute a where a.attrelid = t.oid and a.attnum > 0
            and not a.attisdropped and (a.attnum = r.attnum or r.attnum is null)
            and (r.privilege_type = 'SELECT' or (a.attgenerated = '' and a.attidentity <> 'a'))), '[]')::text,
        coalesce((select n.nspname || '.' || o.relname from pg_depend d join pg_class o on o.oid = d.refobjid
            join pg_namespace n on n.oid = o.relnamespace where d.classid = 'pg_class'::regclass
            and d.objid = t.oid and d.deptype in ('a', 'i') and d.refclassid = 'pg_class'::regclass limit 1), '')
    from rights r join tables t on t.oid = r.oid"
);
