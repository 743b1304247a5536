//! Schemas made of recursive compositions by intent, and values that go down them: the steps and the memory of a check
//! are bounded, and where another validator finishes it agrees.

#![no_main]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use arbitrary::{Result, Unstructured};
use callgate_call::{Evaluator, Verdict};
use callgate_tool::{Object, Value, json};
use libfuzzer_sys::fuzz_target;

const STEPS: usize = 4_000_000;
const BYTES: usize = 16 << 20;
/// The definitions that schemas refer to.
const DEFINITIONS: u8 = 6;
/// How long the other validator may think, how deep the values are that it is asked about, and how many of its answers
/// may be overdue: it cannot be stopped.
const PATIENCE: Duration = Duration::from_millis(200);
const DEEPEST_JUDGED: usize = 6;
const OVERDUE: usize = 4;
static THINKING: AtomicUsize = AtomicUsize::new(0);

fuzz_target!(|bytes: &[u8]| {
    let mut from = Unstructured::new(bytes);
    let (Ok(schema), Ok(value)) = (whole(&mut from), down(&mut from, 24)) else { return };
    let evaluator = Evaluator::new(schema.clone());
    assert_eq!(evaluator.unknown_keywords(), Vec::<String>::new());
    let evaluated = evaluator.evaluate("value", &value);
    assert!(evaluated.steps <= STEPS, "{} steps", evaluated.steps);
    assert!(evaluated.bytes <= BYTES, "{} bytes", evaluated.bytes);
    assert!(evaluated.problems.len() <= 100);
    let Some(is_valid) = judged(&schema, &value) else { return };
    let expected = if is_valid { Verdict::Valid } else { Verdict::Invalid };
    assert!(
        evaluated.verdict == expected || evaluated.verdict == Verdict::TooDear,
        "{schema}\n{value}\n{evaluated:?}"
    );
});

/// What another validator says, unless it takes too long.
fn judged(schema: &Value, value: &Value) -> Option<bool> {
    if depth(value) > DEEPEST_JUDGED || THINKING.load(Ordering::SeqCst) >= OVERDUE {
        return None;
    }
    let read = |value: &Value| serde_json::from_str::<serde_json::Value>(&value.to_string()).ok();
    let (schema, value) = (read(schema)?, read(value)?);
    let (tell, told) = mpsc::channel();
    THINKING.fetch_add(1, Ordering::SeqCst);
    let judge = move || {
        let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
        if let Ok(validator) = options.build(&schema) {
            let is_valid = validator.is_valid(&value);
            let _ = tell.send(is_valid);
        }
        THINKING.fetch_sub(1, Ordering::SeqCst);
    };
    thread::Builder::new().stack_size(64 << 20).spawn(judge).ok()?;
    told.recv_timeout(PATIENCE).ok()
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn whole(from: &mut Unstructured<'_>) -> Result<Value> {
    let mut definitions = Object::new();
    for at in 0..DEFINITIONS {
        definitions.insert(format!("D{at}"), composed(from, at, 3)?);
    }
    Ok(json!({"$ref": "#/$defs/D0", "$defs": definitions}))
}

/// A schema of the definition at a position. In place it refers to later ones alone, so that no circle stands still;
/// below members and items to any.
fn composed(from: &mut Unstructured<'_>, at: u8, depth: usize) -> Result<Value> {
    let mut members = Object::new();
    for _ in 0..from.int_in_range(1..=3)? {
        let (name, value) = match from.int_in_range(0..=9)? {
            0..=2 => {
                let name = *from.choose(&["allOf", "anyOf", "oneOf"])?;
                let n_branches = from.int_in_range(1..=3)?;
                let branch = |from: &mut Unstructured<'_>| in_place(from, at, depth);
                (name, (0..n_branches).map(|_| branch(from)).collect::<Result<Value>>()?)
            }
            3 => (*from.choose(&["not", "if", "then", "else"])?, in_place(from, at, depth)?),
            4 => (*from.choose(&["items", "contains"])?, below(from)?),
            5 => ("prefixItems", json!([below(from)?])),
            6 => ("properties", json!({"a": below(from)?, "b": below(from)?})),
            7 => {
                let names = ["additionalProperties", "unevaluatedItems", "unevaluatedProperties"];
                (*from.choose(&names)?, below(from)?)
            }
            8 => ("type", json!(*from.choose(&["array", "object", "integer", "string"])?)),
            _ => (
                *from.choose(&["minItems", "minProperties", "maxItems"])?,
                json!(from.int_in_range(0..=2u8)?),
            ),
        };
        members.insert(name, value);
    }
    Ok(Value::Object(members))
}

fn in_place(from: &mut Unstructured<'_>, at: u8, depth: usize) -> Result<Value> {
    if depth > 0 && from.ratio(1u8, 3u8)? {
        return composed(from, at, depth - 1);
    }
    if at + 1 < DEFINITIONS && from.ratio(5u8, 6u8)? {
        let next = from.int_in_range(at + 1..=DEFINITIONS - 1)?;
        return Ok(json!({"$ref": format!("#/$defs/D{next}")}));
    }
    leaf(from)
}

fn below(from: &mut Unstructured<'_>) -> Result<Value> {
    if from.ratio(3u8, 4u8)? {
        let any = from.int_in_range(0..=DEFINITIONS - 1)?;
        return Ok(json!({"$ref": format!("#/$defs/D{any}")}));
    }
    leaf(from)
}

fn leaf(from: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match from.int_in_range(0..=4)? {
        0 => json!(from.arbitrary::<bool>()?),
        1 => json!({"required": [*from.choose(&["a", "b"])?]}),
        2 => json!({"const": from.int_in_range(0..=2u8)?}),
        3 => json!({"minimum": from.int_in_range(0..=2u8)?}),
        _ => json!({"type": *from.choose(&["array", "object", "integer", "null"])?}),
    })
}

/// A value that goes down to a depth with a leaf or two beside the way.
fn down(from: &mut Unstructured<'_>, deepest: usize) -> Result<Value> {
    let mut value = plain(from)?;
    for _ in 0..from.int_in_range(0..=deepest)? {
        let aside = plain(from)?;
        value = match from.int_in_range(0..=4)? {
            0 => json!([value]),
            1 => json!([aside, value]),
            2 => json!({"a": value}),
            3 => json!({"b": value, "a": aside}),
            _ => json!({"c": value}),
        };
    }
    Ok(value)
}

fn plain(from: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match from.int_in_range(0..=4)? {
        0 => json!(from.int_in_range(0..=3u8)?),
        1 => json!("a"),
        2 => json!([]),
        3 => json!({}),
        _ => Value::Null,
    })
}
