//! The time of a transaction of a tool, compared with a plain prepared query of the library on the same server. A build without
//! optimizations says nothing about times, so it only checks that both read the same.

use callgate_testkit::say;
use tokio_postgres::NoTls;

use super::*;

const GET: &str = "select no::text, owner, left(total::text, 8193), left(note, 8193) from public.orders \
    where owner = $1::text and no = $2::text::bigint limit 2";
const LIST: &str = "select no::text, owner, left(total::text, 8193), left(note, 8193) from public.orders \
    where owner = $1::text and no > $2::text::bigint order by no limit 51";

/// The median of times.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[tokio::test]
async fn a_transaction_takes_little_more_than_a_plain_query() {
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
    let postgres = Postgres::connect(&connecting).await.unwrap();
    let (plain, driver) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    let driver = tokio::spawn(driver);
    let n_rounds = if cfg!(debug_assertions) { 20 } else { 4000 };
    for (text, name, most, bar) in [(GET, "get", 2, 1.8), (LIST, "list of 50", 51, 1.5)] {
        let statement = plain.prepare(text).await.unwrap();
        let (mut of_plain, mut of_tools) = (Vec::new(), Vec::new());
        for round in 0..n_rounds {
            let no = (round * 7919 % 9900 + 1).to_string();
            let begun = Instant::now();
            let rows = plain.query(&statement, &[&"ann", &no]).await.unwrap();
            let texts: Vec<Vec<Option<String>>> =
                rows.iter().map(|row| value::texts(row).unwrap()).collect();
            of_plain.push(begun.elapsed());
            let step = step(text, &["ann", &no], Expects::Rows { most });
            let identity = vec![("app.user".to_owned(), "ann".to_owned())];
            let transaction = Transaction { identity, ..read([step]) };
            let begun = Instant::now();
            let came = postgres.run(transaction, soon()).await.unwrap();
            of_tools.push(begun.elapsed());
            assert_eq!(came[0].rows, texts);
        }
        let (plain, tools) = (median(of_plain), median(of_tools));
        let ratio = tools.as_secs_f64() / plain.as_secs_f64();
        say(&format!("PostgreSQL, {name}: {tools:?}, plain {plain:?}, ratio {ratio:.2}"));
        assert!(cfg!(debug_assertions) || ratio <= bar, "{name}: {ratio:.2}");
    }
    driver.abort();
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
    let mut times = Vec::new();
    for _ in 0..11 {
        let run = postgres.run(read([rows("select pg_sleep(30)::text", &[])]), soon());
        assert!(tokio::time::timeout(Duration::from_millis(60), run).await.is_err());
        let left = Instant::now();
        while watch.query_one(&active, &[]).await.unwrap().get::<_, i64>(0) > 0 {}
        times.push(left.elapsed());
    }
    driver.abort();
    let median = median(times);
    say(&format!("a cancellation takes {median:?}"));
    assert!(median <= Duration::from_millis(50), "{median:?}");
}
