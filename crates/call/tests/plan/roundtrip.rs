//! What is sent decodes to exactly what was meant: for every style and every type, and for each kind of body, values drawn
//! at random are read back by a decoder of the tests' own, written from the specification and not from the encoder.

mod bodies;
mod parameters;

use crate::prelude::*;
use std::cell::Cell;

use proptest::{prelude::*, test_runner::Config};

use crate::isolation::hostile_text;

/// Texts of every character that means something somewhere, and texts that have broken address writers before.
fn text() -> impl Strategy<Value = String> {
    let alphabet = "[a-zA-Z0-9 .,;:=&+%|/?#@!$*()'\"<>\\[\\]{}~^`_é漢😀\\\\-]{0,10}";
    let known = proptest::string::string_regex(alphabet).expect("an alphabet");
    prop_oneof![3 => known, 1 => hostile_text()]
}

/// A name no two of which are alike when they are written.
fn name() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[a-zA-Z][a-zA-Z0-9 ._é&=%,-]{0,5}").expect("an alphabet")
}

/// A single value of a JSON type.
fn single(kind: &str) -> BoxedStrategy<Value> {
    match kind {
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        "integer" => any::<i64>().prop_map(Value::from).boxed(),
        "number" => (any::<i32>(), 0_u32..10_000)
            .prop_map(|(whole, part)| format!("{whole}.{part:04}").parse().expect("a number"))
            .prop_map(Value::Number)
            .boxed(),
        _ => text().prop_map(Value::from).boxed(),
    }
}

fn list(kind: &str) -> impl Strategy<Value = Value> + use<> {
    prop::collection::vec(single(kind), 1..4).prop_map(Value::from)
}

fn object(kind: &str) -> impl Strategy<Value = Value> + use<> {
    prop::collection::btree_map(name(), single(kind), 1..4)
        .prop_map(|members| Value::Object(members.into_iter().collect::<Object>()))
}

/// Whether nothing in the value could be taken for a joint: such a value must never be refused.
fn is_plain(value: &Value) -> bool {
    let is_plain_text = |text: &str| {
        !text.is_empty() && text.chars().all(|character| character.is_ascii_alphanumeric())
    };
    match value {
        Value::Array(items) => items.iter().all(is_plain),
        Value::Object(members) => {
            members.iter().all(|(name, value)| is_plain_text(name) && is_plain(value))
        }
        Value::String(text) => is_plain_text(text),
        _ => true,
    }
}

/// Draws values, sends each, and compares what `decoded` reads with it. What holds a joint may be refused instead.
fn check(
    label: &str,
    (plan, argument): (&Plan, &str),
    values: impl Strategy<Value = Value>,
    decoded: impl Fn(&http::Request<Bytes>, &Value) -> Option<Value>,
) {
    let config = Config { cases: 96, failure_persistence: None, ..Config::default() };
    let n_sent = Cell::new(0);
    let result = TestRunner::new(config).run(&values, |value| {
        match call(plan, json!({argument: value})).result {
            Ok(request) => {
                n_sent.set(n_sent.get() + 1);
                let body = String::from_utf8_lossy(request.body());
                let read = decoded(&request, &value);
                prop_assert_eq!(read, Some(value), "{} {:?}", request.uri(), body);
            }
            Err(fault) if is_plain(&value) => {
                return Err(TestCaseError::fail(format!("{value}: {}", fault.message)));
            }
            Err(_) => {}
        }
        Ok(())
    });
    assert!(result.is_ok(), "{label}: {}", result.unwrap_err());
    assert!(n_sent.get() >= 16, "{label}: only {} of 96 were sent", n_sent.get());
}
