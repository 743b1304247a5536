//! Objects and lists that a model writes as JSON texts: the request is the one of the values themselves.

use crate::prelude::*;
use proptest::prelude::*;

fn plan(defaults: Defaults, is_whole: bool) -> Plan {
    let mut body = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "default": "n"},
        "sub": {"type": "object", "required": ["z"], "properties": {
            "z": {"type": "integer", "default": 3}, "k": {"type": "string", "default": "k"},
            "deep": {"type": "object", "properties": {"w": {"type": "integer", "default": 4}, "v": {"type": "string"}}}}},
        "list": {"type": "array", "items": {"type": "object", "required": ["q"], "properties": {
            "q": {"type": "integer", "default": 1}, "t": {"type": "string"}}}}}});
    if is_whole {
        body["minProperties"] = json!(1);
    }
    let operation = json!({"summary": "A", "responses": {}, "requestBody": {"required": true,
        "content": {"application/json": {"schema": body}}}});
    let description = json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com"}], "paths": {"/a": {"post": operation}}});
    plan_with(&description.to_string(), &LoadOptions { defaults, ..LoadOptions::default() })
}

fn sent(plan: &Plan, body: &Value) -> Result<Value, String> {
    let is_whole = plan.operation().inputs.iter().any(|input| input.argument.as_str() == "body");
    let planned = call(plan, if is_whole { json!({"body": body}) } else { body.clone() });
    let request = planned.result.map_err(|fault| fault.message)?;
    Ok(serde_json::from_slice(request.body()).unwrap())
}

/// The value with those of its objects and lists as texts that the bits choose, or as texts of texts.
fn with_texts(value: &Value, bits: &mut u64, may_be_text: bool) -> Value {
    let inner = match value {
        Value::Object(members) => {
            let members = members.iter();
            Value::Object(
                members.map(|(name, it)| (name.clone(), with_texts(it, bits, true))).collect(),
            )
        }
        Value::Array(items) => items.iter().map(|it| with_texts(it, bits, true)).collect(),
        other => return other.clone(),
    };
    let (is_text, is_twice) = (*bits & 1 == 1 && may_be_text, *bits & 2 == 2);
    *bits >>= 2;
    match (is_text, is_twice) {
        (false, _) => inner,
        (true, false) => inner.to_string().into(),
        (true, true) => Value::from(inner.to_string()).to_string().into(),
    }
}

#[test]
fn a_default_that_only_a_text_lacks_breaks_no_rule() {
    let plan = plan(Defaults::All, false);
    let planned = call(&plan, json!({"body": {"list": [{}, r#"{"t": "x"}"#]}}));
    let request = planned.result.unwrap();
    let sent: Value = serde_json::from_slice(request.body()).unwrap();
    assert_eq!(sent["list"], json!([{"q": 1}, {"q": 1, "t": "x"}]));
    let notes = format!("{:?}", planned.journal);
    assert!(!notes.contains("DefaultUnfit"), "{notes}");
}

proptest! {
    #[test]
    fn a_json_text_sends_what_its_value_sends(
        members in prop::collection::vec(any::<bool>(), 9),
        mut bits in any::<u64>(),
        is_whole in any::<bool>(),
        defaults in prop_oneof![Just(Defaults::All), Just(Defaults::Safe), Just(Defaults::Required)],
    ) {
        let mut body = json!({"sub": {}});
        let mut add = |at: usize, pointer: &str, name: &str, value: Value| {
            if members[at] && let Some(parent) = body.pointer_mut(pointer) {
                parent[name] = value;
            }
        };
        add(0, "", "name", json!("x"));
        add(1, "/sub", "z", json!(7));
        add(2, "/sub", "k", json!("y"));
        add(3, "/sub", "deep", json!({}));
        add(4, "/sub/deep", "w", json!(8));
        add(5, "/sub/deep", "v", json!("v"));
        add(6, "", "list", json!([{}, {"t": "t"}]));
        add(7, "/list/0", "q", json!(9));
        add(8, "/list/1", "q", json!(10));
        let plan = plan(defaults, is_whole);
        let text = with_texts(&body, &mut bits, is_whole);
        prop_assert_eq!(sent(&plan, &text), sent(&plan, &body), "{}", text);
    }
}
