//! Makes the legal, unique names that a model sees from the names in a description. The result depends only on the set
//! of names, never on their order. The table of inputs, not the name, decides where a value goes.

use callgate_tool::{ArgumentName, MAX_ARGUMENT_NAME, MAX_TOOL_NAME, ToolName, ToolsetName};
use hashbrown::HashSet;
use sha2::{Digest, Sha256};

use crate::input::InputLocation;

mod generator;
mod path_words;
mod short;
mod slot;
mod vague;

pub(crate) use generator::{Generator, name_and_generator};
pub(crate) use short::{ShortName, name_without_toolset, short_names};
pub(crate) use slot::Slot;
pub(crate) use vague::is_vague;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity<'a> {
    pub(crate) method: &'a str,
    pub(crate) operation_id: Option<&'a str>,
    pub(crate) path: &'a str,
    pub(crate) tag: Option<&'a str>,
}

/// The name that a whole id makes, and the generator of the id.
pub(crate) type LongerName = (ToolName, Generator);

struct Candidate<'a> {
    stem: String,
    kind: Option<&'static str>,
    /// True if the description itself states exactly this name.
    exact: bool,
    /// The texts that are hashed; no two candidates share them.
    seed: [&'a str; 2],
    /// The number of earlier candidates that took the name.
    rank: usize,
}

/// The digits of the hash for each rank. Rank 0 has none; at the last rank collisions are impossible.
const HASH_DIGITS: [usize; 6] = [0, 0, 6, 12, 24, 48];

/// Up to this many names are compared pair by pair, which needs no memory.
const COMPARED_NAMES: usize = 32;

pub(crate) fn tool_names(
    toolset: Option<&ToolsetName>,
    operations: &[Identity<'_>],
) -> Vec<Option<ToolName>> {
    let candidates = operations.iter().map(|identity| tool_candidate(toolset, identity)).collect();
    let names = unique_names(candidates, MAX_TOOL_NAME);
    names.iter().map(|name| ToolName::new(name).ok()).collect()
}

pub(crate) fn argument_names(slots: &[Slot<'_>]) -> Vec<Option<ArgumentName>> {
    if let Some(names) = unchanged_names(slots) {
        return names;
    }
    let names = unique_names(slots.iter().map(argument_candidate).collect(), MAX_ARGUMENT_NAME);
    names.iter().map(|name| ArgumentName::new(name).ok()).collect()
}

/// The unchanged names of arguments, if they are few, legal and distinct, as they mostly are.
fn unchanged_names(slots: &[Slot<'_>]) -> Option<Vec<Option<ArgumentName>>> {
    if slots.len() > COMPARED_NAMES {
        return None;
    }
    let is_new = |(at, slot): (usize, &Slot<'_>)| {
        slots.iter().take(at).all(|before| before.name != slot.name)
    };
    if !slots.iter().enumerate().all(is_new) {
        return None;
    }
    slots.iter().map(|slot| slot.legal_argument_name().map(Some)).collect()
}

/// A name behind the name of its toolset.
pub(crate) fn prefixed_name(toolset: Option<&ToolsetName>, name: &str) -> String {
    toolset.map_or_else(|| name.to_owned(), |toolset| format!("{toolset}-{name}"))
}

fn tool_candidate<'a>(toolset: Option<&ToolsetName>, identity: &Identity<'a>) -> Candidate<'a> {
    let Identity { method, operation_id, path, .. } = *identity;
    let of_id = operation_id.map(|id| (id, legal_name(id, is_tool_name_byte)));
    let readable = of_id.filter(|(_, stem)| stem.bytes().any(|byte| byte.is_ascii_alphanumeric()));
    let (stem, exact) = readable.map_or_else(
        || {
            (
                legal_name(&format!("{} {path}", method.to_ascii_lowercase()), is_tool_name_byte),
                false,
            )
        },
        |(id, stem)| {
            let exact = stem == id;
            (stem, exact)
        },
    );
    let stem = prefixed_name(toolset, &stem);
    let stem = if starts_with_letter_or_underscore(&stem) { stem } else { format!("_{stem}") };
    Candidate { stem, kind: None, exact, seed: [method, path], rank: 0 }
}

fn argument_candidate<'a>(slot: &Slot<'a>) -> Candidate<'a> {
    let Slot { name, place, .. } = *slot;
    let seed = [place.as_str(), name];
    let mut stem = legal_name(name, is_argument_name_byte);
    if place == InputLocation::Path && matches!(name, "*" | "**") {
        "rest".clone_into(&mut stem);
    } else if !stem.bytes().any(|byte| byte.is_ascii_alphanumeric()) && stem != name {
        stem = format!("{}_{}", place.as_str(), hash(seed, 6));
    } else if !name.is_ascii() {
        // Two words of another script become equal once their letters are removed.
        stem = format!("{stem}_{}", hash(seed, 6));
    }
    let exact = stem == name;
    if !starts_with_letter_or_underscore(&stem) {
        stem.insert(0, '_');
    }
    let whole_body = place == InputLocation::Body && name == "body";
    let kind = Some(place.as_str()).filter(|_| !whole_body);
    Candidate { stem, kind, exact, seed, rank: 0 }
}

fn unique_names(mut candidates: Vec<Candidate<'_>>, longest: usize) -> Vec<String> {
    if have_unique_stems(&candidates, longest) {
        return candidates.into_iter().map(|candidate| candidate.stem).collect();
    }
    for candidate in &mut candidates {
        candidate.rank = if candidate.stem.len() > longest { 2 } else { 0 };
    }
    loop {
        let names: Vec<String> =
            candidates.iter().map(|candidate| candidate.name(longest)).collect();
        let mut sorted: Vec<(&str, usize)> =
            names.iter().enumerate().map(|(at, name)| (&**name, at)).collect();
        sorted.sort_unstable();
        let clashing: Vec<usize> = sorted
            .chunk_by(|(one, _), (other, _)| one == other)
            .filter(|group| group.len() > 1)
            .flat_map(|group| {
                candidates_to_rename(&candidates, group.iter().map(|(_, at)| *at).collect())
            })
            .collect();
        let mut moved = false;
        for at in clashing {
            if let Some(candidate) = candidates.get_mut(at) {
                moved |= candidate.take_next_name();
            }
        }
        if !moved {
            return names;
        }
    }
}

/// True if the readable parts alone are short enough and distinct, as they mostly are.
fn have_unique_stems(candidates: &[Candidate<'_>], longest: usize) -> bool {
    let mut seen_stems: HashSet<&str> = HashSet::new();
    candidates.iter().enumerate().all(|(at, Candidate { stem, .. })| {
        let is_new = if candidates.len() <= COMPARED_NAMES {
            candidates.iter().take(at).all(|before| before.stem != *stem)
        } else {
            seen_stems.insert(stem)
        };
        is_new && stem.len() <= longest
    })
}

/// The candidates of a group with one name that must take another: all except one whose exact name the description
/// states, if there is only one.
fn candidates_to_rename(candidates: &[Candidate<'_>], group: Vec<usize>) -> Vec<usize> {
    let owns = |at: &usize| candidates.get(*at).is_some_and(Candidate::has_exact_name);
    if group.iter().filter(|at| owns(at)).count() != 1 {
        return group;
    }
    group.into_iter().filter(|at| !owns(at)).collect()
}

impl Candidate<'_> {
    /// True if the description states exactly this name, at a location that its kind does not qualify.
    fn has_exact_name(&self) -> bool {
        self.rank == 0 && self.exact && self.kind.is_none()
    }

    fn name(&self, longest: usize) -> String {
        let digits = HASH_DIGITS.get(self.rank).copied().unwrap_or_default();
        if digits == 0 {
            return if self.rank == 0 { self.stem.clone() } else { self.qualified_name() };
        }
        let kept = longest - digits - 1;
        let stem: String = self.qualified_name().chars().take(kept).collect();
        format!("{stem}_{}", hash(self.seed, digits))
    }

    fn qualified_name(&self) -> String {
        self.kind.map_or_else(|| self.stem.clone(), |kind| format!("{kind}_{}", self.stem))
    }

    /// Takes the next name; `false` if there is none.
    fn take_next_name(&mut self) -> bool {
        let too_long = self.rank == 0 && self.qualified_name().len() > MAX_TOOL_NAME;
        let step = if self.rank == 0 && (self.kind.is_none() || too_long) { 2 } else { 1 };
        let next = self.rank + step;
        let exists = next < HASH_DIGITS.len();
        self.rank = if exists { next } else { self.rank };
        exists
    }
}

/// `text` with each run of other characters as one `_`, and none at the ends. Only the start of a very long text is used.
fn legal_name(text: &str, is_legal: fn(u8) -> bool) -> String {
    if text.len() <= LOOKED_AT && text.bytes().all(is_legal) {
        return text.to_owned();
    }
    let mut kept = String::with_capacity(text.len().min(LOOKED_AT));
    let mut gap = false;
    for c in text.chars().take(LOOKED_AT) {
        let byte = u8::try_from(c).ok().filter(|byte| byte.is_ascii() && is_legal(*byte));
        let Some(byte) = byte else {
            gap = true;
            continue;
        };
        if gap && !kept.is_empty() && !kept.ends_with('_') {
            kept.push('_');
        }
        gap = false;
        kept.push(char::from(byte));
    }
    kept
}

/// The length at which a text is cut; a hash of the whole text distinguishes cut ones.
const LOOKED_AT: usize = 1000;

fn starts_with_letter_or_underscore(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn is_tool_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn is_argument_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The first digits of a hash, which distinguish equal names.
fn hash(seed: [&str; 2], digits: usize) -> String {
    let digest = Sha256::digest(seed.join(" "));
    let nibbles = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    nibbles.filter_map(|nibble| char::from_digit(nibble.into(), 16)).take(digits).collect()
}

#[cfg(test)]
mod tests;
