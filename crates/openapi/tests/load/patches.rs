//! What a model is told of `null` in the bodies of merge patches (RFC 7396): it removes a member that may be absent.

use crate::prelude::*;

const PATCH: &str = "application/merge-patch+json";

/// The schema that is declared and the one that is checked, of a body in one media type.
fn schemas(media_type: &str, schema: &Value) -> [Value; 2] {
    let paths = format!(
        "paths: {{/a: {{patch: {{summary: A, requestBody: {{required: true, content: {{{media_type}: {{schema: {schema}}}}}}}}}}}}}
components:
  schemas:
    Owner: {{type: object, required: [id], properties: {{id: {{type: string}}, name: {{type: string, enum: [a, b]}}, next: {{$ref: '#/components/schemas/Owner'}}}}}}
"
    );
    let loaded = loaded(&paths, &LoadOptions::default());
    let operation = &loaded.operations[0];
    let declared = operation.declaration().unwrap().input_schema.to_value();
    [declared, operation.arguments_schema().clone()]
}

#[test]
fn merge_patch_members_that_may_be_removed_accept_null() {
    let schema = json!({"type": "object", "required": ["id"], "properties": {
        "id": {"type": "string"}, "size": {"type": "integer"}, "owner": {"$ref": "#/components/schemas/Owner"},
        "tags": {"type": "array", "items": {"$ref": "#/components/schemas/Owner"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}}}});
    let [declared, complete] = schemas(PATCH, &schema);
    let properties = &declared["properties"];
    assert_eq!(properties["id"], json!({"type": "string"}));
    assert_eq!(properties["size"], json!({"type": ["integer", "null"]}));
    assert_eq!(
        properties["owner"],
        json!({"anyOf": [{"$ref": "#/$defs/Owner"}, {"type": "null"}]})
    );
    let labels =
        json!({"type": ["object", "null"], "additionalProperties": {"type": ["string", "null"]}});
    assert_eq!(properties["labels"], labels);
    let owner = &declared["$defs"]["Owner"]["properties"];
    assert_eq!(owner["id"], json!({"type": "string"}));
    assert_eq!(owner["name"], json!({"type": ["string", "null"], "enum": ["a", "b", null]}));
    // A list is replaced as a whole: `null` in its items removes nothing.
    let item = &properties["tags"]["items"]["$ref"];
    let name = item.as_str().unwrap().trim_start_matches("#/$defs/");
    let item = &declared["$defs"][name]["properties"];
    assert_eq!(item["name"], json!({"type": "string", "enum": ["a", "b"]}));
    // What is checked says nothing of it: a call knows what `null` means in the media type it is sent in.
    assert_eq!(complete["properties"]["size"], json!({"type": "integer"}));
}

#[test]
fn the_members_of_a_merge_patch_body_argument_accept_null() {
    let schema = json!({"type": "object", "properties": {"size": {"type": "integer"}}});
    let [declared, _] = schemas(PATCH, &schema);
    let body = json!({"type": "object", "properties": {"size": {"type": ["integer", "null"]}}});
    assert_eq!(declared["properties"]["body"], body);
    let [declared, _] = schemas("application/json", &schema);
    assert_eq!(declared["properties"]["body"], schema);
}

/// The findings about a PATCH of `/things/{id}` that requires what a POST or PUT requires.
fn shared_patches(text: &str) -> Vec<String> {
    let document = Document::read(text.as_bytes(), &Limits::default()).expect("a description");
    let report = load(&document.value, &LoadOptions::default()).with_schema_findings().report;
    let found = report.diagnostics.iter().filter(|found| found.code == Code::PatchRequires);
    found.map(|found| found.message.clone()).collect()
}

#[test]
fn a_patch_with_the_schema_of_a_creation_is_reported_however_the_schema_is_shared() {
    let whole = "{type: object, required: [name], properties: {name: {type: string}}}";
    let optional = "{type: object, properties: {name: {type: string}}}";
    let schema = |schema: &str| format!("{{content: {{application/json: {{schema: {schema}}}}}}}");
    let reference = schema("{$ref: '#/components/schemas/Thing'}");
    let wrapped = schema("{allOf: [{$ref: '#/components/schemas/Thing'}]}");
    let composed = schema("{$ref: '#/components/schemas/More'}");
    let second = "{content: {application/x-www-form-urlencoded: {schema: {type: object}}, \
                  application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}";
    let body = "{$ref: '#/components/requestBodies/Thing'}";
    for (create, change, expected) in [
        (&*reference, &*reference, true),
        (&*schema(whole), &*schema(whole), true),
        (&*reference, &*wrapped, true),
        (&*composed, &*composed, true),
        (second, second, true),
        (body, body, true),
        (body, &*reference, true),
        (&*schema(whole), &*schema(optional), false),
        (&*schema(optional), &*schema(optional), false),
        (&*schema(optional), &*reference, false),
    ] {
        for (path, method) in [("/things", "post"), ("/things/", "put"), ("/things/{id}", "put")] {
            let change = format!("patch: {{summary: C, requestBody: {change}}}");
            let create = format!("{method}: {{summary: A, requestBody: {create}}}");
            let item = "parameters: [{name: id, in: path, required: true, schema: {type: string}}]";
            let paths = if path.ends_with('}') {
                format!("{{'/things/{{id}}': {{{item}, {change}, {create}}}}}")
            } else {
                format!("{{'{path}': {{{create}}}, '/things/{{id}}': {{{item}, {change}}}}}")
            };
            let text = format!(
                "openapi: 3.1.0\nservers: [{{url: https://a.example}}]\npaths: {paths}\ncomponents:\n  schemas:\n    \
                 Thing: {whole}\n    More: {{allOf: [{{$ref: '#/components/schemas/Thing'}}, {optional}]}}\n  \
                 requestBodies: {{Thing: {{content: {{application/json: {{schema: {whole}}}}}}}}}\n"
            );
            let found = shared_patches(&text);
            assert_eq!(found.len(), usize::from(expected), "{text} {found:?}");
            let words = format!("of {} {path}, which requires `name`", method.to_uppercase());
            assert!(found.iter().all(|message| message.ends_with(&words)), "{found:?}");
        }
    }
}

#[test]
fn a_patch_of_swagger_with_the_schema_of_a_creation_is_reported() {
    let body = "{name: b, in: body, schema: {$ref: '#/definitions/Thing'}}";
    let text = format!(
        "swagger: '2.0'\nhost: a.example\npaths:\n  /things: {{post: {{summary: A, parameters: [{body}]}}}}\n  \
         '/things/{{id}}': {{patch: {{summary: C, parameters: [{{name: id, in: path, required: true, type: string}}, {body}]}}}}\n\
         definitions: {{Thing: {{type: object, required: [name], properties: {{name: {{type: string}}}}}}}}\n"
    );
    assert_eq!(shared_patches(&text).len(), 1);
}
