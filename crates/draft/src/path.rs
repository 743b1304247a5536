//! Paths with their variable parts: which parts of an address stand for one thing among many.

mod likeness;

use std::collections::{BTreeMap, BTreeSet};

use self::likeness::Looks;
use crate::{
    exchange::Segment,
    name::{camel_name, is_plural, singular, unique_name},
    redact::{MASKED, Redacted},
    text::{is_identifier, is_integer},
};

/// A path such as `/pets/{petId}`.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Template {
    pub(crate) slots: Vec<Slot>,
}

#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Slot {
    Literal(String),
    Variable {
        name: String,
        /// What follows the value, such as `.json`.
        suffix: String,
    },
}

impl Template {
    pub(crate) fn text(&self) -> String {
        let slots = self.slots.iter().map(|slot| match slot {
            Slot::Literal(text) => format!("/{text}"),
            Slot::Variable { name, suffix } => format!("/{{{name}}}{suffix}"),
        });
        slots.collect()
    }

    /// The last part that is no variable.
    pub(crate) fn last_literal(&self) -> Option<&str> {
        self.slots.iter().rev().find_map(Slot::literal)
    }
}

impl Slot {
    pub(crate) fn literal(&self) -> Option<&str> {
        if let Self::Literal(text) = self { Some(text) } else { None }
    }

    fn unnamed(suffix: &str) -> Self {
        Self::Variable { name: String::new(), suffix: suffix.to_owned() }
    }
}

/// Words that stand where an identifier may stand, and name one thing or all.
const WORDS: [&str; 16] = [
    "all", "batch", "bulk", "count", "current", "default", "export", "first", "last", "latest",
    "me", "mine", "new", "random", "search", "self",
];
/// Endings of files.
const FILE_ENDINGS: [&str; 9] =
    [".json", ".xml", ".csv", ".pdf", ".png", ".jpg", ".html", ".txt", ".zip"];

/// The template of each exchange.
pub(crate) fn path_templates(exchanges: &[Redacted]) -> Vec<Template> {
    let mut reading = Reading { exchanges, slots: vec![Vec::new(); exchanges.len()] };
    let mut by_origin: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, redacted) in exchanges.iter().enumerate() {
        by_origin.entry(&redacted.exchange.origin).or_default().push(index);
    }
    for group in by_origin.into_values() {
        reading.settle_group(group, 0);
    }
    let slots = reading.slots;
    name_variables(exchanges, slots)
}

struct Reading<'e> {
    exchanges: &'e [Redacted],
    slots: Vec<Vec<Slot>>,
}

impl<'e> Reading<'e> {
    fn segment(&self, index: usize, depth: usize) -> Option<&'e Segment> {
        self.exchanges.get(index)?.exchange.segments.get(depth)
    }

    /// Decides the part at this depth for exchanges that are the same before it, and goes on behind it.
    fn settle_group(&mut self, group: Vec<usize>, depth: usize) {
        let mut literals: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut variables: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for index in group {
            let Some(segment) = self.segment(index, depth) else { continue };
            match variable_suffix(segment) {
                Some(suffix) => variables.entry(suffix).or_default().push(index),
                None => literals.entry(&segment.text).or_default().push(index),
            }
        }
        if depth > 0 {
            self.join_alike(&mut literals, variables.entry("").or_default(), depth);
        }
        for (text, group) in literals {
            self.settle_slot(group, depth, &Slot::Literal(text.to_owned()));
        }
        for (suffix, group) in variables {
            self.settle_slot(group, depth, &Slot::unnamed(suffix));
        }
    }

    fn settle_slot(&mut self, group: Vec<usize>, depth: usize, slot: &Slot) {
        for index in &group {
            if let Some(slots) = self.slots.get_mut(*index) {
                slots.push(slot.clone());
            }
        }
        if !group.is_empty() {
            self.settle_group(group, depth.saturating_add(1));
        }
    }

    /// Moves words that differ between otherwise equal exchanges to the variables.
    fn join_alike(
        &self,
        literals: &mut BTreeMap<&str, Vec<usize>>,
        variables: &mut Vec<usize>,
        depth: usize,
    ) {
        let looks = |group: &[usize]| -> Vec<Looks<'_>> {
            let exchanges = group.iter().filter_map(|index| self.exchanges.get(*index));
            exchanges.map(|redacted| Looks::from_exchange(&redacted.exchange, depth)).collect()
        };
        let is_typed = variables.iter().any(|index| {
            self.segment(*index, depth).and_then(Segment::sample).is_some_and(is_integer)
        });
        let mut clusters: Vec<Cluster<'_>> =
            vec![Cluster { texts: Vec::new(), looks: looks(variables) }];
        for (text, group) in literals.iter().filter(|(text, _)| !WORDS.contains(text)) {
            let own = looks(group);
            match clusters.iter_mut().find(|cluster| cluster.is_like(&own)) {
                Some(cluster) => {
                    cluster.texts.push((*text).to_owned());
                    cluster.looks.extend(own);
                }
                None => clusters.push(Cluster { texts: vec![(*text).to_owned()], looks: own }),
            }
        }
        for (at, cluster) in clusters.iter().enumerate() {
            let is_joined = if at == 0 {
                !is_typed && !variables.is_empty()
            } else {
                self.differs(cluster, depth, literals)
            };
            for text in cluster.texts.iter().filter(|_| is_joined) {
                variables.extend(literals.remove(text.as_str()).unwrap_or_default());
            }
        }
    }

    /// True for words most of which occur once: each stands for one thing.
    fn differs(
        &self,
        cluster: &Cluster<'_>,
        depth: usize,
        literals: &BTreeMap<&str, Vec<usize>>,
    ) -> bool {
        let n_texts = cluster.texts.len();
        let before = cluster.texts.first().and_then(|text| literals.get(text.as_str())?.first());
        let before = before.and_then(|index| self.segment(*index, depth.checked_sub(1)?));
        let n_needed = if before.is_some_and(|segment| is_plural(&segment.text)) { 2 } else { 3 };
        n_texts >= n_needed && n_texts.saturating_mul(2) >= cluster.looks.len()
    }
}

/// Words at one place whose exchanges look alike.
struct Cluster<'e> {
    texts: Vec<String>,
    looks: Vec<Looks<'e>>,
}

impl Cluster<'_> {
    fn is_like(&self, others: &[Looks<'_>]) -> bool {
        self.looks
            .iter()
            .take(MOST_COMPARED)
            .any(|look| others.iter().take(MOST_COMPARED).any(|other| look.is_like(other)))
    }
}

/// Exchanges of a word that are compared with those of another: ten look as a thousand do.
const MOST_COMPARED: usize = 10;

/// What follows the value of a variable part; `None` for a part that is no value by itself.
fn variable_suffix(segment: &Segment) -> Option<&str> {
    let text = segment.text.as_str();
    if segment.name.is_some() || text.contains(MASKED) || is_identifier(text) || !is_plain(text) {
        return Some("");
    }
    let suffix = FILE_ENDINGS.iter().find(|ending| text.ends_with(**ending))?;
    let value = text.strip_suffix(suffix)?;
    is_identifier(value).then_some(*suffix)
}

/// True for a text that may stand in a template as it is (RFC 3986 §3.3).
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte))
}

/// Names the variables, those of equal templates alike.
fn name_variables(exchanges: &[Redacted], slots: Vec<Vec<Slot>>) -> Vec<Template> {
    let mut given: BTreeMap<(Vec<Slot>, usize), &str> = BTreeMap::new();
    for (redacted, slots) in exchanges.iter().zip(&slots) {
        for (at, segment) in redacted.exchange.segments.iter().enumerate() {
            if let Some(name) = &segment.name {
                given.entry((slots.clone(), at)).or_insert(name);
            }
        }
    }
    let name_slots = |unnamed: Vec<Slot>| {
        let mut names = BTreeSet::new();
        let mut before = None;
        let mut slots = Vec::with_capacity(unnamed.len());
        for (at, slot) in unnamed.iter().enumerate() {
            slots.push(match slot {
                Slot::Literal(text) => Slot::Literal(text.clone()),
                Slot::Variable { suffix, .. } => {
                    let given = given.get(&(unnamed.clone(), at)).map(|name| (*name).to_owned());
                    let name =
                        unique_name(given.unwrap_or_else(|| variable_name(before)), &mut names);
                    Slot::Variable { name, suffix: suffix.clone() }
                }
            });
            before = slot.literal();
        }
        Template { slots }
    };
    slots.into_iter().map(name_slots).collect()
}

/// `petId` behind `pets`.
fn variable_name(before: Option<&str>) -> String {
    let words = before.map(|before| camel_name(&singular(before))).unwrap_or_default();
    let is_version =
        words.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_name = words.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_version;
    if is_name { format!("{words}Id") } else { "id".to_owned() }
}

#[cfg(test)]
mod tests;
