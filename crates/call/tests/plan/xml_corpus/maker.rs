//! Makes values with all members, as deep as a limit; below it with the required ones.

use crate::prelude::*;
use std::cell::Cell;

use proptest::{
    strategy::{Strategy, ValueTree},
    string::string_regex,
};

use super::parts::Parts;

/// Makes values; each text is another one, so that no two members can be mistaken.
#[derive(Debug, Default)]
pub(super) struct Maker {
    n_texts: Cell<usize>,
}

impl Maker {
    pub(super) fn value(&self, parts: &Parts<'_>, depth: usize) -> Value {
        let listed = parts
            .word("enum")
            .and_then(Value::as_array)
            .and_then(|all| all.iter().find(|one| !one.is_null()));
        if let Some(known) = parts.word("const").or(listed) {
            return known.clone();
        }
        if parts.is("array") || parts.word("items").is_some() {
            let bound = |keyword: &str| parts.word(keyword).and_then(Value::as_u64);
            let most = bound("maxItems").unwrap_or(2).max(1);
            let n = bound("minItems").unwrap_or(2).max(1).min(most).min(20);
            return (0..n).map(|_| self.value(&parts.items(), depth + 1)).collect();
        }
        let names = parts.names();
        if !names.is_empty() || parts.is("object") {
            return self.object(parts, &names, depth);
        }
        self.single(parts)
    }

    fn object(&self, parts: &Parts<'_>, names: &[&str], depth: usize) -> Value {
        let bound = |keyword: &str| parts.word(keyword).and_then(Value::as_u64);
        let most =
            usize::try_from(bound("maxProperties").unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let needs_one = bound("minProperties").is_some_and(|least| least > 0);
        let is_shallow = depth < DEEPEST && self.n_texts.get() < MOST;
        let mut members = Object::new();
        for name in names.iter().filter(|_| depth < DEEPEST * 3) {
            let member = parts.member(name);
            let is_needed = parts.is_required(name) || (needs_one && members.is_empty());
            if (is_shallow || is_needed) && members.len() < most && !member.is_read_only() {
                members.insert(*name, self.value(&member, depth + 1));
            }
        }
        let is_map = parts.word("additionalProperties").is_some_and(Value::is_object);
        if members.is_empty() && is_map && is_shallow {
            members.insert("key", self.value(&parts.member("key"), depth + 1));
        }
        Value::Object(members)
    }

    fn single(&self, parts: &Parts<'_>) -> Value {
        let n = self.n_texts.get() + 1;
        self.n_texts.set(n);
        if parts.is("boolean") {
            return json!(true);
        }
        if parts.is("integer") || parts.is("number") {
            let bound = |keyword: &str| parts.word(keyword).and_then(Value::as_f64);
            let least =
                bound("minimum").or_else(|| bound("exclusiveMinimum").map(|least| least + 1.0));
            let most =
                bound("maximum").or_else(|| bound("exclusiveMaximum").map(|most| most - 1.0));
            let wanted = least.unwrap_or(1.0).max(1.0).min(most.unwrap_or(f64::MAX));
            return Value::parse(&format!("{wanted:.0}")).unwrap();
        }
        Value::from(text(parts, n))
    }
}

fn text(parts: &Parts<'_>, n: usize) -> String {
    let bound = |keyword: &str| {
        parts.word(keyword).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok())
    };
    let (least, most) =
        (bound("minLength").unwrap_or(0).min(500), bound("maxLength").unwrap_or(500));
    let of_pattern = parts.word("pattern").and_then(Value::as_str).and_then(|pattern| {
        let pattern = pattern.trim_start_matches('^').trim_end_matches('$');
        let texts = string_regex(pattern).ok()?;
        let mut runner = TestRunner::deterministic();
        let mut tries = (0..20).filter_map(|_| Some(texts.new_tree(&mut runner).ok()?.current()));
        // XML has no control characters, and no empty texts.
        tries.find(|text| {
            (least..=most).contains(&text.chars().count())
                && !text.is_empty()
                && !text.contains(|one: char| !one.is_ascii_graphic() && one != ' ')
        })
    });
    let plain = || {
        let mut text = format!("{n} <é> & \"x\"\n]]>");
        while text.chars().count() < least {
            text.push('a');
        }
        text.chars().take(most.max(1)).collect()
    };
    of_pattern.unwrap_or_else(plain)
}

/// Members are made to this depth.
const DEEPEST: usize = 5;
/// After so many texts only required members are made.
const MOST: usize = 1500;
