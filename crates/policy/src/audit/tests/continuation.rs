//! Tests that the chain and the keys continue: in a new file after the old one was moved away, and in the next process.

use super::*;

#[tokio::test]
async fn a_rotated_audit_file_is_followed_by_another_of_the_same_chain() {
    let desk = Desk::new();
    let process = desk.open().await;
    process.call("fine", "1").await;
    let older = desk.folder.path().join("audit.jsonl.1");
    fs::rename(desk.file(), &older).unwrap();
    process.call("fine", "2").await;
    assert_eq!(desk.lines().len(), 3);
    assert_eq!(text(&desk.lines()[0], "reason"), "rotation");
    let newer = desk.file().to_owned();
    let both = verify_audit(&[older.clone(), newer.clone()], &key(), None).unwrap();
    assert_eq!((both.flaw, both.n_lines, both.first), (None, 6, 1));
    let newer = verify_audit(&[newer], &key(), None).unwrap();
    assert_eq!((newer.flaw, newer.n_lines, newer.first), (None, 3, 4));
    // A file that is cut short, as `copytruncate` does, continues too.
    fs::write(desk.file(), "").unwrap();
    process.call("fine", "3").await;
    assert_eq!((desk.verified().flaw, desk.verified().first), (None, 7));
    // The next process continues it too, with or without a line in the file.
    process.end();
    for _ in 0..2 {
        let process = desk.open().await;
        process.call("fine", "4").await;
        process.end();
        let verified = desk.verified();
        assert_eq!(verified.flaw, None);
        fs::rename(desk.file(), desk.folder.path().join("audit.jsonl-2")).unwrap();
    }
    let process = desk.open().await;
    process.call("fine", "5").await;
    let verified = desk.verified();
    assert_eq!((verified.flaw, verified.first), (None, 16));
    for (key, answer) in [("1", "answer_lost"), ("4", "answer_lost"), ("6", "answered")] {
        assert_eq!(process.call("fine", key).await.0, answer, "{key}");
    }
}

#[tokio::test]
async fn a_call_that_an_earlier_process_made_is_not_made_again() {
    let desk = Desk::new();
    let process = desk.open().await;
    for how in ["fine", "503", "maybe", "no"] {
        process.call(how, how).await;
    }
    process.leave("left").await;
    assert_eq!(process.audit.calls_without_end(), []);
    process.end();
    // A killed process: a call was begun, and no line records its end.
    let whole = desk.text();
    let killed = desk.open().await;
    killed.leave("killed").await;
    killed.end();
    let after = desk.text().split_off(whole.len());
    let begun: String = after.lines().take(2).map(|line| format!("{line}\n")).collect();
    fs::write(desk.file(), whole + &begun).unwrap();

    let n_sent = desk.n_sent();
    for _ in 0..2 {
        let process = desk.open().await;
        let unknown: Vec<_> =
            process.audit.calls_without_end().iter().map(|call| call.tool.clone()).collect();
        assert_eq!(unknown, ["pets-get"]);
        assert_eq!(process.audit.calls_without_end()[0].principal.as_deref(), Some("kim"));
        for (how, key, expected) in [
            ("fine", "fine", ("answer_lost", "yes", None)),
            ("503", "503", ("answer_lost", "yes", Some(503))),
            ("maybe", "maybe", ("outcome_unknown", "maybe", None)),
            ("slow", "left", ("outcome_unknown", "maybe", None)),
            ("slow", "killed", ("outcome_unknown", "maybe", None)),
            ("fine", "503", ("key_reused", "no", None)),
        ] {
            assert_eq!(process.call(how, key).await, expected, "{key}");
        }
        assert_eq!(desk.n_sent(), n_sent);
    }
    assert_eq!(desk.open().await.call("no", "no").await.1, "no");
    assert_eq!(desk.n_sent(), n_sent + 1, "what reached nothing is made again");
    assert_eq!(desk.verified().flaw, None);
}

#[tokio::test]
async fn of_a_large_audit_file_only_the_end_that_still_counts_is_read() {
    let desk = Desk::new();
    let process = desk.open().await;
    process.call("fine", "old").await;
    process.end();
    let text = desk.text();
    // Three megabytes of lines, mostly from yesterday. Their codes are not checked here.
    let old: String = text.replace("\"time\":\"2", "\"time\":\"1");
    let lines: String = std::iter::repeat_n(old.as_str(), 3_000).collect();
    fs::write(desk.file(), lines.clone() + &text.replace("\"key\":\"", "\"key_\":\"")).unwrap();
    let process = desk.open().await;
    assert_eq!(process.call("fine", "old").await.0, "answered");
    process.end();
    fs::write(desk.file(), lines + &text).unwrap();
    assert_eq!(desk.open().await.call("fine", "old").await.0, "answer_lost");
}

/// Many callers at once: each has two lines, and the chain is valid.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_of_many_callers_form_one_chain() {
    let desk = Desk::new();
    let process = Arc::new(desk.open().await);
    let calls = async |process: Arc<Process>, caller: usize| {
        for number in 0..25 {
            process.call("fine", &format!("{caller}-{number}")).await;
        }
    };
    let callers = (0..32).map(|caller| tokio::spawn(calls(Arc::clone(&process), caller)));
    let callers: Vec<_> = callers.collect();
    for caller in callers {
        caller.await.unwrap();
    }
    let verified = desk.verified();
    assert_eq!((verified.flaw, verified.n_lines), (None, 1 + 2 * 32 * 25));
}
