//! The time of a transaction of a tool, compared with a plain prepared query over the same client on the same server. A build
//! without optimizations says nothing about times, so it only checks that both read the same.

use callgate_testkit::say;

use super::*;
use crate::pool::Dial as _;

const GET: &str = "select cast(no as char), owner, left(cast(total as char), 8193), left(note, 8193) from orders \
    where owner = ? and no = ? limit 2";
const LIST: &str = "select cast(no as char), owner, left(cast(total as char), 8193), left(note, 8193) from orders \
    where owner = ? and no > ? order by no limit 51";

/// The median of times.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[tokio::test]
async fn a_transaction_takes_little_more_than_a_plain_query() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database(
        "m_ratios",
        "create table orders (no bigint primary key, owner varchar(40), total decimal(20, 4), note varchar(200));
         insert into orders select seq, 'ann', seq * 1.5, repeat('x', 40) from seq_1_to_10000;
         analyze table orders",
    );
    let login = database.login("a");
    database.run(&format!("grant select on orders to {login}"));
    let connecting = Connecting { is_read_only: true, ..connecting(&database.url(&login)) };
    let mysql = Mysql::connect(&connecting).await.unwrap();
    let mut plain = Dialling::new(&connecting).unwrap().open().await.unwrap();
    let n_rounds = if cfg!(debug_assertions) { 20 } else { 4000 };
    for (text, name, most, bar) in [(GET, "get", 2, 1.8), (LIST, "list of 50", 51, 1.5)] {
        let prepared: Arc<str> = Arc::from(text);
        let (mut of_plain, mut of_tools) = (Vec::new(), Vec::new());
        for round in 0..n_rounds {
            let no = (round * 7919 % 9900 + 1).to_string();
            plain.meter.allow(plain.allowance);
            let begun = Instant::now();
            let asked = [(&prepared, &["ann", no.as_str()][..])];
            let texts = plain.flight(&asked).await.unwrap().remove(0).rows;
            of_plain.push(begun.elapsed());
            let step = step(text, &["ann", &no], Expects::Rows { most });
            let transaction = read([step]);
            let begun = Instant::now();
            let came = mysql.run(transaction, soon()).await.unwrap();
            of_tools.push(begun.elapsed());
            assert_eq!(came[0].rows, texts);
        }
        let (plain, tools) = (median(of_plain), median(of_tools));
        let ratio = tools.as_secs_f64() / plain.as_secs_f64();
        say(&format!("MariaDB, {name}: {tools:?}, plain {plain:?}, ratio {ratio:.2}"));
        assert!(cfg!(debug_assertions) || ratio <= bar, "{name}: {ratio:.2}");
    }
}
