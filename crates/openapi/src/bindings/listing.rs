//! Lists the places of a graph's session inputs, for display. A circle is followed once.

use crate::{bindings::Bindings, input::ValueSource};

impl Bindings {
    /// The paths of the values inside the argument that the session supplies, each with its source: `body.owner.email`,
    /// `labels[].text`, `meta.*`.
    pub fn places(&self) -> Vec<(String, &ValueSource)> {
        let mut listed_sources: Vec<(String, &ValueSource)> = Vec::new();
        let mut open = vec![(0, self.argument.to_string(), Vec::new())];
        let mut n_visited = 0_usize;
        while let Some((at, way, above)) = open.pop() {
            n_visited = n_visited.saturating_add(1);
            if n_visited > MOST_VISITED || listed_sources.len() >= MOST_LISTED {
                break;
            }
            let Some(node) = self.nodes.get(at).filter(|_| !above.contains(&at)) else { continue };
            let is_inside = way != self.argument.as_str();
            let is_known = || {
                listed_sources
                    .iter()
                    .any(|(entry, source)| *entry == way && **source == node.source)
            };
            if node.source != ValueSource::Model && is_inside && !is_known() {
                listed_sources.push((way.clone(), &node.source));
            }
            let above = [&above[..], &[at]].concat();
            let mut below = Vec::new();
            let branches = node.alternatives.iter().flatten().filter_map(|branch| branch.node);
            below.extend(node.same.iter().copied().chain(branches).map(|at| (at, way.clone())));
            let named = node.properties.iter().map(|(name, at)| (*at, format!("{way}.{name}")));
            below.extend(named);
            let patterns = node.patterns.iter();
            below.extend(patterns.map(|(pattern, at)| (*at, format!("{way}./{pattern}/"))));
            below.extend(node.others.map(|at| (at, format!("{way}.*"))));
            let leading = node.leading.iter().enumerate();
            below.extend(leading.filter_map(|(n, at)| Some(((*at)?, format!("{way}[{n}]")))));
            below.extend(node.items.map(|at| (at, format!("{way}[]"))));
            // The first one is visited next.
            open.extend(below.into_iter().rev().map(|(at, way)| (at, way, above.clone())));
        }
        listed_sources
    }
}

/// Longer lists are not useful, and nested compositions can be walked in more ways than they have parts.
const MOST_LISTED: usize = 200;
const MOST_VISITED: usize = 20_000;
