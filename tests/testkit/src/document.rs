//! The published discovery document of a service of Google's, reduced to names and types: which requests it allows.

use std::collections::BTreeMap;

use serde_json::Value;

#[derive(Debug)]
pub(crate) struct Document(Value);

/// A request that the document allows.
#[derive(Clone, Debug)]
pub struct AllowedRequest {
    /// The method: `projects.locations.connections.entityTypes.entities.list`, without `projects.locations.connections.`;
    /// `projects.locations.collections.engines.servingConfigs.search`, without `projects.locations.`.
    pub method: String,
    /// The last segments of the path that are no words of the method: `entityTypesId`, `entitiesId`.
    pub path: BTreeMap<String, String>,
    /// The parameters of the query, the last of each name.
    pub query: BTreeMap<String, String>,
    /// The body; null if the method has none.
    pub body: Value,
}

impl Document {
    pub(crate) fn read(text: &str) -> Self {
        Self(serde_json::from_str(text).unwrap())
    }

    /// The request, or the reason why the document does not allow it.
    pub(crate) fn request(&self, line: &str, body: &str) -> Result<AllowedRequest, String> {
        let (http, target) = line.split_once(' ').unwrap();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let methods = self.0["methods"].as_array().unwrap();
        let found = methods.iter().filter(|method| method["http"] == http).find_map(|method| {
            let pattern = method["path"].as_str().unwrap();
            matched(pattern, path.trim_start_matches('/')).map(|path| (method, path))
        });
        let (method, path) = found.ok_or_else(|| format!("no method: {http} {path}"))?;
        let query = self.query(method, query)?;
        let body = self.body(method, body)?;
        Ok(AllowedRequest { method: name(method).to_owned(), path, query, body })
    }

    /// Checks a response of the fake itself.
    pub(crate) fn check_response(&self, method: &str, response: &Value) {
        let methods = self.0["methods"].as_array().unwrap();
        let Some(method) = methods.iter().find(|known| name(known) == method) else { return };
        if let Some(schema) = method["response"].as_str() {
            self.members(schema, response, "response").unwrap();
        }
    }

    fn query(&self, method: &Value, query: &str) -> Result<BTreeMap<String, String>, String> {
        let mut given = BTreeMap::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').ok_or_else(|| format!("no value: {pair}"))?;
            let (name, value) = (decoded(name), decoded(value));
            let is_common =
                self.0["common"].as_array().unwrap().iter().any(|known| *known == *name);
            let known = &method["query"][&name];
            if !is_common && known.is_null() {
                return Err(format!("no parameter of {}: {name}", method["id"]));
            }
            checked_text(known, &name, &value)?;
            let is_again = given.insert(name.clone(), value).is_some();
            if is_again && known["repeated"] != true {
                return Err(format!("twice: {name}"));
            }
        }
        for (name, known) in method["query"].as_object().unwrap() {
            if known["required"] == true && given.get(name).is_none_or(String::is_empty) {
                return Err(format!("required: {name}"));
            }
        }
        if given.get("conditions").is_some_and(String::is_empty) {
            return Err("conditions are empty".to_owned());
        }
        if let Some(headers) = given.get("executionConfig.headers") {
            checked_headers(headers)?;
        }
        Ok(given)
    }

    fn body(&self, method: &Value, body: &str) -> Result<Value, String> {
        let Some(schema) = method["request"].as_str() else {
            return if body.is_empty() { Ok(Value::Null) } else { Err("a body".to_owned()) };
        };
        let value: Value = serde_json::from_str(body).map_err(|error| error.to_string())?;
        self.members(schema, &value, "body")?;
        if let Some(headers) = value["executionConfig"]["headers"].as_str() {
            checked_headers(headers)?;
        }
        Ok(value)
    }

    fn members(&self, schema: &str, value: &Value, at: &str) -> Result<(), String> {
        let known = &self.0["schemas"][schema];
        let members = value.as_object().ok_or_else(|| format!("{at}: no object"))?;
        for (name, value) in members {
            let at = format!("{at}.{name}");
            match known.get(name) {
                Some(known) => self.value(known, value, &at)?,
                None => return Err(format!("{at}: no member of {schema}")),
            }
        }
        Ok(())
    }

    fn value(&self, known: &Value, value: &Value, at: &str) -> Result<(), String> {
        if let Some(schema) = known["ref"].as_str() {
            return self.members(schema, value, at);
        }
        let is_right = match known["type"].as_str().unwrap() {
            "any" => true,
            "array" => {
                let items = value.as_array().ok_or_else(|| format!("{at}: no array"))?;
                items.iter().try_for_each(|item| self.value(&known["items"], item, at))?;
                true
            }
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64(),
            "number" => value.is_number(),
            "object" => {
                let members = value.as_object().ok_or_else(|| format!("{at}: no object"))?;
                for (name, value) in members {
                    self.value(&known["members"], value, &format!("{at}.{name}"))?;
                }
                true
            }
            "string" => {
                let text = value.as_str().ok_or_else(|| format!("{at}: no text"))?;
                return checked_text(known, at, text);
            }
            other => panic!("{other}"),
        };
        if is_right { Ok(()) } else { Err(format!("{at}: another type: {value}")) }
    }
}

fn name(method: &Value) -> &str {
    let name = method["id"].as_str().unwrap();
    name.trim_start_matches("projects.locations.").trim_start_matches("connections.")
}

/// The values of the template's names, if a path is one of the template.
fn matched(pattern: &str, path: &str) -> Option<BTreeMap<String, String>> {
    let (patterns, segments) = (pattern.split('/'), path.split('/'));
    if patterns.clone().count() != segments.clone().count() {
        return None;
    }
    let mut values = BTreeMap::new();
    for (pattern, segment) in patterns.zip(segments) {
        let (pattern, verb) = pattern.split_once(':').unwrap_or((pattern, ""));
        let (segment, own) = match verb {
            "" => (segment, ""),
            _ => segment.rsplit_once(':')?,
        };
        if verb != own {
            return None;
        }
        match pattern.strip_prefix('{') {
            Some(name) if !segment.is_empty() && !is_verb(segment) => {
                values.insert(name.trim_end_matches('}').to_owned(), decoded(segment));
            }
            None if pattern == segment => {}
            Some(_) | None => return None,
        }
    }
    Some(values)
}

/// A verb that is not decoded: `a:execute`.
fn is_verb(segment: &str) -> bool {
    segment.contains(':')
}

fn checked_text(known: &Value, at: &str, text: &str) -> Result<(), String> {
    let is_right = match (known["type"].as_str(), known["format"].as_str()) {
        (Some("integer"), _) => text.parse::<i32>().is_ok(),
        (_, Some("int64")) => text.parse::<i64>().is_ok(),
        _ => true,
    };
    let is_listed = match known["enum"].as_array() {
        Some(words) => words.iter().any(|word| *word == text),
        None => true,
    };
    if is_right && is_listed { Ok(()) } else { Err(format!("{at}: another value: {text}")) }
}

/// The headers of an execution are a text of JSON, with texts.
fn checked_headers(text: &str) -> Result<(), String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let headers = value.as_object().ok_or("headers: no object")?;
    if headers.values().all(Value::is_string) { Ok(()) } else { Err("headers: no text".to_owned()) }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let pair = [rest.next().unwrap(), rest.next().unwrap()];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&pair).unwrap(), 16).unwrap());
            }
            b'+' => bytes.push(b' '),
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap()
}
