//! Tests of calls that end early: by their deadline, or because their caller left.

use callgate_testkit::rounds;

use super::*;
use crate::{
    driver::Driver,
    tests::early_ends::{Served, no_foreign_rows},
};

/// Statements that take long, and some that send much.
const SLOW: [&str; 5] = [
    "select pg_sleep(30)::text",
    "select count(*)::text from generate_series(1, 100000) a, generate_series(1, 100000) b",
    "with recursive r as (select 1 as n union all select n + 1 from r) select count(*)::text from r",
    "select md5(string_agg(a::text, ''))::text from generate_series(1, 1000000) a, generate_series(1, 1000000) b",
    "select sum(sqrt(a * b))::text from generate_series(1, 100000) a, generate_series(1, 100000) b",
];

/// The number of other sessions that run something a second from now.
const RUNNING: &str = "select pg_sleep(1); select count(*) from pg_stat_activity
    where datname = current_database() and state = 'active' and pid <> pg_backend_pid()";

async fn served(database: &PostgresDatabase, login: &str) -> Served {
    let driver = Driver::Postgres(connect(database, login).await);
    let database = database.clone();
    let running = Arc::new(move || database.run(RUNNING));
    Served { driver, connection: "select pg_backend_pid()", slow: &SLOW, running }
}

#[tokio::test]
async fn a_call_ends_at_its_deadline_and_nothing_runs_on() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("x_deadline", "");
    let login = database.login("a");
    served(&database, &login).await.calls_end_at_their_deadline().await;
}

#[tokio::test]
async fn a_statement_is_gone_fifty_milliseconds_after_its_deadline_and_so_is_its_connection() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("x_soon", "");
    let login = database.login("a");
    let watcher = Driver::Postgres(connect(&database, &login).await);
    let count = "select count(*)::text from pg_stat_activity where state = 'active' and query like 'select pg_sleep(28%'";
    let served = served(&database, &login).await;
    served.is_gone_soon("select pg_sleep(28)::text", &watcher, count).await;
}

#[tokio::test]
async fn a_call_whose_caller_left_is_cancelled_and_its_connection_is_not_used_again() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("x_drop", "create table public.t (n int)");
    let login = database.login("a");
    database.run(&format!("grant all on public.t to {login}"));
    let served = served(&database, &login).await;
    served.calls_end_with_their_callers("insert into public.t values (1)").await;
    assert_eq!(database.run("select count(*) from t"), "0");
}

#[tokio::test]
async fn a_huge_value_and_a_huge_result_are_refused() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("x_huge", "");
    let login = database.login("a");
    let served = served(&database, &login).await;
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
        let came = served.driver.run(read([step(text, &[], expects)]), far()).await;
        match expects {
            // Rows that nobody wants are counted, and take no memory.
            Expects::Present => drop(came.unwrap()),
            _ => assert_eq!(came.unwrap_err(), Failure::TooLarge, "{text}"),
        }
    }
    served.is_idle().await;
}

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
    let driver = Driver::Postgres(Postgres::connect(&connecting).await.unwrap());
    let transaction = |seed: u64, user: &str| {
        let change = "update public.orders set no = no returning owner";
        let transaction = match seed >> 62 {
            0 => write([step(change, &[], Expects::Affected { most: 10, some: false })]),
            _ => read([rows("select owner from public.orders", &[])]),
        };
        let identity = vec![("app.user".to_owned(), user.to_owned())];
        Transaction { identity, ..transaction }
    };
    no_foreign_rows(&driver, 4, transaction).await;
}
