//! Reads projected schemas as JSON Schema, and writes values as a model would that knows only those.

use crate::prelude::*;

/// A projected schema that values are held against.
pub(crate) struct Reading {
    schema: Value,
    evaluator: Evaluator,
    /// True where absent members are `null`, and maps texts.
    is_strict: bool,
}

impl Reading {
    pub(crate) fn of(projected: &Value, projection: Projection) -> Self {
        let schema = plain(projected);
        let is_strict = projection.as_str().ends_with("_strict");
        Self { evaluator: Evaluator::new(schema.clone()), schema, is_strict }
    }

    pub(crate) fn accepts(&self, value: &Value) -> bool {
        self.evaluator.evaluate("value", value).verdict == Verdict::Valid
    }

    pub(crate) fn schema(&self) -> &Value {
        &self.schema
    }

    /// The value as it is written where this schema is all that is known.
    pub(crate) fn written(&self, value: &Value) -> Value {
        self.written_by(value, &self.schema, 0)
    }

    fn written_by(&self, value: &Value, schema: &Value, depth: usize) -> Value {
        if depth > 40 {
            return value.clone();
        }
        if let Some(name) = schema["$ref"].as_str() {
            let target = self.schema.pointer(name.trim_start_matches('#'));
            return self.written_by(value, target.unwrap_or(&Value::Null), depth + 1);
        }
        if let Some(branches) = schema["anyOf"].as_array() {
            let each =
                branches.iter().map(|branch| (branch, self.written_by(value, branch, depth + 1)));
            let mut fits = each.filter(|(branch, written)| self.fits(written, branch));
            let mut fits: Vec<_> = fits.by_ref().collect();
            // A text that holds an object is the last resort.
            fits.sort_by_key(|(_, written)| written.kind() != value.kind());
            let fits = fits.into_iter().next();
            return fits.map_or_else(|| value.clone(), |(_, written)| written);
        }
        match value {
            Value::Array(items) => {
                let prefix = schema["prefixItems"].as_array();
                let of = |at: usize| {
                    prefix.and_then(|prefix| prefix.get(at)).unwrap_or_else(|| &schema["items"])
                };
                let each = items.iter().enumerate();
                each.map(|(at, item)| self.written_by(item, of(at), depth + 1)).collect()
            }
            Value::Object(_)
                if self.is_strict && has_type(schema, "string") && !has_type(schema, "object") =>
            {
                Value::String(value.to_string())
            }
            Value::Object(members) => self.object(members, schema, depth),
            other => other.clone(),
        }
    }

    fn object(&self, members: &Object, schema: &Value, depth: usize) -> Value {
        let mut written = Object::new();
        for (name, member) in members {
            let known = schema["properties"].get(name);
            let known = known.unwrap_or_else(|| &schema["additionalProperties"]);
            written.insert(name.as_str(), self.written_by(member, known, depth + 1));
        }
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Value::as_str).filter(|_| self.is_strict) {
            written.entry(name).or_insert(Value::Null);
        }
        Value::Object(written)
    }

    fn fits(&self, value: &Value, branch: &Value) -> bool {
        let mut schema = json!({"allOf": [branch]});
        if let Some(definitions) = self.schema.get("$defs") {
            schema["$defs"] = definitions.clone();
        }
        Evaluator::new(schema).evaluate("value", value).verdict == Verdict::Valid
    }
}

fn has_type(schema: &Value, name: &str) -> bool {
    let kind = &schema["type"];
    kind == name || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == name))
}

/// Google's `Schema` as JSON Schema; others as they are.
fn plain(schema: &Value) -> Value {
    match schema {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => {
            let mut built = Object::new();
            for (keyword, value) in members {
                let value = match (keyword.as_str(), value) {
                    ("type", Value::String(kind)) => Value::String(kind.to_lowercase()),
                    ("enum" | "default" | "required", value) => value.clone(),
                    (
                        "maxItems" | "maxLength" | "maxProperties" | "minItems" | "minLength"
                        | "minProperties",
                        Value::String(count),
                    ) => Value::parse(count).unwrap(),
                    ("properties" | "$defs", Value::Object(each)) => Value::Object(
                        each.iter().map(|(name, one)| (name.clone(), plain(one))).collect(),
                    ),
                    (_, value) => plain(value),
                };
                built.insert(keyword.as_str(), value);
            }
            if built.remove("nullable") == Some(Value::Bool(true)) {
                return json!({"anyOf": [(Value::Object(built)), {"type": "null"}]});
            }
            Value::Object(built)
        }
        other => other.clone(),
    }
}
