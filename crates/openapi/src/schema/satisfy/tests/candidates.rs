//! Makes values that may meet a schema: guided by its keywords, and any. For tests only.

use proptest::{prelude::Rng as _, test_runner::TestRng};
use serde_json::{Map, Value, json};

pub(super) struct Candidates<'a> {
    pub(super) root: &'a Value,
    pub(super) rng: TestRng,
}

impl<'a> Candidates<'a> {
    pub(super) fn of(&mut self, schema: &'a Value, n: usize) -> Vec<Value> {
        let mut constants = Vec::new();
        gather_constants(schema, &mut constants);
        let mut found = vec![json!(null), json!(true), json!(0), json!(""), json!([]), json!({})];
        found.extend(constants.iter().take(20).cloned());
        for at in 0..n {
            found.push(if at % 3 == 0 {
                self.any(&constants, 2)
            } else {
                self.guided(&[schema], 5)
            });
        }
        found
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.rng.next_u32()).unwrap() % n.max(1)
    }

    fn small(&mut self, n: usize) -> i32 {
        i32::try_from(self.below(n)).unwrap()
    }

    fn any(&mut self, constants: &[Value], depth: usize) -> Value {
        match self.below(if depth == 0 { 6 } else { 8 }) {
            0 => json!(null),
            1 => json!(self.below(2) == 0),
            2 => json!(self.small(9) - 3),
            3 => json!(f64::from(self.small(13) - 6) / 2.0),
            4 => json!("abababab".chars().take(self.below(8)).collect::<String>()),
            5 => {
                constants.get(self.below(constants.len())).cloned().unwrap_or_else(|| json!("red"))
            }
            6 => (0..self.below(5)).map(|_| self.any(constants, depth - 1)).collect(),
            _ => {
                let names: Vec<_> = NAMES.iter().filter(|_| self.below(2) == 0).collect();
                let member = |name: &&str| ((*name).to_owned(), self.any(constants, depth - 1));
                Value::Object(names.into_iter().map(member).collect())
            }
        }
    }

    /// A value by the keywords of schemas that it must meet together.
    fn guided(&mut self, schemas: &[&'a Value], depth: usize) -> Value {
        let rules = self.gathered(schemas, depth);
        let get = |name: &str| rules.iter().find_map(|rule| rule.get(name));
        if let Some(value) = get("const") {
            return value.clone();
        }
        if let Some(values) = get("enum").and_then(Value::as_array) {
            return values.get(self.below(values.len())).cloned().unwrap_or_default();
        }
        let kinds = ["string", "integer", "number", "boolean", "array", "object", "null"];
        let allows = |kind: &str| {
            rules.iter().all(|rule| match rule.get("type") {
                Some(Value::String(own)) => own == kind || own == "number" && kind == "integer",
                Some(Value::Array(own)) => {
                    own.iter().any(|own| own == kind || own == "number" && kind == "integer")
                }
                _ => true,
            })
        };
        let kinds: Vec<_> = kinds.into_iter().filter(|kind| allows(kind)).collect();
        let kind = kinds.get(self.below(kinds.len())).copied().unwrap_or("string");
        if depth == 0 && (kind == "array" || kind == "object") {
            return if kind == "array" { json!([]) } else { json!({}) };
        }
        match kind {
            "null" => json!(null),
            "boolean" => json!(self.below(2) == 0),
            "integer" | "number" => self.number(&rules, kind),
            "array" => self.array(&rules, depth),
            "object" => self.object(&rules, depth),
            _ => {
                let n = self.count(&rules, "minLength", "maxLength");
                json!("abcdefghij".chars().cycle().take(n).collect::<String>())
            }
        }
    }

    /// The schemas with their references, their `allOf`, and one alternative of each choice.
    fn gathered(&mut self, schemas: &[&'a Value], depth: usize) -> Vec<&'a Value> {
        let mut rules: Vec<&Value> = Vec::new();
        let mut ahead: Vec<&Value> = schemas.to_vec();
        while let Some(schema) = ahead.pop().filter(|_| rules.len() < 40 + depth) {
            if let Some(pointer) = schema.get("$ref").and_then(Value::as_str) {
                ahead.extend(pointer.strip_prefix('#').and_then(|at| self.root.pointer(at)));
            }
            ahead.extend(schema.get("allOf").and_then(Value::as_array).into_iter().flatten());
            for keyword in ["anyOf", "oneOf"] {
                let branches = schema.get(keyword).and_then(Value::as_array);
                ahead
                    .extend(branches.and_then(|branches| branches.get(self.below(branches.len()))));
            }
            rules.push(schema);
        }
        rules
    }

    fn number(&mut self, rules: &[&'a Value], kind: &str) -> Value {
        let bound = |names: [&str; 2]| {
            rules
                .iter()
                .flat_map(|rule| names.iter().filter_map(|name| rule.get(*name)?.as_f64()))
                .collect::<Vec<_>>()
        };
        let least = bound(["minimum", "exclusiveMinimum"]).into_iter().reduce(f64::max);
        let most = bound(["maximum", "exclusiveMaximum"]).into_iter().reduce(f64::min);
        let step = rules.iter().find_map(|rule| rule.get("multipleOf")?.as_f64());
        let from = least.or(most).unwrap_or(0.0);
        let to = most.unwrap_or(from + 3.0);
        let value = match self.below(5) {
            0 => from,
            1 => to,
            2 => f64::midpoint(from, to),
            3 => from.floor() + 1.0,
            _ => step.map_or(from + 1.0, |step| (from / step).ceil() * step),
        };
        let value = if kind == "integer" { value.round() } else { value };
        // A whole number is written without a fraction.
        serde_json::from_str(&value.to_string()).unwrap_or_default()
    }

    fn count(&mut self, rules: &[&'a Value], least: &str, most: &str) -> usize {
        let all = |name: &str| {
            rules.iter().filter_map(|rule| rule.get(name)?.as_u64()).collect::<Vec<_>>()
        };
        let least = all(least).into_iter().max().unwrap_or(0).min(100);
        let most = all(most).into_iter().min().unwrap_or(least + 3).clamp(least, least + 3);
        usize::try_from(least).unwrap() + self.below(usize::try_from(most - least).unwrap() + 1)
    }

    fn array(&mut self, rules: &[&'a Value], depth: usize) -> Value {
        let n = self.count(rules, "minItems", "maxItems");
        let wanted = rules.iter().find_map(|rule| rule.get("contains"));
        let item = |at: usize| -> Vec<&'a Value> {
            let own = |rule: &&'a Value| {
                let rule: &'a Value = rule;
                let list = rule.get("prefixItems");
                list.and_then(|list| list.get(at)).or_else(|| rule.get("items"))
            };
            rules.iter().filter_map(own).collect()
        };
        let mut items = Vec::new();
        for at in 0..n {
            let mut schemas = item(at);
            schemas.extend(wanted.filter(|_| self.below(2) == 0));
            items.push(self.guided(&schemas, depth - 1));
        }
        Value::Array(items)
    }

    fn object(&mut self, rules: &[&'a Value], depth: usize) -> Value {
        let mut names: Vec<&str> = Vec::new();
        for rule in rules {
            names.extend(
                rule.get("required")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str),
            );
            let properties = rule.get("properties").and_then(Value::as_object);
            let some = properties.into_iter().flat_map(Map::keys).filter(|_| self.below(3) == 0);
            names.extend(some.map(String::as_str));
        }
        for rule in rules {
            let by_name = rule.get("dependentRequired").and_then(Value::as_object);
            let more = by_name.into_iter().flatten();
            let more = more.filter(|(name, _)| names.contains(&name.as_str()));
            let more: Vec<&str> = more
                .flat_map(|(_, more)| more.as_array().into_iter().flatten())
                .filter_map(Value::as_str)
                .collect();
            names.extend(more);
        }
        let least = self.count(rules, "minProperties", "maxProperties");
        names.extend(NAMES.iter().take(least.saturating_sub(names.len())));
        let mut members = Map::new();
        for name in names {
            let own: Vec<&'a Value> = rules
                .iter()
                .filter_map(|rule| {
                    let property =
                        rule.get("properties").and_then(|properties| properties.get(name));
                    property.or_else(|| rule.get("additionalProperties"))
                })
                .collect();
            let value = self.guided(&own, depth - 1);
            members.insert(name.to_owned(), value);
        }
        Value::Object(members)
    }
}

fn gather_constants(schema: &Value, found: &mut Vec<Value>) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match (name.as_str(), value) {
                    ("const", value) => found.push(value.clone()),
                    ("enum", Value::Array(values)) => found.extend(values.iter().cloned()),
                    _ => gather_constants(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| gather_constants(item, found)),
        _ => {}
    }
}

pub(super) const NAMES: [&str; 3] = ["a", "b", "ab"];
