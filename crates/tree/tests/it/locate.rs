//! Where nodes stand: rows of pointers and the line and column they are found at.

use callgate_tree::{Diagnostic, Position, Severity, TextCode, fill_positions};

fn finding(pointer: &str) -> Diagnostic {
    let found = Diagnostic::new(TextCode::UnreadableText, Severity::Error, String::new(), "");
    Diagnostic { pointer: pointer.to_owned(), ..found }
}

#[track_caller]
fn check(text: impl AsRef<[u8]>, rows: &[(&str, Option<(usize, usize)>)]) {
    let mut findings: Vec<_> = rows.iter().map(|(pointer, _)| finding(pointer)).collect();
    fill_positions(text.as_ref(), &mut findings);
    for (finding, (pointer, expected)) in findings.iter().zip(rows) {
        let position = finding.position.map(|position| (position.line, position.column));
        assert_eq!(position, *expected, "{pointer}");
    }
}

const JSON: &str = r#"
{
  "ä/ö": {"x": [1, {"y": "\"z\\"}, [ ]],
          "m~n": true},
  "\u0061": null,	"a b": -1.5e3, "twice": 1,
  "twice": {"in": 2}
}
"#;

#[test]
fn members_of_json_are_found_at_their_names() {
    let rows = [
        ("", Some((2, 1))),
        ("/ä~1ö", Some((3, 3))),
        ("/ä~1ö/x", Some((3, 11))),
        ("/ä~1ö/x/0", Some((3, 17))),
        ("/ä~1ö/x/1", Some((3, 20))),
        ("/ä~1ö/x/1/y", Some((3, 21))),
        ("/ä~1ö/x/2", Some((3, 36))),
        ("/ä~1ö/m~0n", Some((4, 11))),
        ("/a", Some((5, 3))),
        ("/a b", Some((5, 19))),
        ("/twice", Some((6, 3))),
        ("/twice/in", Some((6, 13))),
    ];
    check(JSON, &rows);
}

#[test]
fn a_missing_node_is_located_at_its_nearest_ancestor() {
    let rows = [
        ("/none", Some((2, 1))),
        ("/ä~1ö/none/deeper", Some((3, 3))),
        ("/ä~1ö/x/7", Some((3, 11))),
        ("/ä~1ö/x/1/y/z", Some((3, 21))),
        ("no pointer", Some((2, 1))),
    ];
    check(JSON, &rows);
    check(
        "a:\n  b: 1\n",
        &[("/a/c", Some((1, 1))), ("/a/b/c", Some((2, 3))), ("/d", Some((1, 1)))],
    );
}

const YAML: &str = "# head
openapi: 3.0.0
'ä/ö':
  - x: [1, {y: 2}]
    z:
      - &a one
      - *a
200: {a: b, 'c': d}
? e
: f
g: |
  a: b
";

#[test]
fn members_of_yaml_are_found_at_their_names() {
    let rows = [
        ("", Some((2, 1))),
        ("/openapi", Some((2, 1))),
        ("/ä~1ö", Some((3, 1))),
        ("/ä~1ö/0", Some((4, 5))),
        ("/ä~1ö/0/x", Some((4, 5))),
        ("/ä~1ö/0/x/1/y", Some((4, 13))),
        ("/ä~1ö/0/z/0", Some((6, 12))),
        ("/ä~1ö/0/z/1", Some((7, 9))),
        ("/200/c", Some((8, 13))),
        ("/e", Some((9, 3))),
        ("/g", Some((11, 1))),
        ("/g/a", Some((11, 1))),
    ];
    check(YAML, &rows);
}

#[test]
fn text_in_other_encodings_is_searched_too() {
    check("\u{FEFF}{\"a\": 1}", &[("/a", Some((1, 2)))]);
    let utf16: Vec<_> = "\u{FEFF}ä: 1\nb: 2".encode_utf16().flat_map(u16::to_be_bytes).collect();
    check(utf16, &[("/b", Some((2, 1)))]);
}

#[test]
fn positions_in_unreadable_text_are_absent_or_of_an_ancestor() {
    check(b"\xFF\xFF", &[("/a", None)]);
    check("{\"a\": {\"b\": tru", &[("/a/b/c", Some((1, 8)))]);
    check("{\"a\": \"b", &[("/a", Some((1, 2)))]);
    check("a: [1,\nb: }", &[("/a/0", Some((1, 5)))]);
}

#[test]
fn an_explicit_position_is_preserved() {
    let known = Some(Position { line: 7, column: 7 });
    let mut findings = [Diagnostic { position: known, ..finding("/a") }, finding("/b")];
    fill_positions(b"a: 1\nb: 2\n", &mut findings);
    assert_eq!(findings[0].position, known);
    assert_eq!(findings[1].position, Some(Position { line: 2, column: 1 }));
}

#[test]
fn many_findings_on_one_long_line_are_found_in_one_pass() {
    let items: Vec<_> = (0..100_000).map(|n| format!("{{\"n\":{n}}}")).collect();
    let text = format!("[{}]", items.join(","));
    let pointers = (0..100_000).map(|n| format!("/{n}/n"));
    let mut findings: Vec<_> = pointers.map(|pointer| finding(&pointer)).collect();
    fill_positions(text.as_bytes(), &mut findings);
    let columns: Vec<_> = findings.iter().map(|f| f.position.unwrap().column).collect();
    assert_eq!(columns[..2], [3, 11]);
    assert!(columns.is_sorted());
}
