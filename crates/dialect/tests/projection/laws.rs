//! Laws of every projection of any schema: what the original accepts the projection does, unless a loss says otherwise; what
//! only the projection accepts ends as a fault that names the argument; and the provider takes every schema.

use crate::prelude::*;
use callgate_call::Plan;
use callgate_dialect::Lost;
use callgate_tool::{Effect, Journal, Schema, Session, ToolName};
use proptest::{collection::vec, prelude::*, sample::select};

use crate::reading::Reading;

const NAMES: [&str; 5] = ["a", "b", "name", "x-y", "@type"];

/// The values that a schema is for, by the choices of a list of bytes.
struct Sampling<'a> {
    root: &'a Value,
    choices: std::slice::Iter<'a, u8>,
}

impl Sampling<'_> {
    fn choose(&mut self, n: usize) -> usize {
        self.choices.next().map_or(0, |byte| usize::from(*byte)) % n.max(1)
    }

    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        if depth > 12 {
            return Value::Null;
        }
        if let Some(reference) = schema["$ref"].as_str() {
            let target = self.root.pointer(reference.trim_start_matches('#')).cloned();
            return self.value(&target.unwrap_or_default(), depth + 1);
        }
        for keyword in ["anyOf", "oneOf", "enum"] {
            let Some(each) = schema[keyword].as_array().filter(|each| !each.is_empty()) else {
                continue;
            };
            let one = &each[self.choose(each.len())];
            if keyword == "enum" {
                return one.clone();
            }
            let value = self.value(one, depth + 1);
            return self.beside(schema, value, depth);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        let kinds = ["string", "integer", "object", "array", "null", "boolean", "number"];
        let kind = match &schema["type"] {
            Value::String(kind) => kind.to_lowercase(),
            Value::Array(each) => {
                each[self.choose(each.len())].as_str().unwrap_or("null").to_owned()
            }
            _ if schema.get("properties").is_some() || schema.get("allOf").is_some() => {
                "object".to_owned()
            }
            _ => kinds[self.choose(if depth > 6 { 2 } else { 7 })].to_owned(),
        };
        match kind.as_str() {
            "string" => ["a", "", "b@c.de", "2026-01-31", "abcdefgh"][self.choose(5)].into(),
            "integer" => [0, 1, 2, 7, -3][self.choose(5)].into(),
            "number" => json!(1.5),
            "boolean" => Value::Bool(self.choose(2) == 1),
            "array" => {
                let n_items = if depth > 6 { 0 } else { self.choose(3) };
                (0..n_items).map(|_| self.value(&schema["items"], depth + 1)).collect()
            }
            "object" => self.beside(schema, json!({}), depth),
            _ => Value::Null,
        }
    }

    /// Members that a schema and its `allOf` declare.
    fn beside(&mut self, schema: &Value, value: Value, depth: usize) -> Value {
        let Value::Object(mut members) = value else { return value };
        for part in schema["allOf"].as_array().into_iter().flatten() {
            if let Value::Object(more) = self.value(part, depth + 1) {
                members.extend(more);
            }
        }
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_required = required.iter().any(|one| one == name);
            if is_required || (depth < 6 && self.choose(2) == 1) {
                members.insert(name.as_str(), self.value(property, depth + 1));
            }
        }
        if schema["additionalProperties"].is_object() && self.choose(2) == 1 {
            members.insert("other", self.value(&schema["additionalProperties"], depth + 1));
        }
        Value::Object(members)
    }
}

fn object(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(members.into_iter().collect::<Object>())
}

fn name() -> impl Strategy<Value = String> {
    select(NAMES.to_vec()).prop_map(str::to_owned)
}

/// A schema as services write them.
fn common() -> BoxedStrategy<Value> {
    let leaf = select(vec![
        json!({"type": "string"}),
        json!({"type": "string", "enum": ["a", "b"], "default": "a"}),
        json!({"type": "string", "enum": ["", "a"]}),
        json!({"type": "string", "format": "date", "minLength": 1}),
        json!({"type": "string", "format": "email", "maxLength": 5000}),
        json!({"type": "string", "pattern": "^[a-z]+$", "description": "Lower case"}),
        json!({"type": "string", "pattern": "(?=a)"}),
        json!({"type": "integer", "minimum": 1, "maximum": 5}),
        json!({"type": "integer", "exclusiveMinimum": 0, "format": "int64"}),
        json!({"type": "integer", "enum": [1, 2, 7]}),
        json!({"type": "number", "multipleOf": 0.5}),
        json!({"type": "boolean"}),
        json!({"type": ["string", "null"], "maxLength": 5}),
        json!({"type": ["string", "integer"]}),
        json!({"type": "array"}),
        json!({"type": "object"}),
        json!({"const": "b"}),
        json!({}),
        json!({"$ref": "#/$defs/D0"}),
        json!({"$ref": "#/$defs/D1", "description": "Another one"}),
    ]);
    leaf.prop_recursive(4, 40, 4, |inner| {
        let members = || vec((name(), inner.clone()), 0..4);
        let shape = (members(), vec(name(), 0..3), 0..4_usize, inner.clone()).prop_map(
            |(members, required, rest, schema)| {
                let mut built = json!({"type": "object", "properties": object(members), "required": required});
                match rest {
                    0 => built["additionalProperties"] = json!(false),
                    1 => built["additionalProperties"] = schema,
                    _ => {}
                }
                built
            },
        )
        .boxed();
        prop_oneof![
            4 => shape.clone(),
            2 => (inner.clone(), 0..3_u64).prop_map(|(items, least)| json!({"type": "array", "items": items, "maxItems": least + 2})),
            1 => vec(inner.clone(), 1..3).prop_map(|each| json!({"anyOf": each})),
            1 => vec(inner.clone(), 1..3).prop_map(|each| json!({"oneOf": each, "description": "One"})),
            1 => (inner.clone()).prop_map(|one| json!({"anyOf": [one, {"type": "null"}]})),
            2 => (shape.clone(), shape.clone()).prop_map(|(a, b)| json!({"allOf": [a, b, {"$ref": "#/$defs/D1"}]})),
            1 => (shape.clone(), shape).prop_map(|(a, b)| { let mut a = a; a["oneOf"] = json!([b, {"required": ["a"]}]); a }),
        ]
    })
    .boxed()
}

/// Any schema: every keyword, in any place.
fn wild() -> BoxedStrategy<Value> {
    let plain = prop_oneof![
        common(),
        any::<bool>().prop_map(Value::from),
        select(vec![
            json!({"not": {"type": "string"}}),
            json!({"minProperties": 1, "uniqueItems": true}),
            json!({"dependentRequired": {"a": ["b"]}}),
            json!({"enum": [1, "a", null, [], {}]}),
            json!({"type": ["array", "object"], "prefixItems": [{"type": "string"}], "items": false}),
            json!({"$ref": "#/$defs/D2", "required": ["a"]}),
        ]),
    ];
    plain
        .prop_recursive(3, 30, 4, |inner| {
            let list = vec(inner.clone(), 1..4).prop_map(Value::Array);
            let keyword = |words: &'static [&'static str], one: BoxedStrategy<Value>| {
                (select(words.to_vec()), one).prop_map(|(word, one)| (word.to_owned(), one)).boxed()
            };
            let some = prop_oneof![
                keyword(&["allOf", "anyOf", "oneOf", "prefixItems"], list.boxed()),
                keyword(
                    &[
                        "not",
                        "if",
                        "then",
                        "else",
                        "items",
                        "contains",
                        "propertyNames",
                        "unevaluatedItems",
                        "additionalProperties"
                    ],
                    inner.clone()
                ),
                keyword(
                    &["properties", "patternProperties", "dependentSchemas"],
                    vec((name(), inner), 0..3).prop_map(object).boxed()
                ),
            ];
            vec(some, 1..4).prop_map(object)
        })
        .boxed()
}

/// A tool with three definitions, which may go in circles.
fn tool(schemas: BoxedStrategy<Value>) -> impl Strategy<Value = Tool> {
    (vec((name(), schemas.clone()), 0..4), vec(schemas.clone(), 3), vec(name(), 0..2), proptest::option::weighted(0.2, schemas)).prop_map(
        |(members, definitions, required, beside)| {
            let mut root = json!({"type": "object", "properties": object(members), "required": required, "additionalProperties": false});
            if let Some(beside) = beside {
                root["anyOf"] = json!([beside]);
                root["additionalProperties"] = json!(true);
            }
            let each = definitions.into_iter().enumerate().map(|(at, own)| (format!("D{at}"), own));
            root["$defs"] = object(each);
            made(root)
        },
    )
}

pub(crate) fn made(schema: Value) -> Tool {
    Tool::new(ToolName::new("t").unwrap(), "Does it".into(), Schema::new(schema), Effect::Read)
}

/// True where a loss says that this value may have no form there. Members that are not declared are no matter where there are none.
fn may_be_lost(projected: &Projected, value: &Value) -> bool {
    let has_others = value.to_string().contains("\"other\"");
    projected.losses.iter().any(|loss| {
        loss.what == Lost::Narrower && (has_others || loss.keyword != "additionalProperties")
    })
}

/// A schema that takes no members but those it describes.
fn closed(schema: &Value, is_whole: bool) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let named = |(name, one): (&String, &Value), is_whole| (name.clone(), closed(one, is_whole));
    let each = |value: &Value, is_whole: bool| match value {
        Value::Array(list) => list.iter().map(|one| closed(one, is_whole)).collect(),
        Value::Object(all) => object(all.iter().map(|one| named(one, is_whole))),
        other => other.clone(),
    };
    let mut built = object(members.iter().map(|(keyword, value)| {
        let value = match keyword.as_str() {
            "patternProperties" | "prefixItems" | "properties" => each(value, true),
            "$defs" | "allOf" | "anyOf" | "oneOf" => each(value, false),
            "additionalProperties" | "items" => closed(value, true),
            "else" | "if" | "then" => closed(value, false),
            _ => value.clone(),
        };
        (keyword.clone(), value)
    }));
    is_whole.then(|| built["unevaluatedProperties"] = Value::Bool(false));
    built
}

/// Names as they are there.
fn renamed(value: &Value, projection: Projection) -> Value {
    let theirs = |name: &str| match (projection, name) {
        (
            Projection::Anthropic
            | Projection::AnthropicStrict
            | Projection::Bedrock
            | Projection::BedrockStrict
            | Projection::LlamaCpp
            | Projection::OpenAi
            | Projection::OpenAiStrict,
            name,
        ) => name.to_owned(),
        (_, "x-y") => "x_y".to_owned(),
        (_, "@type") => "type".to_owned(),
        (_, name) => name.to_owned(),
    };
    match value {
        Value::Array(items) => items.iter().map(|item| renamed(item, projection)).collect(),
        Value::Object(members) => {
            object(members.iter().map(|(name, value)| (theirs(name), renamed(value, projection))))
        }
        other => other.clone(),
    }
}

fn cases(n: u32) -> ProptestConfig {
    ProptestConfig {
        cases: n.max(ProptestConfig::default().cases),
        failure_persistence: None,
        max_global_rejects: 1 << 20,
        ..ProptestConfig::default()
    }
}

/// A value that the original accepts, written for the projection and brought back.
fn kept(tool: &Tool, projection: Projection, value: &Value) -> Result<(), TestCaseError> {
    let projected = project(tool, projection);
    if may_be_lost(&projected, value) {
        return Ok(());
    }
    let reading = Reading::of(&projected.schema, projection);
    let mut theirs = renamed(value, projection);
    if projection.as_str().starts_with("anthropic")
        && let Some(one) = theirs.as_object_mut().and_then(|members| members.remove("@type"))
    {
        theirs["type"] = one;
    }
    let theirs = reading.written(&theirs);
    prop_assert!(
        reading.accepts(&theirs),
        "{projection}: {theirs}\nas {}\nof {}",
        reading.schema(),
        tool.input_schema
    );
    let back = restore(tool, projection, theirs.as_object().cloned().unwrap_or_default());
    let back = read_texts(Value::Object(back), value);
    prop_assert_eq!(&back, value, "{} of {}", projection, tool.input_schema);
    Ok(())
}

/// The same with an object where a strict form has it as JSON text: the check of a call reads it.
fn read_texts(back: Value, value: &Value) -> Value {
    match (back, value) {
        (Value::String(text), Value::Object(_)) => Value::parse(&text).unwrap_or_default(),
        (Value::Array(items), Value::Array(each)) if items.len() == each.len() => {
            items.into_iter().zip(each).map(|(item, one)| read_texts(item, one)).collect()
        }
        (Value::Object(members), Value::Object(each)) => {
            let own = |name: &str| each.get(name).unwrap_or(&Value::Null);
            object(members.into_iter().map(|(name, member)| {
                let member = read_texts(member, own(&name));
                (name, member)
            }))
        }
        (back, _) => back,
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn a_projection_accepts_every_value_of_the_original(tool in tool(prop_oneof![3 => common(), 1 => wild()].boxed()), choices in vec(any::<u8>(), 64)) {
        let schema = tool.input_schema.to_value();
        let value = Sampling { root: &schema, choices: choices.iter() }.value(&schema, 0);
        let evaluator = Evaluator::new(schema.clone());
        prop_assume!(evaluator.evaluate("t", &value).verdict == Verdict::Valid);
        let is_declared = Evaluator::new(closed(&schema, true)).evaluate("t", &value).verdict == Verdict::Valid;
        // Members that nobody describes have no form where every object is closed.
        for projection in Projection::ALL.iter().copied().filter(|one| is_declared || !one.as_str().ends_with("_strict")) {
            kept(&tool, projection, &value)?;
        }
    }

    #[test]
    fn every_schema_is_projected_to_a_form_that_its_provider_accepts(tool in tool(wild()), tokens in 0_usize..400) {
        let n_bytes = tool.input_schema.n_bytes();
        for &projection in Projection::ALL {
            for projected in [project(&tool, projection), project(&tool.clone().with_most_tokens(tokens), projection)] {
                prop_assert_eq!(wrong(projection, &projected.schema), Vec::<String>::new(), "{} {}\nof {}", projection, projected.schema, tool.input_schema);
                let size = projected.schema.to_string().len();
                prop_assert!(size <= 32_000.max(20 * n_bytes), "{projection}: {size} of {n_bytes}");
            }
        }
    }

    #[test]
    fn a_value_that_only_the_projection_accepts_is_a_fault_with_its_argument(
        schemas in vec(common(), 2), definitions in vec(common(), 3), choices in vec(any::<u8>(), 64),
    ) {
        let (plan, tool) = planned(&schemas, &definitions);
        for &projection in Projection::ALL {
            let projected = project(&tool, projection);
            let reading = Reading::of(&projected.schema, projection);
            let value = Sampling { root: reading.schema(), choices: choices.iter() }.value(reading.schema(), 0);
            let Some(arguments) = value.as_object().filter(|_| reading.accepts(&value)) else { continue };
            let arguments = restore(&tool, projection, arguments.clone());
            let request = plan.request(&arguments, &Session::default(), &mut Journal::default());
            let Err(fault) = request else { continue };
            prop_assert!(!fault.problems.is_empty(), "{}", fault.message);
            for problem in &fault.problems {
                let argument = problem.at.split(['.', '[']).next().unwrap_or_default();
                let is_known = tool.input_schema.without_definitions()["properties"].get(argument).is_some() || arguments.contains_key(argument);
                prop_assert!(is_known, "{} in {}", problem.at, tool.input_schema);
            }
        }
    }
}

/// An operation whose body has two members of these schemas.
fn planned(schemas: &[Value], definitions: &[Value]) -> (Plan, Tool) {
    let moved = |schema: &Value| {
        Value::parse(&schema.to_string().replace("#/$defs/", "#/components/schemas/")).unwrap()
    };
    let each = definitions.iter().enumerate().map(|(at, one)| (format!("D{at}"), moved(one)));
    let body = json!({"type": "object", "required": ["first"],
        "properties": {"first": (moved(&schemas[0])), "second": (moved(&schemas[1]))}});
    let description = json!({
        "openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "https://api.example.com"}],
        "components": {"schemas": (object(each))},
        "paths": {"/x": {"post": {"operationId": "t", "responses": {"200": {"description": "fine"}},
            "requestBody": {"required": true, "content": {"application/json": {"schema": body}}}}}},
    });
    let document =
        Document::read(description.to_string().as_bytes(), &Limits::default()).unwrap().value;
    let loaded = load(&document, &LoadOptions::default());
    let operation = loaded.operations.first().expect("an operation").clone();
    let tool = operation.declaration().expect("a tool").clone();
    (Plan::new(operation), tool)
}
