//! SQL that a model writes, with a login that reads the listed columns alone.

use std::{path::Path, time::Duration};

use callgate_database::{
    DatabaseFinding, DatabaseLimits, DatabaseSettings, QueryFunctions, TableName,
};
use callgate_secret::Secret;
use callgate_testkit::{MariadbDatabase, MariadbServer, some_of};
use callgate_tool::{FaultCode, json};

use crate::{
    calls::{Tools, loaded_in, own_orders, settings_at, table},
    queries::{columns, over, queries},
    shop::{settled_state, user},
};

const TABLES: &str = "
    create table orders (no int primary key, owner varchar(40), total decimal(20, 4), note varchar(200));
    insert into orders values (1, 'ann', 10, 'red'), (2, 'ann', 20.5, 'blue'), (3, 'bob', 30, null);
    create table secrets (word text);
    insert into secrets values ('hunter2');
    create table partly (no int, hidden text);
    insert into partly values (7, 'hunter2');
    create sequence counter;
    create view secret_words as select word from secrets;
    create sql security invoker view numbers as select no from orders;
    delimiter //
    create function sneaky() returns int modifies sql data begin delete from orders; return 1; end //
    create function word() returns text reads sql data sql security definer return (select word from secrets) //
    create procedure wipe() begin delete from orders; end //
    delimiter ;
";

/// The tables, a login for tools, which nothing uses, and one for queries that may read the listed columns.
fn database(name: &str) -> Option<MariadbDatabase> {
    let database = MariadbServer::of_machine()?.database(name, TABLES);
    let (tools, login) = (database.login("tools"), database.login("query"));
    database.run(&format!(
        "grant select (no) on orders to {tools};
         grant select on orders to {login}; grant select (no) on partly to {login}; grant select on numbers to {login}"
    ));
    Some(database)
}

fn settings(database: &MariadbDatabase) -> DatabaseSettings {
    let of = |login: &str| database.url(&format!("{}_{login}", database.name));
    let orders = TableName { schema: Some(database.name.clone()), name: "orders".to_owned() };
    let tables: Vec<(_, &[&str])> = vec![
        (orders, &["no", "owner", "total", "note"]),
        (table("partly"), &["no"]),
        (table("numbers"), &["no"]),
    ];
    let query = over(of("query"), tables);
    let limits =
        DatabaseLimits { timeout: Duration::from_secs(2), rows: 5, ..DatabaseLimits::default() };
    DatabaseSettings { query: Some(query), limits, ..settings_at(&of("tools"), Vec::new()) }
}

async fn findings(settings: DatabaseSettings) -> Vec<DatabaseFinding> {
    let loaded = loaded_in(Path::new("."), settings).await;
    assert!(loaded.findings.is_empty() || loaded.tools.is_empty());
    loaded.findings
}

/// The state that no text may change, as a superuser sees it.
fn state(database: &MariadbDatabase) -> String {
    let script = "
        select md5(group_concat(no, owner, total, coalesce(note, '') order by no)) from orders;
        select count(*) from information_schema.tables where table_schema = 'D';
        select count(*) from information_schema.routines where routine_schema = 'D';
        select next_not_cached_value from counter;
        select md5(group_concat(user, host, authentication_string order by user)) from mysql.user where user like 'D%';
        select @@global.read_only, @@global.general_log, @@global.max_statement_time, @@global.sql_mode;
        select is_free_lock('held'), is_free_lock('a'), is_free_lock('1');
        select count(*) from information_schema.innodb_trx t join information_schema.processlist p on p.id = t.trx_mysql_thread_id
            where p.user = 'D_query';
        select count(*) from information_schema.processlist where user = 'D_query' and command <> 'Sleep'";
    database.run(&script.replace('D', &database.name))
}

/// The files that a server would write for a text.
fn files(database: &MariadbDatabase) -> Vec<String> {
    let folder = database.server.socket().parent().unwrap().join("data");
    let folders = [folder.join(&database.name), folder];
    let names = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.contains("pwned")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn honest_texts_give_rows_and_the_others_have_no_effect() {
    let Some(database) = database("my_query_suite") else { return };
    let tools = Tools::of(loaded_in(Path::new("."), settings(&database)).await, None);
    let before = state(&database);
    let queries = queries("mysql");
    assert!(queries.len() > 120, "{}", queries.len());
    for query in some_of(queries, 60) {
        query.check(&tools).await;
        let after = settled_state(&database, "select sleep(0.05)", &before, state);
        assert_eq!(after, before, "{}", query.sql);
    }
    assert_eq!(files(&database), [""; 0]);
}

#[tokio::test]
async fn every_right_beyond_the_listed_columns_is_a_finding_with_its_remedy() {
    let Some(database) = database("my_query_login") else { return };
    let (login, name) = (format!("{}_query", database.name), &database.name);
    database.run(&format!(
        "grant select on secret_words to {login}; grant select (hidden) on partly to {login}; grant insert on orders to {login};
         grant execute on function word to {login}; create database {name}_other; grant select on {name}_other.* to {login}"
    ));
    let findings = findings(settings(&database)).await;
    let found = |part: &str, help: &str| {
        let finding = findings.iter().find(|it| it.message.contains(part));
        let finding = finding.unwrap_or_else(|| panic!("{part}: {findings:#?}"));
        assert!(finding.help.contains(help) && finding.pointer == "/query", "{finding:?}");
    };
    found(&format!("`select:{name}.secret_words`"), "REVOKE SELECT ON");
    found(&format!("`view:{name}.secret_words`"), "SQL SECURITY INVOKER");
    found(&format!("`select:{name}.partly`"), "REVOKE SELECT (`hidden`)");
    found(&format!("`select:{name}_other.*`"), "REVOKE SELECT ON");
    found(&format!("`insert:{name}.orders`"), "REVOKE INSERT ON");
    found(&format!("`execute:function:{name}.word`"), "REVOKE EXECUTE ON FUNCTION");
}

#[tokio::test]
async fn a_right_of_everybody_and_a_database_of_the_server_are_found() {
    let Some(database) = database("my_query_everybody") else { return };
    let name = &database.name;
    // A right of the account without a name on a database is one of every login.
    database.run(&format!(
        "insert into mysql.db (host, db, user, select_priv) values ('%', '{name}', '', 'Y'); flush privileges"
    ));
    let of_everybody = findings(settings(&database)).await;
    database
        .run(&format!("delete from mysql.db where user = '' and db = '{name}'; flush privileges"));
    let secrets = format!("`select:{name}.secrets`");
    let is_found = of_everybody.iter().any(|it| it.message.contains(&secrets));
    assert!(is_found, "{of_everybody:#?}");
    assert_eq!(findings(settings(&database)).await, []);
    let mut settings = settings(&database);
    let query = settings.query.as_mut().unwrap();
    let url = query.url.expose().rsplit_once('/').unwrap().0;
    query.url = Secret::new(format!("{url}/information_schema"));
    query.tables.truncate(1);
    let findings = findings(settings).await;
    let is_found = findings.iter().any(|it| it.message.contains("`database:information_schema`"));
    assert!(is_found, "{findings:#?}");
}

#[tokio::test]
async fn tables_whose_rows_the_session_decides_are_out_of_reach() {
    let Some(database) = database("my_query_rows") else { return };
    let (tools, login) = (format!("{}_tools", database.name), format!("{}_query", database.name));
    database.run(&format!(
        "grant select, insert, update, delete on orders to {tools};
         create view all_orders as select no from orders; grant select on all_orders to {login}"
    ));
    let mut settings = settings(&database);
    settings.entities = vec![own_orders()];
    let pointer = format!("/query/tables/{}.orders", database.name);
    let of_orders = findings(settings.clone()).await;
    assert!(of_orders.iter().any(|it| it.pointer == pointer), "{of_orders:#?}");
    settings.query.as_mut().unwrap().tables = vec![(table("all_orders"), columns(&["no"]))];
    let of_view = findings(settings).await;
    let view = of_view
        .iter()
        .find(|it| it.message.contains(".all_orders`, which") || it.message.contains("view:"));
    assert!(view.is_some_and(|it| !it.help.contains("accept it")), "{of_view:#?}");
}

#[tokio::test]
async fn values_are_exact_and_cut_where_they_are_too_long() {
    let Some(database) = database("my_query_values") else { return };
    let tools = Tools::of(loaded_in(Path::new("."), settings(&database)).await, None);
    let sql = "select cast('12345678901234567890.12345' as decimal(40, 5)) as `numeric`, 18446744073709551615 as big, null as nothing,
        x'00ff' as bytes, timestamp '2026-01-31 12:00:00' as moment, 0.1e0 as `float`, date '2026-01-31' as day,
        repeat('\u{e9}', 9000) as `long`, 1, 1";
    let result = tools.call("shop-query", json!({"sql": sql}), &user("ann")).await;
    let row = result["rows"][0].to_string();
    let begin = r#"{"numeric":12345678901234567890.12345,"big":18446744073709551615,"nothing":null,"bytes":"AP8=","moment":"2026-01-31T12:00:00","float":0.1,"day":"2026-01-31","long":"éé"#;
    assert!(row.starts_with(begin), "{row}");
    assert!(row.ends_with(r#"é","1":1,"1_2":1}"#), "{row}");
    assert!(result["note"].as_str().unwrap().contains("rows[0].long"), "{result}");
    let sql = "select a.no from orders a join orders b join orders c";
    let result = tools.call("shop-query", json!({"sql": sql}), &user("ann")).await;
    assert_eq!((result["rows"].as_array().unwrap().len(), &result["more"]), (5, &json!(true)));
}

#[tokio::test]
async fn a_fault_says_what_is_wrong_and_functions_cannot_be_allowed() {
    let Some(database) = database("my_query_faults") else { return };
    let tools = Tools::of(loaded_in(Path::new("."), settings(&database)).await, None);
    for (sql, part) in [
        ("select get_lock('a', 0)", "`get_lock`"),
        ("select word from secrets", "the login may not"),
        ("select nope from orders", "a column that is not there"),
        ("select totl from orders", "at `totl`, character 8, did you mean `total`"),
        ("select o.`totl` from orders o", "at `totl`, character 11, did you mean `total`"),
        ("select totl from partly", "at `totl`, character 8"),
        ("select no from partli", "at `partli`, character 16, did you mean `partly`"),
        ("select * from information_schema.processlist", "`information_schema`"),
        ("select ?", "placeholders"),
    ] {
        let fault = tools.fault("shop-query", json!({"sql": sql}), &user("ann")).await;
        assert_eq!(fault.code, FaultCode::InvalidArguments, "{sql}");
        assert!(fault.message.contains(part), "{sql}: {}", fault.message);
    }
    let mut settings = settings(&database);
    settings.query.as_mut().unwrap().functions = QueryFunctions::Granted(columns(&["word"]));
    let named = findings(settings.clone()).await;
    assert!(named.iter().any(|it| it.message.contains("expected no `functions`")));
    settings.query.as_mut().unwrap().functions = QueryFunctions::Listed;
    let listed = findings(settings).await;
    assert!(listed.iter().any(|it| it.message.contains("expected no `functions: listed`")));
}
