//! The grammar of each provider, written down a second time and independently of the code: a list of keywords for each, and rules
//! of structure. Answers what is wrong with a schema.

use crate::prelude::*;

/// The grammar of a provider.
struct Rules {
    /// Keywords, apart by spaces.
    keywords: &'static str,
    types: &'static [&'static str],
    /// True where types may be lists.
    has_lists: bool,
    /// True where each schema has a type, alternatives or a reference.
    is_typed: bool,
    /// True where values of enumerations are texts that are not empty.
    has_texts: bool,
    /// True where members have the names of identifiers.
    has_identifiers: bool,
}

const JSON: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];
const GOOGLE: [&str; 6] = ["ARRAY", "BOOLEAN", "INTEGER", "NUMBER", "OBJECT", "STRING"];

fn rules(projection: Projection) -> Option<Rules> {
    let json = Rules {
        keywords: PORTABLE,
        types: &JSON,
        has_lists: false,
        is_typed: true,
        has_texts: true,
        has_identifiers: true,
    };
    let claude =
        Rules { keywords: CLAUDE_STRICT, has_texts: false, has_identifiers: false, ..json };
    Some(match projection {
        Projection::AnthropicStrict | Projection::BedrockStrict => claude,
        Projection::Ces => Rules { keywords: CES, types: &GOOGLE, ..json },
        Projection::GeminiJson => Rules { keywords: GEMINI_JSON, ..json },
        Projection::GeminiSchema => Rules { keywords: GEMINI_SCHEMA, types: &GOOGLE, ..json },
        Projection::LlamaCpp => Rules {
            keywords: LLAMACPP,
            has_lists: true,
            is_typed: false,
            has_texts: false,
            has_identifiers: false,
            ..json
        },
        Projection::OpenAiStrict => Rules {
            keywords: STRICT,
            has_lists: true,
            has_texts: false,
            has_identifiers: false,
            ..json
        },
        Projection::Portable => json,
        _ => return None,
    })
}

const STRICT: &str = "$ref $defs additionalProperties anyOf description enum exclusiveMaximum exclusiveMinimum format \
    items maxItems maximum minItems minimum multipleOf pattern properties required type";
const CLAUDE_STRICT: &str =
    "additionalProperties anyOf description enum format items minItems properties required type";
const PORTABLE: &str = "$ref $defs additionalProperties anyOf default description enum format items maxItems maxLength \
    maximum minItems minLength minimum pattern properties required type";
const CES: &str = "anyOf description enum items maxItems maximum minItems minimum nullable properties required \
    type";
const GEMINI_JSON: &str = "$ref $defs additionalProperties anyOf description enum format items maxItems maximum minItems \
    minimum prefixItems properties required type";
const GEMINI_SCHEMA: &str = "anyOf description enum format items maxItems maxLength maxProperties maximum minItems minLength \
    minProperties minimum nullable pattern properties required type";
const LLAMACPP: &str = "$ref $defs additionalProperties anyOf default description enum exclusiveMaximum exclusiveMinimum \
    format items maxItems maxLength maximum minItems minLength minimum pattern prefixItems \
    properties required type";

/// The faults a provider would find in a schema.
pub(crate) fn wrong(projection: Projection, schema: &Value) -> Vec<String> {
    let mut looking =
        Looking { projection, rules: rules(projection), root: schema, wrong: Vec::new() };
    let kind = if is_google(projection) { "OBJECT" } else { "object" };
    if schema["type"] != kind {
        looking.wrong.push(format!("the root is `{}`", schema["type"]));
    }
    for keyword in ["anyOf", "oneOf", "allOf", "enum", "not", "$ref"] {
        if schema.get(keyword).is_some() {
            looking.wrong.push(format!("`{keyword}` at the root"));
        }
    }
    if !is_google(projection) && !schema["properties"].is_object() {
        looking.wrong.push("the root has no `properties`".to_owned());
    }
    for name in schema["properties"].as_object().into_iter().flat_map(Object::keys) {
        let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        let is_anthropic = projection.as_str().starts_with("anthropic");
        if is_anthropic && !(name.bytes().all(is_legal) && name.len() <= 64) {
            looking.wrong.push(format!("the argument `{name}`"));
        }
    }
    for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
        looking.schema(definition, &format!("/$defs/{name}"), 1);
    }
    looking.schema(schema, "", 0);
    looking.wrong
}

fn is_google(projection: Projection) -> bool {
    [Projection::Ces, Projection::GeminiSchema].contains(&projection)
}

struct Looking<'a> {
    projection: Projection,
    rules: Option<Rules>,
    root: &'a Value,
    wrong: Vec<String>,
}

impl Looking<'_> {
    fn say(&mut self, at: &str, what: &str) {
        self.wrong.push(format!("{at}: {what}"));
    }

    fn schema(&mut self, schema: &Value, at: &str, depth: usize) {
        if schema.is_boolean() && self.rules.is_none() {
            return;
        }
        let Some(members) = schema.as_object() else { return self.say(at, "no object") };
        self.everywhere(members, at);
        if self.projection == Projection::OpenAiStrict && depth > 10 {
            self.say(at, "nested too deep");
        }
        if self.rules.is_some() {
            self.keywords(members, at);
        }
        for (keyword, value) in members {
            self.below(keyword, value, (&format!("{at}/{keyword}"), depth));
        }
    }

    fn below(&mut self, keyword: &str, value: &Value, (at, depth): (&str, usize)) {
        match (keyword, value) {
            ("properties" | "patternProperties" | "dependentSchemas", Value::Object(each)) => {
                for (name, one) in each {
                    self.schema(one, &format!("{at}/{name}"), depth + 1);
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(each)) => {
                for one in each {
                    self.schema(one, at, depth);
                }
            }
            ("items" | "not" | "if" | "then" | "else" | "contains" | "propertyNames", one) => {
                self.schema(one, at, depth + 1);
            }
            ("additionalProperties", one) if one.is_object() => self.schema(one, at, depth + 1),
            _ => {}
        }
    }

    /// The demands of every provider.
    fn everywhere(&mut self, members: &Object, at: &str) {
        let is = |name: &str| {
            let kind = members.get("type");
            kind.is_some_and(|kind| {
                kind == name
                    || kind.as_array().is_some_and(|each| each.iter().any(|one| one == name))
            })
        };
        if (is("array") || is("ARRAY")) && !members.contains_key("items") {
            self.say(at, "a list without `items`");
        }
        if is("object") && !members.contains_key("properties") {
            self.say(at, "an object without `properties`");
        }
        if let Some(name) = members.get("$ref").and_then(Value::as_str) {
            let name = name.strip_prefix("#/$defs/").unwrap_or("?");
            if self.root["$defs"].get(name).is_none() {
                self.say(at, &format!("nothing is called `{name}`"));
            }
        }
        let required = members.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        let properties = members.get("properties");
        let is_typed = self.rules.as_ref().is_some_and(|rules| rules.is_typed);
        let is_missing = |name: &&str| properties.and_then(|each| each.get(*name)).is_none();
        for name in required.filter(|_| is_typed).filter(is_missing) {
            self.say(at, &format!("`{name}` is required and not declared"));
        }
    }

    /// The demands of those that do not take all of JSON Schema.
    fn keywords(&mut self, members: &Object, at: &str) {
        let Some(rules) = &self.rules else { return };
        let mut wrong = rules.structure(members);
        wrong.extend(rules.values(members));
        if rules.types == GOOGLE {
            google(members, &mut wrong);
        }
        if self.projection == Projection::OpenAiStrict {
            complete(members, &mut wrong);
        }
        if self.projection.as_str().ends_with("_strict") {
            closed(members, &mut wrong);
        }
        if [Projection::AnthropicStrict, Projection::BedrockStrict].contains(&self.projection) {
            counted(members, &mut wrong);
        }
        for wrong in wrong {
            self.say(at, &wrong);
        }
    }
}

impl Rules {
    fn structure(&self, members: &Object) -> Vec<String> {
        let is_unknown =
            |keyword: &&String| !self.keywords.split(' ').any(|known| known == *keyword);
        let mut wrong: Vec<String> = members.keys().filter(is_unknown).cloned().collect();
        let has = |keyword: &str| members.contains_key(keyword);
        match members.get("type") {
            Some(Value::String(kind)) if self.types.contains(&kind.as_str()) => {}
            Some(Value::Array(kinds)) if self.has_lists && kinds.len() == 2 => {}
            Some(kind) => wrong.push(format!("type {kind}")),
            None if !self.is_typed || has("anyOf") || has("$ref") => {}
            None => wrong.push("no type".to_owned()),
        }
        if has("$ref") && members.len() > 1 {
            wrong.push("beside `$ref`".to_owned());
        }
        let most = 1 + usize::from(self.types == JSON && has("description"));
        if has("anyOf") && members.len() > most {
            wrong.push("beside `anyOf`".to_owned());
        }
        wrong
    }

    fn values(&self, members: &Object) -> Vec<String> {
        let mut wrong = Vec::new();
        let listed = members.get("enum").and_then(Value::as_array).into_iter().flatten();
        for value in listed.filter(|value| value.as_str().is_none_or(str::is_empty)) {
            wrong.extend(self.has_texts.then(|| format!("the value {value}")));
        }
        let properties = members.get("properties").and_then(Value::as_object);
        for name in properties.into_iter().flat_map(Object::keys).filter(|_| self.has_identifiers) {
            let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            let is_short = (1..=64).contains(&name.len());
            if !is_short || !name.bytes().all(is_word) || name.as_bytes()[0].is_ascii_digit() {
                wrong.push(format!("the name `{name}`"));
            }
        }
        let pattern = members.get("pattern").and_then(Value::as_str).unwrap_or_default();
        if ["(?=", "(?!", "(?<"].iter().any(|look| pattern.contains(look)) {
            wrong.push("look-around".to_owned());
        }
        wrong
    }
}

fn google(members: &Object, wrong: &mut Vec<String>) {
    if members.get("properties").and_then(Value::as_object).is_some_and(Object::is_empty) {
        wrong.push("empty `properties`".to_owned());
    }
    for count in
        ["maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"]
    {
        if members.get(count).is_some_and(|count| !count.is_string()) {
            wrong.push(format!("`{count}` is no text"));
        }
    }
    let formats = ["date-time", "double", "float", "int32", "int64"];
    if members.get("format").is_some_and(|format| !formats.iter().any(|known| format == known)) {
        wrong.push("format".to_owned());
    }
}

fn complete(members: &Object, wrong: &mut Vec<String>) {
    let Some(properties) = members.get("properties").and_then(Value::as_object) else { return };
    let required = members.get("required").and_then(Value::as_array);
    let required: Vec<_> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    if !properties.keys().all(|name| required.contains(&name.as_str())) {
        wrong.push("a member is not required".to_owned());
    }
}

fn closed(members: &Object, wrong: &mut Vec<String>) {
    if members.contains_key("properties")
        && members.get("additionalProperties") != Some(&Value::Bool(false))
    {
        wrong.push("other members are allowed".to_owned());
    }
}

/// Anthropic's strict mode takes `minItems` of 0 and 1 alone.
fn counted(members: &Object, wrong: &mut Vec<String>) {
    if members.get("minItems").is_some_and(|least| least.as_u64().is_none_or(|least| least > 1)) {
        wrong.push("`minItems`".to_owned());
    }
}
