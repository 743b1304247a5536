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
    let (seen, waiting) = (BTreeSet::new(), Vec::new());
    let mut search = Search { root: schema, pointer, findings, seen, waiting, left: MOST_VISITED };
    search.queue_members(&[schema.own_schema()], "");
    while let Some((schema, at)) = search.waiting.pop() {
        search.visit_schema(schema, &at);
    }
}

struct Search<'a, 'f> {
    root: SchemaRoot<'a>,
    pointer: &'a str,
    findings: &'f mut Findings,
    /// The addresses of the schemas that were visited or wait: circles end, shared schemas count once, and no more wait than are visited.
    seen: BTreeSet<*const Value>,
    /// The schemas that are visited next, the last one first, with their places. They may lie deeper in each other than a stack is deep.
    waiting: Vec<(&'a Value, String)>,
    left: usize,
}

impl<'a> Search<'a, '_> {
    fn visit_schema(&mut self, schema: &'a Value, at: &str) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let together = self.composed_parts(schema, &["allOf"]);
        let mut excluded = excluded_names(&together, &together);
        for keyword in ["anyOf", "oneOf"] {
            let lists = together.iter().filter_map(|part| part.get(keyword)?.as_array());
            excluded.extend(
                lists.flat_map(|branches| self.names_excluded_in_branches(branches, &together)),
            );
        }
        self.report_excluded(&excluded, at);
        let all = self.composed_parts(schema, &["allOf", "anyOf", "oneOf"]);
        self.report_undescribed_members(&together, &all, at);
        self.queue_members(&all, at);
    }

    fn queue_members(&mut self, parts: &[&'a Value], at: &str) {
        let dot = if at.is_empty() { "" } else { "." };
        let begin = self.waiting.len();
        for (name, schema) in parts.iter().copied().flat_map(members_and_items) {
            if self.seen.len() == MOST_VISITED {
                break;
            }
            if self.seen.insert(std::ptr::from_ref(schema)) {
                let place = name.map_or_else(|| format!("{at}[]"), |it| format!("{at}{dot}{it}"));
                self.waiting.push((schema, place));
            }
        }
        if let Some(added) = self.waiting.get_mut(begin..) {
            added.reverse();
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

    /// The members of branches that a part around them excludes, and those that the only branch beside `null` excludes.
    fn names_excluded_in_branches(
        &mut self,
        branches: &'a [Value],
        around: &[&'a Value],
    ) -> BTreeSet<&'a str> {
        let branches: Vec<&'a Value> = branches.iter().filter(|it| !is_null(it)).collect();
        let mut names = BTreeSet::new();
        for branch in branches.iter().copied().take(self.left) {
            self.left -= 1;
            let own = self.composed_parts(branch, &["allOf"]);
            names.extend(excluded_names(around, &own));
            if branches.len() == 1 {
                let all: Vec<&'a Value> = own.iter().chain(around).copied().collect();
                names.extend(excluded_names(&own, &all));
            }
        }
        names
    }

    fn report_excluded(&mut self, names: &BTreeSet<&str>, at: &str) {
        for name in names {
            let message = format!(
                "expected a member that each part of `allOf` allows, got one that `additionalProperties: false` of another part excludes: `{at}.{name}`"
            );
            let help = "remove `additionalProperties: false` there, or write `unevaluatedProperties: false` beside `allOf` in its place; a call that gives the member is refused";
            self.findings.note(Code::ExcludedMember, self.pointer, message, help);
        }
    }

    fn report_undescribed_members(&mut self, together: &[&'a Value], all: &[&'a Value], at: &str) {
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

/// The optional members of parts that a closed one among others excludes.
fn excluded_names<'a>(closing: &[&'a Value], parts: &[&'a Value]) -> BTreeSet<&'a str> {
    let required: BTreeSet<&str> = required_names(closing).chain(required_names(parts)).collect();
    let mut names = BTreeSet::new();
    for closed in closing.iter().copied().filter(|part| is_closed(part)) {
        let is_own = |name: &str| schema_properties(closed).any(|(own, _)| own == name);
        let others = parts.iter().copied().flat_map(schema_properties);
        // A required one leaves no value at all, which another finding says.
        let excluded = others.filter(|(name, schema)| {
            !is_own(name) && !required.contains(name.as_str()) && !is_read_only(schema)
        });
        names.extend(excluded.map(|(name, _)| name.as_str()));
    }
    names
}

/// The schemas of members by their names, and that of items.
fn members_and_items(schema: &Value) -> impl Iterator<Item = (Option<&String>, &Value)> {
    let members = schema_properties(schema).map(|(name, member)| (Some(name), member));
    let items = schema.get("items").filter(|items| items.as_object().is_some());
    members.chain(items.map(|items| (None, items)))
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

fn is_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

fn is_read_only(schema: &Value) -> bool {
    schema.get("readOnly").and_then(Value::as_bool) == Some(true)
}

/// The number of schemas and branches that are visited for one operation, and of the parts of one of them.
const MOST_VISITED: usize = 2000;
const MOST_PARTS: usize = 200;

#[cfg(test)]
mod tests {
    use callgate_tool::{Object, json};

    use super::*;

    #[test]
    fn no_more_schemas_wait_than_are_visited_however_wide_a_circle_is() {
        let reference = json!({"$ref": "#/$defs/T"});
        let members: Object = (0..5000).map(|n| (format!("m{n}"), reference.clone())).collect();
        let properties = Value::Object(members);
        let schema = json!({"properties": properties, "$defs": {"T": {"properties": properties}}});
        let (root, mut findings) = (SchemaRoot::Whole(&schema), Findings::default());
        let (seen, waiting) = (BTreeSet::new(), Vec::new());
        let mut search = Search {
            root,
            pointer: "",
            findings: &mut findings,
            seen,
            waiting,
            left: MOST_VISITED,
        };
        search.queue_members(&[&schema], "");
        for _ in 0..20 {
            let (schema, at) = search.waiting.pop().unwrap();
            search.visit_schema(schema, &at);
            assert!(search.waiting.len() <= MOST_VISITED, "{}", search.waiting.len());
        }
    }
}
