//! Whose words describe a tool and its arguments: what stands beside a reference (OpenAPI 3.1.1 §4.8.23), its target, the
//! operation, its path item.

use crate::prelude::*;

#[track_caller]
fn operation(version: &str, text: &str) -> Arc<Operation> {
    let text = format!("openapi: {version}\nservers: [{{url: https://a.example}}]\n{text}");
    let document = Document::read(text.as_bytes(), &Limits::default()).expect("a description");
    let loaded = load(&document.value, &LoadOptions::default());
    loaded.operations.first().expect("an operation").clone()
}

/// The description of the argument `name`.
#[track_caller]
fn check(version: &str, text: &str, name: &str, expected: Option<&str>) {
    let operation = operation(version, text);
    let schema = operation.declaration().unwrap().input_schema.to_value();
    assert_eq!(schema["properties"][name]["description"].as_str(), expected);
}

/// A description whose only parameter is this reference to one, or through one to another.
fn parameter(reference: &str) -> String {
    format!(
        "paths: {{/a: {{get: {{summary: A, parameters: [{reference}]}}}}}}
components:
  parameters:
    target: {{name: q, in: query, description: target, schema: {{type: string, description: schema}}}}
    through: {{$ref: '#/components/parameters/target', description: through, summary: no}}
    silent: {{$ref: '#/components/parameters/through'}}
    bare: {{name: q, in: query, schema: {{type: string, description: schema}}}}"
    )
}

#[test]
fn a_description_beside_a_reference_describes_its_target() {
    let target = parameter("{$ref: '#/components/parameters/target', description: own}");
    let plain = parameter("{$ref: '#/components/parameters/target', summary: own}");
    let through = parameter("{$ref: '#/components/parameters/silent'}");
    let nothing = parameter("{$ref: '#/components/parameters/bare'}");
    let number = parameter("{$ref: '#/components/parameters/target', description: 7}");
    for version in ["3.1.0", "3.2.0"] {
        check(version, &target, "q", Some("own"));
        check(version, &plain, "q", Some("target"));
        check(version, &through, "q", Some("through"));
        check(version, &nothing, "q", Some("schema"));
        check(version, &number, "q", Some("target"));
    }
    check("3.0.3", &target, "q", Some("target"));
    check("3.0.3", &through, "q", Some("target"));
}

#[test]
fn a_description_beside_a_reference_describes_a_body() {
    let text = "paths: {/a: {post: {summary: A, requestBody: {$ref: '#/components/requestBodies/b', description: own}}}}
components: {requestBodies: {b: {description: target, content: {application/json: {schema: {type: array}}}}}}";
    check("3.1.0", text, "body", Some("own"));
    check("3.0.3", text, "body", Some("target"));
}

#[test]
fn a_path_item_describes_operations_that_say_nothing() {
    let text = |operation: &str| {
        format!(
            "paths: {{/a: {{$ref: '#/components/pathItems/a', description: own}}}}
components: {{pathItems: {{a: {{summary: item, description: its own, get: {operation}}}}}}}"
        )
    };
    let described =
        |text: &str| operation("3.1.0", text).declaration().unwrap().description.clone();
    assert_eq!(described(&text("{}")), "own");
    assert_eq!(described(&text("{summary: operation}")), "operation");
    assert_eq!(described(&text("{}").replace(", description: own", "")), "item\n\nits own");
    let none = "paths: {/a: {description: ' ', get: {}}}";
    assert_eq!(described(none), "GET /a");
}

#[test]
fn invisible_text_of_a_description_is_removed() {
    let text = "paths: {/a: {get: {summary: A, parameters: [
    {name: own, in: query, description: \"o\\u202ewn\", schema: {type: string}},
    {name: schema, in: query, schema: {type: string, description: \"s\\u202ec\\u200bhema\\u0007\"}}]}}}";
    for name in ["own", "schema"] {
        check("3.1.0", text, name, Some(name));
    }
}

#[test]
fn a_short_summary_is_the_title() {
    for (summary, expected) in [("Find pets", Some("Find pets")), ("''", None)] {
        let operation = operation(
            "3.1.0",
            &format!("paths: {{/a: {{get: {{summary: {summary}, description: D}}}}}}"),
        );
        assert_eq!(operation.declaration().unwrap().title.as_deref(), expected, "{summary}");
    }
    let long = "a".repeat(101);
    let operation = operation("3.1.0", &format!("paths: {{/a: {{get: {{summary: {long}}}}}}}"));
    assert_eq!(operation.declaration().unwrap().title, None);
}
