//! Tests which records are written, and how.

use std::sync::Mutex;

use super::*;

/// The lines written with these settings during an action.
fn written(settings: &str, act: fn()) -> Vec<String> {
    let text = format!("log: {settings}\ntoolsets: {{a: {{openapi: a.yaml}}}}");
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&lines);
    let write = Box::new(move |line: &str| kept.lock().unwrap().push(line.to_owned()));
    let log = Config::from_text(text, "").unwrap().log;
    let subscriber = log_subscriber(&log, Arc::new(Lines::new(log.format, write)));
    tracing::subscriber::with_default(subscriber, act);
    let lines = lines.lock().unwrap();
    // The time comes first and differs each time.
    lines
        .iter()
        .map(|line| line.split_once(' ').map_or(line.as_str(), |(_, rest)| rest).to_owned())
        .collect()
}

#[test]
fn a_log_record_is_one_line_that_its_values_cannot_forge() {
    let lines = written("{level: info}", || {
        let span =
            tracing::info_span!("call", tool = "pets-getPet", status = tracing::field::Empty);
        span.record("status", 200);
        span.in_scope(|| {
            let why = "a\n2026-01-01 INFO forged \u{1b}[31m";
            tracing::info!(n = 3, why, "done\r\n\u{202e}");
        });
    });
    let expected = r#"INFO  callgate_gateway::observe::log::tests: done\r\n\u202e n=3 why="a\n2026-01-01 INFO forged \u001b[31m" call{tool=pets-getPet status=200}"#;
    assert_eq!(lines, [expected]);
}

#[test]
fn a_log_record_in_json_has_its_spans() {
    let text = "log: {format: json}\ntoolsets: {a: {openapi: a.yaml}}";
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&lines);
    let write = Box::new(move |line: &str| kept.lock().unwrap().push(line.to_owned()));
    let log = Config::from_text(text, "").unwrap().log;
    let subscriber = log_subscriber(&log, Arc::new(Lines::new(log.format, write)));
    tracing::subscriber::with_default(subscriber, || {
        tracing::info_span!("call", tool = "t").in_scope(|| tracing::warn!(n = 3, "a\nb"));
    });
    let lines = lines.lock().unwrap();
    let value: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!((&value["level"], &value["message"]), (&"WARN".into(), &"a\nb".into()));
    assert_eq!((&value["fields"]["n"], &value["spans"][0]["tool"]), (&3.into(), &"t".into()));
    assert!(!lines[0].contains('\n'));
}

#[test]
fn log_levels_apply_to_their_modules() {
    fn act() {
        tracing::info!(target: "callgate_executor::call", "ours");
        tracing::debug!(target: "callgate_executor::call", "ours in detail");
        library();
    }
    fn library() {
        tracing::info!(target: "hyper", "a library's");
        tracing::warn!(target: "hyper", "a library's warning");
    }
    let messages = |settings| {
        let lines = written(settings, act);
        lines.iter().map(|line| line.split(": ").last().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(messages("{}"), ["ours", "a library's warning"]);
    assert_eq!(messages("{level: trace}"), ["ours", "ours in detail", "a library's warning"]);
    assert_eq!(messages("{level: error}"), [""; 0]);
    assert_eq!(
        messages("{level: 'off', modules: {hyper: info}}"),
        ["a library's", "a library's warning"]
    );
    assert_eq!(
        messages("{modules: {callgate_executor: debug}}"),
        ["ours", "ours in detail", "a library's warning"]
    );
}

#[test]
fn lines_that_nobody_reads_are_counted_and_hold_up_nobody() {
    let (release, wait) = std::sync::mpsc::channel::<()>();
    let written = Arc::<Mutex<String>>::default();
    let (kept, wait) = (Arc::clone(&written), Mutex::new(wait));
    let write = move |lines: &str| {
        // The reader of the log sleeps until it is woken for good.
        wait.lock().unwrap().recv().ok();
        kept.lock().unwrap().push_str(&format!("{lines}\n"));
    };
    let lines = Arc::new(Lines::new(LogFormat::Text, Box::new(write)));
    let thread = LineThread::start(&lines).unwrap();
    let line = "x".repeat(1 << 10);
    let n_lines = 4096;
    for _ in 0..n_lines {
        lines.add_line(&line, Urgency::Now);
    }
    drop(release);
    drop(thread);
    let written = written.lock().unwrap();
    let n_written = written.lines().filter(|written| **written == line).count();
    // The thread may begin after lines were lost: then both of its writes say how many.
    let lost = written.lines().filter_map(|line| line.split_once("lines="));
    let n_lost = lost.map(|(_, lost)| lost.parse::<usize>().unwrap()).sum::<usize>();
    assert_eq!(n_written + n_lost, n_lines);
    assert!(n_written >= 1000, "{n_written}");
}
