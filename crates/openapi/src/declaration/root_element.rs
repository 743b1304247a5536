//! Requires the member of a body that is the root element of its XML: without it there is nothing to write.

use callgate_tool::Value;

use crate::body::{Body, BodyKind, BodyMedia};

/// Requires the member in the schema of a whole body, and in each of its alternatives.
pub(super) fn require_root_element(body: &Body, schema: &mut Value) {
    let n_alternatives = schema.get("anyOf").and_then(Value::as_array).map_or(0, Vec::len);
    let has_alternatives = body.media.iter().any(|media| media.alternative.is_some());
    let Value::Object(members) = schema else { return };
    if !has_alternatives {
        if let Some(name) = wrapper_element_name(body, None) {
            add_required_name(members, &name);
        }
        return;
    }
    for at in 0..n_alternatives {
        let Some(name) = wrapper_element_name(body, Some(at)) else { continue };
        if let Some(Value::Array(alternatives)) = members.get_mut("anyOf")
            && let Some(Value::Object(own)) = alternatives.get_mut(at)
        {
            add_required_name(own, &name);
        }
    }
}

fn wrapper_element_name(body: &Body, alternative: Option<usize>) -> Option<String> {
    let of_media = |media: &BodyMedia| {
        let root =
            media.root.as_ref().filter(|root| root.is_wrapper && media.kind == BodyKind::Xml)?;
        Some(root.name.to_string())
    };
    let mut names =
        body.media.iter().filter(|media| media.alternative == alternative).map(of_media);
    let first = names.next()??;
    names.all(|name| name.as_ref() == Some(&first)).then_some(first)
}

fn add_required_name(schema: &mut callgate_tool::Object, name: &str) {
    let required = schema.entry("required".to_owned()).or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(names) = required
        && !names.iter().any(|required_name| required_name.as_str() == Some(name))
    {
        names.push(name.into());
    }
}
