//! Values are read, changed, compared and written; digits and order are kept.

use proptest::prelude::*;

use super::*;
use crate::json;

#[track_caller]
fn check_round_trip(text: &str) {
    let value = Value::parse(text).unwrap();
    assert_eq!(value.to_string(), text);
    assert_eq!(serde_json::to_string(&value).unwrap(), text);
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), value);
}

#[test]
fn values_keep_digits_and_order_when_they_are_read_and_written() {
    for text in [
        "null",
        r#"{"z":1,"a":[true,false,null],"m":{}}"#,
        "[1.10,1e400,9007199254740993,-0,18446744073709551615,-1,0.1,1.0,1E+2,1e16]",
        r#"["\"\\\b\f\n\r\t\u0001","é😀/"]"#,
        r#"{"$serde_json::private::Number":"1"}"#,
    ] {
        check_round_trip(text);
    }
}

#[test]
fn long_values_are_written_whole() {
    for length in (500..530).chain([1023, 1024, 1025, 9000]) {
        let text = "\u{e9}".repeat(length);
        check_round_trip(&format!(r#"["{text}",{{"{text}":"{text}"}},"",1]"#));
        check_round_trip(&format!("[{}0]", "1,".repeat(length)));
    }
}

#[test]
fn the_alternate_form_of_a_value_is_that_of_serde_json() {
    let value = json!({"a": [1, {"b": []}], "c": {}, "d": "x"});
    assert_eq!(format!("{value:#}"), serde_json::to_string_pretty(&value).unwrap());
}

#[test]
fn a_value_in_a_field_of_a_deserialized_struct_keeps_its_digits() {
    #[derive(serde::Deserialize, serde::Serialize)]
    struct Around {
        inner: Value,
        number: Number,
        members: Object,
    }
    let text = r#"{"inner":[1.10],"number":1e400,"members":{"b":2.50,"a":1}}"#;
    let around: Around = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&around).unwrap(), text);
    assert!(serde_json::from_str::<Object>("[1]").is_err());
    assert!(serde_json::from_str::<Number>("\"1\"").is_err());
}

#[test]
fn the_last_of_two_equal_names_wins_at_the_position_of_the_first() {
    let value = Value::parse(r#"{"a":1,"b":2,"a":3}"#).unwrap();
    assert_eq!(value.to_string(), r#"{"a":3,"b":2}"#);
}

#[test]
fn the_json_macro_builds_the_value_of_its_json() {
    let (name, list) = ("a", vec![1, 2]);
    let value = json!({
        "literal": "x",
        name: -1,
        (format!("{name}b")): [name, {"deep": [[], {}]}, list, Some(1.5), None::<bool>,],
        "sum": 1 + 2,
    });
    let text = r#"{"literal":"x","a":-1,"ab":["a",{"deep":[[],{}]},[1,2],1.5,null],"sum":3}"#;
    assert_eq!(value.to_string(), text);
    assert_eq!(json!(null), Value::Null);
}

#[test]
fn a_value_is_found_by_name_index_and_pointer() {
    let mut value = json!({"a": [{"b/c": 1}, 2], "m~n": null});
    assert_eq!(value["a"][1], 2);
    assert_eq!(value["a"]["x"][7], Value::Null);
    assert_eq!(value.get("a").and_then(|list| list.get(0)), Some(&json!({"b/c": 1})));
    for (pointer, expected) in [
        ("", Some(value.clone())),
        ("/a/0/b~1c", Some(json!(1))),
        ("/m~0n", Some(json!(null))),
        ("/a/01", None),
        ("/a/-", None),
        ("a", None),
    ] {
        assert_eq!(value.pointer(pointer), expected.as_ref(), "{pointer}");
        assert_eq!(value.pointer_mut(pointer).cloned(), expected, "{pointer}");
    }
    value["new"]["below"] = 1.into();
    assert_eq!(value.pointer("/new/below"), Some(&json!(1)));
}

#[test]
fn values_are_compared_with_plain_types() {
    assert_eq!(json!("a"), "a");
    assert_eq!(json!(7), 7);
    assert_eq!(json!(7), 7_u64);
    assert_eq!(json!(true), true);
    assert_ne!(json!("7"), 7);
    assert_ne!(json!(1.0), 1);
}

#[test]
fn an_object_of_any_size_keeps_the_order_of_its_members() {
    for n_names in [0, 1, 15, 16, 17, 18, 1000] {
        let names: Vec<_> = (0..n_names).map(|n| format!("name{}", n * 7919 % 1009)).collect();
        let mut object: Object =
            names.iter().map(|name| (name.clone(), name.len().into())).collect();
        assert!(object.keys().eq(&names), "{n_names}");
        assert!(names.iter().all(|name| object[name] == name.len()), "{n_names}");
        assert_eq!(object.get("other"), None);
        for name in names.iter().step_by(3) {
            assert!(object.remove(name).is_some());
        }
        let left: Vec<_> =
            names.iter().enumerate().filter(|(at, _)| at % 3 > 0).map(|(_, name)| name).collect();
        assert!(object.keys().eq(left.iter().copied()), "{n_names}");
        object.insert("last", 1.into());
        assert!(left.iter().all(|name| object[name] == name.len()), "{n_names}");
        object.retain(|name, _| name == "last");
        assert_eq!(Value::Object(object), json!({"last": 1}));
    }
}

#[test]
fn objects_are_equal_in_any_order() {
    assert_eq!(json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}));
    assert_ne!(json!({"a": 1, "b": 2}), json!({"a": 1, "c": 2}));
    assert_ne!(json!({"a": 1}), json!({"a": 1, "c": 2}));
}

#[test]
fn an_entry_is_inserted_once() {
    let mut object = Object::new();
    *object.entry("a").or_insert(1.into()) = 2.into();
    object.entry("a").or_insert(3.into());
    assert_eq!(Value::Object(object), json!({"a": 2}));
}

#[test]
fn a_value_has_32_bytes() {
    assert_eq!(size_of::<Value>(), 32);
}

#[test]
fn conversion_to_serde_json_refuses_or_rounds_numbers_that_it_cannot_hold() {
    for (digits, nearest, is_kept) in [
        ("1", 1.0, true),
        ("1.10", 1.1, true),
        ("18446744073709551615", 18_446_744_073_709_551_615.0, true),
        ("18446744073709551616", 18_446_744_073_709_551_616.0, false),
        ("9007199254740993.5", 9_007_199_254_740_994.0, false),
        ("1e400", f64::MAX, false),
        ("-1e400", f64::MIN, false),
    ] {
        let value = Value::parse(digits).unwrap();
        let theirs = value.to_serde_json();
        assert!(theirs.as_f64() == Some(nearest), "{theirs}");
        assert_eq!(serde_json::Value::try_from(&value).is_ok(), is_kept, "{digits}");
    }
    assert_eq!(
        Value::from(serde_json::json!({"a": [1, 1.5, "x", null]})),
        json!({"a": [1, 1.5, "x", null]})
    );
}

#[test]
fn bytes_that_are_not_utf_8_are_refused_with_their_position() {
    let fault = Value::from_slice(b"[\"a\n\xff\"]").unwrap_err();
    assert_eq!(fault.to_string(), "expected UTF-8 at line 2 column 1");
    assert_eq!(Value::from_slice(b"[1]"), Ok(json!([1])));
}

/// The value with each number replaced by whether it is written with a fraction or an exponent.
fn shape(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(shape).collect(),
        Value::Number(number) => Value::from(number.is_f64()),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), shape(value))).collect()
        }
        other => other.clone(),
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,5})?"
            .prop_map(|digits| Value::Number(Number::from_digits(&digits).unwrap())),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 24, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..24).prop_map(Value::Array),
            prop::collection::vec((any::<String>(), inner), 0..24)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn every_value_is_read_back_from_its_text(value in any_value()) {
        let text = value.to_string();
        prop_assert_eq!(Value::parse(&text).unwrap(), value.clone());
        prop_assert_eq!(&serde_json::to_string(&value).unwrap(), &text);
        prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value.clone());
        prop_assert_eq!(Value::parse(&serde_json::to_string_pretty(&value).unwrap()).unwrap(), value);
    }

    #[test]
    fn texts_are_read_to_the_value_that_serde_json_reads(value in any_value()) {
        let text = value.to_string();
        if let Ok(theirs) = serde_json::from_str::<serde_json::Value>(&text) {
            let ours = value.to_serde_json();
            prop_assert_eq!(shape(&Value::from(ours)), shape(&Value::from(theirs)));
        }
    }
}
