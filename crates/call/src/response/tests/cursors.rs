//! Cursors of a next page in members without `next`: which are followed, and which are something else.

use super::{
    pages::{next_page_of_call, with_parameters},
    *,
};

/// Checks the arguments for the next page of an operation whose one parameter has this name and schema.
#[track_caller]
fn check((name, schema): (&str, &Value), given: &Value, body: &Value, expected: &Value) {
    let operation = with_parameters(&json!([{"name": name, "in": "query", "schema": schema}]));
    let (next, _) = next_page_of_call(&operation, given, HeaderMap::new(), body);
    assert_eq!(next, *expected, "{name} {schema} {given} {body}");
}

/// Services repeat the cursor of the request, or give that of the page itself beside that of the next one.
#[test]
fn the_cursor_of_the_page_itself_is_no_next_page() {
    let text = json!({"type": "string"});
    let (x, none) = (json!({"cursor": "x"}), json!({}));
    for (given, body, expected) in [
        (&x, json!({"items": [1], "cursor": "x"}), &none),
        (&json!({"cursor": "w"}), json!({"items": [1], "cursor": "x"}), &x),
        (&none, json!({"items": [1], "cursor": "w", "next_cursor": "x"}), &x),
        (&none, json!({"cursor": "w", "pagination": {"nextCursor": "x"}}), &x),
        (&none, json!({"items": [1], "cursor": "w", "next_cursor": null}), &none),
        (&none, json!({"items": [1], "cursor": "w", "next_cursor": ""}), &none),
        (&none, json!({"meta": {"cursor": "w"}, "links": {"next": null}}), &none),
        // The next one of something else says nothing about the page.
        (&none, json!({"items": [1], "cursor": "x", "next_step": null}), &x),
    ] {
        check(("cursor", &text), given, &body, expected);
    }
}

#[test]
fn a_text_is_no_cursor_of_a_parameter_that_takes_numbers() {
    let body = json!({"items": [1], "zone": "Europe/Berlin", "offset": "+02:00"});
    let (followed, none) = (json!({"offset": "+02:00"}), json!({}));
    for (schema, expected) in [
        (json!({"type": "integer"}), &none),
        (json!({"type": "number"}), &none),
        (json!({"type": "string"}), &followed),
        (json!({}), &followed),
    ] {
        check(("offset", &schema), &none, &body, expected);
    }
}
