//! Parameters: each place, style, way to explode and type.

use crate::prelude::*;
use proptest::prelude::*;

use super::{
    check,
    decode::{Row, Shape},
    list, name, object, single, text,
};

const STYLES: [(&str, &str, &[bool]); 9] = [
    ("path", "simple", &[false, true]),
    ("path", "label", &[false, true]),
    ("path", "matrix", &[false, true]),
    ("query", "form", &[false, true]),
    ("query", "spaceDelimited", &[false]),
    ("query", "pipeDelimited", &[false]),
    ("header", "simple", &[false, true]),
    ("cookie", "form", &[false, true]),
    ("query", "deepObject", &[true]),
];
const KINDS: [&str; 4] = ["boolean", "integer", "number", "string"];

fn parameter(row: Row, schema: Value, reserved: bool) -> Plan {
    let path = if row.place == "path" { "/{color}" } else { "/" };
    let mut parameter = json!({"name": "color", "in": row.place, "required": true,
        "style": row.style, "explode": row.explode, "schema": schema});
    if reserved {
        parameter["allowReserved"] = json!(true);
    }
    operation("get", path, json!({"parameters": [parameter]}))
}

fn schema(shape: Shape, kind: &str) -> Value {
    match shape {
        Shape::List => json!({"type": "array", "items": {"type": kind}}),
        Shape::Object => json!({"type": "object", "additionalProperties": {"type": kind}}),
        Shape::Single => json!({"type": kind}),
    }
}

fn values(shape: Shape, kind: &str) -> BoxedStrategy<Value> {
    match shape {
        Shape::List => list(kind).boxed(),
        Shape::Object => object(kind).boxed(),
        Shape::Single => single(kind),
    }
}

fn check_row(row: Row, reserved: bool) {
    let plan = parameter(row, schema(row.shape, row.kind), reserved);
    let values = values(row.shape, row.kind);
    check(&format!("{row:?}"), (&plan, "color"), values, |request| row.decoded(request));
}

/// The rows of some styles.
fn rows(shapes: &[Shape], is_chosen: impl Fn(&str) -> bool) -> Vec<Row> {
    let mut rows = Vec::new();
    for (place, style, explodes) in STYLES.into_iter().filter(|(_, style, _)| is_chosen(style)) {
        let combined =
            explodes.iter().flat_map(|explode| shapes.iter().map(move |shape| (*explode, *shape)));
        rows.extend(combined.flat_map(|(explode, shape)| {
            KINDS.map(|kind| Row { place, style, explode, shape, kind })
        }));
    }
    rows
}

#[test]
fn parameters_of_every_style_decode_to_their_arguments() {
    let all = [Shape::Single, Shape::List, Shape::Object];
    for row in
        rows(&all, |style| !matches!(style, "deepObject" | "pipeDelimited" | "spaceDelimited"))
    {
        check_row(row, false);
    }
    // These two are defined for lists and objects only.
    for row in rows(&[Shape::List, Shape::Object], |style| style.ends_with("Delimited")) {
        check_row(row, false);
    }
}

#[test]
fn unescaped_reserved_characters_decode_to_their_arguments() {
    for (shape, explode) in
        [(Shape::Single, true), (Shape::List, true), (Shape::List, false), (Shape::Object, false)]
    {
        let row = Row { place: "query", style: "form", explode, shape, kind: "string" };
        check_row(row, true);
    }
}

/// Texts in objects and lists in objects, nested so deep at most.
fn nested(depth: u32) -> impl Strategy<Value = Value> {
    let leaf = text().prop_map(Value::from);
    let inner = leaf.prop_recursive(depth, 24, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from);
        let members = prop::collection::btree_map(name(), inner, 1..4);
        prop_oneof![list, members.prop_map(|members| Value::Object(members.into_iter().collect()))]
    });
    prop::collection::btree_map(name(), inner, 1..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

#[test]
fn deep_object_parameters_decode_to_their_arguments() {
    let row = Row {
        place: "query",
        style: "deepObject",
        explode: true,
        shape: Shape::Object,
        kind: "string",
    };
    let plan = parameter(row, json!({"type": "object"}), false);
    check("deepObject", (&plan, "color"), nested(3), |request| row.decoded(request));
}

#[test]
fn json_parameters_decode_to_their_arguments() {
    for place in ["path", "query", "cookie", "header"] {
        let path = if place == "path" { "/{color}" } else { "/" };
        let content = json!({"application/json": {"schema": {}}});
        let parameter = json!({"name": "color", "in": place, "required": true, "content": content});
        let plan = operation("get", path, json!({"parameters": [parameter]}));
        let row =
            Row { place, style: "simple", explode: false, shape: Shape::Single, kind: "json" };
        check(place, (&plan, "color"), nested(3), |request| row.decoded(request));
    }
}
