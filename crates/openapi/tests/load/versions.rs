//! What OpenAPI 3.1 and 3.2 say otherwise than 3.0, and what every version says about credentials: whole descriptions,
//! as text, and what becomes of them.

use crate::prelude::*;
use callgate_tool::Effect;

fn loaded(version: &str, text: &str) -> Loaded {
    let text = format!("openapi: {version}\nservers: [{{url: https://api.example.com}}]\n{text}");
    let document = Document::read(text.as_bytes(), &Limits::default()).expect("a description");
    load(&document.value, &LoadOptions::default())
}

#[test]
fn schemas_of_json_schema_are_preserved() {
    let schema = json!({"type": ["string", "null"], "const": "a", "examples": ["a"], "contentEncoding": "base64"});
    let pair = json!({"type": "array", "prefixItems": [{"type": "integer"}], "items": false});
    let text = format!(
        "paths: {{/a: {{get: {{summary: A, parameters: [
            {{name: q, in: query, schema: {schema}}}, {{name: pair, in: query, schema: {pair}}},
            {{name: part, in: query, schema: {{$ref: '#/components/schemas/Whole/$defs/Part', description: D, default: x}}}}]}}}}}}
components: {{schemas: {{Whole: {{$defs: {{Part: {{type: string}}}}}}}}}}"
    );
    let loaded = loaded("3.1.0", &text).with_schema_findings();
    assert_eq!(lines(&loaded), ["GET /a exposed get_a"]);
    let declared = loaded.operations[0].declaration().unwrap().input_schema.to_value();
    let properties = &declared["properties"];
    assert_eq!(properties["q"], schema);
    assert_eq!(properties["pair"], pair);
    assert_eq!(
        properties["part"],
        json!({"$ref": "#/$defs/Part", "description": "D", "default": "x"})
    );
}

#[test]
fn members_beside_the_reference_of_a_body_are_kept() {
    let named = "{type: object, required: [id], properties: {id: {type: string}}}";
    for (version, beside, is_kept) in [
        ("3.1.0", "properties: {extra: {type: string}}", true),
        ("3.1.0", "required: [id]", true),
        ("3.1.0", "description: A name", false),
        ("3.0.3", "properties: {extra: {type: string}}", false),
    ] {
        let schema = format!("{{$ref: '#/components/schemas/Named', {beside}}}");
        let text = format!(
            "paths: {{/a: {{post: {{summary: A, requestBody: {{required: true, content: {{application/json: {{schema: {schema}}}}}}}}}}}}}
components: {{schemas: {{Named: {named}}}}}"
        );
        let declared =
            loaded(version, &text).operations[0].declaration().unwrap().input_schema.to_value();
        let names: Vec<_> = declared["properties"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(names, [if is_kept { "body" } else { "id" }], "{version} {beside}");
        assert_eq!(declared.to_string().contains("extra"), is_kept && beside.contains("extra"));
    }
}

#[test]
fn webhooks_are_no_tools() {
    let webhooks = "webhooks: {new: {post: {summary: N}}}";
    assert_eq!(lines(&loaded("3.1.0", webhooks)), ["ignored-webhooks"]);
    assert_eq!(
        lines(&loaded("3.1.0", &format!("{webhooks}\npaths: {{/a: {{get: {{summary: A}}}}}}"))),
        ["GET /a exposed get_a", "ignored-webhooks"]
    );
    assert_eq!(lines(&loaded("3.1.0", "components: {}")), Vec::<String>::new());
    assert_eq!(lines(&loaded("3.0.3", "components: {}")), ["malformed-node"]);
}

#[test]
fn another_schema_dialect_is_reported() {
    let dialect = |uri: &str| format!("jsonSchemaDialect: {uri}\npaths: {{}}");
    let known = "https://json-schema.org/draft/2020-12/schema";
    assert_eq!(lines(&loaded("3.1.0", &dialect(known))), Vec::<String>::new());
    let old = "http://json-schema.org/draft-07/schema#";
    assert_eq!(lines(&loaded("3.1.0", &dialect(old))), ["schema-dialect"]);
}

#[test]
fn methods_that_3_2_adds_are_operations() {
    let text = r"
paths:
  /a:
    query: {summary: Q, requestBody: {required: true, content: {application/json: {schema: {type: object, required: [q], properties: {q: {type: string}}}}}}}
    additionalOperations:
      COPY: {summary: C}
      CONNECT: {summary: X}
      GET: {summary: G}
";
    let new = loaded("3.2.0", text);
    assert_eq!(
        lines(&new),
        ["QUERY /a exposed query_a", "COPY /a exposed copy_a", "malformed-node", "malformed-node"]
    );
    assert_eq!(new.operations[0].effect, Effect::Read);
    assert_eq!(new.operations[1].effect, Effect::Write);
    assert_eq!(inputs(&new), ["q = body q required"]);
    assert_eq!(lines(&loaded("3.1.0", text)), Vec::<String>::new());
}

#[test]
fn the_query_string_can_be_one_input() {
    let text = r"
paths:
  /a:
    get:
      summary: A
      parameters:
        - {name: all, in: querystring, required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: integer}}}}}}
";
    let new = loaded("3.2.0", text);
    assert_eq!(inputs(&new), ["all = querystring all required"]);
    let (media_type, encodings) = ("application/x-www-form-urlencoded".into(), Box::default());
    let placement = Placement::Querystring { media_type, encodings };
    assert_eq!(new.operations[0].inputs[0].placement, placement);
    assert_eq!(lines(&new), ["GET /a exposed get_a"]);
    let both = format!("{text}        - {{name: b, in: query, schema: {{}}}}\n");
    assert_eq!(lines(&loaded("3.2.0", &both)), ["GET /a degraded get_a", "malformed-node GET /a"]);
    // One that every call would have to give beside the whole.
    let always = both.replace("{name: b, in: query,", "{name: b, in: query, required: true,");
    assert_eq!(lines(&loaded("3.2.0", &always)), ["GET /a refused", "malformed-node GET /a"]);
    assert_eq!(lines(&loaded("3.1.0", text)), ["GET /a degraded get_a", "malformed-node GET /a"]);
}

#[test]
fn a_sequence_is_a_list_of_its_items() {
    let new = loaded(
        "3.2.0",
        r"
paths:
  /a:
    post:
      summary: A
      requestBody:
        required: true
        content:
          application/jsonl:
            itemSchema: {type: object, required: [n], properties: {user: {type: string, x-agent-input-parameter: user}, n: {type: integer, default: 1}}}
",
    );
    let operation = &new.operations[0];
    assert_eq!(inputs(&new), ["body = body required"]);
    assert_eq!(operation.body.as_ref().expect("a body").media[0].kind, BodyKind::JsonLines);
    let schema = &operation.arguments_schema()["properties"]["body"];
    assert_eq!(schema["type"], "array");
    assert_eq!(schema["items"]["properties"]["n"], json!({"type": "integer", "default": 1}));
    let nested: Vec<_> = operation.nested_inputs(None).iter().map(ToString::to_string).collect();
    assert_eq!(nested, ["body[].user", "body[].n"]);
}

#[test]
fn a_parameter_at_the_location_of_a_key_is_not_offered() {
    let text = r"
security: [{key: []}]
paths:
  /a: {get: {summary: A, parameters: [{name: api_key, in: query, required: true, schema: {}}, {name: q, in: query, schema: {}}]}}
  /b: {get: {summary: B, security: [], parameters: [{name: api_key, in: query, schema: {}}]}}
  /c: {get: {summary: C, security: [{other: []}]}}
components: {securitySchemes: {key: {type: apiKey, in: query, name: api_key}}}
";
    let loaded = loaded("3.0.3", text);
    assert_eq!(inputs(&loaded), ["q = query q"]);
    assert_eq!(
        lines(&loaded),
        [
            "GET /a exposed get_a",
            "GET /b exposed get_b",
            "GET /c degraded get_c",
            "credential-parameter GET /a",
            "credential-parameter GET /b",
            "unknown-security-scheme GET /c",
        ]
    );
    let asks = loaded
        .operations
        .iter()
        .map(|operation| (operation.security.is_stated, operation.security.alternatives.len()));
    assert_eq!(asks.collect::<Vec<_>>(), [(true, 1), (true, 0), (true, 1)]);
}
