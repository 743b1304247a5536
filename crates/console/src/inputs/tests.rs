//! Tests of forms: what their fields say, and what they show of arguments.

use callgate_tool::json;

use super::*;

fn pairs(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The arguments that fields say; a field `i:` of the whole is always there.
#[track_caller]
fn check(schema: &Value, fields: &[(&str, &str)], expected: &str) {
    let pairs = pairs(&[fields, &[("i:", "0")]].concat());
    let read = read_form(schema, &Fields::new(&pairs)).into_arguments();
    assert_eq!(read.map(|it| it.to_string()), Ok(expected.to_owned()), "{fields:?}");
}

fn schema_of(member: &Value) -> Value {
    json!({"type": "object", "properties": {"a": (member.clone())}})
}

#[test]
fn a_number_keeps_its_digits_and_another_text_is_refused() {
    let schema = schema_of(&json!({"type": ["number", "null"]}));
    check(&schema, &[("n:/a", "12.50")], r#"{"a":12.50}"#);
    check(&schema, &[("n:/a", " 9223372036854775808 ")], r#"{"a":9223372036854775808}"#);
    check(&schema, &[("n:/a", "")], "{}");
    check(&schema, &[("n:/a", ""), ("s:/a", "null")], r#"{"a":null}"#);
    let pairs = pairs(&[("i:", "0"), ("n:/a", "12,50")]);
    let faults = read_form(&schema, &Fields::new(&pairs)).faults;
    assert_eq!(faults, ["`a`: expected a number, got: `12,50`"]);
}

#[test]
fn a_text_is_absent_empty_or_null_as_the_form_says() {
    let schema = schema_of(&json!({"anyOf": [{"type": "string"}, {"type": "null"}]}));
    check(&schema, &[("t:/a", ""), ("s:/a", "")], "{}");
    check(&schema, &[("t:/a", ""), ("s:/a", "empty")], r#"{"a":""}"#);
    check(&schema, &[("t:/a", "x"), ("s:/a", "null")], r#"{"a":null}"#);
    check(&schema, &[("t:/a", "two\r\nlines")], r#"{"a":"two\nlines"}"#);
}

#[test]
fn a_listed_null_can_be_chosen_and_names_under_a_pattern_can_be_added() {
    let listed = schema_of(&json!({"enum": ["x", null]}));
    check(&listed, &[("c:/a", "null")], r#"{"a":null}"#);
    let shown = Form::new(&listed, &Fields::default()).inputs(&listed, None).into_string();
    assert!(shown.contains(">null</option>"), "{shown}");
    let named = json!({"type": "object", "properties": {"b": {"type": "string"}}, "patternProperties": {"^x-": {"type": "integer"}}});
    let row = [("i:/a", "0"), ("i:/a/+", "1"), ("k:/a/+/0", "x-1"), ("n:/a/+/0", "2")];
    check(&schema_of(&named), &row, r#"{"a":{"x-1":2}}"#);
}

#[test]
fn alternatives_that_only_require_members_leave_a_group_its_fields() {
    let text = json!({"type": "string"});
    let group = json!({"type": "object", "properties": {"b": (text.clone()), "c": text}, "anyOf": [{"required": ["b"]}, {"required": ["c"]}]});
    let all = json!({"allOf": [(group.clone()), {"properties": {"d": {"type": "integer"}}}]});
    for schema in [&group, &all] {
        check(&schema_of(schema), &[("i:/a", "0"), ("t:/a/c", "x")], r#"{"a":{"c":"x"}}"#);
    }
}

#[test]
fn an_alternative_with_listed_values_is_named_by_them() {
    let schema =
        schema_of(&json!({"anyOf": [{"type": "object"}, {"type": "string", "enum": [""]}]}));
    let shown = Form::new(&schema, &Fields::default()).inputs(&schema, None).into_string();
    for words in [">1: object</option>", ">2: empty text</option>"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn a_form_with_a_field_that_cannot_be_read_keeps_the_others() {
    let tree = json!({"type": "object", "properties": {"left": {"$ref": "#/$defs/T"}}});
    let schema = json!({"type": "object", "$defs": {"T": (tree.clone())}, "properties": {
        "a": {"type": "string"}, "n": {"type": "integer"},
        "m": {"type": "object", "additionalProperties": {"$ref": "#/$defs/T"}}}});
    let typed = [
        ("i:", "0"),
        ("t:/a", "kept"),
        ("n:/n", "x"),
        ("i:/m", "0"),
        ("i:/m/+", "1"),
        ("k:/m/+/0", "key"),
        ("open", "/m/+/0"),
    ];
    let typed = pairs(&typed);
    let fields = Fields::new(&typed);
    let read = read_form(&schema, &fields);
    assert_eq!(read.faults.len(), 2, "{:?}", read.faults);
    assert_eq!(read.value.to_string(), r#"{"a":"kept"}"#);
    let shown = Form::new(&schema, &fields).inputs(&schema, Some(&read.value)).into_string();
    for words in ["\nkept</textarea>", "value=\"x\"", "name=\"k:/m/+/0\" value=\"key\""] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn bounds_and_words_stand_beside_an_input_also_those_behind_a_reference() {
    let limit = json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 20, "description": "The most <b>rows</b>"});
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/Limit"}}, "$defs": {"Limit": limit}});
    let shown = Form::new(&schema, &Fields::default()).inputs(&schema, None).into_string();
    for words in
        ["integer · at least 1 · at most 100 · usually 20", "The most &lt;b&gt;rows&lt;/b&gt;"]
    {
        assert!(shown.contains(words), "{shown}");
    }
}

#[test]
fn an_input_is_read_out_with_its_words_and_with_its_need() {
    let (name, count) =
        (json!({"type": "string", "description": "The name"}), json!({"type": "integer"}));
    let schema =
        json!({"type": "object", "required": ["a"], "properties": {"a": name, "b": count}});
    let shown = Form::new(&schema, &Fields::default()).inputs(&schema, None).into_string();
    for (part, times) in [
        (" aria-describedby=\"f1-help\"", 1),
        (" id=\"f1-help\"", 1),
        ("aria-describedby", 1),
        (" required</span>", 1),
    ] {
        assert_eq!(shown.matches(part).count(), times, "{part}: {shown}");
    }
}

#[test]
fn an_input_that_was_just_opened_is_the_place_that_is_shown_first() {
    let text = json!({"type": "string"});
    let list = json!({"type": "array", "items": (text.clone())});
    let map = json!({"type": "object", "additionalProperties": (text.clone())});
    let group = json!({"type": "object", "properties": {"b": (text.clone())}});
    let either = json!({"oneOf": [text, {"type": "integer"}]});
    for (schema, path, arguments) in [
        (list, "/a", json!({"a": ["x"]})),
        (map, "/a/+", json!({"a": {"x": "y"}})),
        (group, "/a", json!({})),
        (either, "/a", json!({})),
    ] {
        let (schema, opened) = (schema_of(&schema), pairs(&[("open", path)]));
        for (fields, times) in [(Fields::new(&opened), 1), (Fields::default(), 0)] {
            let shown = Form::new(&schema, &fields).inputs(&schema, Some(&arguments)).into_string();
            assert_eq!(shown.matches("id=\"now\"").count(), times, "{path}: {shown}");
        }
    }
}

#[test]
fn lists_and_maps_leave_out_empty_rows() {
    let list = schema_of(&json!({"type": "array", "items": {"type": "integer"}}));
    let rows = [("i:/a", "3"), ("n:/a/0", "1"), ("n:/a/1", ""), ("n:/a/2", "2")];
    check(&list, &rows, r#"{"a":[1,2]}"#);
    check(&list, &[("i:/a", "1"), ("n:/a/0", "")], "{}");
    check(&list, &[("i:/a", "1"), ("n:/a/0", ""), ("s:/a", "empty")], r#"{"a":[]}"#);
    let map = schema_of(&json!({"type": "object", "additionalProperties": {"type": "string"}}));
    let rows = [
        ("i:/a", "0"),
        ("i:/a/+", "2"),
        ("k:/a/+/0", "x/y"),
        ("t:/a/+/0", "1"),
        ("k:/a/+/1", ""),
        ("t:/a/+/1", ""),
    ];
    check(&map, &rows, r#"{"a":{"x/y":"1"}}"#);
}

#[test]
fn a_group_or_a_row_in_which_nothing_was_said_is_left_out() {
    let item = json!({"type": "object", "required": ["kind", "tags"], "properties": {
        "kind": {"const": "card"}, "tags": {"type": "array", "items": {"type": "string"}}, "pan": {"type": "string"}}});
    let list = schema_of(&json!({"type": "array", "items": (item.clone())}));
    let row = [("i:/a", "2"), ("i:/a/0", "0"), ("c:/a/0/kind", "\"card\""), ("i:/a/0/tags", "1")];
    check(&list, &row, "{}");
    let said = [&row[..], &[("t:/a/0/pan", "4"), ("i:/a/1", "0"), ("c:/a/1/kind", "\"card\"")]];
    check(&list, &said.concat(), r#"{"a":[{"kind":"card","tags":[],"pan":"4"}]}"#);
    let empty = [&row[..], &[("s:/a/0", "empty")]].concat();
    check(&list, &empty, r#"{"a":[{"kind":"card","tags":[]}]}"#);
    // A form of it says so again.
    let (fields, schemas) = (Fields::default(), Schemas::new(&list));
    let made = json!({"kind": "card", "tags": []});
    assert!(schemas.is_value_of_empty_form(&item, &made, 8));
    assert!(!schemas.is_value_of_empty_form(&item, &json!({"kind": "card", "tags": ["a"]}), 8));
    let shown = Form::new(&list, &fields).inputs(&list, Some(&json!({"a": [made]}))).into_string();
    assert!(shown.contains(r#"<option value="empty" selected>sent when empty"#), "{shown}");
}

#[test]
fn an_alternative_is_read_by_its_own_schema_and_its_constant_is_filled_in() {
    let card = json!({"type": "object", "title": "Card", "properties": {"kind": {"const": "card"}, "pan": {"type": "string"}}, "required": ["kind"]});
    let cash = json!({"type": "object", "title": "Cash", "properties": {"kind": {"const": "cash"}}, "required": ["kind"]});
    let schema = schema_of(&json!({"oneOf": [card, cash]}));
    let fields =
        [("a:/a", "0"), ("i:/a/|0", "0"), ("c:/a/|0/kind", "\"card\""), ("t:/a/|0/pan", "4")];
    check(&schema, &fields, r#"{"a":{"kind":"card","pan":"4"}}"#);
    check(&schema, &[("a:/a", "")], "{}");
    let value = json!({"a": {"kind": "cash"}});
    let none = Fields::default();
    let shown = Form::new(&schema, &none).inputs(&schema, Some(&value)).into_string();
    assert!(shown.contains(r#"<option value="1" selected>2: Cash</option>"#), "{shown}");
    assert!(shown.contains(r#"name="c:/a/|1/kind""#), "{shown}");
}

#[test]
fn a_group_that_repeats_is_opened_on_demand() {
    let node = json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}});
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}});
    let shown = |open: &[(&str, &str)]| {
        let pairs = pairs(open);
        let fields = Fields::new(&pairs);
        Form::new(&schema, &fields).inputs(&schema, None).into_string()
    };
    let first = shown(&[]);
    assert!(first.contains(r#"name="open" value="/a/next""#), "{first}");
    let opened = shown(&[("open", "/a/next")]);
    assert!(opened.contains(r#"name="open" value="/a/next/next""#), "{opened}");
    check(
        &schema,
        &[("i:/a", "0"), ("i:/a/next", "0"), ("s:/a/next", "empty")],
        r#"{"a":{"next":{}}}"#,
    );
}

#[test]
fn a_value_without_a_field_is_filled_in_as_json() {
    let schema = schema_of(&json!({"type": "integer"}));
    let none = Fields::default();
    let shown = Form::new(&schema, &none).inputs(&schema, Some(&json!({"a": "seven"})));
    assert!(shown.into_string().contains("&quot;seven&quot;"));
    check(&schema, &[("j:/a", "\"seven\"")], r#"{"a":"seven"}"#);
    check(&schema, &[("j:/a", " ")], "{}");
    let any = schema_of(&json!(true));
    check(&any, &[("j:/a", "{\"b\": 1.0}")], r#"{"a":{"b":1.0}}"#);
    let undeclared = json!({"b": 1});
    let shown = Form::new(&schema, &none).inputs(&schema, Some(&undeclared)).into_string();
    assert!(shown.contains(r#"name="j:""#), "{shown}");
}

#[test]
fn parts_of_all_of_are_one_group_and_circles_of_them_end() {
    let part = json!({"type": "object", "properties": {"b": {"type": "string"}}});
    let schema = json!({"type": "object", "properties": {"a": {"allOf": [{"$ref": "#/$defs/part"}, {"properties": {"c": {"type": "integer"}}}]}}, "$defs": {"part": part}});
    check(&schema, &[("i:/a", "0"), ("t:/a/b", "x"), ("n:/a/c", "1")], r#"{"a":{"b":"x","c":1}}"#);
    let circle = json!({"$ref": "#/$defs/circle", "$defs": {"circle": {"allOf": [{"$ref": "#/$defs/circle"}]}}});
    let none = Fields::default();
    assert!(Form::new(&circle, &none).inputs(&circle, None).into_string().contains("textarea"));
}

#[test]
fn texts_of_a_description_are_no_markup() {
    let hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>";
    let schema = json!({"type": "object", "properties": {hostile: {"type": "string", "description": hostile, "enum": [hostile]}}});
    let none = Fields::default();
    let arguments = json!({hostile: hostile});
    let shown = Form::new(&schema, &none).inputs(&schema, Some(&arguments)).into_string();
    assert!(!shown.contains("<script") && !shown.contains("<img"), "{shown}");
}

#[test]
fn more_than_a_form_can_hold_is_a_fault_and_not_left_out() {
    #[track_caller]
    fn check_fault(schema: &Value, fields: &[(&str, &str)], expected: &str) {
        let pairs = pairs(&[fields, &[("i:", "0")]].concat());
        let faults = read_form(schema, &Fields::new(&pairs)).faults;
        assert!(faults.iter().any(|fault| fault.contains(expected)), "{faults:?}");
    }
    let list = schema_of(&json!({"type": "array", "items": {"type": "string"}}));
    check_fault(&list, &[("i:/a", "2001"), ("t:/a/2000", "x")], "at most 2000 rows");
    let map = schema_of(&json!({"type": "object", "additionalProperties": {"type": "string"}}));
    let row = [("i:/a", "0"), ("i:/a/+", "1"), ("k:/a/+/0", "name"), ("t:/a/+/0", "")];
    check_fault(&map, &row, "the member `name` has no value");
    let (mut deep, mut path) = (json!({"type": "string"}), String::new());
    let mut fields = Vec::new();
    for _ in 0..120 {
        deep = schema_of(&deep);
        fields.push((format!("i:{path}"), "0".to_owned()));
        path.push_str("/a");
    }
    fields.push((format!("t:{path}"), "x".to_owned()));
    let faults = read_form(&deep, &Fields::new(&fields)).faults;
    assert!(faults.iter().any(|fault| fault.contains("100 levels")), "{faults:?}");
}

#[test]
fn a_form_has_one_bound_of_rows_and_one_of_inputs_wherever_they_are() {
    let row = json!({"type": "array", "items": {"type": "integer"}});
    let lists = schema_of(&json!({"type": "array", "items": (row.clone())}));
    let mut fields = vec![("i:".to_owned(), "0".to_owned()), ("i:/a".to_owned(), "30".to_owned())];
    fields.extend((0..30).map(|at| (format!("i:/a/{at}"), "1000".to_owned())));
    let faults = read_form(&lists, &Fields::new(&fields)).faults;
    assert_eq!(
        faults.first().unwrap(),
        "`a/1`: expected at most 2000 rows in a form, got 1000 more; write it as JSON"
    );
    let members = (0..100).map(|at| (at.to_string(), json!({"type": "string"})));
    let wide = json!({"type": "object", "properties": (Value::Object(members.collect()))});
    let wide = schema_of(&json!({"type": "array", "items": (wide.clone())}));
    let mut fields =
        vec![("i:".to_owned(), "0".to_owned()), ("i:/a".to_owned(), "1000".to_owned())];
    fields.extend((0..1000).map(|at| (format!("i:/a/{at}"), "0".to_owned())));
    let faults = read_form(&wide, &Fields::new(&fields)).faults;
    assert_eq!(faults, ["a form has at most 20000 inputs: write it as JSON"]);
}
