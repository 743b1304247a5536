//! Copies the keywords of a schema, each in its form in JSON Schema 2020-12. A keyword of a wrong type is dropped and
//! reported instead of making the schema invalid; members that are not keywords are dropped.

use callgate_tool::{Number, Object, Value, json};
use callgate_tree::{Node, Path};

use crate::{
    address::SESSION_ID,
    code::Code,
    repetition::drop_repeated_title,
    sanitize::visible_text,
    schema::{
        Builder, View,
        bytes::Bytes,
        discriminator,
        legal::{KINDS, is_legal_value},
        listed_values::{self, distinct_values},
        nullable::schema_allowing_null,
        pattern, required_members, satisfy, unknown_keyword,
    },
};

#[derive(Clone, Copy)]
enum KeywordForm {
    Any,
    Bool,
    Count,
    Limit,
    Names,
    Number,
    Schema,
    SchemaList,
    SchemaMap,
    Text,
    Words,
}

/// Copies the keywords of `node` into `built`, which may already contain the `$ref`.
pub(super) fn build_keywords<'d>(
    builder: &mut Builder<'d>,
    node: &'d Node,
    path: &Path<'_>,
    built: &mut Object,
) {
    let Some(object) = node.as_object() else { return };
    let bytes = builder.bytes;
    let is_illegal = |default| !is_legal_value(builder.document, node, path, default);
    let illegal_default = object.get("default").is_some_and(is_illegal);
    for (name, value) in object.iter() {
        let path = path.name(name);
        builder.enter_keyword(bytes, name);
        match &**name {
            "discriminator" | "$ref" | "$defs" => {}
            "nullable" if value.as_bool().is_some() => {}
            "nullable" => report_dropped_value(builder, KeywordForm::Bool, value, &path),
            "default" if illegal_default => report_illegal_default(builder, value, &path),
            "enum" => build_enum(builder, value, &path, built),
            "example" => {
                if !built.contains_key("examples") {
                    let example = builder.copy_or_report(value).map(|example| json!([example]));
                    built.insert_if_some("examples", example);
                }
            }
            "examples" => build_examples(builder, value, built),
            "format" if value.as_str() == Some(SESSION_ID) => {}
            "items" if value.as_array().is_some() => {
                let list = builder.build_unfilled(|builder| {
                    value_in_form(builder, KeywordForm::SchemaList, value, &path)
                });
                built.insert_if_some("prefixItems", list);
            }
            "pattern" => pattern::copy_pattern(builder, value, &path, built),
            "patternProperties" => pattern::copy_pattern_properties(builder, object, &path, built),
            "properties" => build_properties(builder, object, &path, built),
            "required" => required_members::copy_required(builder, object, &path, built),
            "type" => build_type(builder, value, &path, built),
            // Not a keyword of JSON Schema: XML bodies are written by it.
            "xml"
                if builder.view == View::Complete
                    && value.as_object().is_some_and(|xml| !xml.is_empty()) =>
            {
                let xml = builder.copy_or_report(value);
                built.insert_if_some("xml", xml);
            }
            keyword => {
                let Some(expected) = keyword_form(keyword) else {
                    unknown_keyword::report_unknown_keyword(builder, keyword, &path);
                    continue;
                };
                let copied = if is_filled_below(keyword, value) {
                    value_in_form(builder, expected, value, &path)
                } else {
                    builder.build_unfilled(|builder| value_in_form(builder, expected, value, &path))
                };
                let is_map = keyword == "additionalProperties" && builder.bytes == Bytes::Patch;
                let copied = if is_map { copied.map(schema_allowing_null) } else { copied };
                built.insert_if_some(keyword, copied);
            }
        }
    }
    builder.bytes = bytes;
    build_exclusive_bounds(object, built);
    listed_values::fit_values_to_type(builder, object, path, built);
    satisfy::report_unsatisfiable(builder, node, path);
    discriminator::add_discriminator_values(builder, node, path, built);
}

/// A default that its own schema does not allow is neither shown nor sent: its author meant something else.
pub(super) fn report_illegal_default(builder: &mut Builder<'_>, value: &Node, path: &Path<'_>) {
    if builder.view == View::Output {
        return;
    }
    let shown: String = value.to_value().to_string().chars().take(LONGEST_SHOWN).collect();
    let message = format!("expected a default that its own schema allows, got: `{shown}`");
    let help = "correct the default or the schema; it is not sent";
    builder.findings.note(Code::IllegalDefault, path, message, help);
}

/// The number of characters of a default that are shown.
const LONGEST_SHOWN: usize = 60;

/// True if `nested` fills in missing values below a keyword: not if there are several alternatives, and not if the
/// names or the number of values are open.
fn is_filled_below(keyword: &str, value: &Node) -> bool {
    match keyword {
        "allOf" | "items" => true,
        "anyOf" | "oneOf" => {
            let is_null = |branch: &&Node| branch.text("type") == Some("null");
            let branches = value.as_array().unwrap_or_default().iter();
            branches.filter(|branch| !is_null(branch)).count() == 1
        }
        _ => false,
    }
}

fn keyword_form(keyword: &str) -> Option<KeywordForm> {
    Some(match keyword {
        "const" | "default" => KeywordForm::Any,
        "deprecated" | "readOnly" | "uniqueItems" | "writeOnly" => KeywordForm::Bool,
        "maxContains" | "maxItems" | "maxLength" | "maxProperties" | "minContains" | "minItems"
        | "minLength" | "minProperties" => KeywordForm::Count,
        "exclusiveMaximum" | "exclusiveMinimum" => KeywordForm::Limit,
        "dependentRequired" => KeywordForm::Names,
        "maximum" | "minimum" | "multipleOf" => KeywordForm::Number,
        "additionalProperties"
        | "contains"
        | "else"
        | "if"
        | "items"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => KeywordForm::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => KeywordForm::SchemaList,
        "dependentSchemas" | "patternProperties" => KeywordForm::SchemaMap,
        "contentEncoding" | "contentMediaType" | "format" => KeywordForm::Text,
        "description" | "title" => KeywordForm::Words,
        _ => return None,
    })
}

/// The value in the form that a keyword needs; `None`, with a finding, if it does not have that form.
fn value_in_form<'d>(
    builder: &mut Builder<'d>,
    expected: KeywordForm,
    value: &'d Node,
    path: &Path<'_>,
) -> Option<Value> {
    match (expected, value) {
        (KeywordForm::Any, value) => builder.copy_or_report(value),
        (KeywordForm::Bool, Node::Bool(value)) => Some(Value::Bool(*value)),
        // `exclusive` reads OpenAPI 3.0's boolean form.
        (KeywordForm::Limit, Node::Bool(_)) => None,
        (KeywordForm::Count, Node::Number(number)) => whole_count(builder, number, path),
        (KeywordForm::Limit | KeywordForm::Number, Node::Number(number)) => {
            Some(number.clone().into())
        }
        (KeywordForm::Names, Node::Object(members)) => builder
            .copy_or_report(value)
            .map(|_| required_members::dependent_required(builder, members, path)),
        (KeywordForm::Schema, Node::Bool(_) | Node::Object(_)) => {
            Some(builder.build_schema(value, path))
        }
        (KeywordForm::SchemaList, Node::Array(items)) if !items.is_empty() => {
            let built = items.iter().enumerate();
            Some(
                built.map(|(index, item)| builder.build_schema(item, &path.index(index))).collect(),
            )
        }
        (KeywordForm::SchemaMap, Node::Object(members)) => Some(Value::Object(
            members
                .iter()
                .map(|(name, item)| {
                    (name.to_string(), builder.build_schema(item, &path.name(name)))
                })
                .collect(),
        )),
        (KeywordForm::Text, Node::String(text)) => {
            builder.copy_text_or_report(text).map(|text| Value::String(visible_text(text)))
        }
        (KeywordForm::Words, Node::String(text)) => {
            builder.text_for_model(text, path).map(Value::String)
        }
        (_, value) => {
            report_dropped_value(builder, expected, value, path);
            None
        }
    }
}

/// A whole number that is not negative; `10.0` is one.
fn whole_count(builder: &mut Builder<'_>, number: &Number, path: &Path<'_>) -> Option<Value> {
    let text = number.to_string();
    let whole = text.split_once('.').map_or(text.as_str(), |(whole, fraction)| {
        if fraction.bytes().all(|digit| digit == b'0') { whole } else { "" }
    });
    let count = whole.parse::<u64>().ok();
    if count.is_none() {
        let message = format!("expected a whole number that is not negative, got: `{text}`");
        builder.findings.warning(Code::DroppedKeyword, path, message, DROPPED);
    } else if whole != text {
        let message = format!("expected a whole number, got: `{text}`");
        builder.findings.note(Code::RepairedKeyword, path, message, "leave out the fraction");
    }
    count.map(Value::from)
}

fn report_dropped_value(
    builder: &mut Builder<'_>,
    expected: KeywordForm,
    value: &Node,
    path: &Path<'_>,
) {
    // A member without a value is the commonest mistake of generators; it contains nothing that could be lost.
    let says_nothing =
        matches!(value, Node::Null) || value.as_array().is_some_and(<[Node]>::is_empty);
    let message = format!("expected {}, got: {}", expected.expected_text(), value.kind());
    if says_nothing {
        builder.findings.note(Code::RepairedKeyword, path, message, "leave it out");
    } else {
        builder.findings.warning(Code::DroppedKeyword, path, message, DROPPED);
    }
}

impl KeywordForm {
    fn expected_text(self) -> &'static str {
        match self {
            Self::Any => "a value",
            Self::Bool => "true or false",
            Self::Count | Self::Limit | Self::Number => "a number",
            Self::Names => "an object of lists of names",
            Self::Schema => "a schema",
            Self::SchemaList => "a list of schemas",
            Self::SchemaMap => "an object of schemas",
            Self::Text | Self::Words => "a text",
        }
    }
}

/// The values of `enum`: a list. An empty list would allow nothing and is never intended.
fn build_enum(builder: &mut Builder<'_>, value: &Node, path: &Path<'_>, built: &mut Object) {
    match value.as_array() {
        Some(values) if !values.is_empty() => {
            let Some(Value::Array(copied)) = builder.copy_or_report(value) else { return };
            built.insert("enum".to_owned(), Value::Array(distinct_values(copied)));
        }
        _ => report_dropped_value(builder, KeywordForm::SchemaList, value, path),
    }
}

/// `examples` is a list in JSON Schema; elsewhere it is a map, which has no meaning here.
fn build_examples(builder: &mut Builder<'_>, value: &Node, built: &mut Object) {
    if value.as_array().is_some_and(|values| !values.is_empty()) {
        let values = builder.copy_or_report(value);
        built.insert_if_some("examples", values);
    }
}

fn build_type(builder: &mut Builder<'_>, value: &Node, path: &Path<'_>, built: &mut Object) {
    let legal_kind =
        |node: &Node| node.as_str().filter(|name| KINDS.contains(name)).map(Value::from);
    // Swagger 2.0 §Data Types; in later versions a mistake with only one possible meaning.
    if value.as_str() == Some("file") {
        if !builder.document.version().is_swagger() {
            let message = "expected a type of JSON Schema, got: `file`".to_owned();
            let help = "write `type: string` and `format: binary`";
            builder.findings.note(Code::RepairedKeyword, path, message, help);
        }
        built.insert("type".to_owned(), "string".into());
        built.insert("format".to_owned(), "binary".into());
        return;
    }
    let kinds: Option<Value> = match value {
        Node::Array(names) => {
            let mut kinds: Vec<Value> = names.iter().filter_map(legal_kind).collect();
            kinds.dedup();
            (kinds.len() == names.len() && !kinds.is_empty()).then_some(Value::Array(kinds))
        }
        other => legal_kind(other),
    };
    if kinds.is_none() {
        let got = value.as_str().unwrap_or_else(|| value.kind());
        let message = format!("expected a type of JSON Schema, got: `{got}`");
        builder.findings.warning(Code::DroppedKeyword, path, message, DROPPED);
    }
    built.insert_if_some("type", kinds);
}

fn build_properties<'d>(
    builder: &mut Builder<'d>,
    object: &'d callgate_tree::Object,
    path: &Path<'_>,
    built: &mut Object,
) {
    let Some(value) = object.get("properties") else { return };
    let Some(members) = value.as_object() else {
        return report_dropped_value(builder, KeywordForm::SchemaMap, value, path);
    };
    let mut kept = Object::with_capacity(members.len());
    for (name, property) in members.iter() {
        let path = path.name(name);
        if builder.keeps_property(property, &path) {
            let Some(name) = builder.copy_text_or_report(name) else { break };
            let is_optional = !required_members::requires_member(object, &name);
            let outer = builder.bytes;
            builder.bytes = builder.representation_at_property(&name);
            let mut schema = builder.build_schema(property, &path);
            builder.bytes = outer;
            drop_repeated_title(&mut schema, &name);
            let is_removable = builder.bytes == Bytes::Patch && is_optional;
            kept.insert(name, if is_removable { schema_allowing_null(schema) } else { schema });
        } else if builder.view == View::Complete {
            // A mark: a member that occurs only in responses must not be supplied.
            let Some(name) = builder.copy_text_or_report(name) else { break };
            kept.insert(name, json!({"readOnly": true}));
        }
    }
    built.insert("properties".to_owned(), Value::Object(kept));
}

/// Translates OpenAPI 3.0's `exclusiveMinimum: true`, which means that `minimum` itself is not allowed.
fn build_exclusive_bounds(object: &callgate_tree::Object, built: &mut Object) {
    for (flag, limit) in [("exclusiveMaximum", "maximum"), ("exclusiveMinimum", "minimum")] {
        if object.is_true(flag)
            && let Some(value) = built.remove(limit)
        {
            built.insert(flag.to_owned(), value);
        }
    }
}

const DROPPED: &str = "correct it; it is left out";
