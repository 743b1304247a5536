//! Finds schemas and requests that exceed the limits of model providers, and says what a projection does about them. It
//! only reads schemas and changes nothing; the caller decides whether to build every schema for it.

mod keywords;

use std::{
    collections::BTreeMap,
    sync::{Arc, Weak},
};

use callgate_tool::{DefinitionGroup, Definitions, Object, Tool, Value};

use self::keywords::{RULES, is_identifier, is_unsupported_pattern};
use crate::dialect::{Dialect, LONGEST_DESCRIPTION};

pub use self::keywords::is_union;

/// A provider's limit that a declaration, or the number of declarations, exceeds.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct ProviderLimit {
    /// The provider with the limit.
    pub provider: &'static str,
    /// The limit, as a description of what the provider accepts.
    pub expected: &'static str,
    /// The remedy: the change that a projection makes, or a step for the operator.
    pub instead: &'static str,
}

/// The most tools in one request: with more, `OpenAI` and Gemini refuse the whole request.
const TOOLS: usize = 128;
/// The tokens of all declarations, 77 KB, beyond which Gemini fails if a model must call one of them.
const GEMINI_TOKENS: usize = 19_000;
/// Anthropic's strict mode: the most tools in one request, and the most optional members and members of several types of
/// all of them.
const STRICT_TOOLS: usize = 20;
const STRICT_OPTIONAL: usize = 24;
const STRICT_UNIONS: usize = 16;
/// `OpenAI`'s strict mode: the most levels of objects, properties, enumerated values, bytes of names and texts.
const STRICT_NESTING: usize = 10;
const STRICT_PROPERTIES: usize = 5000;
const STRICT_ENUM_VALUES: usize = 1000;
const STRICT_TEXT: usize = 120_000;
/// The longest text: local engines turn all tools into one grammar, and a longer text makes it too large.
const GRAMMAR_LENGTH: u64 = 2000;

/// The limits that `n_tools` tools in one request exceed, if their declarations have `n_tokens` tokens.
pub fn exceeded_request_limits(n_tools: usize, n_tokens: usize) -> Vec<ProviderLimit> {
    let fewer = "offer fewer operations with `tools:`, or have the model search them: `POST /v1/tools:search`, \
                 `mcp: { mode: search }`";
    let rows = [
        (n_tools > TOOLS, "Gemini", "at most 128 tools in a request"),
        (n_tools > TOOLS, "OpenAI", "at most 128 tools in a request"),
        (
            n_tokens > GEMINI_TOKENS,
            "Gemini (mode `ANY`)",
            "at most 77 KB of declarations in a request",
        ),
    ];
    let exceeded = rows.into_iter().filter(|(is_exceeded, ..)| *is_exceeded);
    let limit = |(_, provider, expected)| ProviderLimit { provider, expected, instead: fewer };
    exceeded.map(limit).collect()
}

/// The limits that `n_tools` strict tools in one request exceed, if they have `n_optional` optional members and `n_unions`
/// members of several types. Only Anthropic has such limits.
pub fn exceeded_strict_limits(
    dialect: Dialect,
    n_tools: usize,
    n_optional: usize,
    n_unions: usize,
) -> Vec<ProviderLimit> {
    if dialect != Dialect::Anthropic {
        return Vec::new();
    }
    let fewer = "declare only those in strict form whose arguments models get wrong";
    let rows = [
        (n_tools > STRICT_TOOLS, "at most 20 strict tools in a request"),
        (n_optional > STRICT_OPTIONAL, "at most 24 optional members of strict tools in a request"),
        (n_unions > STRICT_UNIONS, AT_MOST_UNIONS),
    ];
    let exceeded = rows.into_iter().filter(|(is_exceeded, _)| *is_exceeded);
    let provider = "Anthropic (strict)";
    exceeded.map(|(_, expected)| ProviderLimit { provider, expected, instead: fewer }).collect()
}

/// The limits that one declaration exceeds.
///
/// ```
/// use callgate_dialect::exceeded_tool_limits;
/// use callgate_tool::{Effect, Schema, Tool, ToolName};
///
/// let schema = Schema::new(callgate_tool::json!({"type": "object", "anyOf": [{}]}));
/// let tool = Tool::new(ToolName::new("find")?, "Find".into(), schema, Effect::Read);
/// assert_eq!(exceeded_tool_limits(&tool)[0].provider, "Anthropic");
/// # Ok::<(), callgate_tool::InvalidName>(())
/// ```
pub fn exceeded_tool_limits(tool: &Tool) -> Vec<ProviderLimit> {
    LimitFinder::default().exceeded_limits_for_tool(tool)
}

/// Finds the limits that declarations exceed. Shared definitions are examined only once.
#[derive(Debug, Default)]
pub struct LimitFinder {
    /// The facts about definitions, by their addresses, which stay theirs while the weak reference lives.
    definitions: BTreeMap<usize, (Weak<Definitions>, Facts)>,
    groups: BTreeMap<usize, (Weak<DefinitionGroup>, Facts)>,
}

impl LimitFinder {
    /// The limits that one declaration exceeds.
    pub fn exceeded_limits_for_tool(&mut self, tool: &Tool) -> Vec<ProviderLimit> {
        let own = tool.input_schema.without_definitions();
        let mut facts = Facts::default();
        facts.add_schema(own, 0);
        facts.add_facts(self.cached_definition_facts(tool.input_schema.definitions()));
        let mut limits = exceeded_schema_limits(own, &facts);
        let is_long = tool.description.chars().nth(LONGEST_DESCRIPTION).is_some();
        limits.extend(is_long.then_some(DESCRIPTION));
        limits
    }

    fn cached_definition_facts(&mut self, definitions: &Arc<Definitions>) -> &Facts {
        let Self { groups, .. } = self;
        let looked_at = || {
            let mut facts = Facts::default();
            for group in definitions.groups() {
                facts.add_facts(cached_group_facts(groups, group));
            }
            (Arc::downgrade(definitions), facts)
        };
        let definition_entry = self.definitions.entry(Arc::as_ptr(definitions).addr());
        &definition_entry.or_insert_with(looked_at).1
    }
}

fn cached_group_facts<'a>(
    groups: &'a mut BTreeMap<usize, (Weak<DefinitionGroup>, Facts)>,
    group: &Arc<DefinitionGroup>,
) -> &'a Facts {
    let looked_at = || {
        let mut facts = Facts::default();
        for definition in group.iter() {
            facts.add_named_schema(&definition.name, &definition.schema, 0);
        }
        (Arc::downgrade(group), facts)
    };
    &groups.entry(Arc::as_ptr(group).addr()).or_insert_with(looked_at).1
}

fn exceeded_schema_limits(root: &Value, facts: &Facts) -> Vec<ProviderLimit> {
    let composed = ["allOf", "anyOf", "oneOf"].iter().any(|keyword| root.get(keyword).is_some());
    let limit = |provider, expected, instead| ProviderLimit { provider, expected, instead };
    let anthropic = "no `oneOf`, `anyOf` or `allOf` at the root of a schema";
    let root_of = "its projection makes their members optional arguments";
    let strict = "declare it in the usual form, or take types away with an overlay";
    let rows = [
        (composed, limit("Anthropic", anthropic, root_of)),
        (facts.n_unions > STRICT_UNIONS, limit("Anthropic (strict)", AT_MOST_UNIONS, strict)),
    ];
    let rows = rows
        .into_iter()
        .chain(google_limit_checks(facts))
        .chain(llamacpp_limit_checks(facts))
        .chain(openai_strict_limit_checks(facts));
    rows.filter(|(is_exceeded, _)| *is_exceeded).map(|(_, limit)| limit).collect()
}

const DESCRIPTION: ProviderLimit = ProviderLimit {
    provider: "OpenAI (Azure)",
    expected: "at most 1,024 characters in the description of a tool",
    instead: "`openai` and `responses` leave out what follows: say first what the model needs, or describe the tool with `tools: {edit: …}`",
};
const AT_MOST_UNIONS: &str = "at most 16 members of several types of strict tools in a request";

type Row = (bool, ProviderLimit);

fn google_limit_checks(facts: &Facts) -> [Row; 4] {
    let limit =
        |expected, instead| ProviderLimit { provider: "Gemini (`parameters`)", expected, instead };
    [
        (
            facts.n_references > 0,
            limit(
                "no `$ref` in a schema",
                "`gemini_schema` writes what is referred to in its place",
            ),
        ),
        (
            facts.has_other_enum,
            limit("enumerations of texts only", "`gemini_schema` tells other values in words"),
        ),
        (
            facts.has_other_name,
            limit(
                "members named by letters, digits and `_`",
                "`gemini_schema` gives them names and takes them back",
            ),
        ),
        (
            facts.has_rules,
            limit(
                "no `oneOf`, `not`, `if`, `patternProperties` or `uniqueItems`",
                "`gemini_schema` allows any of several, and tells the rest in words",
            ),
        ),
    ]
}

fn llamacpp_limit_checks(facts: &Facts) -> [Row; 2] {
    let limit = |expected, instead| ProviderLimit { provider: "llama.cpp", expected, instead };
    let words = "`llamacpp` tells others in words";
    [
        (facts.has_wild_pattern, limit("patterns from `^` to `$` without look-around", words)),
        (facts.max_length >= GRAMMAR_LENGTH, limit("`maxLength` below 2,000", words)),
    ]
}

fn openai_strict_limit_checks(facts: &Facts) -> [Row; 6] {
    let limit =
        |expected, instead| ProviderLimit { provider: "OpenAI (strict)", expected, instead };
    let words = "`openai_strict` tells what is beyond them in words";
    [
        (facts.has_maps, limit("no maps", "`openai_strict` has them as JSON text")),
        (
            facts.has_rules,
            limit(
                "no `oneOf`, `not`, `if`, `patternProperties` or `uniqueItems`",
                "`openai_strict` allows any of several, and tells the rest in words",
            ),
        ),
        (facts.nesting > STRICT_NESTING, limit("objects nested at most 10 deep", words)),
        (facts.n_properties > STRICT_PROPERTIES, limit("at most 5,000 properties", words)),
        (facts.n_enum_values > STRICT_ENUM_VALUES, limit("at most 1,000 enum values", words)),
        (facts.text > STRICT_TEXT, limit("at most 120,000 characters of names and values", words)),
    ]
}

#[derive(Clone, Debug, Default)]
struct Facts {
    nesting: usize,
    n_properties: usize,
    n_enum_values: usize,
    n_references: usize,
    n_unions: usize,
    text: usize,
    max_length: u64,
    has_other_enum: bool,
    has_wild_pattern: bool,
    /// True if a member's name is not an identifier.
    has_other_name: bool,
    /// True if there are keywords that few providers support.
    has_rules: bool,
    /// True if there are objects whose members have arbitrary names.
    has_maps: bool,
}

impl Facts {
    fn add_schema(&mut self, schema: &Value, nesting: usize) {
        let Some(members) = schema.as_object() else { return };
        self.nesting = self.nesting.max(nesting);
        for (keyword, value) in members {
            self.add_keyword(keyword, value);
            match (keyword.as_str(), value) {
                ("properties" | "patternProperties", Value::Object(properties)) => {
                    self.n_properties += properties.len();
                    self.add_named_schemas(properties, nesting + 1);
                }
                ("$defs", Value::Object(schemas)) => self.add_named_schemas(schemas, nesting),
                ("enum", Value::Array(values)) => self.add_enumeration(values),
                ("$ref", _) => self.n_references += 1,
                ("pattern", Value::String(pattern)) => {
                    self.has_wild_pattern |= is_unsupported_pattern(pattern);
                }
                ("maxLength", length) => {
                    self.max_length = self.max_length.max(length.as_u64().unwrap_or_default());
                }
                ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                    self.add_schemas(schemas, nesting);
                }
                ("items" | "additionalProperties" | "not" | "contains", schema) => {
                    self.add_schema(schema, nesting + 1);
                }
                _ => {}
            }
        }
    }

    fn add_keyword(&mut self, keyword: &str, value: &Value) {
        self.has_rules |= RULES.contains(&keyword);
        self.n_unions += usize::from(is_union(keyword, value));
        self.has_maps |= keyword == "additionalProperties" && value.is_object();
        let names = value.as_object().filter(|_| keyword == "properties");
        let mut names = names.into_iter().flat_map(Object::keys);
        self.has_other_name |= names.any(|name| !is_identifier(name));
    }

    fn add_schemas(&mut self, schemas: &[Value], nesting: usize) {
        for schema in schemas {
            self.add_schema(schema, nesting);
        }
    }

    fn add_named_schemas(&mut self, schemas: &Object, nesting: usize) {
        for (name, schema) in schemas {
            self.add_named_schema(name, schema, nesting);
        }
    }

    fn add_named_schema(&mut self, name: &str, schema: &Value, nesting: usize) {
        self.text += name.len();
        self.add_schema(schema, nesting);
    }

    fn add_facts(&mut self, other: &Self) {
        self.nesting = self.nesting.max(other.nesting);
        self.n_properties += other.n_properties;
        self.n_enum_values += other.n_enum_values;
        self.n_references += other.n_references;
        self.n_unions += other.n_unions;
        self.text += other.text;
        self.max_length = self.max_length.max(other.max_length);
        self.has_other_enum |= other.has_other_enum;
        self.has_wild_pattern |= other.has_wild_pattern;
        self.has_other_name |= other.has_other_name;
        self.has_rules |= other.has_rules;
        self.has_maps |= other.has_maps;
    }

    fn add_enumeration(&mut self, values: &[Value]) {
        self.n_enum_values += values.len();
        self.text += values.iter().filter_map(Value::as_str).map(str::len).sum::<usize>();
        // `null` among texts only makes the value nullable.
        self.has_other_enum |= values.iter().any(|value| !value.is_string() && !value.is_null());
    }
}

#[cfg(test)]
mod tests;
