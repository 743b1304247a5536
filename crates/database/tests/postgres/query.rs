//! SQL that a model writes, with a login that reads the listed columns alone.

use std::{path::Path, time::Duration};

use callgate_database::{
    DatabaseFinding, DatabaseLimits, DatabaseSettings, QueryFunctions, QuerySettings, Resources,
    TableName, load_with,
};
use callgate_testkit::{PostgresDatabase, PostgresServer, some_of};
use callgate_tool::{FaultCode, json};
use tokio::{task::yield_now, time::Instant};

use crate::{
    calls::{Tools, around, loaded_in, of_user, own_orders, settings_at, table},
    queries::{columns, over, queries, rows},
    shop::{settled_state, user},
};

pub(crate) const TABLES: &str = "
    create table orders (no int primary key, owner text, total numeric(20, 4), note text);
    insert into orders values (1, 'ann', 10, 'red'), (2, 'ann', 20.5, 'blue'), (3, 'bob', 30, null);
    create table secrets (word text);
    insert into secrets values ('hunter2');
    create table partly (no int, hidden text);
    insert into partly values (7, 'hunter2');
    create table guarded (no int, owner text);
    insert into guarded values (1, 'ann'), (2, 'bob');
    alter table guarded enable row level security;
    create policy own on guarded using (owner = current_setting('app.user', true));
    create view guarded_plain as select no from guarded;
    create sequence counter;
    create function sneaky() returns int language plpgsql volatile as 'begin delete from orders; return 1; end';
    create schema inner_rights;
    create function inner_rights.word() returns text language sql stable security definer as 'select word from public.secrets';
    create function owner_rights() returns text language sql stable security definer as 'select word from secrets';
    create view word as select inner_rights.word() as word;
";

pub(crate) fn query(database: &PostgresDatabase) -> QuerySettings {
    let orders = TableName { schema: Some("public".to_owned()), name: "orders".to_owned() };
    let tables: Vec<(_, &[&str])> = vec![
        (orders, &["no", "owner", "total", "note"]),
        (table("partly"), &["no"]),
        (table("guarded"), &["no", "owner"]),
    ];
    over(database.url(&format!("{}_query", database.name)), tables)
}

/// The tables, a login for tools that nothing uses, and one for queries that may read the listed columns.
fn database(name: &str) -> Option<PostgresDatabase> {
    let database = PostgresServer::of_machine()?.database(name, TABLES);
    database.login("tools");
    let login = database.login("query");
    database.run(&format!(
        "grant select on orders, guarded to {login}; grant select (no) on partly to {login};
         revoke execute on function owner_rights(), inner_rights.word() from public"
    ));
    Some(database)
}

pub(crate) fn settings(database: &PostgresDatabase) -> DatabaseSettings {
    let url = database.url(&format!("{}_tools", database.name));
    DatabaseSettings {
        query: Some(query(database)),
        limits: DatabaseLimits {
            timeout: Duration::from_secs(2),
            rows: 5,
            ..DatabaseLimits::default()
        },
        ..settings_at(&url, Vec::new())
    }
}

/// Runs what the findings say.
fn mend(database: &PostgresDatabase, findings: &[DatabaseFinding]) {
    let remedy = |finding: &DatabaseFinding| {
        let help = finding.help.split("; or accept it").next().unwrap().to_owned();
        assert!(help.starts_with("REVOKE "), "{finding:?}");
        help + ";\n"
    };
    database.run(&findings.iter().map(remedy).collect::<String>());
}

async fn tools(database: &PostgresDatabase, settings: DatabaseSettings) -> Tools {
    let loaded = loaded_in(Path::new("."), settings.clone()).await;
    assert!(loaded.tools.is_empty());
    mend(database, &loaded.findings);
    Tools::of(loaded_in(Path::new("."), settings).await, None)
}

/// The connections of the login for queries.
fn n_connections(database: &PostgresDatabase) -> usize {
    let text =
        format!("select count(*) from pg_stat_activity where usename = '{}_query'", database.name);
    database.run(&text).parse().unwrap()
}

#[tokio::test]
async fn the_connections_for_sql_of_a_model_end_with_their_load() {
    let Some(database) = database("query_loads") else { return };
    let settings = settings(&database);
    drop(tools(&database, settings.clone()).await);
    let here = || around(Path::new("."));
    let arguments = || json!({"sql": "select no from public.orders"});
    let first = load_with(settings.clone(), here(), Resources::default()).await;
    let resources = Resources { earlier: first.connections.clone(), ..Resources::default() };
    let first = Tools::of(first, None);
    first.call("shop-query", arguments(), &user("ann")).await;
    let second = Tools::of(load_with(settings, here(), resources).await, None);
    drop(first);
    second.call("shop-query", arguments(), &user("ann")).await;
    drop(second);
    let begun = Instant::now();
    while n_connections(&database) > 0 && begun.elapsed() < Duration::from_secs(5) {
        yield_now().await;
    }
    assert_eq!(n_connections(&database), 0);
}

/// The state that no text may change, as a superuser sees it.
pub(crate) fn state(database: &PostgresDatabase) -> String {
    database.run(
        "select md5(string_agg(o::text, ',' order by o::text)) from orders o;
         select count(*), max(oid) from pg_class;
         select count(*) from pg_proc;
         select count(*) from pg_largeobject_metadata;
         select last_value from counter;
         select md5(string_agg(rolname || coalesce(rolconfig::text, ''), ',' order by rolname)) from pg_roles where rolname like current_database() || '%';
         select pg_conf_load_time();
         select count(*) from pg_locks l join pg_database d on d.oid = l.database where d.datname = current_database()
            and (locktype = 'advisory' or mode like '%Exclusive%');
         select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
            and (state = 'active' or wait_event = 'ClientWrite' or state like 'idle in%');
         select count(*) from pg_prepared_xacts;
         select md5(string_agg(n, ',' order by n)) from pg_ls_dir('.') n where n <> 'postmaster.pid'",
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn honest_texts_give_rows_and_the_others_have_no_effect() {
    let Some(database) = database("query_suite") else { return };
    let tools = tools(&database, settings(&database)).await;
    let before = state(&database);
    let queries = queries("postgres");
    assert!(queries.len() > 150, "{}", queries.len());
    for query in some_of(queries, 60) {
        query.check(&tools).await;
        let after = settled_state(&database, "select pg_sleep(0.05)", &before, state);
        assert_eq!(after, before, "{}", query.sql);
    }
}

#[tokio::test]
async fn every_right_beyond_the_listed_columns_is_a_finding_with_its_remedy() {
    let Some(database) = database("query_login") else { return };
    let login = format!("{}_query", database.name);
    database.run(&format!(
        "grant select on secrets, guarded_plain, word to {login}; grant select (hidden) on partly to {login};
         grant insert on orders to {login}; grant execute on function owner_rights(), inner_rights.word() to public"
    ));
    let loaded = loaded_in(Path::new("."), settings(&database)).await;
    assert!(loaded.tools.is_empty());
    let found = |part: &str, help: &str| {
        let mut findings = loaded.findings.iter().filter(|it| it.pointer == "/query");
        let finding = findings.find(|it| it.message.contains(part));
        let finding = finding.unwrap_or_else(|| panic!("{part}: {:#?}", loaded.findings));
        assert!(finding.help.contains(help), "{finding:?}");
    };
    found("`select:public.secrets`", &format!("REVOKE SELECT ON public.secrets FROM {login}"));
    found("`select:public.partly`", &format!("GRANT SELECT (\"no\") ON public.partly TO {login}"));
    found("`insert:public.orders`", "REVOKE INSERT ON public.orders");
    found("`view:public.guarded_plain`", "security_invoker");
    found("`execute:public.sneaky()`", "query: {functions: ['public.sneaky()']}");
    found("`execute:public.owner_rights()`", "query: {functions: ['public.owner_rights()']}");
    found(
        "`execute:inner_rights.word()`",
        "REVOKE EXECUTE ON ROUTINE inner_rights.word() FROM PUBLIC",
    );
    for function in [
        "set_config(text,text,boolean)",
        "query_to_xml(text,boolean,boolean,text)",
        "pg_advisory_lock(bigint)",
    ] {
        found("`execute:pg_catalog`", function);
    }
}

#[tokio::test]
async fn functions_that_are_named_may_be_run_and_those_of_the_database_never() {
    let Some(database) = database("query_functions") else { return };
    let mut settings = settings(&database);
    let named = ["public.sneaky()", "pg_catalog.set_config(text,text,boolean)"];
    settings.query.as_mut().unwrap().functions = QueryFunctions::Granted(columns(&named));
    let loaded = loaded_in(Path::new("."), settings.clone()).await;
    assert!(loaded.findings.iter().all(|it| !it.message.contains("sneaky")));
    assert!(loaded.findings.iter().any(|it| it.help.contains(" set_config(")));
    let tools = tools(&database, settings).await;
    // It runs, and a transaction that reads keeps it from its effect.
    let outcome =
        tools.outcome("shop-query", json!({"sql": "select sneaky()"}), &user("ann")).await;
    assert!(rows(&outcome).is_none());
    assert_eq!(database.run("select count(*) from orders"), "3");
}

#[tokio::test]
async fn policies_of_the_database_hold_for_texts_by_the_identity_of_the_session() {
    let Some(database) = database("query_identity") else { return };
    let mut settings = settings(&database);
    settings.identity = vec![("app.user".to_owned(), of_user())];
    let tools = tools(&database, settings).await;
    let sql = json!({"sql": "select no, owner from guarded"});
    for (name, expected) in [
        ("ann", json!([{"no": 1, "owner": "ann"}])),
        ("bob", json!([{"no": 2, "owner": "bob"}])),
        ("' or true", json!([])),
    ] {
        let result = tools.call("shop-query", sql.clone(), &user(name)).await;
        assert_eq!(result["rows"], expected, "{name}");
    }
    let fault = tools.fault("shop-query", sql, &callgate_tool::Session::default()).await;
    assert_eq!(fault.code, FaultCode::MissingSessionValue);
}

#[tokio::test]
async fn a_text_that_the_server_refuses_is_reported_with_the_word_at_which_it_stopped() {
    let Some(database) = database("query_words") else { return };
    let tools = tools(&database, settings(&database)).await;
    for (sql, words) in [
        ("select o.totl from orders o", "at `totl`, character 8, did you mean `total`"),
        ("select no from partl", "at `partl`, character 16, did you mean `partly`"),
        ("select * from partly", "write the columns in place of"),
        ("select (select no from orders) as no", "ends while it runs (code 21000)"),
    ] {
        let fault = tools.fault("shop-query", json!({"sql": sql}), &user("ann")).await;
        assert_eq!(fault.code, FaultCode::InvalidArguments, "{sql}");
        assert!(fault.message.contains(words), "{sql}: {}", fault.message);
    }
}

#[tokio::test]
async fn tables_whose_rows_the_session_decides_are_out_of_reach() {
    let Some(database) = database("query_rows") else { return };
    let (tools, login) = (format!("{}_tools", database.name), format!("{}_query", database.name));
    database.run(&format!(
        "grant select, insert (no, owner, total, note), update (total, note), delete on orders to {tools};
         create view all_orders as select no from orders; grant select on all_orders to {login}"
    ));
    let mut settings = settings(&database);
    settings.entities = vec![own_orders()];
    let of_orders = loaded_in(Path::new("."), settings.clone()).await;
    let is_found = of_orders.findings.iter().any(|it| it.pointer == "/query/tables/public.orders");
    assert!(is_found, "{:?}", of_orders.findings);
    settings.query.as_mut().unwrap().tables = vec![(table("all_orders"), columns(&["no"]))];
    let of_view = loaded_in(Path::new("."), settings).await;
    let has_view =
        of_view.findings.iter().any(|it| it.message.contains("`view:public.all_orders`"));
    assert!(has_view, "{:#?}", of_view.findings);
}

#[tokio::test]
async fn values_are_exact_and_cut_where_they_are_too_long() {
    let Some(database) = database("query_values") else { return };
    let tools = tools(&database, settings(&database)).await;
    let sql = "select 12345678901234567890.12345::numeric, 9223372036854775807 as big, true as yes, null as nothing,
        array[1, null] as list, '{\"a\": 1.50}'::jsonb as json, '\\x00ff'::bytea as bytes, '2026-01-31 12:00+02'::timestamptz as moment,
        'NaN'::float8, repeat('é', 9000) as long, 1, 1";
    let result = tools.call("shop-query", json!({"sql": sql}), &user("ann")).await;
    let row = result["rows"][0].to_string();
    let begin = r#"{"numeric":12345678901234567890.12345,"big":9223372036854775807,"yes":true,"nothing":null,"list":[1,null],"json":{"a":1.50},"bytes":"AP8=","moment":"2026-01-31T10:00:00Z","float8":"NaN","long":"éé"#;
    assert!(row.starts_with(begin), "{row}");
    assert!(row.ends_with(r#"é","?column?":1,"?column?_2":1}"#), "{row}");
    assert!(result["note"].as_str().unwrap().contains("rows[0].long"), "{result}");
}
