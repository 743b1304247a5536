//! Keys inside of keys × the kinds of toolsets that take them: each is obeyed, as calls show. The kinds are those of the table
//! `tests/integration/toolset_words.txt`; a key that only one kind takes is tested with the kind.

use tokio::time::Instant;

use crate::prelude::*;

use super::{
    keys::Keys,
    rows::{self, Kind},
    work::{Hold, Work},
};

/// The kinds that call a service.
const SERVICES: [&str; 3] = ["connection", "openapi", "vertex"];

/// Runs a check for each kind of these, with toolsets of further keys.
fn check(kinds: &[&str], toolsets: &[(&str, &str)], check: impl Fn(&Keys)) {
    for mut kind in rows::kinds().into_iter().filter(|kind| kinds.contains(&kind.name)) {
        if kind.name == "documents" {
            kind.write_files = write_many_parts;
        }
        let members = kind.members.clone();
        check(&Keys::start_with(kind, &members, toolsets));
    }
}

/// Documents of which a search shows several parts.
fn write_many_parts(folder: &Path) {
    let part = |at: usize| format!("# Part {at}\n\nThe shop opens at nine, said {at}.\n\n");
    write_file(folder, "notes/hours.md", (0..20).map(part).collect::<String>());
}

/// The code of a result that is a fault; empty for others.
fn code(result: &Value) -> String {
    result["error"]["code"].as_str().unwrap_or_default().to_owned()
}

/// The service of a kind behind its relay, or the lock on its database.
fn hold(kind: &Kind) -> &dyn Hold {
    match &kind.work {
        Work::Held(hold) => &**hold,
        Work::Long(_) | Work::OfClient => panic!("{}: nothing is held", kind.name),
    }
}

/// The first result that is as expected, which comes within seconds.
fn repeat<T>(make: impl Fn() -> T, is_expected: impl Fn(&T) -> bool) -> T {
    let begun = Instant::now();
    let results = std::iter::repeat_with(make);
    let mut results = results.take_while(|_| begun.elapsed() < Duration::from_secs(20));
    results.find(is_expected).expect("a result in time")
}

#[test]
fn bursts_and_spans_of_rates_are_obeyed() {
    let kinds = ["code", "connection", "database", "documents", "functions", "openapi", "vertex"];
    let toolsets = [
        ("burst", "limits: {rate: {calls: 2, per: 1h, burst: 1}}"),
        ("span", "limits: {rate: {calls: 1, per: 30ms}}"),
    ];
    check(&kinds, &toolsets, |keys| {
        let name = keys.kind.name;
        keys.is_made("burst", &keys.read("burst"));
        assert_eq!(code(&keys.read("burst")), "rate_limited", "{name}");
        keys.is_made("span", &keys.read("span"));
        let again = repeat(|| keys.read("span"), |result| code(result) != "rate_limited");
        keys.is_made("span", &again);
    });
}

const BREAKERS: [(&str, &str); 3] = [
    ("failures", "limits: {breaker: {failures: 2, open: 1h}}"),
    ("open", "limits: {breaker: {failures: 1, open: 30ms}}"),
    ("never", "limits: {breaker: none}"),
];

/// Checks the breakers of toolsets whose source is away, or soon will be.
fn check_breakers(keys: &Keys) {
    let name = keys.kind.name;
    let codes = |toolset: &str, n_calls: usize| -> Vec<String> {
        (0..n_calls).map(|_| code(&keys.read(toolset))).collect()
    };
    let first = |toolset: &str| {
        let mut codes = std::iter::repeat_with(|| code(&keys.read(toolset)));
        codes.find(|code| !code.is_empty()).unwrap()
    };
    assert_eq!(first("failures"), "unreachable", "{name}");
    assert_eq!(codes("failures", 2), ["unreachable", "overloaded"], "{name}");
    assert_eq!(first("open"), "unreachable", "{name}");
    repeat(|| code(&keys.read("open")), |code| code == "unreachable");
    assert_eq!(first("never"), "unreachable", "{name}");
    assert!(codes("never", 8).iter().all(|code| code == "unreachable"), "{name}");
}

#[test]
fn failures_and_times_of_breakers_are_obeyed() {
    for kind in rows::kinds().into_iter().filter(|kind| !kind.away.is_empty()) {
        let away = kind.away.clone();
        check_breakers(&Keys::start_with(kind, &away, &BREAKERS));
    }
    check(&["documents"], &BREAKERS, |keys| {
        fs::remove_dir_all(keys.folder.path().join("notes")).unwrap();
        check_breakers(keys);
    });
}

#[test]
fn the_time_of_a_call_is_obeyed() {
    let kinds = ["connection", "database", "openapi", "vertex"];
    check(&kinds, &[("timeout", "limits: {timeout: 300ms}")], |keys| {
        hold(&keys.kind).hold(keys.folder.path());
        assert_eq!(code(&keys.read("timeout")), "timed_out", "{}", keys.kind.name);
        hold(&keys.kind).release();
    });
    check(&["code"], &[("timeout", "limits: {timeout: 300ms}")], |keys| {
        let endless = json!({"input": "while True:\n    pass"});
        let result = keys.call(&keys.name("timeout"), &endless);
        // The end of a program is its result.
        assert!(result.to_string().contains("took longer than 0.3 s"), "{result}");
    });
}

/// A call of a service whose request has a body.
fn call_with_body(keys: &Keys, toolset: &str) -> Value {
    match keys.kind.name {
        "connection" => {
            keys.call(&format!("{toolset}-Case-create"), &json!({"Subject": "a long subject"}))
        }
        "openapi" => {
            keys.call(&format!("{toolset}-add"), &json!({"body": {"name": "a long name"}}))
        }
        _ => keys.read(toolset),
    }
}

#[test]
fn bytes_of_requests_responses_and_results_are_obeyed() {
    let toolsets = [
        ("plain", "prefix: plain"),
        ("request", "limits: {request_bytes: 2}"),
        ("response", "limits: {response_bytes: 2}"),
    ];
    check(&SERVICES, &toolsets, |keys| {
        let name = keys.kind.name;
        keys.is_made("plain", &call_with_body(keys, "plain"));
        let before = (keys.kind.n_requests)();
        let refused = call_with_body(keys, "request");
        assert_eq!((keys.kind.n_requests)(), before, "{name}: {refused}");
        assert_eq!(refused["error"]["reached"], "no", "{name}: {refused}");
        let cut = keys.read("response");
        assert!(cut.get("error").is_some(), "{name}: {cut}");
    });
    let kinds = ["connection", "database", "documents", "openapi", "vertex"];
    let toolsets = [("plain", "prefix: plain"), ("result", "limits: {result_bytes: 8}")];
    check(&kinds, &toolsets, |keys| {
        if keys.kind.name == "database" {
            let file = keys.folder.path().join("shop.db");
            let database = rusqlite::Connection::open(file).unwrap();
            database.execute("update orders set note = printf('%.4000c', 'x')", []).unwrap();
        }
        let (whole, cut) = (keys.read("plain"), keys.read("result"));
        let length = |result: &Value| result["response"].to_string().len();
        assert!(length(&cut) < length(&whole), "{}: {cut}", keys.kind.name);
    });
}

#[test]
fn attempts_and_their_times_are_obeyed() {
    let toolsets = [
        ("none", "retry: {when: none, attempts: 4}"),
        ("two", "retry: {when: safe, attempts: 2, wait: 20ms}"),
        ("four", "retry: {when: safe, attempts: 4, wait: 20ms}"),
        ("slow", "retry: {when: safe, attempts: 2, attempt_timeout: 100ms}, limits: {timeout: 2s}"),
    ];
    check(&SERVICES, &toolsets, |keys| {
        let (name, service) = (keys.kind.name, hold(&keys.kind));
        service.break_answers(true);
        let n_repeats = |toolset: &str| {
            let result = keys.read(toolset);
            assert_eq!(code(&result), "unreachable", "{name} {toolset}: {result}");
            // A pause takes 100 ms and more without `wait`.
            let waits = result["journal"].to_string().matches("after 20 ms").count();
            assert_eq!(waits, n_retried(&result), "{name} {toolset}: {result}");
            waits
        };
        assert_eq!(["none", "two", "four"].map(n_repeats), [0, 1, 3], "{name}");
        assert!(service.n_broken() >= 7, "{name}");
        service.break_answers(false);
        service.hold(keys.folder.path());
        let slow = keys.read("slow");
        service.release();
        assert_eq!((code(&slow).as_str(), n_retried(&slow)), ("timed_out", 1), "{name}: {slow}");
    });
}

fn n_retried(result: &Value) -> usize {
    result["journal"].to_string().matches("retried").count()
}

/// The number of entries of the list in a result.
fn n_listed(result: &Value, list: &str) -> usize {
    let entries = result["response"][list].as_array();
    entries.unwrap_or_else(|| panic!("no `{list}`: {result}")).len()
}

#[test]
fn numbers_of_rows_and_snippets_are_obeyed() {
    check(&["connection"], &[("few", "limits: {rows: 1}")], |keys| {
        assert_eq!(n_listed(&keys.read("few"), "rows"), 1);
        let more = keys.call(&keys.name("few"), &json!({"limit": 2}));
        assert_eq!(code(&more), "invalid_arguments", "{more}");
    });
    for mut kind in rows::kinds().into_iter().filter(|kind| kind.name == "database") {
        kind.reads.tool = "kind-orders-list";
        let members = kind.members.replace("[get, delete]", "[list]");
        let keys = Keys::start_with(kind, &members, &[("few", "limits: {rows: 1}")]);
        let few = keys.call("few-orders-list", &json!({}));
        assert_eq!((n_listed(&few, "rows"), few["response"]["more"] == true), (1, true), "{few}");
    }
    let toolsets = [("plain", "prefix: plain"), ("few", "limits: {snippets: 1}")];
    check(&["documents", "vertex"], &toolsets, |keys| {
        assert!(n_listed(&keys.read("plain"), "snippets") > 1, "{}", keys.kind.name);
        assert_eq!(n_listed(&keys.read("few"), "snippets"), 1, "{}", keys.kind.name);
    });
}

#[test]
fn baggage_recordings_and_functions_beside_are_obeyed() {
    let toolsets = [("kept", "baggage: false"), ("sent", "baggage: true")];
    check(&SERVICES, &toolsets, |keys| {
        let headers = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\nbaggage: user=kim\r\n";
        for (toolset, expected) in [("kept", false), ("sent", true)] {
            let result = keys.call_with(headers, &keys.name(toolset), &keys.kind.reads.arguments);
            keys.is_made(toolset, &result);
            let is_sent = hold(&keys.kind).sent().contains("user=kim");
            assert_eq!(is_sent, expected, "{} {toolset}", keys.kind.name);
        }
    });
    check(&SERVICES, &[("recorded", "upstream: {replay: .}")], |keys| {
        let result = keys.read("recorded");
        assert!(result.get("error").is_some(), "{}: {result}", keys.kind.name);
        assert_eq!(hold(&keys.kind).sent(), "", "{}", keys.kind.name);
    });
    let kinds = ["code", "connection", "database", "documents", "openapi", "vertex"];
    check(&kinds, &[("both", "functions: [{name: further}]")], |keys| {
        let further = keys.call("both-further", &json!({}));
        assert_eq!(further["pending"]["kind"], "client", "{}: {further}", keys.kind.name);
        keys.is_made("both", &keys.read("both"));
    });
}

#[test]
fn a_sidecar_is_ready_without_what_it_does_not_require() {
    for (required, expected) in [("required: true", false), ("required: false", true)] {
        for kind in rows::kinds() {
            if !["connection", "database", "openapi"].contains(&kind.name) {
                continue;
            }
            let away = match kind.name {
                // A description is read from a file unless it has an address.
                "openapi" => "openapi: 'http://127.0.0.1:9/openapi.json', auth: none".to_owned(),
                _ => kind.away.clone(),
            };
            let name = kind.name;
            let keys = Keys::start_with(kind, &away, &[("away", required)]);
            let ready = keys.sidecar.answer("GET /readyz", "", "");
            assert_eq!(ready.starts_with("HTTP/1.1 200"), expected, "{name} {required}: {ready}");
        }
    }
}

#[test]
fn words_about_approvals_are_obeyed() {
    let toolsets = [
        ("but", "confirm: {default: always, tools: {TOOL: never}}"),
        ("writes", "confirm: writes"),
        ("destructive", "confirm: destructive"),
        ("dialogflow", "confirm: dialogflow_v2"),
    ];
    let kinds = ["code", "connection", "database", "documents", "functions", "openapi", "vertex"];
    check(&kinds, &toolsets, |keys| {
        let name = keys.kind.name;
        keys.is_made("but", &keys.read("but"));
        let Some(write) = &keys.kind.writes else { return };
        for toolset in ["writes", "destructive", "dialogflow"] {
            let tool = write.tool.replacen("kind", toolset, 1);
            let result = keys.call(&tool, &write.arguments);
            // A POST adds something, and destroys nothing.
            let waits = (name, toolset) != ("openapi", "destructive");
            let is_pending = result["pending"]["kind"] == "approval";
            assert_eq!(is_pending, waits, "{name} {toolset}: {result}");
        }
    });
}
