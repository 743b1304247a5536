//! Tests of calls that end early: by their deadline, or because their caller left.

use callgate_testkit::shortest_time;
use tokio::time::timeout;

use super::*;
use crate::{
    driver::Driver,
    tests::early_ends::{Served, no_foreign_rows, none_is_left},
    transaction::ReviewedDigest,
};

/// Statements that take long, and some that send much.
const SLOW: [&str; 4] = [
    "select sleep(30)",
    "select count(*) from seq_1_to_1000000 a, seq_1_to_1000000 b",
    "select sum(length(concat(a.seq, b.seq))) from seq_1_to_1000000 a, seq_1_to_1000000 b",
    "select max(sha2(a.seq + b.seq, 512)) from seq_1_to_1000000 a, seq_1_to_1000000 b",
];

const RUNNING: &str = "select sleep(1); select count(*) from information_schema.processlist
    where db = database() and command <> 'Sleep' and id <> connection_id()";

async fn served(database: &MariadbDatabase, login: &str) -> Served {
    let driver = Driver::Mysql(connect(database, login).await);
    let database = database.clone();
    let running = Arc::new(move || database.run(RUNNING));
    Served { driver, connection: "select connection_id()", slow: &SLOW, running }
}

#[tokio::test]
async fn a_call_ends_at_its_deadline_and_nothing_runs_on() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database("m_deadline", "");
    let login = database.login("a");
    database.run(&format!("grant select on m_deadline.* to {login}"));
    served(&database, &login).await.calls_end_at_their_deadline().await;
}

#[tokio::test]
async fn a_call_whose_caller_left_is_ended_and_its_connection_is_not_used_again() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database("m_drop", "create table t (n int)");
    let login = database.login("a");
    database
        .run(&format!("grant select on m_drop.* to {login}; grant insert on m_drop.t to {login}"));
    let served = served(&database, &login).await;
    served.calls_end_with_their_callers("insert into t values (1)").await;
    assert_eq!(database.run("select count(*) from t"), "0");
}

#[tokio::test]
async fn a_statement_is_gone_fifty_milliseconds_after_its_deadline_and_so_is_its_connection() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database("m_late", "");
    let login = database.login("a");
    database.run(&format!("grant select on m_late.* to {login}"));
    let watcher = Driver::Mysql(connect(&database, &login).await);
    let count =
        "select count(*) from information_schema.processlist where info like 'select sleep(28%'";
    served(&database, &login).await.is_gone_soon("select sleep(28)", &watcher, count).await;
}

#[tokio::test]
async fn a_statement_ends_soon_after_its_caller_left() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database("m_soon", "");
    let login = database.login("a");
    database.run(&format!("grant select on m_soon.* to {login}"));
    let served = served(&database, &login).await;
    let watcher = Driver::Mysql(connect(&database, &login).await);
    let count =
        "select count(*) from information_schema.processlist where info like 'select sleep(29%'";
    let most = Duration::from_millis(50);
    let took = shortest_time(most, async || {
        served.connection().await;
        let run = served.driver.run(read([rows("select sleep(29)", &[])]), soon());
        assert!(timeout(Duration::from_millis(100), run).await.is_err());
        let begun = Instant::now();
        none_is_left(&watcher, count).await;
        begun.elapsed()
    });
    let took = took.await;
    assert!(took <= most, "{took:?}");
}

#[tokio::test]
async fn a_huge_value_and_a_huge_result_are_refused() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database("m_huge", "");
    let login = database.login("a");
    database.run(&format!("grant select on m_huge.* to {login}"));
    let served = served(&database, &login).await;
    let far = || Instant::now() + Duration::from_mins(1);
    for (text, expects) in [
        ("select repeat('x', 16000000)", Expects::Rows { most: 50 }),
        ("select repeat('x', 1000000) from seq_1_to_1000000", Expects::Rows { most: 50 }),
        (
            "select repeat('x', 1000000) from seq_1_to_1000",
            Expects::Reviewed(ReviewedDigest([0; 32])),
        ),
    ] {
        let came = served.driver.run(read([step(text, &[], expects)]), far()).await;
        assert_eq!(came.unwrap_err(), Failure::TooLarge, "{text}");
    }
    served.is_idle().await;
}

#[tokio::test]
async fn no_user_ever_sees_the_rows_of_the_other() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database(
        "m_users",
        "create table orders (no int, owner varchar(9));
         insert into orders select seq, if(seq % 2 = 0, 'ann', 'bob') from seq_1_to_20",
    );
    let login = database.login("a");
    database.run(&format!("grant select, update on m_users.orders to {login}"));
    let limits = DatabaseLimits { connections: 1, ..DatabaseLimits::default() };
    let connecting = Connecting { limits, ..connecting(&database.url(&login)) };
    let mysql = Mysql::connect(&connecting).await.unwrap();
    // One statement is the operator's: it reads and sets a variable of the session.
    let of_operator =
        "select cast(@mine := coalesce(@mine, ?) as char) from orders where owner = ?";
    mysql.describe(of_operator).await.unwrap();
    let transaction = |seed: u64, user: &str| {
        let select = rows("select owner from orders where owner = ?", &[user]);
        match seed >> 61 {
            0 => read([rows(of_operator, &[user, user])]),
            1 | 2 => {
                let most = Expects::Affected { most: 10, some: false };
                write([step("update orders set no = no where owner = ?", &[user], most), select])
            }
            _ => read([select]),
        }
    };
    no_foreign_rows(&Driver::Mysql(mysql), 6, transaction).await;
}
