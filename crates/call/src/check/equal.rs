//! Equality by JSON Schema's rules (2020-12 Core §4.2.2): numbers by their numeric values, objects without regard to the
//! order of their members. Equal values have equal hashes.

use std::hash::{DefaultHasher, Hash, Hasher};

use callgate_tool::{Object, Value};

/// True if both values are equal. Not recursive, so that any depth is safe.
pub(crate) fn are_equal(one: &Value, other: &Value) -> bool {
    let mut pending = Vec::new();
    let mut next = Some((one, other));
    while let Some(pair) = next {
        let is_equal = match pair {
            (Value::Array(items), Value::Array(others)) => {
                pending.extend(items.iter().zip(others));
                items.len() == others.len()
            }
            (Value::Number(number), Value::Number(other)) => number.is_equal_to(other),
            (Value::Object(members), Value::Object(others)) => {
                members.len() == others.len() && pair_members_by_name(members, others, &mut pending)
            }
            (one, other) => one == other,
        };
        if !is_equal {
            return false;
        }
        next = pending.pop();
    }
    true
}

/// Pairs up the values with equal names; returns false if a name is missing.
fn pair_members_by_name<'v>(
    members: &'v Object,
    others: &'v Object,
    pending: &mut Vec<(&'v Value, &'v Value)>,
) -> bool {
    members.iter().all(|(name, value)| match others.get(name) {
        Some(other) => {
            pending.push((value, other));
            true
        }
        None => false,
    })
}

/// The hash of a value, and the number of values that were examined for it.
pub(crate) fn value_hash_and_size(value: &Value) -> (u64, usize) {
    hash_to_depth(value, DEEPEST)
}

pub(crate) fn hash_text(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (4_u8, text).hash(&mut hasher);
    hasher.finish()
}

fn hash_to_depth(value: &Value, depth: usize) -> (u64, usize) {
    let mut hasher = DefaultHasher::new();
    let mut n_values = 1;
    match value {
        Value::Array(items) => {
            (0_u8, items.len()).hash(&mut hasher);
            for item in items.iter().take(if depth > 0 { usize::MAX } else { 0 }) {
                let (hash, n_below) = hash_to_depth(item, depth - 1);
                hash.hash(&mut hasher);
                n_values += n_below;
            }
        }
        Value::Bool(value) => (1_u8, value).hash(&mut hasher),
        Value::Null => 2_u8.hash(&mut hasher),
        Value::Number(number) => {
            3_u8.hash(&mut hasher);
            number.hash_worth(&mut hasher);
        }
        Value::Object(members) => {
            let mut sum = 0_u64;
            for (name, member) in members.iter().take(if depth > 0 { usize::MAX } else { 0 }) {
                let (hash, n_below) = hash_to_depth(member, depth - 1);
                let mut one = DefaultHasher::new();
                (name.as_str(), hash).hash(&mut one);
                sum = sum.wrapping_add(one.finish());
                n_values += n_below;
            }
            (5_u8, members.len(), sum).hash(&mut hasher);
        }
        Value::String(text) => return (hash_text(text), 1 + text.len() / TEXT),
    }
    (hasher.finish(), n_values)
}

/// The depth that the hash covers; only [`are_equal`] distinguishes values below it.
const DEEPEST: usize = 64;
/// The bytes of a text that cost as much as one value.
const TEXT: usize = 64;
