//! Tests of calls that end early: by their deadline, or because their caller left.

use std::{future::poll_fn, pin::pin, task::Poll};

use callgate_testkit::{rounds, say};
use tokio::time::timeout;

use super::*;
use crate::transaction::Reviewed;

/// Statements that take long, and some that send much.
const SLOW: [&str; 4] = [
    "select sleep(30)",
    "select count(*) from seq_1_to_1000000 a, seq_1_to_1000000 b",
    "select sum(length(concat(a.seq, b.seq))) from seq_1_to_1000000 a, seq_1_to_1000000 b",
    "select max(sha2(a.seq + b.seq, 512)) from seq_1_to_1000000 a, seq_1_to_1000000 b",
];

const RUNNING: &str = "select sleep(1); select count(*) from information_schema.processlist
    where db = 'DATABASE' and command <> 'Sleep' and id <> connection_id()";

/// The number of other sessions that run something a second from now.
async fn running(database: &MariadbDatabase) -> String {
    let script = RUNNING.replace("DATABASE", &database.name);
    let database = database.clone();
    // The runtime goes on meanwhile: it ends what runs.
    let shown = tokio::task::spawn_blocking(move || database.run(&script)).await.unwrap();
    shown.lines().last().unwrap().to_owned()
}

async fn connection(mysql: &Mysql) -> String {
    let id = read([rows("select connection_id()", &[])]);
    value(&mysql.run(id, soon()).await.unwrap()).to_owned()
}

fn endless(text: &str) -> [Transaction; 2] {
    [read([rows(text, &[])]), write([rows(text, &[])])]
}

#[tokio::test]
async fn a_call_ends_at_its_deadline_and_nothing_runs_on() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database("m_deadline", "");
    let login = database.login("a");
    database.run(&format!("grant select on m_deadline.* to {login}"));
    let mysql = connect(&database, &login).await;
    for transaction in SLOW.iter().flat_map(|text| endless(text)) {
        // There is an open connection, so that its opening takes nothing of the time.
        connection(&mysql).await;
        let (begun, time) = (Instant::now(), Duration::from_millis(400));
        let text = Arc::clone(&transaction.steps[0].text);
        let failed = mysql.run(transaction, begun + time).await;
        let took = begun.elapsed();
        assert_eq!(failed.unwrap_err(), Failure::TimedOut { is_rolled_back: true }, "{text}");
        assert!(took <= time + Duration::from_millis(200), "{took:?}");
    }
    assert_eq!(running(&database).await, "0");
}

#[tokio::test]
async fn a_call_whose_caller_left_is_ended_and_its_connection_is_not_used_again() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database("m_drop", "create table t (n int)");
    let login = database.login("a");
    database
        .run(&format!("grant select on m_drop.* to {login}; grant insert on m_drop.t to {login}"));
    let mysql = connect(&database, &login).await;
    for text in SLOW {
        let before = connection(&mysql).await;
        let write = write([one("insert into t values (1)", &[]), rows(text, &[])]);
        assert!(timeout(Duration::from_millis(100), mysql.run(write, soon())).await.is_err());
        assert_ne!(connection(&mysql).await, before);
        let read = read([rows(text, &[])]);
        assert!(timeout(Duration::from_millis(100), mysql.run(read, soon())).await.is_err());
    }
    assert_eq!(running(&database).await, "0");
    assert_eq!(database.run("select count(*) from t"), "0");
}

/// The median of ten calls, of which every other one writes.
#[tokio::test]
async fn a_statement_is_gone_fifty_milliseconds_after_its_deadline_and_so_is_its_connection() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database("m_late", "");
    let login = database.login("a");
    database.run(&format!("grant select on m_late.* to {login}"));
    let (mysql, watcher) = (connect(&database, &login).await, connect(&database, &login).await);
    let sleeping = || {
        read([rows(
            "select count(*) from information_schema.processlist where info like 'select sleep(28%'",
            &[],
        )])
    };
    let mut times = Vec::new();
    for transaction in endless("select sleep(28)").into_iter().cycle().take(10) {
        let before = connection(&mysql).await;
        let deadline = Instant::now() + Duration::from_millis(150);
        let failed = mysql.run(transaction, deadline).await;
        assert_eq!(failed.unwrap_err(), Failure::TimedOut { is_rolled_back: true });
        while value(&watcher.run(sleeping(), soon()).await.unwrap()) != "0" {}
        times.push(Instant::now().saturating_duration_since(deadline));
        assert_ne!(connection(&mysql).await, before);
    }
    times.sort();
    say(&format!("MariaDB ends statements {times:?} after their deadlines"));
    assert!(times[times.len() / 2] <= Duration::from_millis(50), "{times:?}");
}

/// The fastest of five counts, since a busy machine delays single ones.
#[tokio::test]
async fn a_statement_ends_soon_after_its_caller_left() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database("m_soon", "");
    let login = database.login("a");
    database.run(&format!("grant select on m_soon.* to {login}"));
    let (mysql, watcher) = (connect(&database, &login).await, connect(&database, &login).await);
    let sleeping = || {
        read([rows(
            "select count(*) from information_schema.processlist where info like 'select sleep(29%'",
            &[],
        )])
    };
    let mut fastest = Duration::MAX;
    for _ in 0..5 {
        connection(&mysql).await;
        let run = mysql.run(read([rows("select sleep(29)", &[])]), soon());
        assert!(timeout(Duration::from_millis(100), run).await.is_err());
        let begun = Instant::now();
        while value(&watcher.run(sleeping(), soon()).await.unwrap()) != "0" {}
        fastest = fastest.min(begun.elapsed());
    }
    assert!(fastest < Duration::from_millis(50), "{fastest:?}");
}

#[tokio::test]
async fn a_huge_value_and_a_huge_result_are_refused() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database("m_huge", "");
    let login = database.login("a");
    database.run(&format!("grant select on m_huge.* to {login}"));
    let mysql = connect(&database, &login).await;
    let far = || Instant::now() + Duration::from_mins(1);
    for (text, expects) in [
        ("select repeat('x', 16000000)", Expects::Rows { most: 50 }),
        ("select repeat('x', 1000000) from seq_1_to_1000000", Expects::Rows { most: 50 }),
        ("select repeat('x', 1000000) from seq_1_to_1000", Expects::Reviewed(Reviewed([0; 32]))),
    ] {
        let came = mysql.run(read([step(text, &[], expects)]), far()).await;
        assert_eq!(came.unwrap_err(), Failure::TooLarge, "{text}");
    }
    assert_eq!(running(&database).await, "0");
}

/// The outcome of a future, unless it waits more than so many times: then it is dropped where it stands.
async fn within<F: Future>(mut n_waits: u64, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(move |cx| match future.as_mut().poll(cx) {
        Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
        Poll::Pending if n_waits == 0 => Poll::Ready(None),
        Poll::Pending => {
            n_waits -= 1;
            Poll::Pending
        }
    })
    .await
}

/// Calls of two users over one connection, of which many are dropped at any point.
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
    let (mut seed, mut n_dropped, mut n_rows) = (1_u64, 0, 0);
    let n_calls = rounds(10_000, 1_000);
    for call in 0..n_calls {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let user = ["ann", "bob", ""][call % 3];
        let select = rows("select owner from orders where owner = ?", &[user]);
        let transaction = match seed >> 61 {
            0 => read([rows(of_operator, &[user, user])]),
            1 | 2 => {
                let most = Expects::Affected { most: 10, some: false };
                write([step("update orders set no = no where owner = ?", &[user], most), select])
            }
            _ => read([select]),
        };
        let run = Box::pin(mysql.run(transaction, soon()));
        let came = match (seed >> 40) % 16 {
            0 => within((seed >> 20) % 6, run).await,
            _ => Some(run.await),
        };
        let Some(came) = came else {
            n_dropped += 1;
            continue;
        };
        let came = came.unwrap();
        let rows = &came.last().unwrap().rows;
        n_rows += rows.len();
        assert_eq!(rows.len(), if user.is_empty() { 0 } else { 10 });
        assert!(rows.iter().all(|row| row[0].as_deref() == Some(user)), "{call}");
    }
    assert!(n_dropped > n_calls / 200 && n_rows > n_calls, "{n_dropped} {n_rows}");
}
