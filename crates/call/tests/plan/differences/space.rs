//! Draws cases: every version, location, style and requiredness, schemas of any depth, and values that meet them, nearly meet
//! them, or are empty in some way.

use crate::prelude::*;
use proptest::prelude::*;

use super::case::{Case, Kind, Member, Place, Schema, Version};

pub(super) fn case() -> impl Strategy<Value = Case> {
    let version = select(vec![Version::V2, Version::V30, Version::V31, Version::V32]);
    let placed = version.prop_flat_map(|version| (Just(version), select(places(version))));
    placed.prop_flat_map(|(version, place)| case_at(version, place))
}

fn case_at(version: Version, place: Place) -> impl Strategy<Value = Case> {
    let is_flat = version == Version::V2 && place != Place::JsonMember;
    let schema = if is_flat { flat_schema() } else { schema() };
    let schema = schema.prop_flat_map(|schema| {
        let given = value(&schema, 3);
        let default = prop_oneof![3 => Just(None), 1 => value(&schema, 1).prop_map(Some)];
        (Just(schema), given, default)
    });
    let all = (schema, style(version, place), flags());
    all.prop_map(move |((mut schema, given, default), (style, explode), flags)| {
        let [allow_reserved, allow_empty_value, is_required, has_sibling, is_absent, is_default] =
            flags;
        let chosen = default.clone().filter(|_| is_default).unwrap_or(given);
        schema.default = default;
        if version == Version::V2 {
            schema.forbid_null();
        }
        let is_pair = matches!(place, Place::Query | Place::Form);
        let is_file = place == Place::Part
            && matches!(version, Version::V31 | Version::V32)
            && is_untyped(&schema);
        let style = if is_file { style.or(Some("form")) } else { style };
        Case {
            version,
            place,
            style,
            explode,
            allow_reserved: allow_reserved && version != Version::V2 && is_pair,
            allow_empty_value: allow_empty_value && place == Place::Query,
            is_required: is_required || place == Place::Path,
            has_sibling,
            schema,
            given: (!is_absent).then_some(chosen),
        }
    })
}

fn places(version: Version) -> Vec<Place> {
    let mut places =
        vec![Place::Form, Place::Header, Place::JsonMember, Place::Part, Place::Path, Place::Query];
    if version != Version::V2 {
        places.push(Place::Cookie);
    }
    if version == Version::V32 {
        places.extend([Place::QuerystringForm, Place::QuerystringJson]);
    }
    // The styles of these are the most.
    places.extend([Place::Query, Place::Query, Place::Form]);
    places
}

fn style(
    version: Version,
    place: Place,
) -> impl Strategy<Value = (Option<&'static str>, Option<bool>)> {
    let formats = vec!["csv", "ssv", "tsv", "pipes", "pipes csv", "ssv csv", "csv pipes ssv"];
    let multi = vec!["multi", "multi csv", "multi pipes"];
    let styles: Vec<&'static str> = match (version, place) {
        (_, Place::JsonMember | Place::QuerystringForm | Place::QuerystringJson) => Vec::new(),
        (Version::V2, Place::Form | Place::Part | Place::Query) => [formats, multi].concat(),
        (Version::V2, _) => formats,
        (Version::V32, Place::Cookie) => vec!["form", "cookie", "content"],
        (_, Place::Cookie) => vec!["form", "content"],
        (_, Place::Header) => vec!["simple", "content"],
        (_, Place::Path) => vec!["simple", "label", "matrix", "content"],
        (_, Place::Query) => {
            vec!["form", "spaceDelimited", "pipeDelimited", "deepObject", "content"]
        }
        (_, Place::Form | Place::Part) => {
            vec!["form", "spaceDelimited", "pipeDelimited", "deepObject"]
        }
    };
    let has_explode = version != Version::V2 && !styles.is_empty();
    let style = if styles.is_empty() {
        Just(None).boxed()
    } else {
        prop::option::weighted(0.75, select(styles)).boxed()
    };
    let explode = if has_explode {
        prop::option::weighted(0.7, any::<bool>()).boxed()
    } else {
        Just(None).boxed()
    };
    (style, explode)
        .prop_map(|(style, explode)| (style, explode.filter(|_| style != Some("content"))))
}

/// True if a part with this schema is bytes since version 3.1, unless its encoding has a style.
fn is_untyped(schema: &Schema) -> bool {
    match &schema.kind {
        Kind::Any => true,
        Kind::List(item) => item.kind == Kind::Any,
        _ => false,
    }
}

/// `allowReserved`, `allowEmptyValue`, required, a sibling, no value, the default as the value.
fn flags() -> impl Strategy<Value = [bool; 6]> {
    let weighted = prop::bool::weighted;
    (weighted(0.2), weighted(0.2), any::<bool>(), any::<bool>(), weighted(0.05), weighted(0.15))
        .prop_map(|(a, b, c, d, e, f)| [a, b, c, d, e, f])
}

fn single() -> impl Strategy<Value = Kind> {
    select(vec![Kind::Boolean, Kind::Integer, Kind::Number, Kind::Text, Kind::Text, Kind::Text])
}

/// A schema of Swagger 2.0 outside of bodies: single values, lists of them, lists of lists.
fn flat_schema() -> BoxedStrategy<Schema> {
    (single(), 0_usize..4)
        .prop_map(|(kind, depth)| {
            (0..depth).fold(Schema::of(kind), |schema, _| Schema::of(Kind::List(Box::new(schema))))
        })
        .boxed()
}

fn schema() -> BoxedStrategy<Schema> {
    let leaf = prop_oneof![6 => single(), 1 => Just(Kind::Any)];
    let leaf = (leaf, prop::bool::weighted(0.2)).prop_map(|(kind, is_nullable)| Schema {
        kind,
        is_nullable,
        default: None,
    });
    leaf.prop_recursive(3, 12, 3, |inner| {
        let list = inner.clone().prop_map(|item| Kind::List(Box::new(item)));
        let map = inner.clone().prop_map(|item| Kind::Map(Box::new(item)));
        let member = (name(), any::<bool>(), inner).prop_flat_map(|(name, is_required, schema)| {
            let default = prop_oneof![5 => Just(None), 1 => value(&schema, 1).prop_map(Some)];
            (Just(schema), default).prop_map(move |(schema, default)| Member {
                name: name.clone(),
                is_required,
                schema: Schema { default, ..schema },
            })
        });
        let object = prop::collection::vec(member, 1..4).prop_map(|mut members| {
            members.sort_by(|one, other| one.name.cmp(&other.name));
            members.dedup_by(|one, other| one.name == other.name);
            Kind::Object(members)
        });
        let kind = prop_oneof![3 => list, 3 => object, 1 => map];
        (kind, prop::bool::weighted(0.2)).prop_map(|(kind, is_nullable)| Schema {
            kind,
            is_nullable,
            default: None,
        })
    })
    .boxed()
}

fn name() -> impl Strategy<Value = String> {
    let names = [
        "a", "b", "c", "a", "b", "c", "a b", "a.b", "a,b", "a=b", "a[b]", "a][b", "a|b", "é",
        "x-y", "0", "1", "color", "a;b", "%41", "a&b", "sibling",
    ];
    select(names.to_vec()).prop_map(str::to_owned)
}

/// Values that are empty somewhere, or of another type than one expects.
fn odd() -> impl Strategy<Value = Value> {
    let odd = json!([
        null, "", [], {}, [null], [""], [[]], [{}], {"a": null}, {"a": []}, {"a": {}}, {"a": ""}, {"a": [null]},
        {"a": {"b": null}}, {"a": null, "b": []}, ["", ""], {"": 1}, {"a": [[], ["x"]]}, "7", 7, true, "true", "[1]",
        "{\"a\":1}", "null", ["x"], {"a": "x"}, [null, 1], {"a": [{}]}, {"a": [{"b": null}, {"b": 1}]}
    ]);
    select(odd.as_array().unwrap().clone())
}

fn value(schema: &Schema, depth: u32) -> BoxedStrategy<Value> {
    let fitting = match &schema.kind {
        Kind::Any => prop_oneof![text().prop_map(Value::from), number(), odd()].boxed(),
        Kind::Boolean => any::<bool>().prop_map(Value::from).boxed(),
        Kind::Integer => integer(),
        Kind::List(item) => prop::collection::vec(value(item, depth.saturating_sub(1)), 0..4)
            .prop_map(Value::Array)
            .boxed(),
        Kind::Map(item) => {
            let members =
                prop::collection::vec((name(), value(item, depth.saturating_sub(1))), 0..3);
            members.prop_map(|members| Value::Object(members.into_iter().collect())).boxed()
        }
        Kind::Number => number(),
        Kind::Object(members) => {
            let member = |member: &Member| {
                let own = value(&member.schema, depth.saturating_sub(1));
                (
                    Just(member.name.clone()),
                    prop::option::weighted(if member.is_required { 0.95 } else { 0.7 }, own),
                )
            };
            let members: Vec<_> = members.iter().map(member).collect();
            members
                .prop_map(|members| {
                    let given = members.into_iter().filter_map(|(name, own)| Some((name, own?)));
                    Value::Object(given.collect())
                })
                .boxed()
        }
        // No case has one.
        Kind::Tuple(_) => odd().boxed(),
        Kind::Text => text().prop_map(Value::from).boxed(),
    };
    let null = if schema.is_nullable { 2 } else { 0 };
    let odds = if depth == 0 { 0 } else { 2 };
    prop_oneof![12 => fitting, null => Just(Value::Null), odds => odd()].boxed()
}

fn parsed(digits: &str) -> Value {
    Value::parse(digits).unwrap()
}

fn integer() -> BoxedStrategy<Value> {
    let texts = "0 -0 9007199254740993 123456789012345678901234567890 -18446744073709551616 7.0
        1e3";
    let odd = select(texts.split_whitespace().collect::<Vec<_>>());
    prop_oneof![3 => any::<i64>().prop_map(Value::from), 1 => odd.prop_map(parsed)].boxed()
}

fn number() -> BoxedStrategy<Value> {
    let texts = "0.1000 1.50 3.141592653589793238462643383279 1e400 -0.0 1E-7 100 2.0";
    let odd = select(texts.split_whitespace().collect::<Vec<_>>());
    let decimal = (any::<i32>(), 0_u32..10_000)
        .prop_map(|(whole, part)| parsed(&format!("{whole}.{part:04}")));
    prop_oneof![2 => decimal, 1 => odd.prop_map(parsed), 1 => integer()].boxed()
}

fn text() -> BoxedStrategy<String> {
    let odd = "¦a¦a,b¦a b¦a|b¦a;b¦a&b=c¦a+b¦100%¦%41¦%2C¦a.b¦.¦..¦/¦?x¦#x¦é漢😀¦[x]¦{\"a\":1}¦[1]¦null¦true¦007¦\"q\"¦1e3¦ a¦a ¦\t¦\n¦\
        a\r\nb¦\u{0}¦\u{feff}a¦=¦a=b¦'¦\\¦a/b¦--¦-1¦~¦$&¦\u{85}¦a\tb¦,¦|¦;¦color¦color=1";
    let odd = select(odd.split('¦').collect::<Vec<_>>());
    let any = proptest::string::string_regex(
        "[a-zA-Z0-9 .,;:=&+%|/?#@!$*()'\"<>\\[\\]{}~^_é漢😀\\\\-]{0,10}",
    )
    .unwrap();
    let plain = proptest::string::string_regex("[a-zA-Z0-9]{1,8}").unwrap();
    prop_oneof![2 => odd.prop_map(str::to_owned), 1 => any, 2 => plain].boxed()
}
