//! Rights that the login of a database lacks, as the command names them.

use callgate_testkit::PostgresServer;

use crate::prelude::*;

/// The configuration of one statement.
fn configuration(sql: &str) -> String {
    format!(
        "toolsets:\n  shop:\n    database: {{ url: 'env:SHOP_DATABASE' }}\n    statements:\n      \
         shout: {{ sql: '{sql}', inputs: {{ n: {{ type: integer }} }} }}\n"
    )
}

/// Without a server of `tests/interop/databases` it says so and ends.
#[test]
fn a_right_that_a_statement_lacks_is_named_by_check_and_by_the_call() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let body = "language plpgsql as 'begin return n; end'";
    let database = server.database(
        "cli_rights",
        &format!(
            "create function shout(n int) returns int {body}; create function whisper(n int) returns int strict {body};
             revoke execute on function shout, whisper from public"
        ),
    );
    let url = database.url(&database.login("tools"));
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &[&str]| {
        Ended::of(command_in(folder.path(), line).env("SHOP_DATABASE", url.as_str()))
    };
    let write = |sql: &str| write(&folder, "callgate.yaml", configuration(sql));
    write("select public.shout(:n) as n");
    run(&["check", "callgate.yaml"]).exits(2).says("a right that the login does not have");
    // With null alone, as a load asks for the plan, a strict function is not called.
    write("select public.whisper(:n) as n");
    let refused = run(&["call", "callgate.yaml", "shop-shout", "n=1"]).exits(1);
    let refused = refused.says("auth_failed").says("help: GRANT the right");
    assert!(!refused.err.contains("-H"), "{refused:?}");
}
