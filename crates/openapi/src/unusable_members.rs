//! Finds members of arguments that no call can give as they are described, by the schema of the arguments alone: members that a
//! closed part of `allOf` excludes, and required ones that nothing describes.

use std::collections::BTreeSet;

use callgate_tool::Value;

use crate::{code::Code, findings::Findings, keys::SchemaRoot};

/// Reports the members of all arguments; `schema` is that of all arguments.
pub(crate) fn report_unusable_members(
    schema: SchemaRoot<'_>,
    pointer: &str,
    findings: &mut Findings,
) {
    let mut search =
        Search { root: schema, pointer, findings, seen: BTreeSet::new(), left: MOST_VISITED };
    search.visit_members(&[schema.own_schema()], "");
}

struct Search<'a, 'f> {
    root: SchemaRoot<'a>,
    pointer: &'a str,
    findings: &'f mut Findings,
    /// The addresses of the schemas that were visited: circles end, and shared schemas count once.
    seen: BTreeSet<*const Value>,
    left: usize,
}

impl<'a> Search<'a, '_> {
    fn visit(&mut self, schema: &'a Value, at: &str) {
        if self.left == 0 || !self.seen.insert(std::ptr::from_ref(schema)) {
            return;
        }
        self.left -= 1;
        let together = self.composed_parts(schema, &["allOf"]);
        self.report_excluded(&together, at);
        let all = self.composed_parts(schema, &["allOf", "anyOf", "oneOf"]);
        self.report_undescribed(&together, &all, at);
        self.visit_members(&all, at);
    }

    fn visit_members(&mut self, parts: &[&'a Value], at: &str) {
        let dot = if at.is_empty() { "" } else { "." };
        for part in parts {
            for (name, member) in schema_properties(part) {
                self.visit(member, &format!("{at}{dot}{name}"));
            }
            if let Some(items) = part.get("items").filter(|items| items.as_object().is_some()) {
                self.visit(items, &format!("{at}[]"));
            }
        }
    }

    /// A schema with the targets of its references and the branches of these compositions.
    fn composed_parts(&self, schema: &'a Value, compositions: &[&str]) -> Vec<&'a Value> {
        let mut parts: Vec<&'a Value> = Vec::new();
        let mut waiting = vec![schema];
        while let Some(schema) = waiting.pop().filter(|_| parts.len() < MOST_PARTS) {
            if parts.iter().any(|part| std::ptr::eq(*part, schema)) {
                continue;
            }
            parts.push(schema);
            let reference = schema.get("$ref").and_then(Value::as_str);
            waiting.extend(reference.and_then(|reference| self.root.target(reference)));
            let lists = compositions.iter().filter_map(|keyword| schema.get(*keyword)?.as_array());
            waiting.extend(lists.flatten());
        }
        parts
    }

    fn report_excluded(&mut self, together: &[&'a Value], at: &str) {
        let required: BTreeSet<&str> = required_names(together).collect();
        let mut excluded_names = BTreeSet::new();
        for closed in together.iter().filter(|part| is_closed(part)) {
            let is_own = |name: &str| schema_properties(closed).any(|(own, _)| own == name);
            let others = together.iter().flat_map(|part| schema_properties(part));
            // A required one leaves no value at all, which another finding says.
            let excluded = others.filter(|(name, schema)| {
                !is_own(name) && !required.contains(name.as_str()) && !is_read_only(schema)
            });
            excluded_names.extend(excluded.map(|(name, _)| name));
        }
        for name in excluded_names {
            let message = format!(
                "expected a member that each part of `allOf` allows, got one that `additionalProperties: false` of another part excludes: `{at}.{name}`"
            );
            let help = "remove `additionalProperties: false` there, or write `unevaluatedProperties: false` beside `allOf` in its place; a call that gives the member is refused";
            self.findings.note(Code::ExcludedMember, self.pointer, message, help);
        }
    }

    fn report_undescribed(&mut self, together: &[&'a Value], all: &[&'a Value], at: &str) {
        let describes_any = |part: &&Value| {
            let others =
                part.get("additionalProperties").is_some_and(|it| it.as_object().is_some());
            others || part.get("patternProperties").is_some()
        };
        if all.iter().any(describes_any) || all.iter().all(|part| part.get("properties").is_none())
        {
            return;
        }
        let described_names: BTreeSet<&String> =
            all.iter().flat_map(|part| schema_properties(part)).map(|(name, _)| name).collect();
        let undescribed: BTreeSet<&str> = required_names(together)
            .filter(|name| !described_names.contains(&(*name).to_owned()))
            .collect();
        for name in undescribed {
            let message =
                format!("expected a description of each required member, got none: `{at}.{name}`");
            let help = "describe it under `properties`, or remove it from `required`; until then each call has to give it, and nothing says what it is";
            self.findings.note(Code::UndescribedMember, self.pointer, message, help);
        }
    }
}

fn schema_properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn required_names<'a>(parts: &[&'a Value]) -> impl Iterator<Item = &'a str> {
    let lists = parts.iter().filter_map(|part| part.get("required")?.as_array());
    lists.flatten().filter_map(Value::as_str)
}

fn is_closed(schema: &Value) -> bool {
    schema.get("additionalProperties").and_then(Value::as_bool) == Some(false)
        && schema.get("patternProperties").is_none()
}

fn is_read_only(schema: &Value) -> bool {
    schema.get("readOnly").and_then(Value::as_bool) == Some(true)
}

/// The number of schemas that are visited for one operation, and of the parts of one of them.
const MOST_VISITED: usize = 1000;
const MOST_PARTS: usize = 200;
