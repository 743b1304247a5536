//! The body of a request as a person writes it: its members may stand beside the body that is one argument, and
//! `body=@order.json` also works for a tool whose arguments are the members.

use callgate::{Arguments, Entry};
use callgate_openapi::InputLocation;
use callgate_tool::{Object, Value};

use crate::guide::Guide;

/// The name for the whole body of an operation whose tool has no argument for it.
pub(super) const NAME: &str = "body";

pub(super) fn whole_body_argument(entry: Option<Entry<'_>>) -> Option<&str> {
    let operation =
        entry?.operation().filter(|operation| operation.body_as_arguments_name().is_none())?;
    let inputs = operation.inputs.iter();
    let mut bodies =
        inputs.filter(|input| input.place() == InputLocation::Body && input.name.is_empty());
    bodies.next().filter(|input| input.visible).map(|input| input.argument.as_str())
}

/// Moves values that only the body has a member for into the body, unless the given body is not an object.
pub(super) fn move_members_into_body(arguments: &mut Arguments, guide: Guide<'_>, body: &str) {
    let Some(inside) = guide.member(body) else { return };
    let is_member = |name: &&String| guide.member(name).is_none() && inside.member(name).is_some();
    let moved: Vec<String> = arguments.keys().filter(is_member).cloned().collect();
    let is_free = |given: &Value| {
        given
            .as_object()
            .is_some_and(|members| moved.iter().all(|name| !members.contains_key(name)))
    };
    if moved.is_empty() || !arguments.get(body).is_none_or(is_free) {
        return;
    }
    let mut members = match arguments.remove(body) {
        Some(Value::Object(members)) => members,
        _ => Object::new(),
    };
    for name in moved {
        let value = arguments.remove(&name).unwrap_or_default();
        members.insert(name, value);
    }
    arguments.insert(body.to_owned(), Value::Object(members));
}

/// Splits a `body` that is an object if its members are arguments and none is named `body`. Fails with a name given twice.
pub(super) fn split_body_argument(
    arguments: &mut Arguments,
    guide: Guide<'_>,
    entry: Option<Entry<'_>>,
) -> Result<(), String> {
    let operation = entry.and_then(Entry::operation);
    let mut inputs = operation.iter().flat_map(|operation| &operation.inputs);
    let has_members = inputs.any(|input| input.place() == InputLocation::Body);
    if !has_members || guide.member(NAME).is_some() {
        return Ok(());
    }
    let whole = match arguments.get(NAME) {
        Some(Value::String(text)) => Value::parse(text).ok(),
        given => given.cloned(),
    };
    let Some(Value::Object(members)) = whole else { return Ok(()) };
    if let Some(name) = members.keys().find(|name| arguments.contains_key(name.as_str())) {
        return Err(name.clone());
    }
    arguments.remove(NAME);
    arguments.extend(members);
    Ok(())
}
