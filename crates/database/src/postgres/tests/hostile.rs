//! Tests of a server that does not keep to the protocol: each call ends with a bounded fault within its time, and nobody uses its
//! connection again.

mod server;

use callgate_testkit::shortest_time;

use self::server::{
    ATTACKED, FIRST_OF_TYPES, Moment, NUMBER, TEXT, columns, complete, error, message, ready, row,
    start,
};
use super::*;
use crate::{
    tests::{
        act::Act,
        failures::{lost, time_of, timed_out, too_large},
    },
    transaction::ReviewedDigest,
};

fn at(port: u16) -> Connecting {
    connecting(&format!("postgres://ann:secret@127.0.0.1:{port}/shop"))
}

/// The number of the connection that a call is given, and the proof that its answer is its own.
async fn number(postgres: &Postgres) -> String {
    let steps = [rows("select 'mine'", &[]), rows(NUMBER, &[])];
    let came = postgres.run(read(steps), soon()).await.unwrap();
    assert_eq!(came[0].rows.to_texts(), [[Some("select 'mine'".to_owned())]]);
    value(&came).to_owned()
}

/// Runs a transaction beside the server's act. What is expected is its rows or failure.
async fn check_run(
    moment: Moment,
    act: Act,
    transaction: &Transaction,
    expected: Result<usize, Failure>,
) {
    let what = format!("{moment:?} {act:?}").chars().take(200).collect::<String>();
    let time = time_of(&expected);
    let most = time + Duration::from_millis(400);
    let took = shortest_time(most, async || {
        let postgres = Postgres::connect(&at(start(moment, act.clone()).await)).await.unwrap();
        let before = number(&postgres).await;
        let begun = Instant::now();
        let came = postgres.run(transaction.clone(), begun + time).await;
        let took = begun.elapsed();
        let n_rows = came.map(|came| came.iter().map(|came| came.rows.len()).sum::<usize>());
        assert_eq!(n_rows, expected, "{what}");
        assert_ne!(number(&postgres).await, before, "{what}");
        took
    });
    let took = took.await;
    assert!(took <= most, "{what}: {took:?}");
}

async fn check(moment: Moment, act: Act, expects: Expects, expected: Result<usize, Failure>) {
    check_run(moment, act, &read([step(ATTACKED, &[], expects)]), expected).await;
}

const FIFTY: Expects = Expects::Rows { most: 50 };

#[tokio::test]
async fn rows_and_notices_without_end_are_cut_or_end_with_the_time() {
    let x = || row(&[b"x"]);
    let notice = || error(b'N', "00000", &"x".repeat(8000));
    check(Moment::Execute, Act::Repeat(x().repeat(100)), FIFTY, Ok(50)).await;
    check(Moment::Execute, Act::Repeat(x().repeat(100)), Expects::Present, timed_out()).await;
    for bytes in [
        row(&[&vec![b'x'; 1 << 20]]),
        notice(),
        message(b'S', &[b"a\0", &[b'x'; 8000][..], b"\0"].concat()),
    ] {
        check(
            Moment::Execute,
            Act::Repeat(bytes),
            Expects::Reviewed(ReviewedDigest([0; 32])),
            too_large(),
        )
        .await;
    }
}

#[tokio::test]
async fn a_malformed_message_breaks_the_connection() {
    let with_end = |bytes: Vec<u8>| [bytes, complete()].concat();
    for bytes in [
        // Rows with other counts of columns, and with a value beyond their end.
        with_end(row(&[])),
        with_end(row(&[b"a", b"b"])),
        with_end(message(b'D', &[0xff, 0xff])),
        with_end(message(b'D', &[0, 1, 0, 0, 0, 9, b'a'])),
        with_end(message(b'D', &[0, 1, 0, 0, 0, 0, b'a'])),
        // A value that is no text.
        with_end(row(&[b"\xff"])),
        // Messages that nobody expects here, and one that does not exist.
        with_end(message(b'R', &[0; 4])),
        with_end(message(b'G', &[0, 0, 0])),
        with_end(message(b'!', &[])),
        // Lengths that are none.
        vec![b'D', 0, 0, 0, 3],
        vec![b'D', 0x80, 0, 0, 0],
    ] {
        check(Moment::Execute, Act::GoOn(bytes), FIFTY, lost()).await;
    }
    check(Moment::Execute, Act::Leave(row(&[b"a"])), FIFTY, lost()).await;
}

#[tokio::test]
async fn a_message_without_its_end_ends_with_the_time() {
    let half = row(&[b"abc"]);
    let half = half.split_at(half.len() - 1).0;
    for bytes in [
        Vec::new(),
        half.to_vec(),
        // Two gigabytes are announced.
        vec![b'D', 0x7f, 0xff, 0xff, 0xff, 0, 1],
        [row(&[b"a"]), complete()].concat(),
        error(b'E', "42P01", "no table"),
    ] {
        check(Moment::Execute, Act::Hold(bytes), FIFTY, timed_out()).await;
    }
    let announced = [vec![b'D', 0x7f, 0xff, 0xff, 0xff], vec![0; 1 << 20]].concat();
    check(Moment::Execute, Act::Repeat(announced), FIFTY, too_large()).await;
}

#[tokio::test]
async fn a_write_of_a_broken_server_is_not_committed() {
    let transaction = write([step(ATTACKED, &[], Expects::Affected { most: 1, some: true })]);
    let other = Act::GoOn([row(&[]), complete()].concat());
    check_run(Moment::Execute, other, &transaction, lost()).await;
    let half = Act::Hold(row(&[b"x"]));
    check_run(Moment::Execute, half, &transaction, timed_out()).await;
    let all = Act::GoOn(message(b'C', b"UPDATE 18446744073709551615\0"));
    let postgres = Postgres::connect(&at(start(Moment::Execute, all).await)).await.unwrap();
    let failed = postgres.run(transaction, soon()).await;
    assert_eq!(failed.unwrap_err(), Failure::TooMany { affected: u64::MAX });
}

#[tokio::test]
async fn an_error_in_the_middle_of_rows_ends_the_call_without_them() {
    let bytes = [row(&[b"a"]), error(b'E', "22012", "secret row of bob")].concat();
    let postgres =
        Postgres::connect(&at(start(Moment::Execute, Act::GoOn(bytes)).await)).await.unwrap();
    let failed = postgres.run(read([rows(ATTACKED, &[])]), soon()).await;
    assert_eq!(failed.unwrap_err(), Failure::InvalidValue);
    number(&postgres).await;
}

#[tokio::test]
async fn malformed_columns_break_the_connection() {
    let values = message(b't', &[0, 0]);
    for bytes in [
        message(b't', &[0, 9]),
        columns(&[TEXT]),
        message(b'D', &[]),
        [values.clone(), message(b'T', &[0, 9])].concat(),
        [values.clone(), message(b'T', &[0xff, 0xff])].concat(),
        [values, message(b'T', b"\0\x01no end")].concat(),
    ] {
        check(Moment::Describe, Act::GoOn(bytes), FIFTY, lost()).await;
    }
}

/// Each type of a column is one of another type, which the library asks for.
#[tokio::test]
async fn types_of_types_without_end_end_the_call() {
    let bytes = [message(b't', &[0, 0]), columns(&[FIRST_OF_TYPES])].concat();
    let transaction = read([rows(ATTACKED, &[])]);
    check_run(Moment::Describe, Act::GoOn(bytes), &transaction, too_large()).await;
}

/// The clock goes on by itself while a client waits.
#[tokio::test(start_paused = true)]
async fn a_sign_in_without_an_end_ends_with_its_time() {
    let half = message(b'R', &[0; 4]);
    let half = half.split_at(5).0;
    for act in [
        Act::Hold(Vec::new()),
        Act::Hold(half.to_vec()),
        Act::Hold(message(b'R', &[0; 4])),
        Act::Leave(Vec::new()),
        Act::Leave(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()),
        Act::Leave(message(b'R', &[0, 0, 0, 99])),
        Act::Repeat(error(b'N', "00000", &"x".repeat(8000))),
        Act::Repeat(message(b'S', &[b"a\0", &[b'x'; 8000][..], b"\0"].concat())),
        Act::Repeat([vec![b'R', 0x7f, 0xff, 0xff, 0xff], vec![0; 1 << 16]].concat()),
        Act::Leave(error(b'E', "XX000", "secret row of bob")),
    ] {
        let what = format!("{act:?}").chars().take(200).collect::<String>();
        let begun = Instant::now();
        let connected = Postgres::connect(&at(start(Moment::SignIn, act).await)).await;
        let error = connected.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{what}");
        assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        assert!(begun.elapsed() <= Duration::from_secs(11), "{what}: {:?}", begun.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_malformed_answer_about_tls_ends_the_sign_in() {
    for act in [
        Act::Hold(Vec::new()),
        Act::Hold(b"S".to_vec()),
        Act::Leave(b"N".to_vec()),
        Act::Leave(b"X".to_vec()),
        Act::Leave([b"S", &[0x16, 3, 3, 0xff, 0xff, 2][..]].concat()),
        Act::Leave([b"S", &[b'x'; 1000][..]].concat()),
        Act::Repeat([b"S", &[0x16, 3, 3, 0x40, 0, 2][..], &[0; 1 << 14]].concat()),
        // What stands in the clear behind the answer is none of the server's.
        Act::Hold([b"S".to_vec(), message(b'R', &[0; 4]), ready()].concat()),
    ] {
        let what = format!("{act:?}").chars().take(200).collect::<String>();
        let port = start(Moment::SignIn, act).await;
        let url = format!("postgres://ann:secret@localhost:{port}/shop?sslmode=verify-full");
        let begun = Instant::now();
        let error = Postgres::connect(&connecting(&url)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{what}");
        assert!(begun.elapsed() <= Duration::from_secs(11), "{what}: {:?}", begun.elapsed());
    }
}
