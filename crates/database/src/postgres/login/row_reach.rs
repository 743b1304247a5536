//! Rows that an offered table or view shows although rules keep them: those of entities with `rows` or `role`, and row policies. A text
//! reads a relation by its name, so each way from it to a table counts: views, functions whose body the catalog knows, and whatever leads to
//! one (operators, aggregates, types and their checks, classes of operators), inheritance and partitions in both directions, and foreign
//! tables of this name. The text of other functions is not read.

use super::{CatalogReader, qualified_table_name, row_texts};
use crate::{
    error::Error,
    login::{Grade, LoginFinding, Needs, finding},
};

pub(super) async fn rule_evasion_findings(
    reader: &mut CatalogReader,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let json = |names: Vec<String>| serde_json::to_string(&names).unwrap_or_default();
    let offered = json(needs.tables.keys().map(qualified_table_name).collect());
    let withheld = json(needs.withheld.iter().map(qualified_table_name).collect());
    let rows = reader.read_rows(SHOWN, &[&offered, &withheld]).await?;
    let findings = rows.into_iter().filter_map(|row| {
        let [name, label, kind, tables, remedy] = row_texts(row)?;
        let message = match &*kind {
            "policies" => format!("the login skips the row policies of {tables} in what `{name}` shows"),
            _ => format!(
                "a text sees every row of `{name}`, and it shows rows that an entity offers with `rows` or `role`: {tables}"
            ),
        };
        let remedy = if remedy.is_empty() {
            format!("leave `{name}` out of `query`, whose texts see all rows that it shows")
        } else {
            remedy
        };
        Some(finding(Grade::Dangerous, format!("{label}:{name}"), message, remedy))
    });
    Ok(findings.collect())
}

/// The offered relations that show such rows, with the tables of the rules, and what makes policies hold.
///
/// `below` goes from withheld relations down, so that the one table of a withheld view is withheld, too. `shown` has what each offered
/// relation reads: as the login, or with the rights of a view's owner; and by its name, or as a part of its parent, whose policies are those
/// that count. `kin` has the parts of each and what each is a part of: rules of any of them are about its rows.
const SHOWN: &str = "with recursive named as (
        select c.oid, n.nspname, c.relname, n.nspname || '.' || c.relname as name, c.relkind, c.relrowsecurity
        from pg_class c join pg_namespace n on n.oid = c.relnamespace),
    below(top, oid) as (
        select oid, oid from named where name in (select json_array_elements_text($2::json))
        union
        select b.top, d.refobjid from below b join pg_rewrite w on w.ev_class = b.oid join pg_depend d
            on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
            and d.refclassid = 'pg_class'::regclass and d.refobjid <> b.oid),
    withheld(oid) as (
        select top from below
        union
        select min(b.oid) from below b join named t on t.oid = b.oid and t.relkind in ('r', 'p', 'f')
        group by b.top having count(distinct b.oid) = 1),
    shown(offered, class, oid, as_login, by_name) as (
        select oid, 'pg_class'::regclass::oid, oid, true, true from named
        where name in (select json_array_elements_text($1::json))
        union
        select s.offered, x.class, x.oid, x.as_login, x.by_name from shown s, lateral (
            select d.refclassid, d.refobjid, s.as_login and c.relkind = 'v' and coalesce((
                select o.option_value::boolean from pg_options_to_table(c.reloptions) o
                where o.option_name = 'security_invoker'), false), true
            from pg_class c join pg_rewrite w on w.ev_class = c.oid join pg_depend d
                on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refobjid <> c.oid
            where s.class = 'pg_class'::regclass and c.oid = s.oid
            union all
            select d.refclassid, d.refobjid, coalesce(not p.prosecdef, s.as_login), true
            from pg_depend d left join pg_proc p on d.classid = 'pg_proc'::regclass and p.oid = d.objid
            where s.class <> 'pg_class'::regclass and d.classid = s.class and d.objid = s.oid
                and (d.deptype = 'n' or d.refclassid <> 'pg_class'::regclass)
            union all
            select d.classid, d.objid, s.as_login, true from pg_depend d
            where s.class not in ('pg_class'::regclass, 'pg_proc'::regclass) and d.refclassid = s.class and d.refobjid = s.oid
                and d.classid <> 'pg_class'::regclass and (d.deptype in ('a', 'i') or d.classid = 'pg_amop'::regclass)
            union all
            select s.class, i.inhrelid, s.as_login, false from pg_inherits i
            where s.class = 'pg_class'::regclass and i.inhparent = s.oid
            union all
            select s.class, t.oid, false, true from pg_foreign_table f join named own on own.oid = f.ftrelid
            join named t on t.nspname = coalesce((select o.option_value from pg_options_to_table(f.ftoptions) o
                    where o.option_name = 'schema_name'), own.nspname)
                and t.relname = coalesce((select o.option_value from pg_options_to_table(f.ftoptions) o
                    where o.option_name = 'table_name'), own.relname)
            where s.class = 'pg_class'::regclass and f.ftrelid = s.oid and t.oid <> s.oid
        ) x(class, oid, as_login, by_name)),
    kin(oid, other, is_above) as (
        select distinct oid, oid, false from shown where class = 'pg_class'::regclass and by_name
        union
        select k.oid, x.other, x.is_above from kin k, lateral (
            select i.inhparent, true from pg_inherits i where i.inhrelid = k.other
            union all
            select i.inhrelid, false from pg_inherits i where i.inhparent = k.other and not k.is_above
        ) x(other, is_above))
    select o.name, case when o.relkind in ('v', 'm') then 'view' when x.kind = 'rows' then 'rows' else 'policy' end, x.kind,
        string_agg(distinct format('`%s`', t.name), ', '), string_agg(distinct x.remedy, '; ')
    from shown s join named o on o.oid = s.offered join named r on r.oid = s.oid
    join kin k on k.oid = s.oid join named t on t.oid = k.other, lateral (
        select 'rows' as kind, null::text as remedy where k.other in (select oid from withheld)
        union all
        select 'policies', case
            when not (s.as_login and r.relrowsecurity) then null
            when (select p.rolbypassrls from pg_roles p where p.rolname = current_user)
                then 'use a login without BYPASSRLS in `url` of `query`'
            else format('ALTER TABLE %I.%I FORCE ROW LEVEL SECURITY', r.nspname, r.relname) end
        where t.relrowsecurity and not (s.as_login and row_security_active(s.oid))) x
    where s.class = 'pg_class'::regclass and s.by_name
    group by 1, 2, 3 order by 1, 3";
