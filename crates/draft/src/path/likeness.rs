//! Likeness of exchanges that differ in one part of the path: the same method, the same path behind that part, and the same
//! names in what goes out and comes back.

use std::collections::{BTreeMap, BTreeSet};

use callgate_tool::Value;

use crate::{body::Body, exchange::Exchange, text::is_identifier};

/// The texts behind a part of the path that stand behind several texts of that part: they are the same whatever it is.
pub(super) struct Common<'e> {
    texts: BTreeSet<(usize, &'e str)>,
}

impl<'e> Common<'e> {
    pub(super) fn from_exchanges(exchanges: &[&'e Exchange], depth: usize) -> Self {
        let mut owners: BTreeMap<(usize, &str), BTreeSet<&str>> = BTreeMap::new();
        for exchange in exchanges {
            let Some(own) = exchange.segments.get(depth) else { continue };
            for (at, segment) in exchange.segments.iter().enumerate().skip(depth.saturating_add(1))
            {
                owners.entry((at, &segment.text)).or_default().insert(&own.text);
            }
        }
        // Among many, two may have the same by chance, such as two owners a repository of the same name.
        let n_least = if exchanges.len() < MANY { 2 } else { 3 };
        let texts =
            owners.into_iter().filter(|owner| owner.1.len() >= n_least).map(|owner| owner.0);
        Self { texts: texts.collect() }
    }

    /// The path behind a part; empty where a text stands behind that part alone.
    fn common_texts_behind(&self, exchange: &'e Exchange, depth: usize) -> Vec<&'e str> {
        let behind = exchange.segments.iter().enumerate().skip(depth.saturating_add(1));
        let text = |(at, segment): (usize, &'e crate::exchange::Segment)| {
            let text = segment.text.as_str();
            if self.texts.contains(&(at, text)) && !is_identifier(text) { text } else { "" }
        };
        behind.map(text).collect()
    }
}

const MANY: usize = 30;

/// A kind of exchange, but for one part of its path.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Kind<'e> {
    method: &'e str,
    behind: Vec<&'e str>,
    has_request: bool,
    has_response: bool,
}

/// The names of members in requests and in responses.
type Names = [BTreeSet<String>; 2];

/// The kinds of exchanges of some texts at one part of the path, with the names of their members.
#[derive(Debug, Default)]
pub(super) struct Looks<'e> {
    kinds: BTreeMap<Kind<'e>, Names>,
}

impl<'e> Looks<'e> {
    pub(super) fn from_exchanges(
        exchanges: &[&'e Exchange],
        depth: usize,
        common: &Common<'e>,
    ) -> Self {
        let mut looks = Self::default();
        for exchange in exchanges {
            let response =
                exchange.response.as_ref().and_then(|response| response.message.body.as_ref());
            let bodies = [exchange.request.body.as_ref(), response];
            let kind = Kind {
                method: &exchange.method,
                behind: common.common_texts_behind(exchange, depth),
                has_request: bodies[0].is_some(),
                has_response: bodies[1].is_some(),
            };
            let names = looks.kinds.entry(kind).or_default();
            for (names, body) in names.iter_mut().zip(bodies) {
                names.extend(body.map(body_member_paths).unwrap_or_default());
            }
        }
        looks
    }

    /// True where a kind of exchange is in both, and its members have the same names.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.kinds.iter().any(|(kind, names)| {
            let others = other.kinds.get(kind);
            others.is_some_and(|others| {
                names.iter().zip(others).all(|(names, others)| share_most_names(names, others))
            })
        })
    }

    /// True where no exchange has members by which it could be told from another.
    pub(super) fn has_too_few_names(&self) -> bool {
        self.kinds.values().flatten().all(|names| names.len() < LEAST_NAMES)
    }

    pub(super) fn n_kinds(&self) -> usize {
        self.kinds.len()
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (kind, names) in other.kinds {
            let own = self.kinds.entry(kind).or_default();
            for (own, names) in own.iter_mut().zip(names) {
                own.extend(names);
            }
        }
    }
}

/// Fewer names say nothing: `{"message": …}` and `{"ok": …}` are everywhere.
const LEAST_NAMES: usize = 2;

/// True where most names of the smaller set are in the other.
fn share_most_names(names: &BTreeSet<String>, others: &BTreeSet<String>) -> bool {
    let n_least = names.len().min(others.len());
    let n_shared = names.intersection(others).count();
    if n_least < LEAST_NAMES {
        return names.len().max(others.len()) < LEAST_NAMES;
    }
    n_shared >= LEAST_NAMES && n_shared.saturating_mul(2) >= n_least
}

/// The places of members, a few levels deep.
fn body_member_paths(body: &Body) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    match body {
        Body::Json(_, value) => add_member_paths(value, "", 3, &mut names),
        Body::Form(pairs) => names.extend(pairs.iter().map(|pair| pair.0.clone())),
        Body::Multipart(parts) => names.extend(parts.iter().map(|part| part.name.clone())),
        Body::Binary(_) | Body::Text(..) | Body::Unreadable(_) => {}
    }
    names
}

fn add_member_paths(value: &Value, place: &str, depth: u8, names: &mut BTreeSet<String>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Array(items) => {
            if let Some(item) = items.first() {
                add_member_paths(item, &format!("{place}[]"), depth, names);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                let place = format!("{place}.{name}");
                add_member_paths(value, &place, depth, names);
                names.insert(place);
            }
        }
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => {}
    }
}
