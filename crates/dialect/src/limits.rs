//! What model providers are known to refuse or lose of a declaration as it stands. Looks at schemas only; it declares
//! nothing and changes nothing, and whoever shows it decides when it is worth building every schema.

use std::{
    collections::BTreeMap,
    sync::{Arc, Weak},
};

use callgate_tool::{DefinitionGroup, Definitions, Object, Tool, Value};

/// A limit of a provider that a declaration, or the number of them, exceeds.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct ProviderLimit {
    /// Who has the limit.
    pub provider: &'static str,
    /// What is expected of a declaration there.
    pub expected: &'static str,
}

/// Tools in one request: more are an error of the whole request at `OpenAI` and Gemini.
const TOOLS: usize = 128;
/// `OpenAI`'s strict mode: levels of objects, properties, values of enumerations, bytes of names and texts.
const STRICT_NESTING: usize = 10;
const STRICT_PROPERTIES: usize = 5000;
const STRICT_ENUM_VALUES: usize = 1000;
const STRICT_TEXT: usize = 120_000;
/// Local engines turn every tool into one grammar: a longer text makes it too large.
const GRAMMAR_LENGTH: u64 = 2000;

/// The limits that so many tools in one request exceed.
pub fn request_limits(n_tools: usize) -> Vec<ProviderLimit> {
    let expected = "at most 128 tools in a request";
    let providers = ["Gemini", "OpenAI"].map(|provider| ProviderLimit { provider, expected });
    if n_tools > TOOLS { providers.to_vec() } else { Vec::new() }
}

/// The limits that one declaration exceeds.
///
/// ```
/// use callgate_dialect::tool_limits;
/// use callgate_tool::{Effect, Schema, Tool, ToolName};
///
/// let schema = Schema::new(callgate_tool::json!({"type": "object", "anyOf": [{}]}));
/// let tool = Tool::new(ToolName::new("find")?, "Find".into(), schema, Effect::Read);
/// assert_eq!(tool_limits(&tool)[0].provider, "Anthropic");
/// # Ok::<(), callgate_tool::InvalidName>(())
/// ```
pub fn tool_limits(tool: &Tool) -> Vec<ProviderLimit> {
    LimitFinder::default().of(tool)
}

/// Finds the limits that declarations exceed. The definitions they have in common are looked at once.
#[derive(Debug, Default)]
pub struct LimitFinder {
    /// What is known of definitions, by their addresses, which are theirs as long as somebody knows of them.
    definitions: BTreeMap<usize, (Weak<Definitions>, Facts)>,
    /// What is known of groups of them.
    groups: BTreeMap<usize, (Weak<DefinitionGroup>, Facts)>,
}

impl LimitFinder {
    /// The limits that one declaration exceeds.
    pub fn of(&mut self, tool: &Tool) -> Vec<ProviderLimit> {
        let own = tool.input_schema.own();
        let mut facts = Facts::default();
        facts.schema(own, 0);
        facts.add(self.common(tool.input_schema.definitions()));
        exceeded(own, &facts)
    }

    fn common(&mut self, definitions: &Arc<Definitions>) -> &Facts {
        let Self { groups, .. } = self;
        let looked_at = || {
            let mut facts = Facts::default();
            for group in definitions.groups() {
                facts.add(of_group(groups, group));
            }
            (Arc::downgrade(definitions), facts)
        };
        let known = self.definitions.entry(Arc::as_ptr(definitions).addr());
        &known.or_insert_with(looked_at).1
    }
}

fn of_group<'a>(
    known: &'a mut BTreeMap<usize, (Weak<DefinitionGroup>, Facts)>,
    group: &Arc<DefinitionGroup>,
) -> &'a Facts {
    let looked_at = || {
        let mut facts = Facts::default();
        for definition in group.iter() {
            facts.named(&definition.name, &definition.schema, 0);
        }
        (Arc::downgrade(group), facts)
    };
    &known.entry(Arc::as_ptr(group).addr()).or_insert_with(looked_at).1
}

fn exceeded(root: &Value, facts: &Facts) -> Vec<ProviderLimit> {
    let composed = ["allOf", "anyOf", "oneOf"].iter().any(|keyword| root.get(keyword).is_some());
    let rows = [
        (composed, "Anthropic", "no `oneOf`, `anyOf` or `allOf` at the root of a schema"),
        (facts.n_references > 0, "Gemini (`parameters`)", "no `$ref` in a schema"),
        (facts.has_other_enum, "Gemini (`parameters`)", "enumerations of texts only"),
        (facts.has_wild_pattern, "llama.cpp", "patterns from `^` to `$` without look-around"),
        (facts.max_length >= GRAMMAR_LENGTH, "llama.cpp", "`maxLength` below 2,000"),
        (facts.nesting > STRICT_NESTING, "OpenAI (strict)", "objects nested at most 10 deep"),
        (facts.n_properties > STRICT_PROPERTIES, "OpenAI (strict)", "at most 5,000 properties"),
        (facts.n_enum_values > STRICT_ENUM_VALUES, "OpenAI (strict)", "at most 1,000 enum values"),
        (
            facts.text > STRICT_TEXT,
            "OpenAI (strict)",
            "at most 120,000 characters of names and values",
        ),
    ];
    let exceeded = rows.into_iter().filter(|(is_exceeded, ..)| *is_exceeded);
    exceeded.map(|(_, provider, expected)| ProviderLimit { provider, expected }).collect()
}

/// What one walk over a schema counts.
#[derive(Clone, Debug, Default)]
struct Facts {
    nesting: usize,
    n_properties: usize,
    n_enum_values: usize,
    n_references: usize,
    text: usize,
    max_length: u64,
    has_other_enum: bool,
    has_wild_pattern: bool,
}

impl Facts {
    fn schema(&mut self, schema: &Value, nesting: usize) {
        let Some(members) = schema.as_object() else { return };
        self.nesting = self.nesting.max(nesting);
        for (keyword, value) in members {
            match (keyword.as_str(), value) {
                ("properties" | "patternProperties", Value::Object(properties)) => {
                    self.n_properties += properties.len();
                    self.all_named(properties, nesting + 1);
                }
                ("$defs", Value::Object(schemas)) => self.all_named(schemas, nesting),
                ("enum", Value::Array(values)) => self.enumeration(values),
                ("$ref", _) => self.n_references += 1,
                ("pattern", Value::String(pattern)) => self.has_wild_pattern |= is_wild(pattern),
                ("maxLength", length) => {
                    self.max_length = self.max_length.max(length.as_u64().unwrap_or_default());
                }
                ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                    self.all(schemas, nesting);
                }
                ("items" | "additionalProperties" | "not" | "contains", schema) => {
                    self.schema(schema, nesting + 1);
                }
                _ => {}
            }
        }
    }

    fn all(&mut self, schemas: &[Value], nesting: usize) {
        for schema in schemas {
            self.schema(schema, nesting);
        }
    }

    fn all_named(&mut self, schemas: &Object, nesting: usize) {
        for (name, schema) in schemas {
            self.named(name, schema, nesting);
        }
    }

    fn named(&mut self, name: &str, schema: &Value, nesting: usize) {
        self.text += name.len();
        self.schema(schema, nesting);
    }

    /// Adds what another walk counted.
    fn add(&mut self, other: &Self) {
        self.nesting = self.nesting.max(other.nesting);
        self.n_properties += other.n_properties;
        self.n_enum_values += other.n_enum_values;
        self.n_references += other.n_references;
        self.text += other.text;
        self.max_length = self.max_length.max(other.max_length);
        self.has_other_enum |= other.has_other_enum;
        self.has_wild_pattern |= other.has_wild_pattern;
    }

    fn enumeration(&mut self, values: &[Value]) {
        self.n_enum_values += values.len();
        self.text += values.iter().filter_map(Value::as_str).map(str::len).sum::<usize>();
        // `null` among texts says only that it may be null.
        self.has_other_enum |= values.iter().any(|value| !value.is_string() && !value.is_null());
    }
}

fn is_wild(pattern: &str) -> bool {
    let looks_around = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| pattern.contains(look));
    looks_around || !pattern.starts_with('^') || !pattern.ends_with('$')
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Effect, Schema, ToolName, json};

    use super::*;

    #[track_caller]
    fn check(schema: &Value, expected: &[&str]) {
        let name = ToolName::new("t").unwrap();
        let tool = Tool::new(name, "t".into(), Schema::new(schema.clone()), Effect::Read);
        let got: Vec<_> = tool_limits(&tool).iter().map(|limit| limit.provider).collect();
        assert_eq!(got, expected, "{schema}");
    }

    fn nested(depth: usize) -> Value {
        (0..depth).fold(json!({"type": "string"}), |below, _| json!({"properties": {"a": below}}))
    }

    #[test]
    fn a_declaration_meets_the_limits_it_exceeds() {
        check(&json!({"type": "object", "properties": {"enum": {"type": "string"}}}), &[]);
        check(&json!({"oneOf": []}), &["Anthropic"]);
        check(&json!({"properties": {"a": {"oneOf": [{}]}}}), &[]);
        check(&json!({"properties": {"a": {"$ref": "#/$defs/a"}}}), &["Gemini (`parameters`)"]);
        check(&json!({"properties": {"a": {"enum": [1, 2]}}}), &["Gemini (`parameters`)"]);
        check(&json!({"properties": {"a": {"enum": ["x", null]}}}), &[]);
        check(&json!({"properties": {"a": {"pattern": "^a$"}}}), &[]);
        check(&json!({"properties": {"a": {"pattern": "a"}}}), &["llama.cpp"]);
        check(&json!({"properties": {"a": {"pattern": "^(?!a)$"}}}), &["llama.cpp"]);
        check(&json!({"properties": {"a": {"maxLength": 5000}}}), &["llama.cpp"]);
        check(&nested(10), &[]);
        check(&nested(11), &["OpenAI (strict)"]);
        let many: Vec<_> = (0..1001).map(|n| n.to_string()).collect();
        check(&json!({"properties": {"a": {"items": {"enum": many}}}}), &["OpenAI (strict)"]);
    }

    #[test]
    fn a_request_takes_so_many_tools() {
        assert_eq!(request_limits(128), []);
        assert_eq!(request_limits(129).len(), 2);
    }
}
