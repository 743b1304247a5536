//! Alternatives: `oneOf` and `anyOf` become `anyOf`, whose branches include the keywords beside it. Alternatives that only
//! say which members go together are described in words.

use callgate_tool::{Object, Value};

use super::{
    cut::Level,
    description::with_leading_description,
    grammar::NullForm,
    kinds::Kinds,
    loss::Lost,
    nullable::nullable_schema,
    parts::{Group, SchemaParts, schema_kinds},
    projector::Projector,
    words::{self, Words},
};

impl<'s> Projector<'s> {
    pub(super) fn schema_of_alternatives(
        &mut self,
        parts: &SchemaParts<'s>,
        level: Level,
    ) -> Value {
        let mut words = Words::default();
        let mut chosen = None;
        for group in &parts.groups {
            if chosen.is_none() && group.branches.iter().any(has_structural_keywords) {
                chosen = Some(*group);
            } else {
                words.add(group_description(*group));
                self.note_loss(group.keyword, Lost::Described);
            }
        }
        match chosen {
            Some(group) => self.projected_alternatives(parts, group, level, &words),
            None => self.schema_by_kinds(parts, level, words),
        }
    }

    fn projected_alternatives(
        &mut self,
        parts: &SchemaParts<'s>,
        group: Group<'s>,
        level: Level,
        words: &Words,
    ) -> Value {
        if group.keyword == "oneOf" && group.branches.len() > 1 {
            self.note_loss("oneOf", Lost::Wider);
        }
        let kinds = parts.kinds();
        let covers = |branch: &'s Value| schema_kinds(branch, self.definitions, 1).is_within(kinds);
        let is_bare = parts.groups.len() == 1
            && parts.is_type_only()
            && (kinds == Kinds::ALL || group.branches.iter().all(covers));
        let mut branches = Vec::new();
        for (index, branch) in group.branches.iter().enumerate() {
            if branch.as_bool() == Some(false) || self.is_byte_budget_spent() {
                continue;
            }
            let place = [group.keyword, &index.to_string()];
            let beside = (!is_bare).then_some(parts);
            branches.extend(self.at_place(&place, |walk| {
                walk.projected_branch(branch, beside, level.branch_level())
            }));
        }
        self.any_of_schema(branches, parts.description_or_title(), words)
    }

    /// A branch with the keywords beside the alternatives; `None` if no value meets both.
    fn projected_branch(
        &mut self,
        branch: &'s Value,
        beside: Option<&SchemaParts<'s>>,
        level: Level,
    ) -> Option<Value> {
        let Some(parts) = beside else { return Some(self.projected_schema(&[branch], level)) };
        let with = parts.with_branch(branch, self.definitions);
        let is_possible = with.kinds() != Kinds::NONE;
        is_possible.then(|| self.merged_schema(&with, level))
    }

    /// One of these branches, with a description of all.
    pub(super) fn any_of_schema(
        &mut self,
        branches: Vec<Value>,
        own: &str,
        words: &Words,
    ) -> Value {
        let null = self.null_schema();
        let mut flat: Vec<Value> = Vec::new();
        let mut is_nullable = false;
        for branch in branches.into_iter().flat_map(any_of_branches) {
            let is_null = branch == null;
            is_nullable |= is_null;
            let is_known = is_null || (flat.len() < MOST_COMPARED && flat.contains(&branch));
            flat.extend((!is_known).then_some(branch));
        }
        let description = words.description_with_words(own, self.cut.text);
        self.spend_bytes(description.len());
        let mut built = match flat.len() {
            0 if is_nullable => return with_leading_description(null, description),
            0 => self.any_schema(),
            1 => flat.pop().unwrap_or_default(),
            _ => {
                let mut built = Object::new();
                built.insert("anyOf", Value::Array(flat));
                Value::Object(built)
            }
        };
        let form = self.grammar.null;
        if is_nullable && form == NullForm::Flag {
            built = nullable_schema(built, form);
        }
        built = self.with_description(built, description);
        if is_nullable { nullable_schema(built, form) } else { built }
    }
}

/// The branches of a schema that consists only of alternatives.
fn any_of_branches(value: Value) -> Vec<Value> {
    match value {
        Value::Object(mut members) if members.len() == 1 && members.contains_key("anyOf") => {
            match members.remove("anyOf") {
                Some(Value::Array(branches)) => branches,
                _ => Vec::new(),
            }
        }
        other => vec![other],
    }
}

/// True for a branch that does more than require or forbid members.
fn has_structural_keywords(branch: &Value) -> bool {
    let Some(members) = branch.as_object() else { return false };
    members.keys().any(|key| STRUCTURE.contains(&key.as_str()))
}

pub(super) fn group_description(group: Group<'_>) -> String {
    let required = |branch: &Value| {
        let required = branch.get("required").and_then(Value::as_array)?;
        Some(words::name_list(required.iter().filter_map(Value::as_str)).replace(", ", " and "))
    };
    let each: Option<Vec<String>> = group.branches.iter().map(required).collect();
    let kind = if group.keyword == "oneOf" { "exactly one" } else { "at least one" };
    if let Some(each) = each {
        return format!("needs {kind} of: {}", words::name_list(each.iter().map(String::as_str)));
    }
    let branches = group.branches.iter().take(MOST_SHOWN).map(words::short_json);
    format!("{kind} holds: {}", branches.collect::<Vec<_>>().join(" or "))
}

const STRUCTURE: [&str; 11] = [
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "enum",
    "items",
    "oneOf",
    "pattern",
    "properties",
    "type",
];
/// The most branches that are compared; equal branches beyond them stay.
const MOST_COMPARED: usize = 64;
/// The most alternatives that are quoted as JSON.
const MOST_SHOWN: usize = 4;
