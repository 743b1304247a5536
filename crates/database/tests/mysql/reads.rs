//! Statements that would read more rows than they may on MariaDB, which are not run.

use callgate_testkit::MariadbServer;

use crate::{
    calls::{Tools, loaded_in, settings_at},
    reads_of_engines::{bounded, check, script},
};

#[tokio::test]
async fn statements_that_would_read_too_many_rows_are_refused_with_the_columns_of_an_index() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let script = script("set max_recursive_iterations = 100000;", "concat('n', i % 1000)");
    let database = server.database("rows_read", &format!("{script} analyze table log;"));
    let login = database.login("tools");
    database.run(&format!("grant select on log to {login}"));
    let settings = bounded(settings_at(&database.url(&login), Vec::new()), "log");
    check(&Tools::of(loaded_in(".".as_ref(), settings).await, None)).await;
}
