//! Likeness of exchanges: the same method, the same path behind a place, and the same names in what goes out and comes back.

use std::collections::BTreeSet;

use callgate_tool::Value;

use crate::{body::Body, exchange::Exchange, text::is_identifier};

/// What is compared of an exchange, but for a part of its path.
pub(super) struct Looks<'e> {
    method: &'e str,
    behind: Vec<&'e str>,
    request: Option<BTreeSet<String>>,
    response: Option<BTreeSet<String>>,
}

impl<'e> Looks<'e> {
    pub(super) fn from_exchange(exchange: &'e Exchange, depth: usize) -> Self {
        let behind = exchange.segments.iter().skip(depth.saturating_add(1));
        let behind =
            behind.map(|segment| if is_identifier(&segment.text) { "" } else { &segment.text });
        let response =
            exchange.response.as_ref().and_then(|response| response.message.body.as_ref());
        Self {
            method: &exchange.method,
            behind: behind.collect(),
            request: exchange.request.body.as_ref().and_then(member_names),
            response: response.and_then(member_names),
        }
    }

    /// True for exchanges that only differ in one part of the path.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let pairs = [(&self.request, &other.request), (&self.response, &other.response)];
        let n_like = pairs.iter().filter(|pair| has_like_names(pair)).count();
        let is_same = pairs.iter().all(|pair| pair.0.is_none() == pair.1.is_none());
        let n_there = pairs.iter().filter(|pair| pair.0.is_some()).count();
        self.method == other.method
            && self.behind == other.behind
            && is_same
            && n_like > 0
            && n_like == n_there
    }
}

/// True where at least two names, and most of all, are in both.
fn has_like_names(pair: &(&Option<BTreeSet<String>>, &Option<BTreeSet<String>>)) -> bool {
    let (Some(first), Some(second)) = pair else { return false };
    let n_shared = first.intersection(second).count();
    let n_all = first.union(second).count();
    n_shared >= 2 && n_shared.saturating_mul(5) >= n_all.saturating_mul(3)
}

/// The places of members, a few levels deep; `None` where there are none.
fn member_names(body: &Body) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    match body {
        Body::Json(value) => add_names(value, "", 3, &mut names),
        Body::Form(pairs) => names.extend(pairs.iter().map(|pair| pair.0.clone())),
        Body::Multipart(parts) => names.extend(parts.iter().map(|part| part.name.clone())),
        Body::Binary(_) | Body::Text(..) => {}
    }
    Some(names).filter(|names| !names.is_empty())
}

fn add_names(value: &Value, place: &str, depth: u8, names: &mut BTreeSet<String>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Array(items) => {
            if let Some(item) = items.first() {
                add_names(item, &format!("{place}[]"), depth, names);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                let place = format!("{place}.{name}");
                add_names(value, &place, depth, names);
                names.insert(place);
            }
        }
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => {}
    }
}
