//! `callgate check`: one cause, one finding; what is shown, allowed, denied and known before; faulty configurations as
//! data; servers that are missing or wrong.

use crate::prelude::*;

/// A description whose 60 operations share a parameter that no argument may set, with one more fault of its own.
fn description() -> Value {
    let mut paths = callgate_tool::Object::new();
    for n in 0..60 {
        let parameters = json!([{"$ref": "#/components/parameters/connection"}]);
        let operation = json!({"operationId": format!("getThing{n}"), "summary": "s", "parameters": parameters});
        paths.insert(format!("/a{n}"), json!({"get": operation}));
    }
    let unused = json!([{"name": "id", "in": "path", "required": true}]);
    paths.insert(
        "/b".to_owned(),
        json!({"get": {"operationId": "get", "summary": "s", "parameters": unused}}),
    );
    json!({"openapi": "3.0.3", "servers": [{"url": "https://a.example"}], "paths": paths,
        "components": {"parameters": {"connection": {"name": "Connection", "in": "header"}}}})
}

/// Checks a minified file of a folder of its own with more arguments.
fn check(folder: &TempDir, arguments: &[&str]) -> Ended {
    let file = write(folder, "api.json", description().to_string());
    callgate(&[&["check", file][..], arguments].concat())
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_finding_of_many_operations_is_reported_once() {
    let folder = folder();
    let ended = check(&folder, &[]).exits(1);
    assert_eq!(ended.out.matches("got: `Connection`").count(), 1, "{}", ended.out);
    let shown = ended
        .prints("warning[forbidden-header]: expected a header that arguments may set")
        .prints("so: in 60 operations: GET /a0, GET /a1, GET /a2 and 57 more")
        .prints("warning[unused-path-parameter]: GET /b: expected")
        .prints("lint: 1 vague-name (`--lint` shows them)")
        .prints("0 exposed, 61 degraded, 0 refused");
    assert!(shown.out.lines().count() <= 20, "{}", shown.out);
    let json = check(&folder, &["--json"]).exits(1).json();
    let found = json["documents"][0]["diagnostics"].as_array().unwrap();
    let header = found.iter().find(|one| one["code"] == "forbidden-header").unwrap();
    assert_eq!(header["operations"]["count"], 60);
    assert_eq!(header["operation"], "GET /a0");
    assert_eq!(found.len(), 3, "{found:?}");
    let vague = found.iter().find(|one| one["code"] == "vague-name").unwrap();
    assert_eq!((&vague["lint"], &header["lint"]), (&true.into(), &false.into()));
}

#[test]
fn columns_are_those_of_the_file() {
    let folder = folder();
    let json = check(&folder, &["--json"]).json();
    let found = json["documents"][0]["diagnostics"].as_array().unwrap();
    let found = found.iter().find(|one| one["code"] == "forbidden-header").unwrap();
    let column = found["column"].as_u64().unwrap();
    assert!(column > 1000, "{column}");
    check(&folder, &[]).prints(&format!("api.json:1:{column}\n"));
}

#[test]
fn severities_and_codes_are_chosen() {
    let folder = folder();
    let both = ["--allow", "forbidden-header", "--allow", "unused-path-parameter"];
    for (arguments, code, shown, hidden) in [
        (&["--severity", "note"][..], 1, &["forbidden-header", "note[vague-name]"][..], "lint:"),
        (&["--lint"], 1, &["forbidden-header", "note[vague-name]"], "lint:"),
        (&["--severity", "error"], 0, &["not shown: 1 forbidden-header"], "warning["),
        (&["--allow", "forbidden-header"], 1, &["unused-path-parameter"], "forbidden-header"),
        (&both, 0, &["degraded"], "warning["),
        (&["--deny", "vague-name", "--severity", "error"], 1, &["error[vague-name]"], "warning["),
    ] {
        let ended = check(&folder, arguments).exits(code);
        for part in shown {
            assert!(ended.out.contains(part), "{arguments:?}: no `{part}` in {}", ended.out);
        }
        assert!(!ended.out.contains(hidden), "{arguments:?}: `{hidden}` in {}", ended.out);
    }
    check(&folder, &["--deny", "no-such-code"]).exits(2).says("callgate explain");
}

#[test]
fn a_baseline_hides_its_findings() {
    let folder = folder();
    let baseline = folder.path().join("baseline.json");
    let file = baseline.to_str().unwrap();
    check(&folder, &["--baseline", file]).exits(2).says("--write-baseline");
    check(&folder, &["--write-baseline", file]).exits(0).says("2 findings");
    check(&folder, &["--write-baseline", file, "--lint"]).exits(2).says("cannot be used with");
    let written = fs::read_to_string(&baseline).unwrap();
    assert!(written.contains("/components/parameters/connection"), "{written}");
    let known =
        check(&folder, &["--baseline", file]).exits(0).prints("known from the baseline: 61");
    assert!(!known.out.contains("warning["), "{}", known.out);
    let other = written.replace("/paths/~1b", "/paths/~1c");
    fs::write(&baseline, other).unwrap();
    let ended = check(&folder, &["--baseline", file]).exits(1).prints("unused-path");
    ended.says("1 findings of the baseline");
    fs::write(&baseline, "[]").unwrap();
    check(&folder, &["--baseline", file]).exits(2).says("expected a baseline");
    // What is allowed is not in the file, so that a check which allows it misses nothing.
    let allow = ["--allow", "unused-path-parameter"];
    check(&folder, &[&["--write-baseline", file][..], &allow[..]].concat())
        .exits(0)
        .says("1 findings");
    let ended = check(&folder, &[&["--baseline", file][..], &allow[..]].concat()).exits(0);
    assert!(!ended.err.contains("of the baseline"), "{}", ended.err);
}

#[test]
fn the_findings_of_large_tools_are_shown_as_a_table() {
    let folder = folder();
    let mut description = description();
    for n in 0..12 {
        let text = "a long story ".repeat(400 + 10 * n);
        description["paths"][&*format!("/a{n}")]["get"]["summary"] = text.into();
    }
    let file = write(&folder, "api.json", description.to_string());
    let shown = callgate(&["check", file]).exits(1).prints("12 large-tool");
    let (before, table) = shown.out.split_once("dearest tools\n").unwrap();
    assert!(before.contains("tokens of declarations\n"), "the verdict comes first: {before}");
    assert!(!table.contains("help:"), "{table}");
    let names: Vec<_> =
        table.lines().take(10).map(|line| line.split_whitespace().last().unwrap()).collect();
    assert_eq!(names[0], "getThing11");
    assert_eq!(names[9], "getThing2");
    assert!(!shown.out.contains("note[large-tool]"), "{}", shown.out);
    callgate(&["check", file, "--lint"]).exits(1).prints("note[large-tool]");
}

#[test]
fn check_says_how_to_offer_fewer_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| write(&folder, name, text);
    let mut text = "openapi: 3.0.3\nservers: [{url: https://a.example}]\npaths:\n".to_owned();
    let long = "a long story ".repeat(1500);
    for n in 0..30 {
        let (method, tag) = if n < 25 { ("get", "Big one") } else { ("post", "small") };
        text += &format!(
            "  /a{n}: {{{method}: {{operationId: operation{n}, tags: [{tag}], summary: \"{long}\"}}}}\n"
        );
    }
    let api = file("api.yaml", &text);
    let bare = callgate(&["check", api]).exits(0);
    let (_, advice) = bare.out.split_once("\nhelp: ").unwrap();
    for part in [
        "too many for the context of most models",
        "mcp: {mode: search}",
        &format!("callgate init NAME {api}"),
        &format!("callgate tools {api} --dialect anthropic --deferred"),
        "tools: {tags: [\"small\"]}",
        "`Big one` ",
        "tools: {read_only: true}",
        "tools: {include: [\"operation0\"]}",
    ] {
        assert!(advice.contains(part), "no `{part}` in {advice}");
    }
    let other = "openapi: 3.0.3\nservers: [{url: https://a.example}]\npaths: {/b: {get: {operationId: b, summary: B}}}\n";
    file("other.yaml", other);
    let named = "toolsets:\n  large: {openapi: api.yaml}\n  other: {openapi: other.yaml}\n";
    let configured = callgate(&["check", file("callgate.yaml", named)]).exits(0);
    configured.prints("the largest: `large` ").prints("with keys of the toolset `large`");
    // The keys are real.
    for key in [
        "tools: {tags: [\"small\"]}",
        "tools: {read_only: true}",
        "tools: {include: [\"operation0\"]}",
    ] {
        let text = format!(
            "mcp: {{mode: search}}\ntoolsets:\n  large:\n    openapi: api.yaml\n    {key}\n"
        );
        let fewer = callgate(&["check", file("fewer.yaml", &text)]).exits(0);
        let tokens = fewer.out.contains("help: ");
        assert_eq!(tokens, key.contains("read_only"), "{key}: {fewer:?}");
    }
    callgate(&["tools", api, "--dialect", "anthropic", "--deferred"]).exits(0);
}

#[test]
fn with_json_the_findings_of_a_configuration_are_data() {
    let folder = folder();
    let file = write(&folder, "callgate.yaml", "toolsets:\n  pets:\n    opanapi: x.yaml\n");
    let ended = callgate(&["check", file, "fixtures/pets/spec.yaml", "--json"]).exits(2);
    let json = ended.says("did you mean `openapi`?").json();
    let findings = json["configuration"].as_array().unwrap();
    assert!(findings.iter().any(|one| one["line"] == 3), "{json}");
    assert!(findings.iter().all(|one| one["severity"] == "error"), "{json}");
    assert_eq!(json["documents"][0]["file"], "fixtures/pets/spec.yaml");
    let log = callgate(&["check", file, "--format", "sarif"]).exits(2).json();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), findings.len());
    assert!(results.iter().all(|one| one["level"] == "error"), "{log}");
    let absent = callgate(&["check", "no-such.yaml", "--json"]).exits(2).json();
    assert_eq!(absent["documents"], json!([]));
}

#[test]
fn a_missing_or_wrong_server_is_reported_at_its_position() {
    let folder = folder();
    let text = "openapi: 3.0.3\npaths: {/a: {get: {operationId: getA, summary: s}}}\n";
    let file = write(&folder, "api.yaml", text);
    callgate(&["check", file]).prints("no-server").prints("0 refused");
    callgate(&["tools", file]).exits(0).prints("getA");
    let called = callgate(&["call", file, "getA"]).exits(1);
    assert!(format!("{}{}", called.out, called.err).contains("server"), "{called:?}");
    for command in ["check", "tools"] {
        let wrong = callgate(&[command, file, "--server", "localhost:8000"]).exits(2);
        wrong.says("http://localhost:8000");
    }
    let text =
        "toolsets:\n  a:\n    openapi: api.yaml\n    server: localhost:8000\n    auth: none\n";
    let configured = write(&folder, "callgate.yaml", text);
    let wrong = callgate(&["check", configured]).exits(2);
    wrong.says("callgate.yaml:4:").says("http://localhost:8000");
}
