//! Small whole descriptions, as text, and what becomes of their operations.

use crate::prelude::*;
use callgate_openapi::{ArgumentHeader, ArgumentHeaders, InputLocation};
use callgate_tool::ToolsetName;

/// Loads a description of these paths, with a server.
pub(crate) fn loaded(paths: &str, options: &LoadOptions) -> Loaded {
    let text = format!("openapi: 3.0.3\nservers: [{{url: https://api.example.com/v1}}]\n{paths}");
    let document = Document::read(text.as_bytes(), &Limits::default()).expect("a description");
    assert_eq!(document.diagnostics, []);
    load(&document.value, options)
}

/// One line an operation, then the codes of the findings.
pub(crate) fn lines(loaded: &Loaded) -> Vec<String> {
    let operations = loaded.report.operations.iter().map(|operation| {
        let tool = operation.tool.as_ref().map(ToString::to_string);
        format!("{} {} {}", operation.label(), operation.status.as_str(), tool.unwrap_or_default())
    });
    let codes = loaded.report.diagnostics.iter().map(|found| {
        format!("{} {}", found.code.as_str(), found.operation.as_deref().unwrap_or_default())
    });
    operations.chain(codes).map(|line| line.trim_end().to_owned()).collect()
}

/// One line an input of the only operation.
pub(crate) fn inputs(loaded: &Loaded) -> Vec<String> {
    let operation = loaded.operations.first().expect("an operation");
    let line = |input: &callgate_openapi::Input| {
        let place = input.place().as_str();
        let mut line = format!("{} = {place} {}", input.argument, input.name).trim_end().to_owned();
        for (mark, holds) in [
            (" required".to_owned(), input.required),
            (" hidden".to_owned(), !input.visible),
            (format!(" {}", input.source.reference()), !input.source.reference().is_empty()),
        ] {
            line.push_str(if holds { &mark } else { "" });
        }
        let default = input.default.as_ref().map(|value| format!(" default {value}"));
        line + &default.unwrap_or_default()
    };
    operation.inputs.iter().map(line).collect()
}

#[track_caller]
fn check(paths: &str, expected: &[&str]) {
    assert_eq!(lines(&loaded(paths, &LoadOptions::default())), expected);
}

#[track_caller]
fn check_inputs(paths: &str, expected: &[&str]) {
    assert_eq!(inputs(&loaded(paths, &LoadOptions::default())), expected);
}

#[test]
fn operations_of_all_methods_become_tools() {
    check(
        r"
paths:
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]
    get: {operationId: getPet, summary: Reads a pet}
    delete: {summary: Deletes a pet}
    x-note: none
  x-other: {}
",
        &["GET /pets/{petId} exposed getPet", "DELETE /pets/{petId} exposed delete_pets_petId"],
    );
}

#[test]
fn a_malformed_operation_does_not_hide_the_others() {
    check(
        r"
paths:
  /a: {get: {operationId: a, summary: A, parameters: [{$ref: '#/nothing'}]}}
  /b: {get: 7}
  /c: {get: {operationId: c, summary: C, requestBody: {$ref: './c.yaml'}}}
  /d: {get: {operationId: d, summary: D}}
  /e: {get: {operationId: e}}
  /../f: {get: {operationId: f, summary: F}}
  /g: {$ref: '#/nothing'}
  /h: {get: {$ref: 'h.yaml'}}
",
        &[
            "GET /a degraded a",
            "GET /b refused",
            "GET /c refused",
            "GET /d exposed d",
            "GET /e exposed e",
            "GET /../f refused",
            "GET /h refused",
            "missing-reference",
            "missing-reference GET /a",
            "malformed-node GET /b",
            "external-reference GET /c",
            "no-description GET /e",
            "hostile-path GET /../f",
            "external-reference GET /h",
        ],
    );
}

#[test]
fn operations_on_one_path_may_differ_by_a_fragment() {
    check(
        r"
paths:
  /files/{id}: {put: {summary: A, parameters: [{name: id, in: path, required: true, schema: {}}]}}
  '/files/{id}#lock': {put: {summary: A, parameters: [{name: id, in: path, required: true, schema: {}}]}}
  '/files?a=1#lock': {put: {summary: A}}
",
        &[
            "PUT /files/{id} exposed put_files_id",
            "PUT /files/{id}#lock exposed put_files_id_lock",
            "PUT /files?a=1#lock exposed put_files_a_1_lock",
            "path-fragment",
        ],
    );
}

#[test]
fn variables_in_the_query_of_a_path_are_query_parameters() {
    let text = r"
paths:
  /now?at={place}&key={key}&unit=m: {get: {summary: A, parameters: [
    {name: place, in: path, required: true, schema: {type: integer}}, {name: key, in: query, schema: {}}]}}
  '/day?at={lat},{lon}': {get: {summary: A, parameters: [{name: lat, in: path, required: true, schema: {}}]}}
";
    check(
        text,
        &[
            "GET /now?at={place}&key={key}&unit=m degraded get_now_at_place_key_key_unit_m",
            "GET /day?at={lat},{lon} degraded get_day_at_lat_lon",
            "path-query GET /now?at={place}&key={key}&unit=m",
            "path-query GET /day?at={lat},{lon}",
        ],
    );
    let loaded = loaded(text, &LoadOptions::default());
    let inputs = loaded.operations.iter().flat_map(|operation| &operation.inputs);
    let shown: Vec<_> = inputs
        .map(|input| format!("{} {} {}", input.place().as_str(), input.name, input.required))
        .collect();
    assert_eq!(shown, ["query key false", "query at true", "query at true"]);
}

#[test]
fn operators_of_uri_templates_are_found_and_are_no_part_of_a_name() {
    let text = r"
paths:
  /v1/{+name}: {get: {summary: A, parameters: [{name: name, in: path, required: true, schema: {}}]}}
  /v2/{+name}: {get: {summary: A, parameters: [{name: +name, in: path, required: true, schema: {}}]}}
";
    check(
        text,
        &[
            "GET /v1/{+name} degraded get_v1_name",
            "GET /v2/{+name} exposed get_v2_name",
            "malformed-node GET /v1/{+name}",
        ],
    );
}

#[test]
fn operations_beyond_the_limit_are_refused() {
    let text = "openapi: 3.0.3
servers: [{url: https://a.example}]
paths: {/a: {get: {summary: A}, put: {summary: A}}, /b: {get: {summary: A}}}";
    let limits = Limits { operations: 1, ..Limits::default() };
    let document = Document::read(text.as_bytes(), &limits).unwrap().value;
    let report = load(&document, &LoadOptions::default()).report;
    assert_eq!(report.operations.len(), 3);
    assert_eq!(report.count(OperationStatus::Refused), 2);
}

#[test]
fn a_mismatch_of_path_parameters_and_template_is_reported() {
    check(
        r"
paths:
  /a/{b}:
    get: {summary: A, operationId: a, parameters: [{name: c, in: path, required: true, schema: {}}]}
  /a/{d}:
    get: {summary: A, operationId: b, parameters: [{name: d, in: path, schema: {}}]}
",
        &[
            "GET /a/{b} degraded a",
            "GET /a/{d} exposed b",
            "unused-path-parameter GET /a/{b}",
            "undeclared-path-parameter GET /a/{b}",
            "optional-path-parameter GET /a/{d}",
        ],
    );
}

#[test]
fn the_members_of_a_plain_object_body_are_arguments() {
    check_inputs(
        r"
paths:
  /pets/{id}:
    post:
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
        - {name: 'filter[status]', in: query, schema: {type: string, default: free}}
        - {name: Authorization, in: header, required: true, schema: {type: string}}
        - {name: X-Forwarded-For, in: header, required: true, schema: {type: string}}
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
components:
  schemas:
    Pet:
      type: object
      required: [name, created]
      properties:
        name: {type: string}
        age: {$ref: '#/components/schemas/Age'}
        created: {type: string, readOnly: true}
    Age: {type: integer, default: 1}
",
        &[
            "id = path id required",
            "filter_status = query filter[status] default \"free\"",
            "name = body name required",
            "age = body age default 1",
        ],
    );
}

#[test]
fn any_other_body_is_one_argument() {
    for (schema, required) in [
        ("{type: array, items: {type: string}}", true),
        ("{type: object, properties: {id: {}}}", true),
        ("{allOf: [{type: object, properties: {a: {}}}]}", true),
        ("{type: object, additionalProperties: {type: string}}", true),
        ("{type: object, properties: {a: {}}, additionalProperties: true}", true),
        ("{type: object, properties: {a: {}}, minProperties: 1}", true),
        ("{type: object}", true),
        ("{type: object, properties: {a: {}}}", false),
        ("{type: object, properties: {a: {}}}", true),
        ("{type: object, required: [a], properties: {a: {default: 1}, b: {}}}", true),
        ("{type: object, required: [a], properties: {a: {enum: [1]}, b: {}}}", true),
    ] {
        let text = format!(
            r"
paths:
  /a/{{id}}:
    post:
      parameters: [{{name: id, in: path, required: true, schema: {{}}}}]
      requestBody: {{required: {required}, content: {{application/json: {{schema: {schema}}}}}}}
"
        );
        let body = if required { "body = body required" } else { "body = body" };
        check_inputs(&text, &["id = path id required", body]);
    }
}

#[test]
fn session_inputs_have_sources_and_are_hidden_by_rule() {
    let text = r"
paths:
  /a:
    post:
      parameters:
        - {name: user, in: query, schema: {type: string, x-agent-input-parameter: userId}}
        - {name: X-Session, in: header, required: true, schema: {type: string}, x-ces-session-context: $context.session_id}
        - {name: sid, in: query, schema: {$ref: '@dialogflow/sessionId'}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [note]
              properties:
                note: {type: string}
                zip: {type: string, x-agent-input-parameter: $request.payload.zip, default: '94043'}
                owner: {type: object, properties: {email: {x-agent-input-parameter: $session.params.email}}}
";
    let expected = |hidden: &str| {
        [
            format!("user = query user{hidden} $session.params.userId"),
            "X_Session = header X-Session required hidden $context.session_id".to_owned(),
            "sid = query sid hidden $context.session_id".to_owned(),
            "note = body note required".to_owned(),
            format!("zip = body zip{hidden} $request.payload.zip default \"94043\""),
            "owner = body owner".to_owned(),
        ]
    };
    let lenient = loaded(text, &LoadOptions::default());
    assert_eq!(inputs(&lenient), expected(""));
    let nested: Vec<_> =
        lenient.operations[0].nested_inputs(None).iter().map(ToString::to_string).collect();
    assert_eq!(nested, ["owner.email"]);
    let strict = LoadOptions { session_inputs: SessionInputs::Strict, ..LoadOptions::default() };
    assert_eq!(inputs(&loaded(text, &strict)), expected(" hidden"));
}

#[test]
fn options_set_the_tool_prefix_and_reserve_credential_locations() {
    let text = r"
paths:
  /a: {get: {operationId: getA, summary: A, parameters: [{name: x-api-key, in: header, required: true, schema: {}}]}}
";
    let options = LoadOptions {
        toolset: ToolsetName::new("pets").ok(),
        credential_places: vec![(InputLocation::Header, "X-Api-Key".to_owned())],
        ..LoadOptions::default()
    };
    let loaded = loaded(text, &options);
    assert_eq!(lines(&loaded), ["GET /a exposed pets-getA", "credential-parameter GET /a"]);
    assert!(inputs(&loaded).is_empty());
}

#[test]
fn an_allowed_header_is_an_input_unless_it_carries_a_credential() {
    let text = r"
components: {securitySchemes: {session: {type: apiKey, in: cookie, name: sid}}}
paths:
  /a: {get: {operationId: getA, summary: A, parameters: &cookie [{name: cookie, in: header, schema: {}}, {name: Host, in: header, schema: {}}]}}
  /b: {get: {operationId: getB, summary: B, parameters: *cookie}}
  /c: {get: {operationId: getC, summary: C, parameters: *cookie, security: [{session: []}]}}
";
    let named = vec![ArgumentHeader::new("Cookie").unwrap()];
    let tools = ["getA", "getC"].map(|tool| (tool.to_owned(), named.clone())).into();
    let options = LoadOptions {
        argument_headers: ArgumentHeaders { all: Vec::new(), tools },
        ..LoadOptions::default()
    };
    let loaded = loaded(text, &options);
    let names = loaded.operations.iter().map(|operation| operation.inputs.len());
    assert_eq!(names.collect::<Vec<_>>(), [1, 0, 0]);
    let operation = &loaded.operations[0];
    assert!(!operation.withholds_header("Cookie") && operation.withholds_header("Host"));
    assert!(loaded.operations[1].withholds_header("Cookie"));
    let said = lines(&loaded);
    assert!(said.contains(&"credential-parameter GET /c".to_owned()), "{said:?}");
}

#[test]
fn status_codes_written_as_numbers_are_read() {
    let loaded = loaded(
        r"
paths:
  /a:
    get:
      responses:
        404: {content: {text/html: {}}}
        200: {content: {application/json: {schema: {type: integer}}, text/csv: {}}}
",
        &LoadOptions::default(),
    );
    let operation = &loaded.operations[0];
    assert_eq!(*operation.accept, ["application/json".into(), "text/csv".into()]);
    let output = operation.declaration().unwrap().output_schema().expect("an output schema");
    assert_eq!(output.to_value().to_string(), r#"{"type":"integer"}"#);
}

#[test]
fn every_media_type_can_be_chosen() {
    let loaded = loaded(
        r"
paths:
  /a:
    patch:
      requestBody:
        required: true
        content:
          application/merge-patch+json: {schema: {type: object, properties: {a: {}}}}
          application/json: {schema: {type: object, properties: {a: {}}}}
          text/xml: {}
",
        &LoadOptions::default(),
    );
    let operation = &loaded.operations[0];
    let body = operation.body.as_ref().expect("a body");
    assert_eq!(
        body.content_type.as_ref().map(ToString::to_string).as_deref(),
        Some("content_type")
    );
    let schema = &operation.arguments_schema()["properties"]["content_type"]["enum"];
    assert_eq!(
        schema.to_string(),
        r#"["application/json","application/merge-patch+json","text/xml"]"#
    );
    // Of those with one schema, and of the one without.
    let body = &operation.arguments_schema()["properties"]["body"]["anyOf"];
    assert_eq!(body[0]["properties"], callgate_tool::json!({"a": {}}));
    assert_eq!(body[1], callgate_tool::json!({"description": "As `text/xml`."}));
    assert_eq!(operation.body.as_ref().unwrap().media[2].alternative, Some(1));
}
