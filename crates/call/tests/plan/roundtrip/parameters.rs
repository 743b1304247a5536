//! Parameters: each place, style, way to explode and type.

use crate::prelude::*;
use proptest::prelude::*;

use super::{check, list, name, object, single, text};
use crate::differences::{
    case::{Case, Kind, Place, Schema, Version},
    decode::decoded,
};

const STYLES: [(Place, &str, &[bool]); 8] = [
    (Place::Path, "simple", &[false, true]),
    (Place::Path, "label", &[false, true]),
    (Place::Path, "matrix", &[false, true]),
    (Place::Query, "form", &[false, true]),
    (Place::Query, "spaceDelimited", &[false]),
    (Place::Query, "pipeDelimited", &[false]),
    (Place::Header, "simple", &[false, true]),
    (Place::Cookie, "form", &[false, true]),
];

fn case(place: Place, style: &'static str, explode: bool, kind: Kind) -> Case {
    Case {
        version: Version::V30,
        place,
        style: Some(style),
        explode: Some(explode),
        allow_reserved: false,
        allow_empty_value: false,
        is_required: true,
        has_sibling: false,
        schema: Schema::of(kind),
        given: None,
    }
}

fn check_case(case: &Case, values: impl Strategy<Value = Value>) {
    let plan = case.plan().unwrap();
    check(&format!("{case:?}"), (&plan, "color"), values, |request, value| {
        decoded(case, &case.schema.with_types_of(value), request).unwrap()
    });
}

/// The kinds of single values, lists and objects of a JSON type, with their values.
fn kinds(name: &str) -> [(Kind, BoxedStrategy<Value>); 3] {
    let kind = || match name {
        "boolean" => Kind::Boolean,
        "integer" => Kind::Integer,
        "number" => Kind::Number,
        _ => Kind::Text,
    };
    let inner = || Box::new(Schema::of(kind()));
    [
        (kind(), single(name)),
        (Kind::List(inner()), list(name).boxed()),
        (Kind::Map(inner()), object(name).boxed()),
    ]
}

#[test]
fn parameters_of_every_style_decode_to_their_arguments() {
    for (place, style, explodes) in STYLES {
        // Two are defined for lists and objects only.
        let least = usize::from(style.ends_with("Delimited"));
        for name in ["boolean", "integer", "number", "string"] {
            for (kind, values) in kinds(name).into_iter().skip(least) {
                let cases = explodes.iter().map(|it| case(place, style, *it, kind.clone()));
                cases.for_each(|case| check_case(&case, values.clone()));
            }
        }
    }
}

#[test]
fn unescaped_reserved_characters_decode_to_their_arguments() {
    for (kind, values) in kinds("string") {
        for explode in [false, true] {
            let is_map = matches!(kind, Kind::Map(_));
            let case = case(Place::Query, "form", explode && !is_map, kind.clone());
            check_case(&Case { allow_reserved: true, ..case }, values.clone());
        }
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
    let any = Kind::Map(Box::new(Schema::of(Kind::Any)));
    check_case(&case(Place::Query, "deepObject", true, any), nested(3));
}

#[test]
fn json_parameters_decode_to_their_arguments() {
    for place in [Place::Path, Place::Query, Place::Cookie, Place::Header] {
        check_case(&case(place, "content", false, Kind::Any), nested(3));
    }
}
