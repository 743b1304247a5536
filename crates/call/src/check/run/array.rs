//! Rules for the items of an array.

use callgate_tool::Value;

use super::{Instance, Node, Paid, Rule, Run};
use crate::check::{
    equal::{are_equal, value_hash_and_size},
    node::Contains,
};

impl<'p, 'v> Run<'p, 'v> {
    pub(super) fn array_rule_holds(
        &mut self,
        rule: &'p Rule,
        node: &'p Node,
        items: &'v [Value],
        at: Instance<'v>,
    ) -> Paid<bool> {
        match rule {
            Rule::Contains(contains) => self.contains_rule_holds(contains, items),
            Rule::Items(schemas) => {
                let first = items.iter().zip(&schemas.prefix);
                let is_fine = self.each_holds(first, |run, (item, node)| {
                    run.is_valid(node, Instance::Value(item))
                })?;
                match &schemas.rest {
                    Some(rest) if is_fine => {
                        self.are_all_valid(items.iter().skip(schemas.prefix.len()), rest)
                    }
                    _ => Ok(is_fine),
                }
            }
            Rule::UnevaluatedItems(rest) => {
                let covered = self.evaluated_coverage(node, at)?;
                let others = items.iter().enumerate().filter(|(at, _)| covered.is_unevaluated(*at));
                self.are_all_valid(others.map(|(_, item)| item), rest)
            }
            _ => self.are_unique(items),
        }
    }

    pub(super) fn are_all_valid(
        &mut self,
        values: impl Iterator<Item = &'v Value>,
        node: &'p Node,
    ) -> Paid<bool> {
        if node.is_any() {
            return Ok(true);
        }
        self.each_holds(values, |run, value| run.is_valid(node, Instance::Value(value)))
    }

    /// Counts the items that meet a schema, until the result is certain.
    fn contains_rule_holds(&mut self, contains: &'p Contains, items: &'v [Value]) -> Paid<bool> {
        let mut n_fitting = 0;
        for item in items {
            n_fitting += u64::from(self.is_valid(&contains.node, Instance::Value(item))?);
            let is_decided = contains.most == u64::MAX && n_fitting >= contains.least;
            if is_decided || n_fitting > contains.most {
                break;
            }
        }
        Ok((contains.least..=contains.most).contains(&n_fitting))
    }

    /// True if no two items are equal: only items with equal hashes are compared.
    fn are_unique(&mut self, items: &'v [Value]) -> Paid<bool> {
        if let [one, other] = items {
            self.budget.charge(value_hash_and_size(one).1)?;
            return Ok(!are_equal(one, other));
        }
        let mut hashes = Vec::with_capacity(items.len());
        for (at, item) in (0_u32..).zip(items) {
            let (hash, n_values) = value_hash_and_size(item);
            self.budget.charge(n_values)?;
            hashes.push((hash, at));
        }
        hashes.sort_unstable();
        self.scratch = self.scratch.max(hashes.capacity() * size_of::<(u64, u32)>());
        for alike in hashes.chunk_by(|(one, _), (other, _)| one == other) {
            let item = |(_, at): &(u64, u32)| items.get(*at as usize);
            let pairs = alike.iter().enumerate().flat_map(|(at, one)| {
                let others = alike.iter().skip(at + 1);
                others.filter_map(move |other| item(one).zip(item(other)))
            });
            let differ = self.each_holds(pairs, |run, (one, other)| {
                run.budget.charge(value_hash_and_size(one).1)?;
                Ok(!are_equal(one, other))
            })?;
            if !differ {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
