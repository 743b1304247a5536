//! Tools whose arguments are the members of their body: how they are declared, and which operations cannot be such tools.

use crate::prelude::*;

fn wanted() -> LoadOptions {
    LoadOptions { body_arguments: vec!["make".to_owned()], ..LoadOptions::default() }
}

/// The operation `make` with these keys, as one line of YAML each.
fn operation(keys: &str) -> Arc<Operation> {
    let paths =
        format!("paths:\n  /a:\n    post:\n      operationId: make\n      summary: A\n{keys}\n");
    Arc::clone(&loaded(&paths, &wanted()).operations[0])
}

/// The operation with a body of this schema.
fn with_body(schema: &str) -> Arc<Operation> {
    operation(&format!(
        "      requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}\n\
         components:\n  schemas:\n    Pet: {{type: object, properties: {{name: {{type: string}}, child: {{$ref: '#/components/schemas/Pet'}}}}}}\n    \
         Named: {{properties: {{name: {{type: string}}}}}}\n    Alias: {{$ref: '#/components/schemas/Named'}}"
    ))
}

#[track_caller]
fn declares(schema: &str, expected: &Value) {
    let operation = with_body(schema);
    assert_eq!(operation.no_body_arguments, None, "{schema}");
    assert_eq!(operation.declaration().unwrap().input_schema.to_value(), *expected, "{schema}");
}

#[test]
fn the_schema_of_the_body_is_that_of_the_arguments() {
    declares(
        "{type: object, required: [a], minProperties: 2, properties: {a: {type: string}, b: {$ref: '#/components/schemas/Named'}}, \
         anyOf: [{required: [b]}, {maxProperties: 1}], additionalProperties: {type: integer}}",
        &json!({
            "type": "object",
            "required": ["a"],
            "minProperties": 2,
            "properties": {"a": {"type": "string"}, "b": {"$ref": "#/$defs/Named"}},
            "anyOf": [{"required": ["b"]}, {"maxProperties": 1}],
            "additionalProperties": {"type": "integer"},
            "$defs": {"Named": {"properties": {"name": {"type": "string"}}}},
        }),
    );
}

#[test]
fn the_members_of_a_referenced_body_schema_are_arguments() {
    let named = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    declares("{$ref: '#/components/schemas/Alias'}", &named);
    let pet = json!({"name": {"type": "string"}, "child": {"$ref": "#/$defs/Pet"}});
    declares(
        "{$ref: '#/components/schemas/Pet'}",
        &json!({
            "type": "object",
            "properties": pet,
            "$defs": {"Pet": {"type": "object", "properties": pet}},
        }),
    );
}

#[test]
fn a_composition_of_objects_is_an_object() {
    declares(
        "{oneOf: [{$ref: '#/components/schemas/Named'}, {type: object}]}",
        &json!({
            "type": "object",
            "oneOf": [{"$ref": "#/$defs/Named"}, {"type": "object"}],
            "$defs": {"Named": {"properties": {"name": {"type": "string"}}}},
        }),
    );
}

#[test]
fn a_body_of_several_media_types_is_sent_in_the_preferred_one() {
    let operation = operation(
        "      requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object}}, \
         application/json: {schema: {type: object, properties: {a: {type: string}}}}}}",
    );
    assert_eq!(operation.no_body_arguments, None);
    let media = &operation.body.as_ref().unwrap().media;
    assert_eq!(
        media.iter().map(|media| &*media.media_type).collect::<Vec<_>>(),
        ["application/json"]
    );
    let declared = operation.declaration().unwrap().input_schema.to_value();
    assert_eq!(declared, json!({"type": "object", "properties": {"a": {"type": "string"}}}));
}

#[test]
fn a_member_is_repeated_in_the_header_that_its_schema_names() {
    let operation =
        with_body("{type: object, properties: {region: {type: string, x-mcp-header: Region}}}");
    let headers = &operation.declaration().unwrap().mcp_headers;
    assert_eq!(**headers, [(vec!["region".to_owned()], "Region".to_owned())]);
}

#[test]
fn the_outline_of_an_operation_lists_the_members_of_its_body() {
    let operation =
        with_body("{type: object, properties: {a: {type: string, description: First}}}");
    assert_eq!(operation.outline().arguments, [("a", "First".into())]);
}

#[track_caller]
fn refuses(keys: &str, expected: &str) {
    let operation = operation(keys);
    let why = operation.no_body_arguments.as_ref().map(ToString::to_string);
    assert_eq!(why.as_deref(), Some(expected), "{keys}");
}

#[test]
fn body_arguments_of_a_body_that_is_not_an_object_are_refused() {
    let json = |schema: &str| {
        format!("      requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}")
    };
    refuses("", "no body");
    refuses(
        "      requestBody: {content: {text/plain: {schema: {type: string}}}}",
        "a body of type `text/plain`",
    );
    let texts = "{} | {type: array, items: {type: object}} | {type: object, nullable: true}
        | {anyOf: [{type: object}, {type: string}]} | {required: [a]}";
    for schema in texts.split('|').map(str::trim) {
        refuses(&json(schema), "a body that need not be an object");
    }
    refuses(
        &json("{type: object, x-ces-session-context: $context.body}"),
        "a body that the session gives",
    );
    let body = json("{type: object}");
    let query = |more: &str| {
        format!(
            "      parameters: [{{name: dry, in: query, schema: {{type: boolean{more}}}}}]\n{body}"
        )
    };
    refuses(&query(""), "the argument `dry` beside it");
    refuses(&query(", x-agent-input-parameter: dry"), "the argument `dry` beside it");
    let hidden = operation(&query(", x-ces-session-context: $context.dry"));
    assert_eq!(hidden.no_body_arguments, None);
}

#[test]
fn other_operations_keep_their_arguments() {
    let paths = "
paths:
  /a:
    post:
      operationId: other
      summary: A
      requestBody: {content: {application/json: {schema: {type: object}}}}
";
    let loaded = loaded(paths, &wanted());
    let operation = &loaded.operations[0];
    assert_eq!((operation.body_as_arguments_name(), &operation.no_body_arguments), (None, &None));
    let declared = operation.declaration().unwrap().input_schema.to_value();
    assert_eq!(declared["properties"]["body"], json!({"type": "object"}));
}
