//! Finds the schemas that apply to one value together, and the names that they declare. Used for explanations only.

use std::{collections::BTreeSet, slice};

use super::{Node, Paid, Rule, Run};

impl<'p> Run<'p, '_> {
    pub(crate) fn charge_steps(&mut self, steps: usize) -> Paid {
        self.budget.charge(steps)
    }

    /// A schema, with those that it applies to each value through `allOf` and references.
    pub(crate) fn in_place_nodes(&self, node: &'p Node) -> Vec<&'p Node> {
        let always = |rule: &'p Rule| match rule {
            Rule::AllOf(nodes) => nodes.iter().collect(),
            Rule::Reference(target) => self.scope.node(*target).into_iter().collect(),
            _ => Vec::new(),
        };
        self.nodes_reached_in_place(node, &always)
    }

    pub(crate) fn member_names_in_place(&mut self, node: &'p Node) -> Paid<BTreeSet<&'p str>> {
        let perhaps = |rule: &'p Rule| -> Vec<&'p Node> {
            match rule {
                Rule::AllOf(nodes) | Rule::AnyOf(nodes) | Rule::OneOf(nodes) => {
                    nodes.iter().collect()
                }
                Rule::DependentSchemas(each) => each.iter().map(|(_, node)| node).collect(),
                Rule::If(conditional) => slice::from_ref(&conditional.condition)
                    .iter()
                    .chain(&conditional.then)
                    .chain(&conditional.otherwise)
                    .collect(),
                Rule::Reference(target) => self.scope.node(*target).into_iter().collect(),
                _ => Vec::new(),
            }
        };
        let nodes = self.nodes_reached_in_place(node, &perhaps);
        self.budget.charge(nodes.len())?;
        let mut names = BTreeSet::new();
        for rule in nodes.iter().flat_map(|node| &node.rules) {
            match rule {
                Rule::Properties(properties) => names.extend(properties.names()),
                Rule::Required(required) => names.extend(required.iter().map(|name| &**name)),
                _ => {}
            }
        }
        Ok(names)
    }

    fn nodes_reached_in_place(
        &self,
        node: &'p Node,
        next: &dyn Fn(&'p Rule) -> Vec<&'p Node>,
    ) -> Vec<&'p Node> {
        let mut nodes: Vec<&'p Node> = self.resolved_node(node).into_iter().collect();
        let mut at = 0;
        while let Some(node) = nodes.get(at).copied().filter(|_| at < MOST) {
            at += 1;
            let below = node.rules.iter().flat_map(next);
            for below in below.filter_map(|below| self.resolved_node(below)) {
                add_unique_node(&mut nodes, below);
            }
        }
        nodes
    }
}

fn add_unique_node<'p>(nodes: &mut Vec<&'p Node>, node: &'p Node) {
    if !nodes.iter().any(|collected_node| std::ptr::eq(*collected_node, node)) {
        nodes.push(node);
    }
}

/// The most schemas of one value that are visited.
const MOST: usize = 100;
