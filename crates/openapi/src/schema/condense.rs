//! Condenses a graph to the groups of nodes that reach each other (Tarjan's strongly connected components). It keeps
//! its path in lists and not on the stack: chains of references may be long.

/// The groups of nodes that reach each other, each after the groups it leads to. `leads_to` contains for each node its
/// direct successors. The order of nodes inside a group has no meaning.
pub(super) fn strong_components(leads_to: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let states = vec![NodeState::default(); leads_to.len()];
    let mut walk =
        Condenser { leads_to, states, n_entered: 0, open: Vec::new(), groups: Vec::new() };
    for node in 0..leads_to.len() {
        walk.visit_from(node);
    }
    walk.groups
}

#[derive(Clone, Copy, Debug, Default)]
struct NodeState {
    /// The time when the node was entered, counted from 1; 0 before.
    entered: usize,
    /// The earliest open node that this node is known to reach.
    earliest: usize,
    /// True if the node's group is not complete.
    is_open: bool,
}

struct Condenser<'a> {
    leads_to: &'a [Vec<usize>],
    states: Vec<NodeState>,
    n_entered: usize,
    open: Vec<usize>,
    groups: Vec<Vec<usize>>,
}

impl Condenser<'_> {
    fn visit_from(&mut self, start: usize) {
        if self.entry_time(start) > 0 {
            return;
        }
        // The nodes on the current path, each with the number of its followed references.
        let mut way = vec![(start, 0)];
        self.enter_node(start);
        while let Some((node, n_followed)) = way.last_mut() {
            let node = *node;
            let Some(next) = self.leads_to.get(node).and_then(|to| to.get(*n_followed)).copied()
            else {
                way.pop();
                self.leave_node(node, way.last().map(|(above, _)| *above));
                continue;
            };
            *n_followed += 1;
            if self.entry_time(next) == 0 {
                self.enter_node(next);
                way.push((next, 0));
            } else if self.states.get(next).is_some_and(|state| state.is_open) {
                self.note_reach(node, self.entry_time(next));
            }
        }
    }

    fn entry_time(&self, node: usize) -> usize {
        self.states.get(node).map_or(usize::MAX, |state| state.entered)
    }

    fn enter_node(&mut self, node: usize) {
        self.n_entered += 1;
        let entered = self.n_entered;
        if let Some(state) = self.states.get_mut(node) {
            *state = NodeState { entered, earliest: entered, is_open: true };
            self.open.push(node);
        }
    }

    fn note_reach(&mut self, node: usize, earliest: usize) {
        if let Some(state) = self.states.get_mut(node) {
            state.earliest = state.earliest.min(earliest);
        }
    }

    /// Leaves a node; `above` is the one it was entered from.
    fn leave_node(&mut self, node: usize, above: Option<usize>) {
        let Some(NodeState { entered, earliest, .. }) = self.states.get(node).copied() else {
            return;
        };
        if let Some(above) = above {
            self.note_reach(above, earliest);
        }
        if earliest < entered {
            return;
        }
        let from = self.open.iter().rposition(|open| *open == node).unwrap_or_default();
        let group = self.open.split_off(from);
        for node in &group {
            if let Some(state) = self.states.get_mut(*node) {
                state.is_open = false;
            }
        }
        self.groups.push(group);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::{collection::vec, prelude::*};

    use super::*;

    #[track_caller]
    fn check(leads_to: &[Vec<usize>], expected: &[&[usize]]) {
        let mut groups = strong_components(leads_to);
        for group in &mut groups {
            group.sort_unstable();
        }
        assert_eq!(groups, expected);
    }

    #[test]
    fn strongly_connected_nodes_form_one_group_after_those_that_they_reach() {
        check(&[], &[]);
        check(&[vec![]], &[&[0]]);
        check(&[vec![0]], &[&[0]]);
        check(&[vec![1], vec![]], &[&[1], &[0]]);
        check(&[vec![1], vec![2], vec![0, 3], vec![]], &[&[3], &[0, 1, 2]]);
        check(&[vec![1, 2], vec![3], vec![3], vec![]], &[&[3], &[1], &[2], &[0]]);
    }

    #[test]
    fn a_long_chain_of_nodes_is_grouped_without_recursion() {
        let chain: Vec<_> = (1..100_000).map(|next| vec![next]).chain([vec![0]]).collect();
        assert_eq!(strong_components(&chain).len(), 1);
    }

    /// The nodes that one node reaches, including itself.
    fn reached(leads_to: &[Vec<usize>], from: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::from([from]);
        let mut way = vec![from];
        while let Some(node) = way.pop() {
            way.extend(leads_to[node].iter().filter(|next| reached.insert(**next)));
        }
        reached
    }

    proptest! {
        #[test]
        fn each_group_has_exactly_the_nodes_that_reach_each_other(leads_to in vec(vec(0..8_usize, 0..4), 8)) {
            let groups = strong_components(&leads_to);
            let group_of = |node: &usize| groups.iter().position(|group| group.contains(node));
            prop_assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), leads_to.len());
            for from in 0..leads_to.len() {
                for to in reached(&leads_to, from) {
                    let is_same = reached(&leads_to, to).contains(&from);
                    prop_assert_eq!(group_of(&from) == group_of(&to), is_same);
                    prop_assert!(group_of(&to) <= group_of(&from));
                }
            }
        }
    }
}
