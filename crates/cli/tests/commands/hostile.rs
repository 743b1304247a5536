//! Hostile descriptions from end to end: the command ends, says why, reads and asks for nothing it may not, and other
//! descriptions of the same configuration keep working. Rows and findings are those of
//! `SECURITY.md`.

#[path = "../../../openapi/tests/load/hostile/descriptions.rs"]
mod descriptions;

use crate::prelude::*;
use callgate_testkit::temporary_folder;

fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// A description with these paths.
fn description(paths: &str) -> String {
    format!("openapi: 3.1.0\nservers: [{{url: https://api.example.com}}]\npaths:\n{paths}")
}

/// `check --json` about the only description of a folder.
fn checked(folder: &TempDir, file: &str) -> Value {
    let ended = callgate(&["check", &path(folder, file), "--json"]);
    assert!(matches!(ended.code, Some(0 | 1)), "{ended:#?}");
    ended.json()["documents"][0].clone()
}

fn codes(document: &Value) -> BTreeSet<&str> {
    let found = document["diagnostics"].as_array().unwrap();
    found.iter().map(|found| found["code"].as_str().unwrap()).collect()
}

fn counts(document: &Value) -> [u64; 3] {
    ["exposed", "degraded", "refused"].map(|status| document[status].as_u64().unwrap())
}

const GOOD: &str = "openapi: 3.0.3\nservers: [{url: https://good.example.com}]\npaths: {/ping: {get: {operationId: ping, summary: Ping}}}\n";

/// Threat 17; finding 5.
#[test]
fn row_17_a_hostile_description_is_read_in_bounded_time_beside_others() {
    let rows = descriptions::all(8);
    assert!(rows.len() >= 40);
    for descriptions::Hostile { name, text } in rows {
        let configuration = "toolsets:\n  hostile: {openapi: hostile.txt, limits: {description_effort: 50000, effort_per_byte: 0}}\n  good: {openapi: good.yaml}\n";
        let folder = temporary_folder(&[
            ("callgate.yaml", configuration),
            ("hostile.txt", &text),
            ("good.yaml", GOOD),
        ]);
        let file = path(&folder, "callgate.yaml");
        let ended = callgate(&["check", &file, "--json"]);
        assert!(matches!(ended.code, Some(0 | 1)), "{name}: {:?} {}", ended.code, ended.err);
        let documents = ended.json();
        let documents = documents["documents"].as_array().unwrap();
        let hostile = &documents[0];
        assert_eq!(
            counts(hostile).iter().sum::<u64>(),
            hostile["operations"].as_u64().unwrap(),
            "{name}"
        );
        assert!(hostile["diagnostics"].as_array().unwrap().len() < 6_000, "{name}");
        assert_eq!(counts(&documents[1]), [1, 0, 0], "{name}");
    }
}

#[test]
fn beside_a_hostile_description_others_are_called() {
    let bomb = descriptions::all(1).into_iter().next().unwrap().text;
    let configuration =
        "toolsets:\n  hostile: {openapi: hostile.yaml}\n  good: {openapi: good.yaml}\n";
    let files = [("callgate.yaml", configuration), ("hostile.yaml", &*bomb), ("good.yaml", GOOD)];
    let folder = temporary_folder(&files);
    let file = path(&folder, "callgate.yaml");
    callgate(&["check", &file]).exits(1).prints("alias-expansion");
    let ended = callgate(&["call", &file, "good-ping", "--dry-run"]).exits(0);
    ended.prints("GET https://good.example.com/ping").says("alias-expansion");
    callgate(&["tools", &file]).exits(0).prints("good-ping");
}

#[test]
fn row_5_hostile_paths_are_not_offered() {
    let paths = "  /a/../../admin: {get: {operationId: up}}\n  //h/x: {get: {operationId: host}}\n  http://h/x: {get: {operationId: url}}\n  /a/%2e%2e/b: {get: {operationId: dots}}\n  /fine: {get: {operationId: fine, summary: Fine}}\n";
    let folder = temporary_folder(&[("api.yaml", &description(paths))]);
    let document = checked(&folder, "api.yaml");
    assert_eq!(counts(&document), [1, 0, 4]);
    assert!(codes(&document).contains("hostile-path"));
    let file = path(&folder, "api.yaml");
    for tool in ["up", "host", "url", "dots"] {
        let ended = callgate(&["call", &file, tool, "--dry-run"]);
        assert_ne!(ended.code, Some(0), "{ended:#?}");
        assert!(!ended.out.contains("GET "), "{ended:#?}");
    }
    callgate(&["call", &file, "fine", "--dry-run"]).exits(0).prints("https://api.example.com/fine");
}

#[test]
fn row_16_nothing_outside_the_directory_is_read_or_requested() {
    let outer = temporary_folder(&[("secret.yaml", "type: string\ndescription: CANARY\n")]);
    let secret = path(&outer, "secret.yaml");
    let references = [
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "https://specs.example.com/a.yaml".to_owned(),
        "https://127.0.0.1/a.yaml".to_owned(),
        format!("file://{secret}"),
        secret.clone(),
        "../secret.yaml".to_owned(),
        "%2e%2e/secret.yaml".to_owned(),
        "//host/share/a.yaml".to_owned(),
    ];
    let row = |(n, reference): (usize, &String)| {
        format!(
            "  /p{n}: {{get: {{summary: A, parameters: [{{name: a, in: query, schema: {{$ref: '{reference}'}}}}]}}}}\n"
        )
    };
    let paths: String = references.iter().enumerate().map(row).collect();
    let inner = outer.path().join("specs");
    let file = write_file(&inner, "api.yaml", description(&paths));
    let ended = callgate(&["check", file.to_str().unwrap(), "--json"]).exits(1);
    assert!(!ended.out.contains("CANARY") && !ended.err.contains("CANARY"), "{ended:#?}");
    let document = &ended.json()["documents"][0];
    assert_eq!(counts(document), [0, 0, 8], "{document}");
    assert_eq!(codes(document), BTreeSet::from(["external-reference"]));
}

#[test]
fn a_description_in_several_files_is_one_description() {
    let paths = "  /pets: {$ref: paths/pets.yaml}\n";
    let pets =
        "get: {operationId: pets, summary: Pets, parameters: [{$ref: '../parts.yaml#/limit'}]}";
    let folder = temporary_folder(&[
        ("api.yaml", &description(paths)),
        ("paths/pets.yaml", pets),
        ("parts.yaml", "limit: {name: limit, in: query, schema: {type: bogus}}"),
    ]);
    let file = path(&folder, "api.yaml");
    callgate(&["call", &file, "pets", "limit=7", "--dry-run"]).exits(0).prints("/pets?limit=7");
    // What is wrong in another file is shown there.
    callgate(&["check", &file]).exits(1).prints("parts.yaml:1:42").prints("got: `bogus`");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_directory_is_refused_and_one_within_is_followed() {
    use std::os::unix::fs::symlink;
    let outer =
        temporary_folder(&[("secret.yaml", "name: CANARY\nin: query\nschema: {type: string}\n")]);
    let inner = outer.path().join("specs");
    let row = |n: usize, name: &str| {
        format!("  /p{n}: {{get: {{summary: A, parameters: [{{$ref: {name}}}]}}}}\n")
    };
    let paths = row(0, "out.yaml") + &row(1, "in.yaml");
    let file = write_file(&inner, "api.yaml", description(&paths));
    fs::write(inner.join("a.yaml"), "name: limit\nin: query\nschema: {type: integer}\n").unwrap();
    symlink(outer.path().join("secret.yaml"), inner.join("out.yaml")).unwrap();
    symlink("a.yaml", inner.join("in.yaml")).unwrap();
    let ended = callgate(&["check", file.to_str().unwrap(), "--json"]).exits(1);
    assert!(!ended.out.contains("CANARY"), "{ended:#?}");
    let document = &ended.json()["documents"][0];
    assert_eq!(counts(document), [1, 0, 1]);
    let message = document["diagnostics"][0]["message"].as_str().unwrap();
    assert!(message.contains("not a link out of it"));
}

#[test]
fn row_18_patterns_take_linear_time_and_look_around_is_left_to_the_service() {
    let parameter = |name: &str, pattern: &str| {
        format!("{{name: {name}, in: query, schema: {{type: string, pattern: '{pattern}'}}}}")
    };
    let paths = format!(
        "  /a: {{get: {{operationId: a, summary: A, parameters: [{}, {}]}}}}\n",
        parameter("slow", "^(a+)+$"),
        parameter("ahead", "^(?=b)b$")
    );
    let folder = temporary_folder(&[("api.yaml", &description(&paths))]);
    assert!(codes(&checked(&folder, "api.yaml")).contains("unsupported-pattern"));
    let file = path(&folder, "api.yaml");
    let call = |arguments: Value| {
        callgate(&["call", &file, "a", "--args", &arguments.to_string(), "--dry-run"])
    };
    call(json!({"slow": format!("{}!", "a".repeat(50_000))})).exits(1).says("`slow`");
    call(json!({"slow": "aaa", "ahead": "c"})).exits(0).prints("ahead=c");
}

#[test]
fn row_19_names_of_tools_cannot_be_spoofed() {
    let spoofed =
        descriptions::wide(1).into_iter().find(|row| row.name == "spoofed names").unwrap();
    let folder = temporary_folder(&[("api.json", &spoofed.text)]);
    let tools = callgate(&["tools", &path(&folder, "api.json"), "--json"]).exits(0).json();
    let names: Vec<_> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 3);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 3, "{names:?}");
    let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    assert!(names.iter().all(|name| name.len() <= 63 && name.chars().all(is_legal)), "{names:?}");
}

/// Finding 10: digits stay, the depth of JSON is bounded, and a key that occurs twice is told or refused.
#[test]
fn finding_13_numbers_keep_their_digits_and_no_key_is_lost_silently() {
    let paths = "  /a: {get: {operationId: a, summary: A, parameters: [{name: n, in: query, schema: {type: number, default: 18446744073709551616, maximum: 1e400}}]}}\n";
    let deep = format!(r#"{{"openapi": "3.0.3", "paths": {{}}, "x": {}}}"#, "[".repeat(200));
    let folder = temporary_folder(&[
        ("api.yaml", &description(paths)),
        ("twice.json", r#"{"openapi": "3.0.3", "openapi": "3.0.3", "paths": {}}"#),
        ("deep.json", &deep),
    ]);
    let file = path(&folder, "api.yaml");
    let tools = callgate(&["tools", &file, "--json"]).exits(0);
    tools.prints("18446744073709551616").prints("1e400");
    callgate(&["call", &file, "a", "--args", r#"{"n": 1, "\u006e": 2}"#, "--dry-run"]).exits(2);
    let ended = callgate(&["check", &path(&folder, "twice.json")]).exits(1).prints("duplicate-key");
    ended.prints("lines: 1 and 1");
    callgate(&["check", &path(&folder, "deep.json")]).exits(1).prints("text-too-deep");
}

/// Each limit of a description refuses what is over it and says by which key it is moved, and the default lets it pass.
#[test]
fn every_limit_of_a_description_is_enforced() {
    let schema =
        "{type: object, properties: {b: {type: string}, c: {$ref: '#/components/schemas/C'}}}";
    let paths = format!(
        "  /a: {{get: {{operationId: a, summary: A, parameters: [{{name: a, in: query, schema: {schema}}}]}}}}\n  /b: {{get: {{operationId: b, summary: B}}}}\n"
    );
    let text = description(&paths)
        + "components: {schemas: {C: {properties: {d: {type: string}}}}}\nx-a: &a [1, 2, long text]\nx-b: [*a, *a]\n";
    for (limit, code) in [
        ("alias_bytes: 10", "alias-expansion"),
        ("all_declarations_effort: 200, effort_per_byte: 0", "too-complex"),
        ("declaration_effort: 60", "too-complex"),
        ("description_bytes: 100", "text-too-large"),
        ("description_depth: 5", "text-too-deep"),
        ("description_effort: 40, effort_per_byte: 0", "too-complex"),
        ("description_nodes: 10", "too-many-nodes"),
        ("operations: 1", "too-many-operations"),
        ("shared_definitions_effort: 10, effort_per_byte: 0", "too-complex"),
    ] {
        let limited = format!("toolsets: {{api: {{openapi: api.yaml, limits: {{{limit}}}}}}}\n");
        let files = [("callgate.yaml", &*limited), ("api.yaml", &*text)];
        let folder = temporary_folder(&files);
        let document = checked(&folder, "callgate.yaml");
        assert!(codes(&document).contains(code), "{limit}: {document}");
        let (key, _) = limit.split_once(':').unwrap();
        let mut found = document["diagnostics"].as_array().unwrap().iter();
        let found = found.find(|found| found["code"] == code).unwrap();
        assert!(found["help"].as_str().unwrap().contains(key), "{limit}: {found}");
        let unlimited = folder.path().join("callgate.yaml");
        fs::write(&unlimited, "toolsets: {api: {openapi: api.yaml}}\n").unwrap();
        assert_eq!(counts(&checked(&folder, "callgate.yaml")), [2, 0, 0], "{limit}");
    }
}

#[test]
fn an_origin_that_is_not_listed_gets_no_request() {
    let paths = "  /a: {$ref: 'https://specs.example.com/a.yaml'}\n";
    let configuration =
        "toolsets: {api: {openapi: api.yaml, references: [https://other.example.com]}}\n";
    let folder =
        temporary_folder(&[("callgate.yaml", configuration), ("api.yaml", &description(paths))]);
    let ended = callgate(&["check", &path(&folder, "callgate.yaml")]).exits(1);
    ended.prints("external-reference").prints("an address of an origin under `references`");
}
