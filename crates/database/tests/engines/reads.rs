//! The limit of the rows that a statement reads (`limits: {rows_read: 1000}`), over a table of 50,000 rows with an index on its key alone.

use callgate_database::{DatabaseSettings, EntitySettings, Operation};
use callgate_tool::{Effect, FaultCode, Outcome, Session, Value, json};

use crate::calls::{Tools, entity, of_user, statement, user};

/// The script of the table `log`, on engines with this recursive query and this function that makes a text of a number.
pub(crate) fn script(limit: &str, text: &str) -> String {
    format!(
        "{limit}create table log (no int primary key, note varchar(20) not null, total int not null);
        insert into log with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000)
            select i, {text}, i % 1000 from n;"
    )
}

/// The settings of tools over the table, whose name this is in a statement. They may read 1,000 rows at a time.
pub(crate) fn bounded(settings: DatabaseSettings, table: &str) -> DatabaseSettings {
    let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
    let log = EntitySettings {
        operations: vec![Operation::List, Operation::Aggregate],
        filter: names(&["no", "note", "total"]),
        sort: names(&["no", "total"]),
        ..entity("log")
    };
    let sql = format!("select no, total from {table} where note = :note");
    let inputs = vec![("note", json!({"type": "string"}))];
    let noted = statement("noted", &sql, inputs, Effect::Read);
    let own = EntitySettings {
        name: "own".to_owned(),
        operations: vec![Operation::List],
        rows: vec![("note".to_owned(), of_user())],
        ..entity("log")
    };
    let mine = statement("mine", &sql, vec![("note", Value::Null)], Effect::Read);
    let statements = vec![noted, mine];
    let mut settings = DatabaseSettings { entities: vec![log, own], statements, ..settings };
    settings.limits.rows_read = Some(1000);
    settings
}

/// Checks that calls which read little are made, and that others are refused with the columns of an index.
pub(crate) async fn check(tools: &Tools) {
    for arguments in [
        json!({}),
        json!({"where": {"no": {"lt": 20}}}),
        json!({"where": {"no": 7, "note": "n7"}}),
        json!({"sort": ["-no"], "limit": 5}),
    ] {
        let outcome = tools.outcome("shop-log-list", arguments.clone(), &Session::default()).await;
        assert!(!matches!(outcome, Outcome::Failed(_)), "{arguments}: {outcome:?}");
    }
    for (tool, arguments, columns) in [
        ("list", json!({"where": {"note": "n7"}}), &["note"][..]),
        ("list", json!({"where": {"any": [{"note": "n7"}, {"total": 7}]}}), &["note", "total"]),
        ("list", json!({"sort": ["total"]}), &["total"]),
        ("aggregate", json!({"select": ["sum_total"]}), &[]),
        ("noted", json!({"note": "n7"}), &["note"]),
    ] {
        let tool =
            if tool == "noted" { "shop-noted".to_owned() } else { format!("shop-log-{tool}") };
        let message = refused(tools, &tool, arguments, columns).await;
        assert!(message.contains("about") || message.contains("was ended"), "{message}");
    }
    // An estimate counts rows of others, too.
    for (tool, columns) in [("shop-mine", &["note"][..]), ("shop-own-list", &[])] {
        let message = refused(tools, tool, json!({}), columns).await;
        assert!(!message.contains("about"), "{message}");
    }
}

/// The message of a call that is refused for what it reads.
async fn refused(tools: &Tools, tool: &str, arguments: Value, columns: &[&str]) -> String {
    let outcome = tools.outcome(tool, arguments.clone(), &user("n7")).await;
    let Outcome::Failed(fault) = outcome else { panic!("{tool} {arguments}: {outcome:?}") };
    assert_eq!(fault.code, FaultCode::TooManyRows, "{tool} {arguments}: {}", fault.message);
    let named: Vec<_> = columns.iter().map(|column| format!("`{column}`")).collect();
    let index = fault.message.split_once("begins with ").map_or("", |(_, columns)| columns);
    assert_eq!(index, named.join(", "), "{tool} {arguments}: {}", fault.message);
    fault.message
}
