//! Tests of tokens against the server's own: what it looks up as a name is one of ours.

use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};

use super::*;

/// A literal, a name or a comment, each with inner texts that could end it, and what may stand between two of them.
fn text() -> impl Strategy<Value = String> {
    let opening = prop::sample::select(vec![
        ("'", "'"),
        ("e'", "'"),
        ("E'", "'"),
        ("u&'", "'"),
        ("n'", "'"),
        ("b'", "'"),
        ("$$", "$$"),
        ("$a$", "$a$"),
        ("\"", "\""),
        ("/*", "*/"),
        ("-- ", "\n"),
        ("1e'", "'"),
        ("a$$", ""),
        ("date '", "'"),
    ]);
    let inner = "a|\\|''|\\'|\\\\|$$|$a$|/*|*/|--|\n|\"\"|'| uescape '!'";
    let inner = prop::sample::select(inner.split('|').collect::<Vec<_>>());
    let between = prop::sample::select(vec![
        "\n", "\n", " --c\n", "/*c*/", " ", "\n/*'*/", "\r", "\u{b}\n", ", ", " || ",
    ]);
    let piece = (opening, prop::collection::vec(inner, 0..3), between);
    let end = prop::sample::select(vec!["", " --'", " --\"", " -- $$", " /*'*/", " --'\n, '"]);
    (prop::collection::vec(piece, 1..4), end).prop_map(|(pieces, end)| {
        let pieces = pieces.iter().map(|((open, close), inner, between)| {
            format!("{open}{}{close}{between}", inner.concat())
        });
        format!("select {}, pg_canary{end}", pieces.collect::<String>())
    })
}

#[tokio::test]
async fn a_name_that_the_server_looks_up_is_refused() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("tokens", "");
    let login = database.login("a");
    // Our connections have a setting of their own.
    database.run(&format!(
        "alter database \"{}\" set standard_conforming_strings = off; alter role {login} set standard_conforming_strings = off",
        database.name
    ));
    let driver = connect(&database, &login).await;
    let (texts, mut runner) = (text(), TestRunner::deterministic());
    let mut n_names = 0;
    for _ in 0..4_000 {
        let text = texts.new_tree(&mut runner).unwrap().current();
        let error = driver.describe(&text).await.err();
        let at = error.and_then(|error| error.position());
        let is_name =
            at.is_some_and(|at| text.chars().skip(at - 1).take(9).eq("pg_canary".chars()));
        assert!(!is_name || query_text::tokens_without_catalog_names(&text).is_err(), "{text}");
        n_names += u32::from(is_name);
    }
    assert!(n_names > 100, "{n_names}");
}
