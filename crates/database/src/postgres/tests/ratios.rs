//! The time of a transaction of a tool, compared with statements of the library, and that of a cancellation.

use callgate_testkit::{say, shortest_time};
use futures_util::future::join4;
use tokio_postgres::{Client, NoTls, Statement, types::Type};

use super::*;
use crate::{
    tests::ratios::{Bars, Way, Ways, check},
    transaction::Rows,
};

const GET: &str = "select no::text, owner, left(total::text, 8193), left(note, 8193) from public.orders \
    where owner = $1::text and no = $2::text::bigint limit 2";
const LIST: &str = "select no::text, owner, left(total::text, 8193), left(note, 8193) from public.orders \
    where owner = $1::text and no > $2::text::bigint order by no limit 51";

/// The settings of a transaction, as tools have them.
const SETTINGS: [&str; 8] = [
    "statement_timeout",
    "9950",
    "lock_timeout",
    "200",
    "idle_in_transaction_session_timeout",
    "11000",
    "app.user",
    "ann",
];

/// The statements of one transaction, prepared on a connection of the library.
struct Bare {
    client: Client,
    begin: Statement,
    set: Statement,
    query: Statement,
    rollback: Statement,
}

/// One query in all ways.
struct Queries {
    bare: Bare,
    postgres: Postgres,
    text: &'static str,
    most: u32,
}

impl Bare {
    async fn new(client: Client, text: &str) -> Self {
        let begin = client.prepare("begin isolation level read committed read only").await.unwrap();
        let calls = [1, 3, 5, 7].map(|at| format!("set_config(${at}, ${}, true)", at + 1));
        let set = format!("select {}", calls.join(", "));
        let set = client.prepare_typed(&set, &vec![Type::TEXT; 8]).await.unwrap();
        let query = client.prepare(text).await.unwrap();
        let rollback = client.prepare("rollback").await.unwrap();
        Self { client, begin, set, query, rollback }
    }

    async fn rows(&self, no: &str) -> Rows {
        let rows = self.client.query(&self.query, &[&"ann", &no]).await.unwrap();
        rows.iter().map(|row| value::texts(row).unwrap()).collect()
    }

    async fn set(&self) {
        self.client.execute_raw(&self.set, SETTINGS).await.unwrap();
    }

    async fn run(&self, statement: &Statement) {
        self.client.execute(statement, &[]).await.unwrap();
    }
}

impl Ways for Queries {
    async fn rows(&mut self, way: Way, no: &str) -> Rows {
        let bare = &self.bare;
        match way {
            Way::Plain => bare.rows(no).await,
            Way::Flight => {
                let (begin, end) = (bare.run(&bare.begin), bare.run(&bare.rollback));
                join4(begin, bare.set(), bare.rows(no), end).await.2
            }
            Way::Steps => {
                bare.run(&bare.begin).await;
                bare.set().await;
                let rows = bare.rows(no).await;
                bare.run(&bare.rollback).await;
                rows
            }
            Way::Tool => {
                let step = step(self.text, &["ann", no], Expects::Rows { most: self.most });
                let identity = vec![("app.user".to_owned(), "ann".to_owned())];
                let transaction = Transaction { identity, ..read([step]) };
                self.postgres.run(transaction, soon()).await.unwrap().remove(0).rows.to_texts()
            }
        }
    }
}

#[tokio::test]
async fn a_transaction_takes_little_more_than_its_statements_in_one_flight() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database(
        "r_ratios",
        "create table public.orders (no bigint primary key, owner text, total numeric(20, 4), note text);
         insert into public.orders select n, 'ann', n * 1.5, repeat('x', 40) from generate_series(1, 10000) n;
         analyze public.orders",
    );
    let login = database.login("a");
    database.run(&format!("grant select on public.orders to {login}"));
    let url = database.url(&login);
    let connecting = Connecting { is_read_only: true, ..connecting(&url) };
    // The rows of a list take more time than the steps around them.
    for (text, name, most, plain, steps) in
        [(GET, "PostgreSQL, get", 2, 1.8, 0.8), (LIST, "PostgreSQL, list of 50", 51, 1.5, 1.0)]
    {
        let postgres = Postgres::connect(&connecting).await.unwrap();
        let (client, driver) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        let driver = tokio::spawn(driver);
        let mut ways = Queries { bare: Bare::new(client, text).await, postgres, text, most };
        check(name, &mut ways, Bars { plain, flight: 1.5, steps }).await;
        driver.abort();
    }
}

/// Waits until the number that a statement selects is zero.
async fn wait_until_count_is_zero(client: &Client, count: &Statement) {
    while client.query_one(count, &[]).await.unwrap().get::<_, i64>(0) > 0 {}
}

/// The server gets the cancellation at once when the caller leaves.
#[tokio::test]
async fn a_cancellation_reaches_the_server_within_fifty_milliseconds() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("r_cancel", "");
    let login = database.login("a");
    let postgres = connect(&database, &login).await;
    let (watch, driver) = tokio_postgres::connect(&database.url(&login), NoTls).await.unwrap();
    let driver = tokio::spawn(driver);
    let active = "select count(*) from pg_stat_activity where state = 'active' and query like 'select pg_sleep(30%' and usename = current_user";
    let active = watch.prepare(active).await.unwrap();
    let most = Duration::from_millis(50);
    let median = shortest_time(most, async || {
        let mut times = Vec::new();
        for _ in 0..11 {
            let run = postgres.run(read([rows("select pg_sleep(30)::text", &[])]), soon());
            assert!(tokio::time::timeout(Duration::from_millis(60), run).await.is_err());
            let left = Instant::now();
            wait_until_count_is_zero(&watch, &active).await;
            times.push(left.elapsed());
        }
        times.sort();
        times[times.len() / 2]
    });
    let median = median.await;
    driver.abort();
    say(&format!("a cancellation takes {median:?}"));
    assert!(median <= most, "{median:?}");
}
