//! References in every place the specifications allow them, through several documents, and what becomes of those that
//! lead nowhere.

use crate::prelude::*;
use callgate_openapi::{Unavailable, UnavailableReason};

use crate::schemas::about_schemas;

/// Loads a description and the documents it needs from these, each a name and a text. What is not among them is refused.
fn loaded(version: &str, text: &str, others: &[(&str, &str)]) -> Loaded {
    let text = format!("openapi: {version}\nservers: [{{url: https://a.example}}]\n{text}");
    let limits = Limits::default();
    let document = Document::read(text.as_bytes(), &limits).expect("a description");
    let mut document = document.value.with_name("openapi.yaml");
    for _ in 0..others.len() + 2 {
        for name in document.missing_documents() {
            match others.iter().find(|(known, _)| *known == &*name) {
                Some((_, text)) => {
                    let text = format!("---\n{text}");
                    document
                        .supply(&name, read(text.as_bytes(), &limits.text).expect("a tree").value);
                }
                None => document.refuse(&name, missing()),
            }
        }
    }
    assert_eq!(document.missing_documents(), [], "nothing is asked for for ever");
    load(&document, &LoadOptions::default())
}

pub(super) fn missing() -> Unavailable {
    let reason = UnavailableReason::Unreadable;
    Unavailable { reason, expected: "a reference to a file".to_owned() }
}

fn line(found: &Diagnostic) -> String {
    let file = found.file.as_deref().map(|file| format!("{file}#")).unwrap_or_default();
    format!("{} {file}{}", found.code.as_str(), found.pointer)
}

/// The input schema of the only operation, and the findings.
#[track_caller]
pub(super) fn check(
    version: &str,
    text: &str,
    others: &[(&str, &str)],
    expected: &Value,
    found: &[&str],
) {
    let loaded = loaded(version, text, others).with_schema_findings();
    let schema = loaded.operations.first().map(|operation| {
        operation.declaration().unwrap().input_schema.to_value()["properties"].clone()
    });
    let mut schema = schema.unwrap_or(Value::Null);
    if let Some(operation) = loaded.operations.first() {
        let definitions = &operation.declaration().unwrap().input_schema.to_value()["$defs"];
        if !definitions.is_null() {
            schema["$defs"] = definitions.clone();
        }
    }
    assert_eq!(schema, *expected);
    let lines: Vec<String> = about_schemas(&loaded).map(line).collect();
    assert_eq!(lines, found);
}

/// A description whose only operation has the query parameter `q` with this schema.
pub(super) fn query(schema: &str) -> String {
    format!(
        "paths: {{/a: {{get: {{summary: A, parameters: [{{name: q, in: query, schema: {schema}}}]}}}}}}\n"
    )
}

#[test]
fn every_object_of_an_operation_may_be_in_another_file() {
    check(
        "3.0.3",
        "paths: {'/a/{id}': {$ref: 'paths/a.yaml'}}",
        &[
            (
                "paths/a.yaml",
                "{parameters: [{$ref: '../parameters.yaml#/id'}], post: {$ref: '../operations/a.yaml'}}",
            ),
            (
                "parameters.yaml",
                "id: {name: id, in: path, required: true, schema: {$ref: 'schemas/id.yaml'}}",
            ),
            ("schemas/id.yaml", "type: integer"),
            (
                "operations/a.yaml",
                "{operationId: a, summary: A, requestBody: {$ref: '../bodies.yaml#/a'}, responses: {200: {$ref: '../nothing.yaml'}}}",
            ),
            (
                "bodies.yaml",
                "a: {required: true, content: {application/json: {schema: {$ref: 'schemas/a.yaml'}}}}",
            ),
            (
                "schemas/a.yaml",
                "{type: object, required: [b], properties: {b: {$ref: '#/c/0'}}, c: [{type: string}]}",
            ),
        ],
        &json!({
            "id": {"$ref": "#/$defs/id"},
            "b": {"$ref": "#/$defs/Schema_0"},
            "$defs": {"id": {"type": "integer"}, "Schema_0": {"type": "string"}},
        }),
        &["missing-reference operations/a.yaml#/responses/200"],
    );
}

#[test]
fn an_object_that_is_not_a_schema_is_not_read_as_one() {
    let components = "components: {parameters: {p: {name: p, in: query, schema: {}}}, responses: {r: {description: r}}, pathItems: {i: {get: {}}}}\n";
    for (reference, kind) in [
        ("#/paths/~1a", "a path item"),
        ("#/components/pathItems/i", "a path item"),
        ("#/components/parameters/p", "a parameter"),
        ("#/components/responses/r", "a response"),
    ] {
        for schema in ["{$ref: 'REF'}", "{type: object, properties: {x: {$ref: 'REF'}}}"] {
            let text = query(&schema.replace("REF", reference)) + components;
            let loaded = loaded("3.1.0", &text, &[]).with_schema_findings();
            let told: Vec<_> = about_schemas(&loaded).map(line).collect();
            assert!(matches!(&told[..], [one] if one.starts_with("dropped-keyword ")), "{told:?}");
            let message = &loaded.report.diagnostics[0].message;
            assert!(message.contains(&format!("expected a schema, got {kind}")), "{message}");
            assert_eq!(loaded.operations.len(), 1);
        }
    }
}

#[test]
fn a_header_with_an_illegal_name_is_a_finding() {
    for name in ["X Own", "X-\u{e9}", "a:b", "{x}"] {
        for (required, n_operations) in [(false, 1), (true, 0)] {
            let parameter = format!(
                "{{name: '{name}', in: header, required: {required}, schema: {{type: string}}}}"
            );
            let text = format!("paths: {{/a: {{get: {{summary: A, parameters: [{parameter}]}}}}}}");
            let loaded = loaded("3.0.3", &text, &[]).with_schema_findings();
            let told: Vec<_> = about_schemas(&loaded).map(line).collect();
            assert_eq!(told, ["malformed-node /paths/~1a/get/parameters/0"], "{name}");
            assert_eq!(loaded.operations.len(), n_operations, "{name} {required}");
        }
    }
}

#[test]
fn files_that_refer_to_each_other_are_read_once() {
    check(
        "3.0.3",
        &query("{$ref: 'a.yaml#/a'}"),
        &[
            ("a.yaml", "a: {properties: {b: {$ref: 'b.yaml'}}}"),
            (
                "b.yaml",
                "{properties: {a: {$ref: './a.yaml#/a'}, root: {$ref: 'openapi.yaml#/components/schemas/c'}}}",
            ),
        ],
        &json!({
            "q": {"$ref": "#/$defs/a"},
            "$defs": {
                "a": {"properties": {"b": {"$ref": "#/$defs/b"}}},
                "b": {"properties": {"a": {"$ref": "#/$defs/a"}, "root": {}}},
            },
        }),
        &["missing-reference b.yaml#/properties/root"],
    );
    check(
        "3.0.3",
        &query("{$ref: 'a.yaml'}"),
        &[("a.yaml", "$ref: b.yaml"), ("b.yaml", "$ref: a.yaml")],
        &json!({"q": {}}),
        &["cyclic-reference /paths/~1a/get/parameters/0/schema"],
    );
}

#[test]
fn another_file_may_refer_back_to_the_description() {
    let text = query("{$ref: 'a.yaml'}") + "components: {schemas: {b: {type: string}}}";
    check(
        "3.0.3",
        &text,
        &[("a.yaml", "items: {$ref: 'openapi.yaml#/components/schemas/b'}")],
        &json!({
            "q": {"$ref": "#/$defs/a"},
            "$defs": {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {"type": "string"}},
        }),
        &[],
    );
}

#[test]
fn an_anchor_names_a_schema() {
    let text =
        query("{$ref: '#pet'}") + "components: {schemas: {Pet: {$anchor: pet, type: string}}}";
    let expected = json!({"q": {"$ref": "#/$defs/Pet"}, "$defs": {"Pet": {"type": "string"}}});
    let mut anchored = expected.clone();
    anchored["$defs"]["Pet"]["$anchor"] = json!("pet");
    check("3.1.0", &text, &[], &anchored, &[]);
    check(
        "3.1.0",
        &query("{$ref: 'a.yaml#pet'}"),
        &[("a.yaml", "Pet: {$anchor: pet, type: string}")],
        &expected,
        &[],
    );
}

#[test]
fn an_anchor_is_declared_where_it_is_a_name_of_its_own() {
    let declared = |schemas: &str, pet: Value| {
        let text = query("{$ref: '#/components/schemas/Pet'}")
            + &format!("components: {{schemas: {{{schemas}}}}}");
        let expected = json!({"q": {"$ref": "#/$defs/Pet"}, "$defs": {"Pet": pet}});
        check("3.1.0", &text, &[], &expected, &[]);
    };
    declared("Pet: {$anchor: pet}", json!({"$anchor": "pet"}));
    // Legal text, but not of an anchor.
    declared("Pet: {$anchor: 'p/t'}", json!({}));
    declared("Cat: {$anchor: pet}, Pet: {$anchor: pet}", json!({}));
    declared("Cat: {$id: 'https://a.example/cat', $anchor: pet}, Pet: {$anchor: pet}", json!({}));
}

#[test]
fn an_id_changes_what_references_are_relative_to() {
    let text = query("{$ref: 'https://schemas.example/pets/pet'}")
        + r"
components:
  schemas:
    Pet: {$id: 'https://schemas.example/pets/pet', properties: {owner: {$ref: owner}, name: {$ref: '#/$defs/name'}},
      $defs: {name: {type: string}}}
    Owner: {$id: 'https://schemas.example/pets/owner', type: integer}
";
    check(
        "3.1.0",
        &text,
        &[],
        &json!({
            "q": {"$ref": "#/$defs/Pet"},
            "$defs": {
                "Pet": {"properties": {"owner": {"$ref": "#/$defs/Owner"}, "name": {"$ref": "#/$defs/name"}}},
                "Owner": {"type": "integer"},
                "name": {"type": "string"},
            },
        }),
        &[],
    );
}

#[test]
fn an_id_that_is_no_address_does_not_break_references() {
    let text = query("{$id: 'urn:x:y', items: {$ref: '#/components/schemas/Pet'}}")
        + "components: {schemas: {Pet: {$id: '#/components/schemas/Pet', type: string}}}";
    check(
        "3.1.0",
        &text,
        &[],
        &json!({"q": {"items": {"$ref": "#/$defs/Pet"}}, "$defs": {"Pet": {"type": "string"}}}),
        &[],
    );
}

#[test]
fn members_beside_the_reference_of_a_path_item_are_read() {
    let text = r"
paths:
  /a:
    $ref: '#/components/pathItems/a'
    parameters: [{name: own, in: query, schema: {type: string}}]
components:
  pathItems:
    a: {parameters: [{name: other, in: query, schema: {type: string}}], get: {summary: A}}
";
    let string = json!({"type": "string"});
    check("3.1.0", text, &[], &json!({"own": string, "other": string}), &[]);
}

#[test]
fn names_in_pointers_are_unescaped() {
    let text = query("{$ref: '#/components/schemas/a~1b%20%7Ec'}")
        + "components: {schemas: {'a/b ~c': {type: string}}}";
    // `~c` is written `~0c`: a lone `~` is taken as it stands.
    check(
        "3.0.3",
        &text,
        &[],
        &json!({"q": {"$ref": "#/$defs/a_1b__c"}, "$defs": {"a_1b__c": {"type": "string"}}}),
        &[],
    );
}

#[test]
fn a_reference_in_an_example_is_plain_data() {
    let text = "paths: {/a: {get: {summary: A, responses: {200: {content: {application/json: {example: {$ref: a.yaml}}}}}}}}
components: {schemas: {example: {$ref: b.yaml}}}";
    let text = format!("openapi: 3.0.3\n{text}");
    let document = Document::read(text.as_bytes(), &Limits::default()).expect("a description");
    assert_eq!(document.value.missing_documents(), ["b.yaml".into()]);
}

#[test]
fn documents_outside_of_the_directory_are_never_requested() {
    let texts = r"../a.yaml %2e%2e/a.yaml /etc/passwd file:///etc/passwd
        http://169.254.169.254/latest //169.254.169.254/latest a/../../b c:\\a
        https://user@example.com/a";
    for reference in texts.split_whitespace() {
        let text = format!("openapi: 3.1.0\n{}", query(&format!("{{$ref: \"{reference}\"}}")));
        let document = Document::read(text.as_bytes(), &Limits::default()).expect("a description");
        assert_eq!(document.value.missing_documents(), [], "{reference}");
        let loaded = load(&document.value, &LoadOptions::default());
        assert!(loaded.operations.is_empty(), "{reference}");
        let codes: Vec<_> =
            loaded.report.diagnostics.iter().map(|found| found.code.as_str()).collect();
        assert!(codes.contains(&"external-reference"), "{codes:?}");
    }
}

#[test]
fn unresolved_references_that_no_call_needs_are_noted() {
    let text = "paths:
  /a:
    get:
      summary: A
      parameters:
      - {name: q, in: query, schema: true, examples: {x: {$ref: '#/components/examples/none'}}}
      requestBody: {content: {text/plain: {examples: {x: {$ref: '#/components/examples/no'}}}}}
      responses:
        '200':
          links: {a: {$ref: '#/components/links/none'}}
          headers: {X: {$ref: '#/components/headers/none'}, Y: {examples: {x: {$ref: 'other.yaml'}}}}
          content: {text/plain: {examples: {x: {$ref: '#/components/examples/real'}, y: {$ref: '#/no'}}}}
        '404': {$ref: '#/components/responses/none'}
        default: {$ref: '#/components/responses/loop'}
      callbacks: {c: {$ref: '#/components/callbacks/none'}}
components:
  examples: {real: {value: {$ref: '#/data'}}}
  responses: {loop: {$ref: '#/components/responses/loop'}}
";
    let loaded = loaded("3.1.0", text, &[]).with_schema_findings();
    assert_eq!(loaded.report.count(OperationStatus::Exposed), 1);
    let found = loaded.report.diagnostics;
    assert!(found.iter().all(|found| found.severity == Severity::Note));
    let lines: Vec<String> = found.iter().map(line).collect();
    let expected = [
        "/parameters/0/examples/x",
        "/requestBody/content/text~1plain/examples/x",
        "/responses/200/headers/X",
        "/responses/200/headers/Y/examples/x",
        "/responses/200/links/a",
        "/responses/200/content/text~1plain/examples/y",
        "/responses/404",
        "/responses/default",
        "/callbacks/c",
    ];
    let expected = expected.map(|at| format!("missing-reference /paths/~1a/get{at}"));
    assert_eq!(lines, expected);
}
