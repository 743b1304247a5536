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

#[test]
fn a_summary_that_repeats_the_name_is_used_only_where_nothing_else_is() {
    let described = |texts: &str| {
        let get = format!("{{operationId: read_order_orders_get, {texts}}}");
        let operation = operation("3.1.0", &format!("paths: {{/orders: {{get: {get}}}}}"));
        operation.declaration().unwrap().description.clone()
    };
    assert_eq!(described("summary: Read Order, description: Shows it."), "Shows it.");
    assert_eq!(described("summary: Read Order Orders Get, description: Shows it."), "Shows it.");
    assert_eq!(described("summary: Read Order"), "Read Order");
    assert_eq!(
        described("summary: Read an order, description: Shows it."),
        "Read an order\n\nShows it."
    );
}

/// Titles and texts of HTML, and everything else that these schemas say.
const WORDY: &str = "paths:
  /orders:
    post:
      operationId: createOrder
      description: <p>Orders an <b>item</b>.</p><!-- nobody sees this -->
      parameters: [{name: order_id, in: query, description: 'See <a href=\"https://a.example\">a</a>', schema: {title: Order Id, type: integer, minimum: 1}}]
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                item_name: {title: Item Name, type: string, maxLength: 9, description: One &lt;name&gt;}
                amount: {title: How many, type: integer, maximum: 7}
                lines: {type: array, items: {properties: {line_no: {title: Line No, enum: [1, 2]}}}}
";

#[test]
fn declarations_have_plain_text_and_no_titles_that_repeat_names() {
    let operation = operation("3.1.0", WORDY);
    let declared = operation.declaration().unwrap();
    assert_eq!(declared.description, "Orders an item.");
    assert_eq!(
        declared.input_schema.to_value()["properties"],
        json!({
            "order_id": {"type": "integer", "minimum": 1, "description": "See a (https://a.example)"},
            "body": {"type": "object", "properties": {
                "item_name": {"type": "string", "maxLength": 9, "description": "One <name>"},
                "amount": {"title": "How many", "type": "integer", "maximum": 7},
                "lines": {"type": "array", "items": {"properties": {"line_no": {"enum": [1, 2]}}}},
            }},
        })
    );
}

#[test]
fn a_response_has_no_title_that_repeats_the_id_of_its_operation() {
    for (title, expected) in [
        ("Response Read Order Orders  Order Id  Get", None),
        ("An order", Some("An order")),
        ("Response", Some("Response")),
    ] {
        let text = format!(
            "paths:\n  /orders/{{order_id}}:\n    get:\n      operationId: read_order_orders__order_id__get\n      \
             parameters: [{{name: order_id, in: path, required: true, schema: {{type: integer}}}}]\n      responses: {{'200': \
             {{description: ok, content: {{application/json: {{schema: {{type: object, title: '{title}'}}}}}}}}}}\n"
        );
        let operation = operation("3.1.0", &text);
        let declared = operation.declaration().unwrap();
        let schema = declared.output_schema().unwrap().to_value();
        assert_eq!(schema.get("title").and_then(Value::as_str), expected, "{schema}");
    }
}

#[test]
fn texts_that_nobody_sees_are_one_finding() {
    let text = format!(
        "openapi: 3.1.0\nservers: [{{url: https://a.example}}]\n{WORDY}  /other:\n    get: {{description: A<!-- b -->}}\n"
    );
    let document = Document::read(text.as_bytes(), &Limits::default()).expect("a description");
    let report = load(&document.value, &LoadOptions::default()).with_schema_findings().report;
    let found: Vec<_> =
        report.diagnostics.iter().filter(|found| found.code == Code::HiddenText).collect();
    assert_eq!(found.iter().map(|found| found.n_more).collect::<Vec<_>>(), [1]);
}
