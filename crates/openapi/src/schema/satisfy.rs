//! Reports rules of a schema that no value can satisfy: bounds that exclude each other, and required members that must
//! not exist. Rules of different schemas are not compared.

use callgate_tool::{Object, Value};
use callgate_tree::{Node, Object as NodeObject, Path};

use crate::{code::Code, schema::Builder};

/// Reports places where no value satisfies the schema.
pub(super) fn apply(
    builder: &mut Builder<'_>,
    object: &NodeObject,
    path: &Path<'_>,
    built: &Object,
) {
    for (least, most) in BOUNDS {
        let number = |keyword: &str| built.get(keyword).and_then(Value::as_f64);
        if let (Some(lower), Some(upper)) = (number(least), number(most))
            && lower > upper
        {
            let message =
                format!("expected `{least}` of at most `{most}`, got: `{lower}` and `{upper}`");
            report(builder, &path.name(least), message);
        }
    }
    let required = object.get("required").and_then(Node::as_array).unwrap_or_default();
    for name in required.iter().filter_map(Node::as_str) {
        let property = object.get("properties").and_then(|properties| properties.get(name));
        if property.and_then(Node::as_bool) == Some(false) {
            let message = format!("expected a required property that may exist, got: `{name}`");
            report(builder, &path.name("properties").name(name), message);
        }
        if property.is_none() && is_closed(object) {
            let message = format!(
                "expected a required property that may exist, got one that `additionalProperties: false` excludes: `{name}`"
            );
            report(builder, &path.name("required"), message);
        }
    }
}

/// Returns true if only objects meet a schema, and only with the members under its `properties`.
fn is_closed(object: &NodeObject) -> bool {
    let is_true = |name: &str| object.get(name).and_then(Node::as_bool) == Some(true);
    object.get("type").and_then(Node::as_str) == Some("object")
        && object.get("additionalProperties").and_then(Node::as_bool) == Some(false)
        && object.get("patternProperties").is_none()
        && object.get("$ref").is_none()
        && !is_true("nullable")
        && !is_true("x-nullable")
}

fn report(builder: &mut Builder<'_>, at: &Path<'_>, message: String) {
    let help = "correct one of the two; no value meets both";
    builder.findings.warning(Code::UnsatisfiableSchema, at, message, help);
}

/// Pairs of keywords; the first must not be above the second.
const BOUNDS: [(&str, &str); 5] = [
    ("minimum", "maximum"),
    ("minItems", "maxItems"),
    ("minLength", "maxLength"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
];

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use crate::schema::sample::check;

    #[test]
    fn schemas_that_no_value_meets_are_reported() {
        let bounds = json!({"type": "string", "minLength": 5, "maxLength": 3});
        check(bounds.clone(), bounds, &["unsatisfiable-schema"]);
        let closed = json!({"properties": {"a": false}, "required": ["a"]});
        check(closed.clone(), closed, &["unsatisfiable-schema"]);
        let closed = json!({"type": "object", "properties": {"y": {"type": "string"}}, "additionalProperties": false, "required": ["x"]});
        check(closed.clone(), closed, &["unsatisfiable-schema"]);
    }

    #[test]
    fn schemas_that_a_value_meets_are_not_reported() {
        for schema in [
            json!({"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": false, "required": ["x"]}),
            json!({"type": "object", "additionalProperties": {"type": "string"}, "required": ["x"]}),
            json!({"type": "object", "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": false, "required": ["x"]}),
            json!({"type": ["object", "null"], "additionalProperties": false, "required": ["x"]}),
        ] {
            check(schema.clone(), schema, &[]);
        }
    }
}
