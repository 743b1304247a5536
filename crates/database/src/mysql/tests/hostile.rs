//! Tests of a server that does not keep to the protocol: each call ends with a bounded fault within its time, and nobody uses its
//! connection again.

mod server;

use callgate_testkit::shortest_time;

use self::server::{ATTACKED, NUMBER, column, end, error, ok, packet, result, row, start};
use super::*;
use crate::{
    tests::{
        act::Act,
        failures::{lost, time_of, timed_out, too_large},
    },
    transaction::ReviewedDigest,
};

/// The number of the connection that a call is given, and the proof that its answer is its own.
async fn number(mysql: &Mysql) -> String {
    let steps = [rows("select 'mine'", &[]), rows(NUMBER, &[])];
    let came = mysql.run(read(steps), soon()).await.unwrap();
    assert_eq!(came[0].rows.to_texts(), [[Some("select 'mine'".to_owned())]]);
    value(&came).to_owned()
}

async fn check(act: Act, expects: Expects, expected: Result<usize, Failure>) {
    let what = format!("{act:?}").chars().take(200).collect::<String>();
    let time = time_of(&expected);
    let most = time + Duration::from_millis(400);
    let took = shortest_time(most, async || {
        let url = format!("mysql://ann:secret@127.0.0.1:{}/shop", start(act.clone()).await);
        let mysql = Mysql::connect(&connecting(&url)).await.unwrap();
        let before = number(&mysql).await;
        let begun = Instant::now();
        let came = mysql.run(read([step(ATTACKED, &[], expects)]), begun + time).await;
        let took = begun.elapsed();
        assert_eq!(came.map(|came| came[0].rows.len()), expected, "{what}");
        assert_ne!(number(&mysql).await, before, "{what}");
        took
    });
    let took = took.await;
    assert!(took <= most, "{what}: {took:?}");
}

const FIFTY: Expects = Expects::Rows { most: 50 };

/// Bytes before rows that do not end.
async fn repeated(bytes: Vec<u8>, expects: Expects, expected: Result<usize, Failure>) {
    check(Act::Repeat([result(1), bytes].concat()), expects, expected).await;
}

#[tokio::test]
async fn rows_without_end_are_cut_or_too_large() {
    repeated(row(&["x"]).repeat(1 << 20), FIFTY, Ok(50)).await;
    let rows = row(&[&"x".repeat(8000)]).repeat(1 << 10);
    repeated(rows.clone(), Expects::Present, too_large()).await;
    repeated(rows, Expects::Reviewed(ReviewedDigest([0; 32])), too_large()).await;
    // Parts of the full length say that another one follows.
    let part = [vec![0xff, 0xff, 0xff, 1], vec![0; 0xff_ffff]].concat();
    repeated(part, FIFTY, too_large()).await;
}

#[tokio::test]
async fn a_malformed_answer_breaks_the_connection() {
    let with_end = |bytes: Vec<u8>| [result(1), bytes, end(0)].concat();
    for bytes in [
        with_end(row(&[])),
        with_end(row(&["a", "b"])),
        with_end(packet(&[])),
        with_end(packet(&[0, 0, 0xfc, 0xff, 0xff, b'a'])),
        with_end(packet(&[0, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
        // Other numbers of columns than those of the statement.
        [result(2), row(&["a", "b"]), end(0)].concat(),
        ok(),
        packet(&[0xfc, 0xff, 0xff]),
        packet(&[1]).into_iter().chain(packet(b"no column")).collect(),
        // A request for a file of this machine, and the announcement of further results.
        packet(b"\xfb/etc/passwd"),
        [result(1), row(&["a"]), end(8)].concat(),
        packet(&[]),
    ] {
        check(Act::GoOn(bytes), FIFTY, lost()).await;
    }
    check(Act::Leave([result(1), row(&["a"])].concat()), FIFTY, lost()).await;
}

#[tokio::test]
async fn an_answer_without_its_end_ends_with_the_time() {
    let half = row(&["abc"]);
    let half = half.split_at(half.len() - 1).0;
    for bytes in [
        Vec::new(),
        vec![1, 0],
        packet(&[1]),
        [packet(&[1]), column()].concat(),
        [result(1), half.to_vec()].concat(),
        [result(1), row(&["a"])].concat(),
        error(1146),
    ] {
        check(Act::Hold(bytes), FIFTY, timed_out()).await;
    }
}

#[tokio::test]
async fn an_error_in_the_middle_of_rows_ends_the_call_without_them() {
    let act = Act::GoOn([result(1), row(&["a"]), error(1365)].concat());
    let url = format!("mysql://ann:secret@127.0.0.1:{}/shop", start(act).await);
    let mysql = Mysql::connect(&connecting(&url)).await.unwrap();
    let failed = mysql.run(read([rows(ATTACKED, &[])]), soon()).await;
    assert_eq!(failed.unwrap_err(), Failure::InvalidValue);
    number(&mysql).await;
}
