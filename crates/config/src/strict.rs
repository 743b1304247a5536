//! The verdict of the crate `openapiv3` on a description of OpenAPI 3.0, part by part, so that one fault hides no
//! other. It is a second opinion: the parser of `callgate-openapi` decides what becomes a tool.

use callgate_tool::Value as Read;
use callgate_tool::pointer_segment;
use openapiv3::{
    Callback, Example, Header, Link, OpenAPI, Operation, Parameter, PathItem, ReferenceOr,
    RequestBody, Response, Schema, SecurityScheme,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A part of a description that the types of `openapiv3` cannot represent.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct StrictFault {
    /// The JSON pointer of the part.
    pub pointer: String,
    /// The fault in the crate's own words.
    pub message: String,
}

/// The parts of a description that the types of `openapiv3` refuse, in order; empty if they accept all.
///
/// ```
/// # use callgate_config::strict_faults;
/// # use callgate_tool::json;
/// let faults = strict_faults(&json!({
///     "openapi": "3.0.3",
///     "info": {"title": "Pets", "version": "1"},
///     "paths": {"/pets": {"get": {"operationId": "listPets"}}},
/// }));
/// assert_eq!(faults[0].pointer, "/paths/~1pets/get");
/// assert_eq!(faults[0].message, "missing field `responses`");
/// ```
pub fn strict_faults(description: &Read) -> Vec<StrictFault> {
    let mut whole = description.to_serde_json();
    let version = whole.get("openapi").and_then(Value::as_str).unwrap_or_default();
    if !version.starts_with("3.0") {
        let message = "the strict verdict is on OpenAPI 3.0 only".to_owned();
        return vec![StrictFault { pointer: "/openapi".to_owned(), message }];
    }
    let mut faults = Vec::new();
    for (path, mut item) in take_members(&mut whole, "paths") {
        let at = format!("/paths/{}", pointer_segment(&path));
        check_path_item(&at, &mut item, &mut faults);
    }
    let mut components = Value::Object(take_members(&mut whole, "components"));
    for (section, check) in SECTIONS {
        for (name, part) in take_members(&mut components, section) {
            check(&format!("/components/{section}/{}", pointer_segment(&name)), part, &mut faults);
        }
    }
    check_part::<OpenAPI>("", whole, &mut faults);
    faults
}

fn check_path_item(at: &str, item: &mut Value, faults: &mut Vec<StrictFault>) {
    // Extensions of paths may have any value.
    if at.starts_with("/paths/x-") {
        return;
    }
    for method in METHODS {
        if let Some(operation) = item.as_object_mut().and_then(|item| item.remove(method)) {
            check_part::<Operation>(&format!("{at}/{method}"), operation, faults);
        }
    }
    check_part::<ReferenceOr<PathItem>>(at, item.take(), faults);
}

fn check_part<T: DeserializeOwned>(at: &str, part: Value, faults: &mut Vec<StrictFault>) {
    if let Err(error) = serde_json::from_value::<T>(part) {
        faults.push(StrictFault { pointer: at.to_owned(), message: error.to_string() });
    }
}

/// Removes the members of a member, which are checked separately and not again with the whole.
fn take_members(whole: &mut Value, name: &str) -> Map<String, Value> {
    match whole.get_mut(name) {
        Some(Value::Object(members)) => std::mem::take(members),
        // A value that is not a mapping stays, and the check of the whole reports it.
        _ => Map::new(),
    }
}

type Check = fn(&str, Value, &mut Vec<StrictFault>);

/// The sections of `components`, each with the type of its parts.
const SECTIONS: [(&str, Check); 9] = [
    ("callbacks", check_part::<ReferenceOr<Callback>>),
    ("examples", check_part::<ReferenceOr<Example>>),
    ("headers", check_part::<ReferenceOr<Header>>),
    ("links", check_part::<ReferenceOr<Link>>),
    ("parameters", check_part::<ReferenceOr<Parameter>>),
    ("requestBodies", check_part::<ReferenceOr<RequestBody>>),
    ("responses", check_part::<ReferenceOr<Response>>),
    ("schemas", check_part::<ReferenceOr<Schema>>),
    ("securitySchemes", check_part::<ReferenceOr<SecurityScheme>>),
];

const METHODS: [&str; 8] = ["delete", "get", "head", "options", "patch", "post", "put", "trace"];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn found(member: &str, value: &Value, expected: &[&str]) {
        let mut whole =
            json!({"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": {}});
        whole[member] = value.clone();
        let read = Read::parse(&whole.to_string()).unwrap();
        let faults = strict_faults(&read);
        let pointers: Vec<_> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
        assert_eq!(pointers, expected, "{faults:?}");
    }

    #[test]
    fn a_fault_in_a_typed_description_hides_no_other() {
        let wrong = json!({"get": {}, "post": {"responses": {}}, "put": {"responses": 7}});
        found(
            "paths",
            &json!({"/a": wrong, "/b": {"get": {"responses": {}}}}),
            &["/paths/~1a/get", "/paths/~1a/put"],
        );
        let schemas = json!({"schemas": {"Good": {"type": "string"}, "Bad": {"type": "string", "maxLength": "long"}}});
        found("components", &schemas, &["/components/schemas/Bad"]);
    }

    #[test]
    fn a_well_formed_typed_description_has_no_fault() {
        found("paths", &json!({"x-note": 7, "/a": {"$ref": "#/b"}}), &[]);
        found("info", &json!({"title": "t"}), &[""]);
        found("openapi", &json!("3.1.0"), &["/openapi"]);
    }
}
