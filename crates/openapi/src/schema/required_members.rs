//! Copies the keywords that require members of an object: `required` and `dependentRequired`. An entry that is not a
//! name is left out and reported; a value that a default or the session fills in is not required.

use callgate_tool::{Object, Value};
use callgate_tree::{Node, Object as NodeObject, Path};
use hashbrown::HashSet;

use crate::{code::Code, schema::Builder};

/// Returns true if a schema itself requires a member.
pub(super) fn requires_member(object: &NodeObject, name: &str) -> bool {
    object.list("required").iter().any(|required| required.as_str() == Some(name))
}

pub(super) fn copy_required(
    builder: &mut Builder<'_>,
    object: &NodeObject,
    path: &Path<'_>,
    built: &mut Object,
) {
    let Some(value) = object.get("required") else { return };
    // A Swagger 2.0 parameter is its own schema, and its `required: true` is about the parameter.
    let is_parameter = object.text("in").is_some();
    if is_parameter && builder.document.version().is_swagger() {
        return;
    }
    let Some(names) = required_names(builder, value, path) else { return };
    let mut kept: Vec<Value> = Vec::new();
    let mut seen_names = HashSet::new();
    for name in names {
        let property = object.get("properties").and_then(|properties| properties.get(name));
        let is_asked = || match property {
            Some(property) => builder.requires_property(property, path),
            None => !builder.is_member_left_out(name),
        };
        if seen_names.insert(name) && is_asked() {
            kept.extend(builder.copy_text_or_report(name).map(Value::String));
        }
    }
    built.insert_unless_empty("required", kept);
}

/// The value of `dependentRequired`: the names that each name requires.
pub(super) fn dependent_required(
    builder: &mut Builder<'_>,
    members: &NodeObject,
    path: &Path<'_>,
) -> Value {
    let mut kept = Object::new();
    for (name, value) in members.iter() {
        let required = required_names(builder, value, &path.name(name));
        let required: Vec<Value> = required.into_iter().flatten().map(Value::from).collect();
        kept.insert_unless_empty(&**name, required);
    }
    Value::Object(kept)
}

/// The names of a list; `None`, with a finding, if it is not a list.
fn required_names<'n>(
    builder: &mut Builder<'_>,
    value: &'n Node,
    path: &Path<'_>,
) -> Option<Vec<&'n str>> {
    let Some(names) = value.as_array() else {
        let message = format!("expected a list of names, got: {}", value.kind());
        // Authors write `required: true` in the property, as in OpenAPI 2: it names nothing here.
        let help = "list the names in the object's schema";
        builder.findings.warning(Code::DroppedKeyword, path, message, help);
        return None;
    };
    for (at, other) in names.iter().enumerate().filter(|(_, name)| name.as_str().is_none()) {
        let message = format!("expected the name of a member, got: {}", other.kind());
        let help = "write the name as a text; it is left out";
        builder.findings.warning(Code::DroppedKeyword, path.index(at), message, help);
    }
    Some(names.iter().filter_map(Node::as_str).collect())
}
