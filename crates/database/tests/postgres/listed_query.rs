//! SQL of a model with a login that owns what it reads, and more: what managed servers give. A list of functions keeps the text from all else.

use std::path::Path;

use callgate_database::{DatabaseSettings, QueryFunctions};
use callgate_testkit::{PostgresDatabase, PostgresServer, some_of};
use callgate_tool::json;

use crate::{
    calls::{Tools, loaded_in, of_user, table},
    queries::{Query, columns, queries, rows},
    query::{TABLES, query, settings, state},
    shop::{settled_state, user},
};

/// What an owner can make, and a text must not run.
const OWNED: &str = "
    create function bump(orders) returns int language plpgsql volatile as 'begin delete from orders; return 1; end';
    create function spell(text) returns text language plpgsql immutable as 'begin delete from orders; return ''hunter2''; end';
    create domain checked as text check (spell(value) is not null);
    create function joined(int, int) returns int language plpgsql immutable as 'begin delete from orders; return 1; end';
    create operator %%% (leftarg = int, rightarg = int, function = joined);
    create operator + (leftarg = text, rightarg = text, function = public.pasted);
    create aggregate collected(int) (sfunc = joined, stype = int);
    create view shown as select word from secrets;
";

/// Texts that no owner should run for a model.
const HOSTILE: &str = "
    select bump(o) from orders o
    select o.bump from orders o
    select (o).bump from orders o
    select orders.bump from orders
    select (select o from public.orders o limit 1).bump
    select spell('x')
    select ('x'::text).spell
    select no from orders where (note).spell is not null
    select public.spell('x')
    select 'x'::checked
    select 'x'::public.checked
    select cast('x' as checked)
    select cast('x' as public.checked)
    select checked 'x'
    select * from json_to_recordset('[{\"a\": \"x\"}]') as t(a public.checked)
    select * from json_to_recordset('[{\"a\": \"x\"}]') as t(a checked)
    select 1 %%% 2
    select 1 operator(public.%%%) 2
    select no from orders order by no using operator(public.%%%)
    select note + note from orders
    select collected(no) from orders
    select public.collected(no) from orders
    select hidden from partly
    select p.hidden from partly p
    select hidden from public.partly
    select public.partly.hidden from public.partly
    select p from public.partly as p(a, b)
    select word from public.secrets
    select word from \"public\".\"secrets\"
    select word from public . secrets
    select word from public/**/.secrets
    with orders as (select * from public.secrets) table orders
    select * from shown
    select * from public.shown
    select word from inner_rights.word()
    select * from information_schema.tables
    select relname from pg_class
    select 'secrets'::regclass
    select 10::regrole, 'pg_read_file'::regproc
    select cast(10 as regrole)
    select regrole '10'
    select current_setting('app.user')
    select nextval('counter')
    select ('counter').nextval
    select setval('counter', 99)
    select currval('counter')
    select txid_current()
    select ('a').pg_notify
    select query_to_xml('select word from secrets', true, true, '')
    select table_to_xml('secrets', true, true, '')
    select json_populate_record(null::secrets, '{}')
    select e'\\'', set_config('app.user', 'bob', false), '\\'
    select E'a' 'b\\'', word from public.secrets --'
    select $a$ $$ $a$, word from public.secrets
    select 1pg_sleep, word from public.secrets
    select lo_create(0) from orders where false
    select count(*) from orders where sneaky() = 1
    select sum(no) filter (where sneaky() = 1) from orders
    select no from orders group by rollup (sneaky())
    select no from orders limit sneaky()
    select no from orders offset (select owner_rights())::int
    select coalesce(null, sneaky())
    select case when true then sneaky() end
    select array[sneaky()], row(sneaky())
    values (sneaky())
    select * from sneaky() s
    select * from rows from (sneaky(), generate_series(1, 2)) s
    select * from orders o, lateral (select sneaky()) x
    select pg_catalog.pg_read_file('/etc/passwd')
    select has_table_privilege('secrets', 'select')
    select inet_server_addr()
    select secrets from secrets
    select no from orders window w as (order by sneaky())
";

fn owned(name: &str) -> Option<PostgresDatabase> {
    let pasted = "create function pasted(text, text) returns text language plpgsql immutable as 'begin delete from orders; return 1; end';";
    let database =
        PostgresServer::of_machine()?.database(name, &format!("{TABLES}{pasted}{OWNED}"));
    database.login("tools");
    let login = database.login("query");
    database.run(&format!(
        "alter database \"{name}\" owner to {login}; alter schema public owner to {login};
         alter table orders owner to {login}; alter table secrets owner to {login};
         alter table partly owner to {login}; alter table guarded owner to {login};
         alter sequence counter owner to {login}; alter function sneaky() owner to {login};
         alter view shown owner to {login}; alter function owner_rights() owner to {login};
         grant usage on schema inner_rights to {login}",
        name = database.name
    ));
    Some(database)
}

/// The settings without the table that has row policies.
fn listed(database: &PostgresDatabase) -> DatabaseSettings {
    let mut settings = settings(database);
    let mut query = query(database);
    query.functions = QueryFunctions::Listed;
    query.tables.retain(|(table, _)| table.name != "guarded");
    settings.allowed_rights =
        columns(&["temp", "execute:public.owner_rights", "execute:inner_rights.word"]);
    settings.query = Some(query);
    settings
}

async fn tools(settings: DatabaseSettings) -> Tools {
    Tools::of(loaded_in(Path::new("."), settings).await, None)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owners_texts_give_honest_rows_and_have_no_effect() {
    let Some(database) = owned("listed_suite") else { return };
    let tools = tools(listed(&database)).await;
    let before = state(&database);
    let hostile = HOSTILE.lines().map(str::trim).filter(|line| !line.is_empty());
    let hostile: Vec<_> =
        hostile.map(|sql| Query { sql: sql.to_owned(), is_honest: false }).collect();
    for query in &hostile {
        let outcome =
            tools.outcome("shop-query", json!({"sql": query.sql.as_str()}), &user("ann")).await;
        assert!(rows(&outcome).is_none(), "{}: {outcome:?}", query.sql);
    }
    let mut queries = queries("postgres");
    // A named query has no sample; the other is of the table with policies.
    queries.retain(|query| !query.sql.contains("tablesample"));
    for query in hostile.into_iter().chain(some_of(queries, 60)) {
        query.check(&tools).await;
        let after = settled_state(&database, "select pg_sleep(0.05)", &before, state);
        assert_eq!(after, before, "{}", query.sql);
    }
}

#[tokio::test]
async fn the_roles_that_managed_servers_give_have_a_tool_for_queries() {
    let Some(database) = owned("listed_managed") else { return };
    let login = format!("{}_query", database.name);
    // Their documentation of the first user of a database: attributes, and the roles that it is in.
    for (provider, attributes, roles) in [
        ("Amazon RDS", "createrole createdb", "rds_superuser"),
        ("Google Cloud SQL", "createrole createdb", "cloudsqlsuperuser"),
        ("Google AlloyDB", "createrole createdb", "alloydbsuperuser"),
        ("Supabase", "createrole createdb replication bypassrls", "pg_monitor, pg_read_all_data"),
        (
            "Neon",
            "createrole createdb replication bypassrls",
            "neon_superuser, pg_read_all_data, pg_write_all_data",
        ),
        ("Azure", "createrole createdb", "azure_pg_admin, pg_read_all_settings, pg_read_all_stats"),
    ] {
        let mut script =
            format!("alter role {login} nocreaterole nocreatedb noreplication nobypassrls;");
        script.extend(roles.split(", ").map(|role| membership(&database.name, role, &login)));
        database.run(&format!("{script} alter role {login} {attributes}"));
        let tools = tools(listed(&database)).await;
        let sql = json!({"sql": "select owner, sum(total) as total from public.orders group by 1 order by 1"});
        let result = tools.call("shop-query", sql, &user("ann")).await;
        let expected = json!([{"owner": "ann", "total": 30.5}, {"owner": "bob", "total": 30}]);
        assert_eq!(
            result["rows"].to_string().replace(".5000", ".5").replace(".0000", ""),
            expected.to_string(),
            "{provider}"
        );
        let guarded = with_guarded(&database);
        let loaded = loaded_in(Path::new("."), guarded).await;
        let of_policy =
            |it: &&callgate_database::DatabaseFinding| it.message.contains("row policies");
        let policy = loaded.findings.iter().find(of_policy).unwrap();
        let remedy =
            if attributes.contains("bypassrls") { "without BYPASSRLS" } else { "FORCE ROW" };
        assert!(policy.help.contains(remedy), "{provider}: {policy:?}");
    }
}

fn with_guarded(database: &PostgresDatabase) -> DatabaseSettings {
    let mut settings = listed(database);
    let guarded = (table("guarded"), columns(&["no", "owner"]));
    settings.query.as_mut().unwrap().tables.push(guarded);
    settings.identity = vec![("app.user".to_owned(), of_user())];
    settings
}

#[tokio::test]
async fn policies_hold_for_an_owner_once_they_are_forced() {
    let Some(database) = owned("listed_policies") else { return };
    let loaded = loaded_in(Path::new("."), with_guarded(&database)).await;
    let [finding] = loaded.findings.as_slice() else { panic!("{:#?}", loaded.findings) };
    assert_eq!(finding.help, "ALTER TABLE public.guarded FORCE ROW LEVEL SECURITY");
    database.run(&finding.help);
    let tools = tools(with_guarded(&database)).await;
    let sql = json!({"sql": "select no, owner from guarded"});
    let result = tools.call("shop-query", sql, &user("bob")).await;
    assert_eq!(result["rows"], json!([{"no": 2, "owner": "bob"}]));
}

#[tokio::test]
async fn columns_of_types_with_functions_of_their_own_are_findings() {
    let Some(database) = owned("listed_types") else { return };
    database.run(
        "create type mood as enum ('sad', 'ok'); create type pair as (a int, b int);
         create domain positive as int check (value > 0);
         create table typed (no int, mood mood, moods mood[], pair pair, positive positive);
         insert into typed values (1, 'ok', '{sad}', '(1,2)', 3);
         alter table typed owner to current_user",
    );
    let login = format!("{}_query", database.name);
    database.run(&format!("grant select on typed to {login}"));
    let mut settings = listed(&database);
    let names = columns(&["no", "mood", "moods", "pair", "positive"]);
    settings.query.as_mut().unwrap().tables = vec![(table("typed"), names)];
    let loaded = loaded_in(Path::new("."), settings.clone()).await;
    let messages: Vec<_> = loaded.findings.iter().map(|it| it.message.as_str()).collect();
    assert!(matches!(messages.as_slice(), [one] if one.contains("`pair`")), "{messages:#?}");
    settings.query.as_mut().unwrap().tables[0].1.retain(|name| name != "pair");
    let tools = tools(settings).await;
    let sql = "select mood, moods, positive + 1 as more from typed where mood = 'ok'";
    let result = tools.call("shop-query", json!({"sql": sql}), &user("ann")).await;
    assert_eq!(result["rows"], json!([{"mood": "ok", "moods": ["sad"], "more": 4}]));
}

/// Makes a login a member of a role, which is made where the server does not have it of itself.
fn membership(database: &str, role: &str, login: &str) -> String {
    if role.starts_with("pg_") {
        return format!("grant {role} to {login};");
    }
    let own = format!("{database}_{role}");
    format!("drop role if exists {own}; create role {own}; grant {own} to {login};")
}
