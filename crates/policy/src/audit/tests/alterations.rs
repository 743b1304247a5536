//! Tests every way to change a file, and the line that the check names for it.

use std::fs::OpenOptions;
use std::io::Write as _;

use super::*;

/// A file of seven lines, and its text.
async fn written() -> (Desk, String) {
    let desk = Desk::new();
    let process = desk.open().await;
    for at in 0..3 {
        process.call("fine", &at.to_string()).await;
    }
    process.end();
    let text = desk.text();
    (desk, text)
}

/// The verdict on the file after a call of one more process.
async fn verify_after_a_call(desk: &Desk) -> Verified {
    let process = desk.open().await;
    process.call("fine", "more").await;
    process.end();
    desk.verified()
}

#[track_caller]
fn check(desk: &Desk, text: &str, expected: Option<(FlawKind, u64)>) {
    fs::write(desk.file(), text).unwrap();
    let verified = desk.verified();
    let flaw = verified.flaw.as_ref().map(|flaw| (flaw.kind, flaw.line));
    assert_eq!(flaw, expected, "{verified:?}");
    if let Some(flaw) = &verified.flaw {
        assert!(flaw.to_string().contains(&format!("line {} ", flaw.line)), "{flaw}");
        assert_eq!(verified.n_lines, flaw.line - 1, "those before it are as they were");
    }
}

fn without(text: &str, gone: &[usize]) -> String {
    let lines = text.lines().enumerate().filter(|(at, _)| !gone.contains(&(at + 1)));
    lines.map(|(_, line)| format!("{line}\n")).collect()
}

fn with(text: &str, number: usize, change: impl Fn(&str) -> String) -> String {
    let lines = text.lines().enumerate();
    lines
        .map(|(at, line)| if at + 1 == number { change(line) } else { line.to_owned() } + "\n")
        .collect()
}

#[tokio::test]
async fn the_first_changed_line_of_an_audit_file_is_reported() {
    let (desk, text) = written().await;
    check(&desk, &text, None);
    for number in 1..=7 {
        let line = u64::try_from(number).unwrap();
        let altered = Some((FlawKind::Altered, line));
        check(
            &desk,
            &with(&text, number, |line| line.replace("\"time\":\"2", "\"time\":\"3")),
            altered,
        );
        check(
            &desk,
            &with(&text, number, |line| line.replace("\"mac\":\"", "\"mac\":\"0")),
            altered,
        );
        check(&desk, &with(&text, number, |_| "{}".to_owned()), altered);
        check(
            &desk,
            &with(&text, number, |line| format!("{line}\n{line}")),
            Some((FlawKind::Altered, line + 1)),
        );
    }
    for number in 2..7 {
        let missing = Some((FlawKind::Missing, u64::try_from(number).unwrap()));
        check(&desk, &without(&text, &[number]), missing);
    }
    check(&desk, &without(&text, &[3, 4, 5]), Some((FlawKind::Missing, 3)));
}

#[tokio::test]
async fn a_missing_first_line_and_a_cut_end_are_reported() {
    let (desk, text) = written().await;
    fs::write(desk.file(), without(&text, &[1])).unwrap();
    assert_eq!(desk.verified().flaw.unwrap().kind, FlawKind::Missing);

    let head = text.lines().last().unwrap();
    let head = serde_json::from_str::<Value>(head).unwrap()["mac"].as_str().unwrap().to_owned();
    let verify = |text: &str, head: &str| {
        fs::write(desk.file(), text).unwrap();
        let verified = verify_audit(&[desk.file().to_owned()], &key(), Some(head)).unwrap();
        (verified.head, verified.flaw.map(|flaw| (flaw.kind, flaw.line)))
    };
    assert_eq!(verify(&text, &head), (Some(head.clone()), None));
    assert_eq!(verify(&without(&text, &[7]), &head).1, Some((FlawKind::Cut, 7)));
    assert_eq!(verify(&without(&text, &[5, 6, 7]), &head).1, Some((FlawKind::Cut, 5)));
    assert_eq!(verify(&text, "no code").1, Some((FlawKind::Cut, 8)));
    let earlier = serde_json::from_str::<Value>(text.lines().nth(2).unwrap()).unwrap();
    assert_eq!(verify(&text, earlier["mac"].as_str().unwrap()).1, None, "an earlier head is in it");
}

#[tokio::test]
async fn a_torn_last_line_is_distinguished_and_noted_by_the_next_process() {
    let (desk, text) = written().await;
    for n_cut in [2, 30, 100, 200] {
        let torn = text.get(..text.len() - n_cut).unwrap();
        check(&desk, torn, Some((FlawKind::Torn, 7)));
        // An altered line is not mistaken for a torn one.
        check(
            &desk,
            &with(torn, 2, |line| line.replace("begun", "bogus")),
            Some((FlawKind::Altered, 2)),
        );
        fs::write(desk.file(), torn).unwrap();
        let verified = verify_after_a_call(&desk).await;
        assert_eq!((verified.flaw, verified.n_lines, verified.n_torn), (None, 9, 1));
        // Torn bytes cannot be changed later either.
        check(
            &desk,
            &with(&desk.text(), 7, |line| line.replace("{\"l", "{\"L")),
            Some((FlawKind::Altered, 7)),
        );
    }
    // Only the line break is torn off.
    fs::write(desk.file(), text.trim_end()).unwrap();
    assert_eq!(desk.verified().flaw, None);
    let verified = verify_after_a_call(&desk).await;
    assert_eq!((verified.flaw, verified.n_lines, verified.n_torn), (None, 10, 0));
}

/// A disk that was full twice in the middle of a line, with room for a few bytes in between.
#[tokio::test]
async fn a_last_line_that_was_torn_twice_is_no_altered_line() {
    let (desk, text) = written().await;
    let torn = text.get(..text.len() - 100).unwrap();
    let twice = format!("{torn}\n{{\"line\"");
    for (torn, n_torn) in [(twice.clone(), 1), (format!("{twice}\n\n{{\"li"), 1)] {
        check(&desk, &torn, Some((FlawKind::Torn, 7)));
        let verified = verify_after_a_call(&desk).await;
        assert_eq!((verified.flaw, verified.n_lines, verified.n_torn), (None, 9, n_torn));
        let changed = with(&desk.text(), 8, |line| line.replace("\"li", "\"Li"));
        check(&desk, &changed, Some((FlawKind::Altered, 7)));
    }
}

#[tokio::test]
async fn lines_do_not_verify_under_another_key() {
    let (desk, _) = written().await;
    let other = Secret::new("another key of 16".to_owned());
    let verified = verify_audit(&[desk.file().to_owned()], &other, None).unwrap();
    assert_eq!(verified.flaw.map(|flaw| (flaw.kind, flaw.line)), Some((FlawKind::Altered, 1)));
}

#[tokio::test]
async fn an_appended_line_is_reported_and_does_not_join_the_chain() {
    let (desk, text) = written().await;
    let last = text.lines().last().unwrap();
    let mut file = OpenOptions::new().append(true).open(desk.file()).unwrap();
    writeln!(file, "{}", last.replace("\"line\":7", "\"line\":8")).unwrap();
    let verified = verify_after_a_call(&desk).await;
    assert_eq!(verified.flaw.map(|flaw| (flaw.kind, flaw.line)), Some((FlawKind::Altered, 8)));
}
