//! Tests the parameters of operations, their locations, and the findings about them.

use callgate_tool::{Value, json};

use super::*;
use crate::{findings::Findings, sample::document};

/// Checks the parameters, one line for each, then the codes of the findings.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
fn check(item: Value, operation: Value, expected: &[&str]) {
    let document = document(json!({"item": item, "operation": operation, "components": {
        "parameters": {"limit": {"name": "limit", "in": "query", "schema": {}}}}}));
    let level = |name: &str| LocatedNode {
        node: document.root().get(name).unwrap(),
        pointer: format!("/{name}").into(),
    };
    let mut findings = Findings::default();
    let mut known = ParameterCache::default();
    let cursor = Cursor::new(&document, &mut findings);
    let parameters =
        operation_parameters(&mut known, cursor, &[&level("operation"), &level("item")]);
    let lines = parameters.iter().map(|parameter| {
        let encoding = match &parameter.placement {
            Placement::Body => "body".to_owned(),
            Placement::Querystring { media_type, .. } => media_type.to_string(),
            Placement::Cookie(encoding)
            | Placement::Header(encoding)
            | Placement::Path(encoding)
            | Placement::Query(encoding) => match encoding {
                Encoding::Content { media_type } => media_type.to_string(),
                Encoding::Styled(Styled { style, explode, .. }) => {
                    format!("{style:?} {explode}")
                }
            },
        };
        let place = parameter.location().as_str();
        format!("{place} {} {} {encoding}", parameter.name, parameter.required)
    });
    let codes = findings.into_diagnostics();
    let codes = codes.iter().map(|finding| finding.code.as_str().to_owned());
    assert_eq!(lines.collect::<Vec<_>>().into_iter().chain(codes).collect::<Vec<_>>(), expected);
}

#[test]
fn an_operation_overrides_its_path_item() {
    let item = json!({"parameters": [
        {"name": "id", "in": "path", "required": true, "schema": {}},
        {"name": "limit", "in": "query", "required": true, "schema": {}}]});
    let operation = json!({"parameters": [{"$ref": "#/components/parameters/limit"}]});
    check(item, operation, &["path id true Simple false", "query limit false Form true"]);
}

#[test]
fn parameter_styles_have_a_default_for_each_location() {
    let parameters = ["path", "query", "header", "cookie"]
        .map(|place| json!({"name": "a", "in": place, "required": true, "schema": {}}));
    check(
        json!({}),
        json!({"parameters": parameters}),
        &[
            "path a true Simple false",
            "query a true Form true",
            "header a true Simple false",
            "cookie a true Form true",
        ],
    );
}

#[test]
fn parameter_styles_are_used_only_in_locations_that_allow_them() {
    let row = |place: &str, style: &str| json!({"name": style, "in": place, "required": true, "style": style});
    check(
        json!({}),
        json!({"parameters": [row("query", "deepObject"), row("path", "matrix"), row("query", "label"), row("cookie", "cookie")]}),
        &[
            "query deepObject true DeepObject false",
            "path matrix true Matrix false",
            "query label true Form true",
            "cookie cookie true Cookie true",
            "invalid-style",
        ],
    );
}

#[test]
fn a_parameter_with_content_is_written_by_its_media_type() {
    let content = json!({"Application/JSON; charset=utf-8": {"schema": {"type": "object"}}});
    let parameter = json!({"name": "filter", "in": "query", "content": content});
    check(json!({}), json!({"parameters": [parameter]}), &["query filter false application/json"]);
}

#[test]
fn a_malformed_parameter_does_not_hide_the_others() {
    let parameters = json!([
        {"in": "query"}, 7, {"name": "a", "in": "body"}, {"$ref": "#/nothing"},
        {"name": "good", "in": "query"}, {"name": "good", "in": "query"},
        {"name": "id", "in": "path"}]);
    check(
        json!({"parameters": null}),
        json!({"parameters": parameters}),
        &[
            "query good false Form true",
            "path id true Simple false",
            "malformed-node",
            "malformed-node",
            "malformed-node",
            "missing-reference",
            "duplicate-parameter",
            "optional-path-parameter",
        ],
    );
    check(json!({"parameters": {}}), json!({}), &["malformed-node"]);
}
