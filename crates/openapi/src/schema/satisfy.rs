//! Reconciles what a schema says of one value: members of `enum` of another type than the declared one are read as it, and
//! bounds that exclude each other are reported. What several schemas say together is not compared.

use callgate_tool::{Number, Object, Value, json};
use callgate_tree::{Node, Object as NodeObject, Path};

use crate::{code::Code, schema::Builder};

/// Makes `enum` and `const` fit the type, and says where no value meets the bounds.
pub(super) fn apply(
    builder: &mut Builder<'_>,
    object: &NodeObject,
    path: &Path<'_>,
    built: &mut Object,
) {
    fit_members(builder, path, built);
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
    }
}

fn report(builder: &mut Builder<'_>, at: &Path<'_>, message: String) {
    let help = "correct one of the two; no value meets both";
    builder.findings.warning(Code::UnsatisfiableSchema, at, message, help);
}

fn fit_members(builder: &mut Builder<'_>, path: &Path<'_>, built: &mut Object) {
    let kinds: Vec<String> = match built.get("type") {
        Some(Value::String(kind)) => vec![kind.clone()],
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => return,
    };
    for keyword in ["enum", "const"] {
        let Some(members) = built.get_mut(keyword) else { continue };
        let members: Vec<&mut Value> = match members {
            Value::Array(members) if keyword == "enum" => members.iter_mut().collect(),
            one if keyword == "const" => vec![one],
            _ => continue,
        };
        let n_members = members.len();
        let (mut n_other, mut n_lost, mut first) = (0, 0, None);
        for member in members {
            if kinds.iter().any(|kind| is_of(member, kind)) {
                continue;
            }
            n_other += 1;
            first.get_or_insert_with(|| member.to_string());
            match kinds.iter().find_map(|kind| converted(member, kind)) {
                Some(fit) => *member = fit,
                None => n_lost += 1,
            }
        }
        let Some(first) = first else { continue };
        let kind = kinds.join("` or `");
        let message = format!(
            "expected members of the type `{kind}`, got {n_other} of another, the first is: `{first}`"
        );
        let help = if n_lost < n_members {
            "write them as the type is; they are read so where nothing is lost"
        } else if move_to_items(&kinds, built, keyword) {
            "write them under `items`; they are read so"
        } else {
            built.remove("type");
            "correct the type; it is left out, since no member is of it"
        };
        builder.findings.note(Code::RepairedKeyword, path.name(keyword), message, help);
    }
}

/// Says of the items of a list what is said of the list and can only be meant for its items.
fn move_to_items(kinds: &[String], built: &mut Object, keyword: &str) -> bool {
    if kinds != ["array"] {
        return false;
    }
    let Some(members) = built.remove(keyword) else { return false };
    let items = built.entry("items").or_insert_with(|| json!({}));
    if let Some(items) = items.as_object_mut().filter(|items| !items.contains_key("$ref")) {
        items.entry(keyword).or_insert_with(|| members);
    }
    true
}

/// Whether a value is of a type of JSON Schema.
fn is_of(value: &Value, kind: &str) -> bool {
    match (value, kind) {
        (Value::Array(_), "array")
        | (Value::Bool(_), "boolean")
        | (Value::Null, "null")
        | (Value::Number(_), "number")
        | (Value::Object(_), "object")
        | (Value::String(_), "string") => true,
        (Value::Number(number), "integer") => is_whole(number),
        _ => false,
    }
}

fn is_whole(number: &Number) -> bool {
    let text = number.to_string();
    let fraction = text.split_once('.').map(|(_, fraction)| fraction);
    !text.contains(['e', 'E']) && fraction.is_none_or(|digits| digits.bytes().all(|b| b == b'0'))
}

/// A value as one of this type, where its text is the same.
fn converted(value: &Value, kind: &str) -> Option<Value> {
    match (value, kind) {
        (Value::Bool(_) | Value::Number(_), "string") => Some(Value::String(value.to_string())),
        (Value::String(text), "boolean" | "integer" | "number") => {
            let read: Value = Value::parse(text).ok()?;
            let written = read.to_string();
            (is_of(&read, kind) && written == *text).then_some(read)
        }
        _ => None,
    }
}

/// Keywords of which the first may not be above the second.
const BOUNDS: [(&str, &str); 5] = [
    ("minimum", "maximum"),
    ("minItems", "maxItems"),
    ("minLength", "maxLength"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        findings::Findings,
        sample::document,
        schema::{View, built::Built},
    };

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check(schema: Value, expected: Value, codes: &[&str]) {
        let document = document(json!({"schema": schema}));
        let node = document.root().get("schema").unwrap();
        let built = Built::within(1_000);
        let mut builder = Builder::new((&document, &built), View::Complete, Findings::default());
        assert_eq!(builder.schema(node, &Path::at("/schema")), expected);
        let found = builder.findings.into_diagnostics();
        assert_eq!(found.iter().map(|found| found.code.as_str()).collect::<Vec<_>>(), codes);
    }

    #[test]
    fn members_of_another_type_are_read_as_the_declared_one() {
        let repaired = &["repaired-keyword"];
        check(
            json!({"type": "string", "enum": [1, true, "a", 1.5]}),
            json!({"type": "string", "enum": ["1", "true", "a", "1.5"]}),
            repaired,
        );
        check(
            json!({"enum": ["1", "2"], "type": "integer"}),
            json!({"enum": [1, 2], "type": "integer"}),
            repaired,
        );
        check(
            json!({"type": "boolean", "enum": ["true", "false"]}),
            json!({"type": "boolean", "enum": [true, false]}),
            repaired,
        );
        check(
            json!({"type": "string", "const": 7}),
            json!({"type": "string", "const": "7"}),
            repaired,
        );
        check(
            json!({"type": "integer", "enum": ["a", "b"]}),
            json!({"enum": ["a", "b"]}),
            repaired,
        );
        check(
            json!({"type": "array", "enum": ["a"], "items": {"type": "string"}}),
            json!({"type": "array", "items": {"type": "string", "enum": ["a"]}}),
            repaired,
        );
        let fine = json!({"type": "integer", "enum": [1, 2]});
        check(fine.clone(), fine, &[]);
    }

    #[test]
    fn schemas_that_no_value_meets_are_reported() {
        let bounds = json!({"type": "string", "minLength": 5, "maxLength": 3});
        check(bounds.clone(), bounds, &["unsatisfiable-schema"]);
        let closed = json!({"properties": {"a": false}, "required": ["a"]});
        check(closed.clone(), closed, &["unsatisfiable-schema"]);
    }
}
