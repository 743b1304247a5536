//! Calls with a place for a text that must not become a part of a statement.

use callgate_tool::Value;

/// Calls whose statements have a place for a text.
pub(crate) const CALLS: [(&str, &str); 12] = [
    ("shop-orders-list", r#"{"where": {"note": "TEXT"}}"#),
    ("shop-orders-list", r#"{"where": {"note": {"in": ["TEXT", "a"]}}}"#),
    ("shop-orders-list", r#"{"where": {"note": {"contains": "TEXT"}}}"#),
    ("shop-orders-list", r#"{"where": {"note": {"starts_with": "TEXT"}}}"#),
    ("shop-orders-list", r#"{"where": {"any": [{"note": {"gt": "TEXT"}}, {"no": 1}]}}"#),
    ("shop-orders-list", r#"{"where": {"TEXT": 1}}"#),
    ("shop-orders-list", r#"{"sort": ["TEXT"]}"#),
    ("shop-orders-list", r#"{"page": "TEXT"}"#),
    ("shop-orders-get", r#"{"no": "TEXT"}"#),
    ("shop-orders-create", r#"{"total": 1, "note": "TEXT"}"#),
    ("shop-orders-update", r#"{"no": 1, "set": {"note": "TEXT", "state": "TEXT"}}"#),
    ("shop-find", r#"{"text": "TEXT"}"#),
];

/// Fills a text into the arguments.
pub(crate) fn filled(value: &Value, text: &str) -> Value {
    match value {
        Value::String(held) => held.replace("TEXT", text).into(),
        Value::Array(items) => Value::Array(items.iter().map(|it| filled(it, text)).collect()),
        Value::Object(members) => {
            let name = |name: &str| name.replace("TEXT", text);
            Value::Object(members.iter().map(|(at, it)| (name(at), filled(it, text))).collect())
        }
        other => other.clone(),
    }
}
