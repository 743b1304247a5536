//! Descriptions made to cost more than they say: each is read in steps and findings that are bounded, every operation
//! is accounted for, and what can be offered is.

mod descriptions;

use crate::prelude::*;

use descriptions::{Hostile, all};

/// The findings a report may have, and the bytes of their texts.
const MOST_FINDINGS: usize = 40_000;
const MOST_BYTES: usize = 16 << 20;

/// The description within this many steps; `None` when its text is refused.
fn loaded(text: &str, effort: usize) -> Option<Loaded> {
    let limits = Limits { effort, effort_per_byte: 0, ..Limits::default() };
    let document = Document::read(text.as_bytes(), &limits).ok()?.value;
    Some(load(&document, &LoadOptions::default()))
}

fn hostile(name: &str, size: usize) -> String {
    let groups = [
        descriptions::references,
        descriptions::products,
        descriptions::definitions,
        descriptions::wide,
    ];
    let found = groups.iter().flat_map(|group| group(size)).find(|hostile| hostile.name == name);
    found.unwrap_or_else(|| panic!("no description `{name}`")).text
}

/// How many operations are exposed, degraded and refused.
fn counts(loaded: &Loaded) -> [usize; 3] {
    [OperationStatus::Exposed, OperationStatus::Degraded, OperationStatus::Refused]
        .map(|status| loaded.report.count(status))
}

fn codes(loaded: &Loaded) -> BTreeSet<&'static str> {
    loaded.report.diagnostics.iter().map(|found| found.code.as_str()).collect()
}

#[test]
fn every_hostile_description_is_read_in_bounded_steps() {
    const EFFORT: usize = 100_000;
    let names: BTreeSet<_> = all(1).into_iter().map(|hostile| hostile.name).collect();
    assert!(names.len() >= 40, "{names:?}");
    for Hostile { name, text } in all(30) {
        let Some(loaded) = loaded(&text, EFFORT) else { continue };
        let report = &loaded.report;
        assert!(report.steps <= EFFORT, "{name}");
        assert_eq!(counts(&loaded).iter().sum::<usize>(), report.operations.len(), "{name}");
        let loaded = loaded.with_schema_findings();
        let diagnostics = &loaded.report.diagnostics;
        let bytes: usize =
            diagnostics.iter().map(|found| found.pointer.len() + found.message.len()).sum();
        assert!(diagnostics.len() <= MOST_FINDINGS && bytes <= MOST_BYTES, "{name}: {bytes}");
        // Whoever misses an operation is told why; of many that are missed for one reason, how many there are.
        if diagnostics.iter().any(|found| found.n_more > 0) {
            continue;
        }
        let told: BTreeSet<_> = diagnostics
            .iter()
            .filter(|found| found.severity == Severity::Error)
            .filter_map(|found| found.operation.as_deref())
            .collect();
        for operation in &loaded.report.operations {
            let is_refused = operation.status == OperationStatus::Refused;
            assert_eq!(told.contains(&*operation.label()), is_refused, "{name}: {operation:?}");
        }
    }
}

/// A description of this size, within the limits of whoever sets none.
#[track_caller]
fn check(name: &str, size: usize, expected: [usize; 3], found: &[&str]) {
    let loaded = loaded(&hostile(name, size), Limits::default().effort).expect("a description");
    let loaded = loaded.with_schema_findings();
    assert_eq!(counts(&loaded), expected, "{name}");
    assert_eq!(codes(&loaded).into_iter().collect::<Vec<_>>(), found, "{name}");
}

#[test]
fn long_chains_and_circles_are_no_reason_to_refuse_an_operation() {
    check("chain", 1000, [1, 0, 0], &[]);
    check("long chain", 1000, [1, 0, 0], &[]);
    check("chain of allOf", 1000, [1, 0, 0], &[]);
    check("chain of properties", 1000, [1, 0, 0], &[]);
    check("circles", 1, [2, 4, 0], &["cyclic-reference"]);
    for name in ["doubling 22", "doubling 30", "doubling allOf 30"] {
        check(name, 1, [1, 0, 0], &[]);
    }
}

#[test]
fn the_steps_for_a_wide_description_are_bounded() {
    check("oneOf with discriminator", 100, [1, 0, 0], &[]);
    check("required properties", 100, [1, 0, 0], &[]);
    check("required properties", 1000, [0, 0, 1], &["too-complex"]);
    check("patterns", 100, [1, 0, 0], &["unsupported-pattern"]);
    check("operations", 10, [1000, 0, 0], &[]);
    check("long paths", 100, [0, 0, 100], &["hostile-path"]);
    check("operations × server variables", 10, [100, 0, 0], &[]);
}

#[test]
fn operations_beyond_the_effort_are_refused_and_the_others_offered() {
    let text = hostile("operations × parameters", 100);
    let steps = loaded(&text, usize::MAX).unwrap();
    assert_eq!(counts(&steps), [1000, 0, 0]);
    let steps = steps.report.steps;
    let half = loaded(&text, steps / 2).unwrap();
    let [exposed, degraded, refused] = counts(&half);
    assert!((400..600).contains(&exposed), "{exposed}");
    assert_eq!((degraded, exposed + refused), (0, 1000));
    assert_eq!(codes(&half), BTreeSet::from(["too-complex"]));
    let first_refused = &half.report.operations[exposed];
    assert_eq!(first_refused.status, OperationStatus::Refused);
    assert_eq!(half.report.steps, steps / 2);
}

#[test]
fn an_operation_beyond_the_effort_is_refused_alone() {
    let parameters: Vec<_> =
        (0..1000).map(|n| json!({"name": format!("a{n}"), "in": "query", "schema": {}})).collect();
    let mut paths = json!({"/big": {"get": {"summary": "A", "parameters": parameters}}});
    for n in 0..10 {
        paths[format!("/a{n}").as_str()] = json!({"get": {"summary": "A"}});
    }
    let text =
        json!({"openapi": "3.1.0", "servers": [{"url": "https://a.example"}], "paths": paths});
    let loaded = loaded(&text.to_string(), 100_000).unwrap();
    assert_eq!(counts(&loaded), [10, 0, 1]);
    let refusal = &loaded.report.diagnostics[0];
    assert_eq!(
        (refusal.code, refusal.operation.as_deref()),
        (Code::TooComplex.into(), Some("GET /big"))
    );
}

#[test]
fn a_fault_of_a_shared_part_is_reported_a_hundred_times_and_then_counted() {
    let item = json!({"$ref": "#/components/pathItems/a"});
    let paths: Object = (0..150).map(|n| (format!("/a{n}"), item.clone())).collect();
    let item = json!({"parameters": [7], "get": {"summary": "A"}});
    let text = json!({"openapi": "3.1.0", "servers": [{"url": "https://a.example"}], "paths": paths,
        "components": {"pathItems": {"a": item}}});
    let loaded = loaded(&text.to_string(), usize::MAX).unwrap();
    assert_eq!(counts(&loaded), [0, 150, 0]);
    let found = &loaded.report.diagnostics;
    assert_eq!(found.len(), 101);
    let summary = found.last().unwrap();
    assert_eq!(summary.operation, None);
    assert_eq!(summary.n_more, 50);
}

#[test]
fn faults_of_one_operation_are_reported_up_to_a_hundred_times() {
    let parameters = vec![7; 300];
    let text = json!({"openapi": "3.1.0", "servers": [{"url": "https://a.example"}],
        "paths": {"/a": {"get": {"summary": "A", "parameters": parameters}}}});
    let loaded = loaded(&text.to_string(), usize::MAX).unwrap();
    assert_eq!(loaded.report.diagnostics.len(), 101);
    let last = loaded.report.diagnostics.last().unwrap();
    assert_eq!(last.code, Code::MoreFindings);
    assert!(last.message.ends_with(": 200"), "{}", last.message);
}

#[test]
fn tool_and_argument_names_are_legal_and_unique_for_any_description() {
    for (name, size) in [("spoofed names", 1), ("operations × long names", 10)] {
        let loaded = loaded(&hostile(name, size), usize::MAX).unwrap();
        let names: BTreeSet<_> =
            loaded.operations.iter().map(|operation| operation.tool_name.as_str()).collect();
        assert_eq!(names.len(), loaded.operations.len());
        for name in names {
            let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            assert!(name.len() <= 60 && name.chars().all(is_legal), "{name}");
        }
    }
    let loaded = loaded(&hostile("spoofed names", 1), usize::MAX).unwrap();
    assert_eq!(counts(&loaded), [3, 0, 1]);
    let shown = loaded.operations[0].declaration().unwrap();
    assert_eq!(shown.description, "ab");
    assert!(loaded.operations.iter().all(|operation| operation.tool_name.as_str() != "pay"));
}

/// The steps it takes to make the tools of a description, and to declare all of them.
fn steps(name: &str, size: usize) -> [usize; 2] {
    let loaded = loaded(&hostile(name, size), usize::MAX).expect("a description");
    let mut budget = Budget::default();
    for operation in &loaded.operations {
        operation.uncached_declaration(&mut budget).unwrap();
    }
    [loaded.report.steps, budget.used_steps()]
}

/// What operations share is built once: with twice as much of it and twice as many operations, declaring them takes
/// about twice the steps and not four times as many.
#[track_caller]
fn check_sharing(name: &str) {
    let [one, two] = [20, 40].map(|size| {
        let [_, declare] = steps(name, size);
        declare
    });
    assert!(two <= one * 5 / 2, "{name}: {one} steps, then {two}");
}

#[test]
fn a_definition_that_operations_share_is_built_once() {
    check_sharing("operations × chain");
    check_sharing("operations × branches");
    check_sharing("operations × shared values");
    check_sharing("operations × shared text");
    check_sharing("operations × shared properties");
    check_sharing("operations × shared missing");
}

#[test]
fn the_effort_of_repeated_declarations_is_counted() {
    for (name, most) in [
        ("operations × properties", 400_000),
        ("operations × defaults", 400_000),
        ("operations × missing", 400_000),
        ("operations × bad keywords", 400_000),
        ("operations × files", 400_000),
        ("operations × values", 1_500_000),
        ("operations × starts of a chain", 400_000),
        ("oneOf with discriminator", 40_000),
    ] {
        let [_, steps] = steps(name, 10);
        assert!(steps <= most, "{name}: {steps}");
    }
}

#[test]
fn declarations_beyond_the_common_effort_are_refused_in_order() {
    let properties = descriptions::named(400, "p", |_| json!({"format": "binary"}));
    let body = json!({"content": {"multipart/form-data":
        {"schema": {"type": "object", "properties": properties}}}});
    let paths: Object = (0..200)
        .map(|n| (format!("/a{n}"), json!({"post": {"summary": "A", "requestBody": body}})))
        .collect();
    let text =
        json!({"openapi": "3.1.0", "servers": [{"url": "https://a.example"}], "paths": paths});
    let loaded = loaded(&text.to_string(), usize::MAX).unwrap();
    let mut budget = Budget::default();
    let declared =
        loaded.operations.iter().map(|operation| operation.uncached_declaration(&mut budget));
    let declared: Vec<bool> = declared.map(|declared| declared.is_ok()).collect();
    let n_declared = declared.iter().filter(|is_declared| **is_declared).count();
    assert!((50..150).contains(&n_declared), "{n_declared}");
    assert!(declared.is_sorted_by(|a, b| a >= b));
    let kept: Vec<bool> =
        loaded.operations.iter().map(|operation| operation.declaration().is_ok()).collect();
    assert_eq!(kept, declared);
    let refusal = loaded.operations[199].declaration().unwrap_err();
    assert_eq!(
        (refusal.code, refusal.operation.as_deref()),
        (Code::TooComplex.into(), Some("POST /a199"))
    );
    let examined = loaded.with_schema_findings();
    assert_eq!(counts(&examined), [n_declared, 0, 200 - n_declared]);
    assert_eq!(examined.operations.len(), n_declared);
    assert!(codes(&examined).contains("too-complex"));
}

#[test]
fn a_declaration_beyond_the_effort_is_refused_alone() {
    let properties = descriptions::named(7000, "p", |_| json!({"format": "binary"}));
    let body = json!({"content": {"multipart/form-data":
        {"schema": {"type": "object", "properties": properties}}}});
    let paths = json!({"/big": {"post": {"summary": "A", "requestBody": body}},
        "/small": {"get": {"summary": "A"}}});
    let text =
        json!({"openapi": "3.1.0", "servers": [{"url": "https://a.example"}], "paths": paths});
    let examined = loaded(&text.to_string(), usize::MAX).unwrap().with_schema_findings();
    assert_eq!(counts(&examined), [1, 0, 1]);
    assert_eq!(examined.report.diagnostics[0].code, Code::TooComplex);
    assert_eq!(examined.report.operations[0].tool, None);
}

/// An operation that answers an object of so many properties, whose declaration may take two hundred steps.
fn answering(n_properties: usize) -> Loaded {
    let properties = descriptions::named(n_properties, "p", |_| json!({"type": "string"}));
    let ok = json!({"description": "OK", "content": {"application/json":
        {"schema": {"type": "object", "properties": properties}}}});
    let text = json!({"openapi": "3.1.0", "servers": [{"url": "https://a.example"}],
        "paths": {"/a": {"get": {"summary": "A", "responses": {"200": ok}}}}});
    let limits = Limits { declaration_effort: 200, ..Limits::default() };
    let document = Document::read(text.to_string().as_bytes(), &limits).unwrap().value;
    load(&document, &LoadOptions::default())
}

#[test]
fn the_effort_of_a_declaration_excludes_its_output_schema() {
    let spent = |n_properties| {
        let mut budget = Budget::default();
        answering(n_properties).operations[0].uncached_declaration(&mut budget).unwrap();
        budget.used_steps()
    };
    assert_eq!(spent(1), spent(1000));
    let loaded = answering(5);
    let output = loaded.operations[0].declaration().unwrap().output_schema().unwrap().to_value();
    assert_eq!(output["properties"].as_object().unwrap().len(), 5);
}

#[test]
fn an_output_schema_beyond_the_effort_is_omitted_and_reported() {
    let loaded = answering(1000);
    assert!(loaded.operations[0].declaration().unwrap().output_schema().is_none());
    let examined = loaded.with_schema_findings();
    assert_eq!(counts(&examined), [0, 1, 0]);
    let found = &examined.report.diagnostics[0];
    assert_eq!((found.code, found.severity), (Code::TooComplex.into(), Severity::Warning));
    assert!(found.message.ends_with("the output schema is left out"), "{}", found.message);
}
