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
