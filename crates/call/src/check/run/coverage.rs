//! Finds the members and items that other keywords beside `unevaluatedProperties` and `unevaluatedItems` evaluate, in the
//! schema itself and in those it applies to the value in place (JSON Schema 2020-12 Core §11.2, §11.3).

use std::collections::BTreeSet;

use callgate_tool::{Object, Value};

use super::{Instance, Node, Overlap, Paid, Rule, Run};
use crate::check::node::Properties;

#[derive(Debug)]
pub(super) struct Coverage {
    is_whole: bool,
    marks: Box<[bool]>,
    seen: BTreeSet<usize>,
}

impl Coverage {
    fn new(size: usize) -> Self {
        Self { is_whole: false, marks: vec![false; size].into(), seen: BTreeSet::new() }
    }

    /// True for a member or an item that no keyword evaluates.
    pub(super) fn is_unevaluated(&self, at: usize) -> bool {
        !self.is_whole && self.marks.get(at).is_some_and(|is_marked| !is_marked)
    }

    fn mark_if(&mut self, at: usize, is_looked_at: bool) {
        if let Some(mark) = self.marks.get_mut(at) {
            *mark |= is_looked_at;
        }
    }
}

struct Evaluation<'r, 'p, 'v> {
    run: &'r mut Run<'p, 'v>,
    covered: Coverage,
}

impl<'p, 'v> Run<'p, 'v> {
    /// The members or items that other rules than the schema's own `unevaluated…` evaluate.
    pub(super) fn evaluated_coverage(
        &mut self,
        node: &'p Node,
        at: Instance<'v>,
    ) -> Paid<Coverage> {
        let n_items = at.array().map(<[Value]>::len);
        let size = n_items.or_else(|| at.object().map(Object::len)).unwrap_or_default();
        self.budget.charge(size / MARKS)?;
        let mut all = Evaluation { run: self, covered: Coverage::new(size) };
        let is_own = |rule: &&Rule| {
            matches!(rule, Rule::UnevaluatedItems(_) | Rule::UnevaluatedProperties(_))
        };
        for rule in node.rules.iter().filter(|rule| !is_own(rule)) {
            all.mark_evaluated_by_rule(rule, at)?;
        }
        Ok(all.covered)
    }
}

impl<'p, 'v> Evaluation<'_, 'p, 'v> {
    fn mark_evaluated(&mut self, node: &'p Node, at: Instance<'v>) -> Paid {
        let Some(node) = self.run.resolved_node(node) else { return Ok(()) };
        self.run.budget.charge(1)?;
        if self.covered.is_whole || !self.covered.seen.insert(std::ptr::from_ref(node).addr()) {
            return Ok(());
        }
        self.run.enter_level()?;
        let covered = node.rules.iter().try_for_each(|rule| self.mark_evaluated_by_rule(rule, at));
        self.run.depth -= 1;
        covered
    }

    fn mark_evaluated_by_rule(&mut self, rule: &'p Rule, at: Instance<'v>) -> Paid {
        match rule {
            Rule::AllOf(nodes) => nodes.iter().try_for_each(|node| self.mark_evaluated(node, at)),
            Rule::AnyOf(nodes) | Rule::OneOf(nodes) => {
                nodes.iter().try_for_each(|node| self.mark_if_valid(node, at).map(drop))
            }
            Rule::Reference(target) => match self.run.scope.node(*target) {
                Some(node) => self.mark_evaluated(node, at),
                None => Ok(()),
            },
            Rule::If(conditional) => {
                let condition = &conditional.condition;
                let outer = std::mem::replace(&mut self.run.overlap, Overlap::Refused);
                let is_valid = self.mark_if_valid(condition, at);
                self.run.overlap = outer;
                let is_valid = is_valid?;
                let branch = if is_valid { &conditional.then } else { &conditional.otherwise };
                branch.as_ref().map_or(Ok(()), |node| self.mark_evaluated(node, at))
            }
            _ => match (at.array(), at.object()) {
                (Some(items), _) => self.mark_items_by_rule(rule, items),
                (_, Some(members)) => self.mark_members_by_rule(rule, members, at),
                _ => Ok(()),
            },
        }
    }

    fn mark_if_valid(&mut self, node: &'p Node, at: Instance<'v>) -> Paid<bool> {
        let is_valid = self.run.is_valid(node, at)?;
        if is_valid {
            self.mark_evaluated(node, at)?;
        }
        Ok(is_valid)
    }

    fn mark_items_by_rule(&mut self, rule: &'p Rule, items: &'v [Value]) -> Paid {
        match rule {
            Rule::Contains(contains) => {
                items.iter().enumerate().try_for_each(|(at, item)| {
                    let is_valid = self.run.is_valid(&contains.node, Instance::Value(item))?;
                    self.covered.mark_if(at, is_valid);
                    Ok(())
                })?;
            }
            Rule::Items(schemas) if schemas.rest.is_some() => self.covered.is_whole = true,
            Rule::Items(schemas) => {
                (0..schemas.prefix.len()).for_each(|at| self.covered.mark_if(at, true));
            }
            Rule::UnevaluatedItems(_) => self.covered.is_whole = true,
            _ => {}
        }
        Ok(())
    }

    fn mark_members_by_rule(
        &mut self,
        rule: &'p Rule,
        members: &'v Object,
        whole: Instance<'v>,
    ) -> Paid {
        match rule {
            Rule::DependentSchemas(each) => {
                for (_, node) in each.iter().filter(|(name, _)| members.contains_key(name)) {
                    self.mark_evaluated(node, whole)?;
                }
            }
            Rule::Properties(properties) if properties.rest.is_some() => {
                self.covered.is_whole = true;
            }
            Rule::Properties(properties) => {
                self.run.budget.charge(members.len())?;
                for (at, name) in members.keys().enumerate() {
                    let is_named = self.is_declared_or_patterned(properties, name)?;
                    self.covered.mark_if(at, is_named);
                }
            }
            Rule::UnevaluatedProperties(_) => self.covered.is_whole = true,
            _ => {}
        }
        Ok(())
    }

    fn is_declared_or_patterned(&mut self, properties: &'p Properties, name: &str) -> Paid<bool> {
        let is_declared = properties.property_node(name).is_some();
        let mut fits_none = || {
            self.run.each_holds(&properties.patterns, |run, (pattern, _)| {
                Ok(!pattern.matches_or_too_large(name, &mut run.budget)?)
            })
        };
        Ok(is_declared || !fits_none()?)
    }
}

/// The number of marks that cost a step.
const MARKS: usize = 64;
