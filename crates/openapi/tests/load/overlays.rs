//! Overlays: what they change, what they refuse, and the specification's own sets and documents where the corpus is.

use crate::prelude::*;

use callgate_openapi::{Applied, Overlay, apply_overlays};
use callgate_testkit::{check_rows, corpus, rows};
use callgate_tree::Limits;

fn tree(text: &str) -> Node {
    read(format!("---\n{text}").as_bytes(), &Limits::default()).unwrap().value
}

fn overlay(version: &str, actions: &str) -> Result<Overlay, Vec<Diagnostic>> {
    let text = format!("overlay: {version}\ninfo: {{ title: t, version: v }}\nactions: {actions}");
    Overlay::read(text.as_bytes(), &Limits::default()).map(|parsed| parsed.value)
}

fn applied(version: &str, description: &str, actions: &str, limits: &Limits) -> Applied {
    let overlay = overlay(version, actions).unwrap_or_else(|bad| panic!("{actions}: {bad:?}"));
    apply_overlays(tree(description), &[overlay], limits)
}

fn shown(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().fold(String::new(), |mut text, known| {
        write!(text, "{} {};", known.code.as_str(), known.pointer).unwrap();
        text
    })
}

#[track_caller]
fn check(version: &str, description: &str, actions: &str, expected: &str) {
    let applied = applied(version, description, actions, &Limits::default());
    let overlaid =
        applied.overlaid.unwrap_or_else(|| panic!("{actions}: {:?}", applied.diagnostics));
    let expected = tree(expected).to_value().to_string();
    assert_eq!(overlaid.root().to_value().to_string(), expected, "{version} {actions}");
}

#[track_caller]
fn check_fault(version: &str, description: &str, actions: &str, expected: &str) {
    let applied = applied(version, description, actions, &Limits::default());
    assert!(applied.overlaid.is_none(), "{actions}: {:?}", applied.diagnostics);
    assert_eq!(shown(&applied.diagnostics[0]), expected, "{actions}");
}

#[track_caller]
fn check_refused(version: &str, actions: &str, expected: &str) {
    let bad = overlay(version, actions).map(|_| "read").unwrap_err();
    assert_eq!(shown(&bad), expected, "{actions}");
}

#[test]
fn objects_are_merged_lists_appended_and_values_replaced() {
    for version in ["1.0.0", "1.1.0"] {
        let rows = [
            ("{a: 1, b: {c: 1}}", "[{target: $, update: {b: {d: 2}}}]", "{a: 1, b: {c: 1, d: 2}}"),
            ("{a: [1]}", "[{target: $, update: {a: [2, 3]}}]", "{a: [1, 2, 3]}"),
            ("{a: [1]}", "[{target: $.a, update: {x: 2}}]", "{a: [1, {x: 2}]}"),
            ("{a: [1]}", "[{target: $.a, update: 2}]", "{a: [1, 2]}"),
            ("{a: 1}", "[{target: $, update: {a: x}}]", "{a: x}"),
            ("{a: null}", "[{target: $, update: {a: {b: 1}}}]", "{a: {b: 1}}"),
            ("{a: {b: 1}}", "[{target: '$.*', update: {b: 2}, remove: false}]", "{a: {b: 2}}"),
            ("{a: 1}", "[{target: $}]", "{a: 1}"),
        ];
        for (description, actions, expected) in rows {
            check(version, description, actions, expected);
        }
    }
}

#[test]
fn overlay_versions_differ_as_in_their_specifications() {
    check("1.0.7", "{a: [1]}", "[{target: $.a, update: [2]}]", "{a: [1, [2]]}");
    check("1.1.0", "{a: [1]}", "[{target: $.a, update: [2]}]", "{a: [1, 2]}");
    check("1.0.0", "{a: {b: 1}}", "[{target: $, update: {a: }}]", "{a: {b: 1}}");
    check_fault(
        "1.1.0",
        "{a: {b: 1}}",
        "[{target: $, update: {a: }}]",
        "overlay-conflict /actions/0/update/a;",
    );
    check("1.1.0", "{a: 1, b: x}", "[{target: $.a, update: 2}]", "{a: 2, b: x}");
    check_fault(
        "1.0.0",
        "{a: 1}",
        "[{target: $.a, update: 2}]",
        "overlay-conflict /actions/0/update;",
    );
    check(
        "1.1.0",
        "{a: {x: 1}, b: {y: 2}}",
        "[{target: $.b, copy: $.a}]",
        "{a: {x: 1}, b: {y: 2, x: 1}}",
    );
    check_refused("1.0.0", "[{target: $.b, copy: $.a}]", "overlay-invalid /actions/0/copy;");
}

#[test]
fn removing_deletes_every_selected_node() {
    let rows = [
        ("{a: [1, 2, 3, 4]}", "[{target: '$.a[0, 2]', remove: true}]", "{a: [2, 4]}"),
        ("{a: [1, 2, 3]}", "[{target: '$.a[?@ > 1]', remove: true}]", "{a: [1]}"),
        ("{a: {b: {b: 1}}, c: 1}", "[{target: $..b, remove: true}]", "{a: {}, c: 1}"),
        ("{a: 1, b: 2, c: 3}", "[{target: $.a, remove: true, update: 7}]", "{b: 2, c: 3}"),
        ("{a: [1]}", "[{target: $.a, remove: true}, {target: $, update: {a: [2]}}]", "{a: [2]}"),
        ("{a: [1]}", "[{target: '$.a[0, 0]', remove: true}]", "{a: []}"),
        ("{/a~b: {get: 1}}", "[{target: \"$['/a~b'].get\", remove: true}]", "{/a~b: {}}"),
    ];
    for (description, actions, expected) in rows {
        check("1.0.0", description, actions, expected);
    }
}

#[test]
fn digits_and_order_are_preserved() {
    let description = "{z: 1.10, a: 9007199254740993, m: 1e400, o: -0}";
    check_rows(
        "
        [{target: $, update: {n: 2.50}}] => {z: 1.10, a: 9007199254740993, m: 1e400, o: -0, n: 2.50}
        [{target: $.z, remove: true}] => {a: 9007199254740993, m: 1e400, o: -0}
        ",
        |[actions, expected]| check("1.0.0", description, actions, expected),
    );
}

#[test]
fn an_action_that_cannot_be_applied_leaves_no_description() {
    let table = r"
        [{target: $, update: 7}] => overlay-conflict /actions/0/update;
        [{target: $, remove: true}] => overlay-conflict /actions/0/target;
        [{target: $, update: {a: {x: 1}, l: 1}}] => overlay-conflict /actions/0/update/a;overlay-conflict /actions/0/update/l;
        [{target: $.*, update: 7}] => overlay-conflict /actions/0/target;
        [{target: $, copy: $.*}] => overlay-conflict /actions/0/copy;
        [{target: $, copy: $.x}] => overlay-conflict /actions/0/copy;
        [{target: $.a, update: []}, {target: $.l, update: 2}] => overlay-conflict /actions/0/update;
        ";
    for [actions, expected] in rows(table) {
        check_fault("1.1.0", "{a: 1, l: [1]}", actions, expected);
    }
}

#[test]
fn an_action_that_selects_nothing_is_a_warning() {
    let actions = "[{target: $.b, update: {c: 1}}, {target: $, update: {d: 1}}]";
    let applied = applied("1.1.0", "{a: 1}", actions, &Limits::default());
    assert_eq!(shown(&applied.diagnostics[0]), "overlay-no-match /actions/0/target;");
    assert_eq!(applied.diagnostics[0][0].severity, Severity::Warning);
    assert_eq!(applied.overlaid.unwrap().root().to_value().to_string(), r#"{"a":1,"d":1}"#);
}

#[test]
fn a_document_that_is_no_overlay_is_refused_with_every_fault() {
    let table = r"
        1.0.0 => [] => overlay-invalid /actions;
        1.0.0 => [7, {update: 1}] => overlay-invalid /actions/0;overlay-invalid /actions/1;
        1.1.0 => [{target: $, update: 1, copy: $}] => overlay-invalid /actions/0;
        1.1.0 => [{target: $a}, {target: $, copy: x}] => overlay-path /actions/0/target;overlay-path /actions/1/copy;
        1.2.0 => [{target: $, updat: 1}] => overlay-invalid /overlay;overlay-invalid /actions/0/updat;
        ";
    for [version, actions, expected] in rows(table) {
        check_refused(version, actions, expected);
    }
}

#[test]
fn nodes_added_by_overlays_are_bounded() {
    let limits = Limits { nodes: 10_000, depth: 30, ..Limits::default() };
    let wider = "[{target: $, copy: $.a}]".replace("}]", ", x-n: 0}]");
    assert!(applied("1.1.0", "{a: {b: 1}}", &wider, &limits).overlaid.is_some());
    let doubling = (0..40).map(|n| format!("{{target: $.a, copy: $.a, x-n: {n}}}"));
    let doubling = format!("[{}]", doubling.collect::<Vec<_>>().join(", "));
    let wide = applied("1.1.0", "{a: [1, 2]}", &doubling, &limits);
    assert_eq!(wide.diagnostics[0][0].code, Code::OverlayTooLarge);
    let nesting = (0..40).map(|n| format!("{{target: '$..z', update: {{z: {{}}}}, x-n: {n}}}"));
    let nesting = format!("[{}]", nesting.collect::<Vec<_>>().join(", "));
    let deep = applied("1.1.0", "{z: {}}", &nesting, &limits);
    assert_eq!(deep.diagnostics[0][0].code, Code::OverlayTooLarge);
    assert!(wide.overlaid.is_none() && deep.overlaid.is_none());
}

#[test]
fn a_finding_has_the_position_at_which_its_node_was_written() {
    let text = "openapi: 3.0.3\nservers: [{url: https://a.example}, {url: ftp://b.example}]\npaths:\n  /a:\n    get: {}\n  /b:\n    get: {}\n";
    let actions = "[{target: \"$.servers[0]\", remove: true}, {target: \"$.paths\", update: {/c: {get: {}}}}, {target: \"$.paths['/b'].get\", update: {summary: b}}]";
    let overlaid = applied("1.0.0", text, actions, &Limits::default()).overlaid.unwrap();
    let document = Document::new(overlaid.root().clone()).unwrap();
    let mut found = load(&document, &LoadOptions::default()).report.diagnostics;
    overlaid.fill_original_positions(text.as_bytes(), &mut found);
    let line = |pointer: &str| {
        let mut at = found.iter().filter(|known| known.pointer == pointer);
        at.next()
            .unwrap_or_else(|| panic!("nothing at {pointer}: {found:?}"))
            .position
            .map(|at| at.line)
    };
    assert_eq!(line("/paths/~1a/get"), Some(5));
    assert_eq!(line("/paths/~1c/get"), None, "the overlay brought it");
    assert_eq!(line("/servers/0"), None, "it was the second one");
}

#[test]
fn an_expression_that_selects_nodes_many_times_is_refused() {
    let items = vec!["{ a: [1, 2, 3] }"; 2000].join(", ");
    let description = format!("openapi: 3.0.3\npaths: {{}}\nx-items: [{items}]");
    let union = vec!["*"; 290].join(",");
    for change in ["update: {}", "remove: true"] {
        let actions = format!("[{{ target: '$..[{union}]', {change} }}]");
        let applied = applied("1.0.0", &description, &actions, &Limits::default());
        assert!(applied.overlaid.is_none());
        assert_eq!(shown(&applied.diagnostics[0]), "overlay-path /actions/0/target;");
    }
    let actions = format!("[{{ target: $.info, copy: '$..[{union}]' }}]");
    let applied =
        applied("1.1.0", &format!("{description}\ninfo: {{}}"), &actions, &Limits::default());
    assert_eq!(shown(&applied.diagnostics[0]), "overlay-path /actions/0/copy;");
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut entries: Vec<_> = entries.collect();
    entries.sort();
    entries
}

fn node(file: &Path) -> Node {
    read(&fs::read(file).unwrap(), &Limits::default()).unwrap().value
}

/// Equal as JSON: the order of members means nothing.
fn same(one: &Node, other: &Node) -> bool {
    one.to_value() == other.to_value()
}

#[test]
fn the_compliance_sets_of_overlays_yield_their_expected_documents() {
    let Some(folder) = corpus("overlay/compliant-sets") else { return };
    let sets: Vec<_> = sorted(&folder).into_iter().filter(|set| set.is_dir()).collect();
    assert_eq!(sets.len(), 8);
    for set in sets {
        let overlay = Overlay::new(&node(&set.join("overlay.yaml"))).unwrap();
        let applied =
            apply_overlays(node(&set.join("openapi.yaml")), &[overlay], &Limits::default());
        assert!(applied.diagnostics[0].is_empty(), "{}: {:?}", set.display(), applied.diagnostics);
        let overlaid = applied.overlaid.unwrap();
        assert!(same(overlaid.root(), &node(&set.join("output.yaml"))), "{}", set.display());
    }
}

#[test]
fn the_example_overlays_of_the_specification_are_accepted_or_refused() {
    let Some(folder) = corpus("overlay/tests") else { return };
    let mut n_documents = 0;
    for version in ["v1.0", "v1.1"] {
        for (kind, passes) in [("pass", true), ("fail", false)] {
            for file in sorted(&folder.join(version).join(kind)) {
                let read = Overlay::new(&node(&file));
                assert_eq!(read.is_ok(), passes, "{}: {read:?}", file.display());
                n_documents += 1;
            }
        }
    }
    assert_eq!(n_documents, 67);
}
