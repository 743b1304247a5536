//! Paths with their variable parts: which parts of an address stand for one thing among many.

mod likeness;

use std::collections::{BTreeMap, BTreeSet};

use self::likeness::{Common, Looks};
use crate::{
    exchange::{Exchange, Segment},
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

    fn new_variable(suffix: &str) -> Self {
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
        reading.decide_slots_from(group, 0);
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
    fn decide_slots_from(&mut self, group: Vec<usize>, depth: usize) {
        let (mut literals, mut variables) = (Groups::new(), Groups::new());
        for index in group {
            let Some(segment) = self.segment(index, depth) else { continue };
            match variable_suffix(segment) {
                Some(suffix) => variables.entry(suffix).or_default().push(index),
                None => literals.entry(&segment.text).or_default().push(index),
            }
        }
        if depth > 0 {
            self.move_alike_to_variables(&mut literals, variables.entry("").or_default(), depth);
        }
        for (text, group) in literals {
            self.add_slot_and_continue(group, depth, &Slot::Literal(text.to_owned()));
        }
        for (suffix, group) in variables {
            self.add_slot_and_continue(group, depth, &Slot::new_variable(suffix));
        }
    }

    fn add_slot_and_continue(&mut self, group: Vec<usize>, depth: usize, slot: &Slot) {
        for index in &group {
            if let Some(slots) = self.slots.get_mut(*index) {
                slots.push(slot.clone());
            }
        }
        if !group.is_empty() {
            self.decide_slots_from(group, depth.saturating_add(1));
        }
    }

    /// Moves words that differ between otherwise equal exchanges to the variables.
    fn move_alike_to_variables(
        &self,
        literals: &mut Groups<'e>,
        variables: &mut Vec<usize>,
        depth: usize,
    ) {
        let all: Vec<usize> = literals.values().flatten().chain(&*variables).copied().collect();
        let common = Common::from_exchanges(&self.exchanges_of(&all), depth);
        let looks =
            |group: &[usize]| Looks::from_exchanges(&self.exchanges_of(group), depth, &common);
        let samples = variables
            .iter()
            .filter_map(|index| self.segment(*index, depth)?.value_unless_placeholder());
        // Words are no numbers: what stands beside numbers is another operation.
        let takes_words = !variables.is_empty() && !samples.clone().any(is_integer);
        let mut clusters: Vec<Cluster<'_>> = Vec::new();
        if takes_words {
            clusters.push(Cluster {
                looks: looks(variables),
                is_variable: true,
                ..Cluster::default()
            });
        }
        for (text, group) in literals.iter().filter(|(text, _)| !WORDS.contains(text)) {
            let mut own = Cluster {
                texts: vec![text],
                n_exchanges: group.len(),
                looks: looks(group),
                is_variable: false,
            };
            let (like, others) =
                clusters.into_iter().partition(|cluster| cluster.looks.is_like(&own.looks));
            clusters = others;
            let like: Vec<Cluster<'_>> = like;
            for cluster in like {
                own.merge(cluster);
            }
            clusters.push(own);
        }
        for cluster in clusters {
            let is_joined = cluster.is_variable || self.is_mostly_unique(&cluster, depth, literals);
            for text in cluster.texts.iter().filter(|_| is_joined) {
                variables.extend(literals.remove(text).unwrap_or_default());
            }
        }
    }

    fn exchanges_of(&self, group: &[usize]) -> Vec<&'e Exchange> {
        group
            .iter()
            .filter_map(|index| self.exchanges.get(*index))
            .map(|one| &one.exchange)
            .collect()
    }

    /// True for words most of which occur once: each stands for one thing.
    fn is_mostly_unique(&self, cluster: &Cluster<'_>, depth: usize, literals: &Groups<'e>) -> bool {
        let n_texts = cluster.texts.len();
        let before = cluster.texts.first().and_then(|text| literals.get(text)?.first());
        let before = before.and_then(|index| self.segment(*index, depth.checked_sub(1)?));
        let n_needed = match before {
            _ if cluster.looks.has_too_few_names() => LEAST_POOR,
            Some(segment) if is_plural(&segment.text) => 2,
            _ => 3,
        };
        let n_each = n_texts.saturating_mul(cluster.looks.n_kinds());
        n_texts >= n_needed && n_each.saturating_mul(2) >= cluster.n_exchanges
    }
}

/// Exchanges by their text at one part of the path.
type Groups<'e> = BTreeMap<&'e str, Vec<usize>>;

/// Words at one place whose exchanges look alike.
#[derive(Debug, Default)]
struct Cluster<'e> {
    texts: Vec<&'e str>,
    n_exchanges: usize,
    looks: Looks<'e>,
    /// True where values that are surely variable look so, too.
    is_variable: bool,
}

impl Cluster<'_> {
    fn merge(&mut self, other: Self) {
        self.texts.extend(other.texts);
        self.n_exchanges = self.n_exchanges.saturating_add(other.n_exchanges);
        self.looks.merge(other.looks);
        self.is_variable |= other.is_variable;
    }
}

/// The fewest words that stand for one thing each where neither a request nor a response says what it is.
const LEAST_POOR: usize = 5;

/// What follows the value of a variable part; `None` for a part that is no value by itself.
fn variable_suffix(segment: &Segment) -> Option<&str> {
    let text = segment.text.as_str();
    if segment.name.is_some()
        || text.contains(MASKED)
        || is_identifier(text)
        || !is_legal_in_template(text)
    {
        return Some("");
    }
    let suffix = FILE_ENDINGS.iter().find(|ending| text.ends_with(**ending))?;
    let value = text.strip_suffix(suffix)?;
    is_identifier(value).then_some(*suffix)
}

/// True for a text that may stand in a template as it is (RFC 3986 §3.3).
fn is_legal_in_template(text: &str) -> bool {
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
