//! Statements that would read more rows than they may on PostgreSQL, which are not run.

use callgate_testkit::PostgresServer;

use crate::{
    calls::{Tools, loaded_in, settings_at},
    reads_of_engines::{bounded, check, script},
};

#[tokio::test]
async fn statements_that_would_read_too_many_rows_are_refused_with_the_columns_of_an_index() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let script = script("", "'n' || (i % 1000)");
    let database = server.database("rows_read", &format!("{script} analyze log;"));
    let login = database.login("tools");
    database.run(&format!("grant select on log to {login}"));
    let settings = bounded(settings_at(&database.url(&login), Vec::new()), "public.log");
    check(&Tools::of(loaded_in(".".as_ref(), settings).await, None)).await;
}
