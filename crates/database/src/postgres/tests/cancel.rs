//! Tests of calls that end early: by their deadline, or because their caller left.

use std::{future::poll_fn, pin::pin, task::Poll};

use callgate_testkit::{rounds, say};
use tokio::time::timeout;

use super::*;

/// Statements that take long, and some that send much.
const SLOW: [&str; 5] = [
    "select pg_sleep(30)::text",
    "select count(*)::text from generate_series(1, 100000) a, generate_series(1, 100000) b",
    "with recursive r as (select 1 as n union all select n + 1 from r) select count(*)::text from r",
    "select md5(string_agg(a::text, ''))::text from generate_series(1, 1000000) a, generate_series(1, 1000000) b",
    "select sum(sqrt(a * b))::text from generate_series(1, 100000) a, generate_series(1, 100000) b",
];

/// The number of other sessions that run something a second from now.
async fn running(database: &PostgresDatabase) -> String {
    let script = format!(
        "select pg_sleep(1); select count(*) from pg_stat_activity
         where datname = '{}' and state = 'active' and pid <> pg_backend_pid()",
        database.name
    );
    let database = database.clone();
    // The runtime goes on meanwhile: it sends the cancellations.
    let shown = tokio::task::spawn_blocking(move || database.run(&script)).await.unwrap();
    shown.trim().to_owned()
}

async fn backend(postgres: &Postgres) -> String {
    let pid = read([rows("select pg_backend_pid()", &[])]);
    value(&postgres.run(pid, soon()).await.unwrap()).to_owned()
}

fn endless(text: &str) -> [Transaction; 2] {
    [read([rows(text, &[])]), write([rows(text, &[])])]
}

#[tokio::test]
async fn a_call_ends_at_its_deadline_and_nothing_runs_on() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("x_deadline", "");
    let login = database.login("a");
    let postgres = connect(&database, &login).await;
    for transaction in SLOW.iter().flat_map(|text| endless(text)) {
        // There is an open connection, so that its opening takes nothing of the time.
        backend(&postgres).await;
        let (begun, time) = (Instant::now(), Duration::from_millis(400));
        let failed = postgres.run(transaction, begun + time).await;
        let took = begun.elapsed();
        assert_eq!(failed.unwrap_err(), Failure::TimedOut { is_rolled_back: true });
        assert!(took <= time + Duration::from_millis(200), "{took:?}");
    }
    assert_eq!(running(&database).await, "0");
}

/// The median of ten calls, of which every other one writes.
#[tokio::test]
async fn a_statement_is_gone_fifty_milliseconds_after_its_deadline_and_so_is_its_connection() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("x_soon", "");
    let login = database.login("a");
    let (postgres, watcher) = (connect(&database, &login).await, connect(&database, &login).await);
    let active = || {
        read([rows(
            "select count(*)::text from pg_stat_activity where state = 'active' and query like 'select pg_sleep(28%'",
            &[],
        )])
    };
    let mut times = Vec::new();
    for transaction in endless("select pg_sleep(28)::text").into_iter().cycle().take(10) {
        let before = backend(&postgres).await;
        let deadline = Instant::now() + Duration::from_millis(150);
        let failed = postgres.run(transaction, deadline).await;
        assert_eq!(failed.unwrap_err(), Failure::TimedOut { is_rolled_back: true });
        while value(&watcher.run(active(), soon()).await.unwrap()) != "0" {}
        times.push(Instant::now().saturating_duration_since(deadline));
        assert_ne!(backend(&postgres).await, before);
    }
    times.sort();
    say(&format!("PostgreSQL ends statements {times:?} after their deadlines"));
    assert!(times[times.len() / 2] <= Duration::from_millis(50), "{times:?}");
}

#[tokio::test]
async fn a_call_whose_caller_left_is_cancelled_and_its_connection_is_not_used_again() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("x_drop", "create table public.t (n int)");
    let login = database.login("a");
    database.run(&format!("grant all on public.t to {login}"));
    let postgres = connect(&database, &login).await;
    for text in SLOW {
        let before = backend(&postgres).await;
        let write = write([one("insert into public.t values (1)", &[]), rows(text, &[])]);
        assert!(timeout(Duration::from_millis(100), postgres.run(write, soon())).await.is_err());
        assert_ne!(backend(&postgres).await, before);
        let read = read([rows(text, &[])]);
        assert!(timeout(Duration::from_millis(100), postgres.run(read, soon())).await.is_err());
    }
    assert_eq!(running(&database).await, "0");
    assert_eq!(database.run("select count(*) from t"), "0");
}

#[tokio::test]
async fn a_huge_value_and_a_huge_result_are_refused() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("x_huge", "");
    let login = database.login("a");
    let postgres = connect(&database, &login).await;
    let far = || Instant::now() + Duration::from_mins(1);
    let large = format!("select repeat('x', {})", rounds(900_000_000, 90_000_000));
    for (text, expects) in [
        (large.as_str(), Expects::Rows { most: 50 }),
        (
            "select repeat('x', 1000000) from generate_series(1, 1000000)",
            Expects::Rows { most: 50 },
        ),
        (
            "select repeat('x', 1000000) from generate_series(1, 20) a, generate_series(1, 20) b",
            Expects::Present,
        ),
    ] {
        let came = postgres.run(read([step(text, &[], expects)]), far()).await;
        match expects {
            // Rows that nobody wants are counted, and take no memory.
            Expects::Present => drop(came.unwrap()),
            _ => assert_eq!(came.unwrap_err(), Failure::TooLarge, "{text}"),
        }
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
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database(
        "x_users",
        "create table public.orders (no int, owner text);
         insert into public.orders select n, case n % 2 when 0 then 'ann' else 'bob' end from generate_series(1, 20) n;
         alter table public.orders enable row level security;
         create policy own on public.orders using (owner = current_setting('app.user', true))",
    );
    let login = database.login("a");
    database.run(&format!("grant select, update on public.orders to {login}"));
    let limits = DatabaseLimits { connections: 1, ..DatabaseLimits::default() };
    let connecting = Connecting { limits, ..connecting(&database.url(&login)) };
    let postgres = Postgres::connect(&connecting).await.unwrap();
    let (mut seed, mut n_dropped, mut n_rows) = (1_u64, 0, 0);
    let n_calls = rounds(10_000, 1_000);
    for call in 0..n_calls {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let user = ["ann", "bob", ""][call % 3];
        let steps = [rows("select owner from public.orders", &[])];
        let steps = match seed >> 62 {
            0 => write([step(
                "update public.orders set no = no returning owner",
                &[],
                Expects::Affected { most: 10, some: false },
            )]),
            _ => read(steps),
        };
        let identity = vec![("app.user".to_owned(), user.to_owned())];
        let transaction = Transaction { identity, ..steps };
        let run = Box::pin(postgres.run(transaction, soon()));
        let came = match (seed >> 40) % 16 {
            0 => within((seed >> 20) % 4, run).await,
            _ => Some(run.await),
        };
        let Some(came) = came else {
            n_dropped += 1;
            continue;
        };
        let came = came.unwrap();
        n_rows += came[0].rows.len();
        assert_eq!(came[0].rows.len(), if user.is_empty() { 0 } else { 10 });
        assert!(came[0].rows.iter().all(|row| row[0].as_deref() == Some(user)), "{call}");
    }
    assert!(n_dropped > n_calls / 200 && n_rows > n_calls, "{n_dropped} {n_rows}");
}
