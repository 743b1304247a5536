//! What texts mean: rows of text and the JSON they are read as, and of texts that are refused.

use callgate_tree::{Diagnostic, Limits, Position, Severity, TextCode, read};

#[track_caller]
fn check(text: &str, expected: &str) {
    let read = read(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(read.value.to_value().to_string(), expected, "{text}");
    assert_eq!(read.diagnostics, [], "{text}");
}

#[track_caller]
fn refused(text: impl AsRef<[u8]>) -> Diagnostic {
    let text = text.as_ref();
    let diagnostics = read(text, &Limits::default()).unwrap_err();
    let [diagnostic] = <[_; 1]>::try_from(diagnostics).unwrap();
    assert_eq!(diagnostic.severity, Severity::Error);
    assert!(!diagnostic.help.is_empty());
    diagnostic
}

#[track_caller]
fn check_refused(text: &str, line: usize, column: usize, word: &str) {
    let diagnostic = refused(text);
    assert_eq!(diagnostic.code, TextCode::UnreadableText, "{text}");
    assert_eq!(diagnostic.position, Some(Position { line, column }), "{text}: {diagnostic}");
    assert!(diagnostic.message.contains(word), "{text}: {diagnostic}");
}

#[track_caller]
fn check_found(text: &str, expected: &str, found: &[(TextCode, &str, usize, &str)]) {
    let read = read(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(read.value.to_value().to_string(), expected, "{text}");
    let shown = read.diagnostics.iter().map(|diagnostic| {
        let line = diagnostic.position.map_or(0, |position| position.line);
        (diagnostic.code, &*diagnostic.pointer, line, &*diagnostic.message)
    });
    let shown: Vec<_> = shown.collect();
    assert_eq!(shown.len(), found.len(), "{text}: {shown:?}");
    for ((code, pointer, line, message), row) in shown.iter().zip(found) {
        assert_eq!((code.as_str(), *pointer, *line), (row.0.as_str(), row.1, row.2), "{text}");
        assert!(message.contains(row.3), "{text}: {message}");
    }
}

#[test]
fn json_texts_are_read_to_their_values() {
    let rows = [
        (r#" {"a": [1, true, null, "x"], "b": {}} "#, r#"{"a":[1,true,null,"x"],"b":{}}"#),
        ("[]", "[]"),
        ("\u{FEFF}{}", "{}"),
        (r#"{"a\u00e4\n": "\ud83d\ude00"}"#, r#"{"aä\n":"😀"}"#),
        ("{\n\t\"a\":\t1\n}", r#"{"a":1}"#),
    ];
    for (text, expected) in rows {
        check(text, expected);
    }
}

#[test]
fn json_numbers_keep_their_digits() {
    let digits = "[0,-0,1.10,1e+400,-9223372036854776000,9007199254740993,12345678901234567890.10]";
    check(digits, digits);
}

#[test]
fn a_member_named_like_the_number_key_of_serde_json_stays_a_member() {
    for value in [r#""12""#, "1.50", "true", "null", "[1]", "{}", r#"{"a":[2]}"#] {
        let text = format!(r#"{{"$serde_json::private::Number":{value},"b":1}}"#);
        check(&text, &text);
    }
}

#[test]
fn yaml_texts_are_read_to_their_values() {
    let rows = [
        ("a: 1\nb: [x, 'y', \"z\"]\n", r#"{"a":1,"b":["x","y","z"]}"#),
        ("- a\n- b: c\n  d: ~\n-\n", r#"["a",{"b":"c","d":null},null]"#),
        ("---\na: b\n...\n", r#"{"a":"b"}"#),
        ("%YAML 1.2\n---\na: b\n", r#"{"a":"b"}"#),
        ("--- {a: b, c,}\n", r#"{"a":"b","c":null}"#),
        ("a: |\n  x\n  y\nb: >-\n  x\n  y\n", r#"{"a":"x\ny\n","b":"x y"}"#),
        ("\u{FEFF}a: b # c\n", r#"{"a":"b"}"#),
        ("a: b\r\nc: d\r\n", r#"{"a":"b","c":"d"}"#),
        ("text", r#""text""#),
    ];
    for (text, expected) in rows {
        check(text, expected);
    }
}

#[test]
fn yaml_scalars_are_those_of_version_1_2() {
    let rows = [
        ("[no, on, yes, off, y, NO]", r#"["no","on","yes","off","y","NO"]"#),
        ("[true, False, null, ~, '']", r#"[true,false,null,null,""]"#),
        ("['true', \"1\", '~']", r#"["true","1","~"]"#),
        ("[1.10, -9223372036854776000, 12345678901234567890.10, 1e400]", {
            "[1.10,-9223372036854776000,12345678901234567890.10,1e400]"
        }),
        ("[0777, 090, 2020-01-01, 1_000, 1:30]", r#"["0777","090","2020-01-01","1_000","1:30"]"#),
        ("[0x1F, .5, +1]", "[31,0.5,1]"),
    ];
    for (text, expected) in rows {
        check(&format!("--- {text}"), expected);
    }
}

#[test]
fn yaml_names_are_texts_as_they_are_written() {
    let rows = [
        ("200: a\n'201': b\n2XX: c\n", r#"{"200":"a","201":"b","2XX":"c"}"#),
        ("true: a\nno: b\n1.50: c\n0x1: d\n", r#"{"true":"a","no":"b","1.50":"c","0x1":"d"}"#),
        ("null: a\n", r#"{"null":"a"}"#),
        ("~: a\n", r#"{"null":"a"}"#),
        ("'': a\n", r#"{"":"a"}"#),
        ("a: &x y\n*x : z\n", r#"{"a":"y","y":"z"}"#),
    ];
    for (text, expected) in rows {
        check(text, expected);
    }
}

#[test]
fn tags_of_the_core_schema_decide_what_a_scalar_is() {
    let rows = [
        ("[!!str 12, !!str true, !!str]", r#"["12","true",""]"#),
        ("[!!int '12', !!float \"1.0\", !!bool 'true', !!null '']", "[12,1.0,true,null]"),
        ("[! 12, !!seq [], !!map {}]", r#"["12",[],{}]"#),
    ];
    for (text, expected) in rows {
        check(&format!("--- {text}"), expected);
    }
}

#[test]
fn other_tags_are_ignored_with_a_note() {
    check_found(
        "a:\n  - !local 12\n",
        r#"{"a":[12]}"#,
        &[(TextCode::IgnoredTag, "/a/0", 2, "!local")],
    );
    check_found(
        "a: !!set {b}\n",
        r#"{"a":{"b":null}}"#,
        &[(TextCode::IgnoredTag, "/a", 1, "!!set")],
    );
    check_found("a: !!int x\n", r#"{"a":"x"}"#, &[(TextCode::IgnoredTag, "/a", 1, "!!int")]);
}

#[test]
fn infinity_is_a_text_with_a_note() {
    let found = (TextCode::NonFiniteNumber, "/a~1b/1", 1, ".inf");
    check_found("a/b: [0, .inf]", r#"{"a/b":[0,".inf"]}"#, &[found]);
    check("a: '.inf'", r#"{"a":".inf"}"#);
}

#[test]
fn yaml_aliases_have_the_values_of_their_anchors() {
    check("a: &x {b: 1}\nc: *x\nd: [*x]\n", r#"{"a":{"b":1},"c":{"b":1},"d":[{"b":1}]}"#);
    check("a: &x 1\nb: &x 2\nc: *x\n", r#"{"a":1,"b":2,"c":2}"#);
}

#[test]
fn merge_keys_are_expanded() {
    let base = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\n";
    let head = r#"{"a":{"x":1,"y":2},"b":{"y":3,"z":4},"#;
    let rows = [
        ("c: {<<: *a, w: 0}\n", r#""c":{"x":1,"y":2,"w":0}}"#),
        ("c:\n  x: 9\n  <<: *a\n", r#""c":{"x":9,"y":2}}"#),
        ("c: {<<: [*b, *a]}\n", r#""c":{"y":3,"z":4,"x":1}}"#),
        ("c: {<<: {q: 1}}\n", r#""c":{"q":1}}"#),
        ("c: {<<: *a, <<: *b}\n", r#""c":{"x":1,"y":2,"z":4}}"#),
        ("c: {<<: text}\n", r#""c":{"<<":"text"}}"#),
        ("c: {'<<': *a}\n", r#""c":{"<<":{"x":1,"y":2}}}"#),
    ];
    for (text, expected) in rows {
        check(&format!("{base}{text}"), &format!("{head}{expected}"));
    }
}

#[test]
fn of_equal_names_the_last_wins_with_a_warning() {
    let found = |line| (TextCode::DuplicateKey, "/b/a", line, "lines: 2 and");
    check_found("b:\n  a: 1\n  c: 2\n  a: 3\n", r#"{"b":{"a":3,"c":2}}"#, &[found(4)]);
    let json = "{\"b\": {\n\"a\": 1, \"c\": 2,\n\"a\": 3}}";
    check_found(json, r#"{"b":{"a":3,"c":2}}"#, &[found(3)]);
    let in_list = "- {x: 0}\n- {y: [1, {a: 1, a: 2}]}\n";
    let found = (TextCode::DuplicateKey, "/1/y/1/a", 2, "lines: 2 and 2");
    check_found(in_list, r#"[{"x":0},{"y":[1,{"a":2}]}]"#, &[found]);
    let escaped = "{\"\\u0061\": 1,\n\"a\": 2}";
    check_found(escaped, r#"{"a":2}"#, &[(TextCode::DuplicateKey, "/a", 2, "lines: 1 and 2")]);
}

#[test]
fn duplicates_in_a_large_object_are_reported() {
    let names = (0..1000).map(|n| format!("n{}: {n}\n", n % 999));
    let read = read(names.collect::<String>().as_bytes(), &Limits::default()).unwrap();
    assert_eq!(read.value.at("/n0").unwrap().to_value(), 999);
    assert_eq!(read.diagnostics.len(), 1);
}

#[test]
fn findings_of_one_kind_are_reported_up_to_a_bound() {
    let text = "- {a: 1, a: 2}\n".repeat(1000);
    let read = read(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(read.diagnostics.len(), 101);
    assert!(read.diagnostics.last().unwrap().message.ends_with(": 900"));
}

#[test]
fn malformed_json_is_refused_at_the_position_of_its_fault() {
    check_refused("{\n  \"a\": 1,\n}", 3, 1, "a comma stands before the end");
    check_refused("{\"a\": 1} x", 1, 10, "expected nothing after the value");
    check_refused("{\"ä\": tru}", 1, 7, "expected a value");
    check_refused("{a: 1}", 1, 2, "expected a name in double quotes");
    check_refused("[1, 2", 1, 6, "a list is not closed");
    check_refused("[01]", 1, 2, "a number is not written as JSON writes it");
    check_refused("{\"a\": \"x\ny\"}", 1, 9, "control character");
}

#[test]
fn malformed_yaml_is_refused_at_the_position_of_its_fault() {
    check_refused("a: b\n c: d\n", 2, 3, "");
    check_refused("a:\n\tb: 1\n", 2, 2, "");
    check_refused("a: [1, 2\n", 1, 4, "unclosed");
    check_refused("a: 'x\n", 2, 1, "quoted");
    check_refused("a: *x\n", 1, 4, "anchor");
    check_refused("a: &x [*x]\n", 1, 8, "inside what it refers to");
    check_refused("? [a]\n: b\n", 1, 3, "name of a member");
    check_refused("a: &x []\n*x : b\n", 2, 1, "name of a member");
    check_refused("a: b\n---\nc: d\n", 2, 1, "second");
    check_refused("a: @x\n", 1, 4, "");
}

#[test]
fn empty_text_is_refused() {
    for text in ["", " \n\n", "# nothing\n", "\u{FEFF}"] {
        let diagnostic = refused(text);
        assert!(diagnostic.message.contains("empty"), "{text:?}: {diagnostic}");
    }
}

#[test]
fn utf16_with_a_byte_order_mark_is_read() {
    for text in ["\u{FEFF}{\"a\": \"ä😀\"}", "\u{FEFF}a: ä😀\n"] {
        let units: Vec<_> = text.encode_utf16().collect();
        let little: Vec<_> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<_> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        for bytes in [little, big] {
            let read = read(&bytes, &Limits::default()).unwrap();
            assert_eq!(read.value.to_value().to_string(), r#"{"a":"ä😀"}"#);
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_position() {
    let rows: [(&[u8], usize, usize, &str); 5] = [
        (b"a: 1\n\xC3\xA4: \xFF\n", 2, 4, "byte: 9"),
        (b"a: 1\nb: \0\n", 2, 4, "NUL at byte: 8"),
        (b"\xFF\xFEa\0\x00\xD8", 1, 2, "UTF-16"),
        (b"\xFE\xFF\0a\0", 1, 2, "UTF-16"),
        (b"{\"a\": \"\xE4\"}", 1, 8, "byte: 7"),
    ];
    for (bytes, line, column, word) in rows {
        let diagnostic = refused(bytes);
        assert_eq!(diagnostic.code, TextCode::NotUtf8);
        assert_eq!(diagnostic.position, Some(Position { line, column }), "{bytes:?}");
        assert!(diagnostic.message.contains(word), "{diagnostic}");
    }
}
