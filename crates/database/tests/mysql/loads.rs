//! The time that a load takes.

use callgate_testkit::MariadbServer;
use callgate_tool::json;

use crate::{calls::user, many};

/// A thousand tables of ten columns, each with a key, an index and a reference to the one before.
#[tokio::test]
async fn a_thousand_tables_load_in_two_seconds_and_are_found_by_search() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let tables = (1..=1000).map(|at: u32| {
        format!(
            "create table t{at} (no int primary key, other int references t{} (no), a text, b text, c decimal(20, 4), d date,
                e bool, f int, g uuid, h int);\n",
            at.saturating_sub(1).max(1)
        )
    });
    let script: String = tables.collect();
    let database = server.database("my_loads_many", &script);
    database.run("alter table t500 comment = 'Lighthouse keepers and their shifts'");
    let login = database.login("tools");
    let grants = (1..=1000)
        .map(|at| format!("grant select, insert, update (a, b), delete on t{at} to {login};\n"));
    database.run(&grants.collect::<String>());
    let tools = many::load("MariaDB", many::settings(&database.url(&login))).await;
    let result = tools.call("shop-t500-list", json!({}), &user("ann")).await;
    assert_eq!(result["rows"], json!([]));
}
