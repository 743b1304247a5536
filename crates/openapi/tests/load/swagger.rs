//! Whole Swagger 2.0 descriptions, as text: each rule of 2.0 that later versions say otherwise, and what becomes of it.

use crate::prelude::*;
use callgate_openapi::{Encoding, Input};

fn loaded_with(text: &str, options: &LoadOptions) -> Loaded {
    let text = format!("swagger: '2.0'\n{text}");
    let document = Document::read(text.as_bytes(), &Limits::default()).expect("a description");
    load(&document.value, options)
}

fn loaded(text: &str) -> Loaded {
    loaded_with(&format!("host: api.example.com\n{text}"), &LoadOptions::default())
}

/// How each parameter is written.
fn encodings(operation: &Operation) -> Vec<String> {
    let line = |input: &Input| match &input.placement {
        Placement::Cookie(Encoding::Styled(styled))
        | Placement::Header(Encoding::Styled(styled))
        | Placement::Path(Encoding::Styled(styled))
        | Placement::Query(Encoding::Styled(styled)) => {
            format!("{} {:?} {}", input.name, styled.style, styled.explode)
        }
        _ => input.name.to_string(),
    };
    operation.inputs.iter().map(line).collect()
}

#[track_caller]
fn check_server(text: &str, address: Option<&str>, expected: &str) {
    let options = LoadOptions {
        document_url: address.map(|address| address.parse().expect("an address")),
        ..LoadOptions::default()
    };
    let loaded = loaded_with(&format!("{text}\npaths: {{/a: {{get: {{summary: A}}}}}}"), &options);
    let found = loaded.operations.first().map(|operation| operation.server.url.to_string());
    let found = found.unwrap_or_else(|| loaded.report.diagnostics[0].code.as_str().to_owned());
    assert_eq!(found, expected);
}

#[test]
fn a_server_is_made_of_scheme_host_and_base_path() {
    let address = Some("http://docs.example.com/api/swagger.json");
    for (text, address, expected) in [
        ("{host: a.example, basePath: /v1/, schemes: [http, https]}", None, "https://a.example/v1"),
        ("{host: 'a.example:8080', schemes: [http]}", None, "http://a.example:8080/"),
        ("{host: a.example}", None, "https://a.example/"),
        ("{host: a.example}", address, "http://a.example/"),
        ("{basePath: /v1}", address, "http://docs.example.com/v1"),
        ("{basePath: /v1}", None, "https://server.invalid/v1"),
        ("{host: a.example, schemes: [ws]}", None, "invalid-server"),
        ("{host: 'u:p@a.example'}", None, "invalid-server"),
        ("{host: 'https://a.example', basePath: /v1}", None, "https://a.example/v1"),
        ("{host: 'http://a.example', schemes: [https]}", None, "https://a.example/"),
        ("{host: 'http://a.example'}", None, "http://a.example/"),
        ("{host: 'HTTPS://a.example:8443/', basePath: /v1}", None, "https://a.example:8443/v1"),
        ("{host: a.example/, basePath: /v1}", None, "https://a.example/v1"),
        ("{host: //a.example}", None, "https://a.example/"),
        ("{host: ' a.example'}", None, "https://a.example/"),
        ("{host: a.example/v1}", None, "https://a.example/v1"),
        ("{host: a.example/v1, basePath: /v1/}", None, "https://a.example/v1"),
        ("{host: a.example, basePath: v1}", None, "https://a.example/v1"),
        ("{host: a.example/api, basePath: /v1}", None, "invalid-server"),
        ("{host: '{tenant}.a.example'}", None, "invalid-server"),
        ("{host: '{{host}}'}", None, "invalid-server"),
        ("{host: a.example, basePath: '/{version}'}", None, "invalid-server"),
        ("{host: a.example, basePath: 'https://a.example/v1'}", None, "invalid-server"),
        ("{host: a.example, basePath: a.example/v1}", None, "invalid-server"),
        ("{host: a.example, basePath: '/v1?x=1'}", None, "invalid-server"),
        ("{host: 'https:'}", None, "invalid-server"),
        ("{host: 'https://https://a.example'}", None, "invalid-server"),
        ("{host: 'ftp://a.example'}", None, "invalid-server"),
        ("{host: 'a.example\\b'}", None, "invalid-server"),
        ("{host: 'a example'}", None, "invalid-server"),
        ("{host: '0x7f.1'}", None, "invalid-server"),
    ] {
        let members = text.trim_matches(['{', '}']).replace(", basePath", "\nbasePath");
        check_server(&members.replace(", schemes", "\nschemes"), address, expected);
    }
}

#[test]
fn a_swagger_operation_may_have_its_own_scheme() {
    let loaded = loaded("schemes: [https]\npaths: {/a: {get: {schemes: [http]}, put: {}}}");
    let urls: Vec<_> =
        loaded.operations.iter().map(|operation| operation.server.url.as_str()).collect();
    assert_eq!(urls, ["http://api.example.com/", "https://api.example.com/"]);
}

#[test]
fn a_collection_format_chooses_the_separator_of_items() {
    let loaded = loaded(
        r"
paths:
  /a/{path}:
    parameters: [{$ref: '#/parameters/path'}]
    get:
      summary: A
      parameters:
        - {name: plain, in: query, type: array, items: {type: string}}
        - {name: multi, in: query, type: array, items: {type: string}, collectionFormat: multi}
        - {name: ssv, in: query, type: array, items: {type: string}, collectionFormat: ssv}
        - {name: tsv, in: query, type: array, items: {type: string}, collectionFormat: tsv}
        - {name: pipes, in: header, type: array, items: {type: string}, collectionFormat: pipes}
        - {name: wrong, in: header, type: array, items: {type: string}, collectionFormat: multi}
parameters:
  path: {name: path, in: path, required: true, type: array, items: {type: string}, collectionFormat: csv}
",
    );
    assert_eq!(
        lines(&loaded),
        ["GET /a/{path} degraded get_a_path", "invalid-style GET /a/{path}"]
    );
    assert_eq!(
        encodings(&loaded.operations[0]),
        [
            "path Simple false",
            "plain Form false",
            "multi Form true",
            "ssv SpaceDelimited false",
            "tsv TabDelimited false",
            "pipes PipeDelimited false",
            "wrong Simple false",
        ]
    );
}

#[test]
fn lists_in_a_list_have_a_format_of_their_own() {
    let check = |parameter: &str, expected: &[&str], found: &[&str]| {
        let text = format!(
            "paths: {{/a: {{get: {{summary: A, parameters: [{{name: a, type: array, {parameter}}}]}}}}}}\ndefinitions: {{list: {{type: array, items: {{type: string}}, collectionFormat: ssv}}}}"
        );
        let loaded = loaded(&text);
        let Some(
            Placement::Header(Encoding::Styled(styled))
            | Placement::Path(Encoding::Styled(styled))
            | Placement::Query(Encoding::Styled(styled)),
        ) = loaded.operations[0].inputs.first().map(|input| &input.placement)
        else {
            panic!("{parameter}");
        };
        let items = &styled.items;
        let items: Vec<_> = items.iter().map(|style| format!("{style:?}")).collect();
        assert_eq!(items, expected, "{parameter}");
        let codes: Vec<_> =
            loaded.report.diagnostics.iter().map(|found| found.code.as_str()).collect();
        assert_eq!(codes, found, "{parameter}");
    };
    let list = "items: {type: array, items: {type: string}";
    let formats = |outer: &str, inner: &str| {
        format!("in: query, collectionFormat: {outer}, {list}, collectionFormat: {inner}}}")
    };
    check("in: query, items: {type: string, collectionFormat: pipes}", &[], &[]);
    check(&formats("csv", "pipes"), &["PipeDelimited"], &[]);
    check(&formats("multi", "csv"), &["Simple"], &[]);
    check(&formats("pipes", "pipes"), &["PipeDelimited"], &["ambiguous-list"]);
    check(&format!("in: query, {list}}}"), &["Simple"], &["ambiguous-list"]);
    check(&formats("pipes", "multi"), &["Simple"], &["invalid-style"]);
    check(&formats("ssv", "7"), &["Simple"], &["invalid-style"]);
    check("in: query, items: {$ref: '#/definitions/list'}", &["SpaceDelimited"], &[]);
    check(
        "in: query, collectionFormat: multi, items: {type: array, items: {type: array, items: {}}}",
        &["Simple", "Simple"],
        &["ambiguous-list"],
    );
    check(
        "in: query, items: {type: array, collectionFormat: ssv, items: {type: array, items: {}}}",
        &["SpaceDelimited", "Simple"],
        &["ambiguous-list"],
    );
}

#[test]
fn a_swagger_parameter_is_read_as_its_own_schema() {
    let loaded = loaded(
        r"
paths:
  /a:
    get:
      summary: A
      parameters:
        - {name: limit, in: query, required: true, type: integer, format: int32, minimum: 1, exclusiveMinimum: true, description: D}
        - {name: sort, in: query, type: string, enum: [a, b], default: a, x-nullable: true}
        - {name: user, in: header, required: true, type: string, x-agent-input-parameter: user}
",
    );
    assert_eq!(lines(&loaded.clone().with_schema_findings()), ["GET /a exposed get_a"]);
    assert_eq!(
        inputs(&loaded),
        [
            "limit = query limit required",
            "sort = query sort default \"a\"",
            "user = header user required $session.params.user",
        ]
    );
    let schema = loaded.operations[0].declaration().unwrap().input_schema.to_value();
    assert_eq!(
        schema["properties"],
        json!({
            "limit": {"type": "integer", "format": "int32", "exclusiveMinimum": 1, "description": "D"},
            "sort": {"type": ["string", "null"], "enum": ["a", "b", null], "default": "a"},
            "user": {"type": "string"},
        })
    );
    assert_eq!(schema["required"], json!(["limit"]));
}

#[test]
fn a_swagger_body_parameter_is_the_body() {
    let text = |schema: &str| {
        format!(
            r"
consumes: [application/json]
paths:
  /a:
    post: {{summary: A, parameters: [{{name: pet, in: body, required: true, description: D, schema: {schema}}}]}}
    put: {{summary: A, consumes: [application/xml, application/vnd.a+json], parameters: [{{$ref: '#/parameters/pet'}}]}}
parameters:
  pet: {{name: pet, in: body, schema: {{type: array, items: {{type: string}}}}}}
definitions:
  Pet: {{type: object, required: [name], properties: {{name: {{type: string}}}}}}
"
        )
    };
    let flat = loaded(&text("{$ref: '#/definitions/Pet'}"));
    assert_eq!(inputs(&flat), ["name = body name required"]);
    let types = |operation: &Operation| {
        let media = operation.body.as_ref().expect("a body").media.iter();
        media.map(|media| media.media_type.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(types(&flat.operations[0]), ["application/json"]);
    assert_eq!(types(&flat.operations[1]), ["application/vnd.a+json", "application/xml"]);
    assert_eq!(inputs(&loaded(&text("{type: string}"))), ["body = body required"]);
}

#[test]
fn swagger_form_data_parameters_make_a_form() {
    let loaded = loaded(
        r"
paths:
  /a/{id}:
    post:
      summary: A
      consumes: [application/x-www-form-urlencoded, multipart/form-data]
      parameters:
        - {name: id, in: path, required: true, type: string}
        - {name: id, in: formData, required: true, type: string}
        - {name: tags, in: formData, type: array, items: {type: string}, collectionFormat: multi}
        - {name: ids, in: formData, type: array, items: {type: string}}
    put:
      summary: A
      consumes: [application/json]
      parameters: [{name: photo, in: formData, type: file}, {name: id, in: path, required: true, type: string}]
",
    );
    assert_eq!(
        inputs(&loaded),
        [
            "path_id = path id required",
            "body_id = body id required",
            "tags = body tags",
            "ids = body ids",
        ]
    );
    let [post, put] = loaded.operations.as_slice() else { panic!("two operations") };
    let form = post.body.as_ref().expect("a body");
    assert_eq!(form.media[0].kind, BodyKind::Form);
    assert_eq!(form.media[1].kind, BodyKind::Multipart);
    let styles = form.media[0].encodings.iter().map(|property| match &property.styled {
        Some(styled) => format!("{} {:?} {}", property.name, styled.style, styled.explode),
        None => property.name.to_string(),
    });
    assert_eq!(styles.collect::<Vec<_>>(), ["id", "tags Form true", "ids Form false"]);
    let file = put.body.as_ref().expect("a body");
    assert!(!file.required);
    assert_eq!(file.media[0].media_type.as_ref(), "multipart/form-data");
    assert!(file.media[0].encodings[0].is_binary);
    let schema = put.declaration().unwrap().input_schema.to_value();
    let photo = &schema["properties"]["photo"]["anyOf"];
    assert_eq!(photo[0]["contentEncoding"], "base64");
    assert_eq!(photo[1]["properties"]["filename"], json!({"type": "string"}));
}

#[test]
fn answers_have_the_media_types_of_produces() {
    let loaded = loaded(
        r"
produces: [application/xml, application/json]
paths:
  /a: {get: {responses: {'200': {$ref: '#/responses/ok'}}}}
  /b: {get: {produces: [text/csv], responses: {'200': {schema: {type: string}}}}}
responses:
  ok: {description: OK, schema: {$ref: '#/definitions/Pet'}}
definitions:
  Pet: {type: object, discriminator: kind, properties: {kind: {type: string}, name: {type: string, x-nullable: true}}}
",
    );
    let [first, second] = loaded.operations.as_slice() else { panic!("two operations") };
    assert_eq!(*first.accept, ["application/xml".into(), "application/json".into()]);
    let output = first.declaration().unwrap().output_schema().expect("an output schema");
    assert_eq!(
        output.to_value()["$defs"]["Pet"]["properties"]["name"],
        json!({"type": ["string", "null"]})
    );
    assert_eq!(*second.accept, ["text/csv".into()]);
    assert!(second.declaration().unwrap().output_schema().is_none());
}

#[test]
fn a_second_body_of_a_swagger_operation_is_reported() {
    let loaded = loaded(
        "paths: {/a: {post: {summary: A, parameters: [{name: b, in: body, schema: {type: string}}, {name: f, in: formData, type: string}]}}}",
    );
    assert_eq!(lines(&loaded), ["POST /a degraded post_a", "malformed-node POST /a"]);
    assert_eq!(inputs(&loaded), ["body = body"]);
}
