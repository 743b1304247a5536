//! Rules for the members of an object.

use callgate_tool::{Object, Value};

use super::{Instance, Node, Paid, Rule, Run};
use crate::check::node::Properties;

impl<'p, 'v> Run<'p, 'v> {
    pub(super) fn object_rule_holds(
        &mut self,
        rule: &'p Rule,
        node: &'p Node,
        members: &'v Object,
        at: Instance<'v>,
    ) -> Paid<bool> {
        match rule {
            Rule::DependentRequired(each) => {
                self.budget.charge(each.len() / NAMES)?;
                Ok(each.iter().all(|(name, needed)| {
                    !members.contains_key(name)
                        || needed.iter().all(|name| members.contains_key(name))
                }))
            }
            Rule::DependentSchemas(each) => {
                let asked = each.iter().filter(|(name, _)| members.contains_key(name));
                self.each_holds(asked, |run, (_, node)| run.is_valid(node, at))
            }
            Rule::MaxProperties(most) => Ok(members.len() as u64 <= *most),
            Rule::MinProperties(least) => Ok(members.len() as u64 >= *least),
            Rule::Properties(properties) => {
                self.budget.charge(members.len() / NAMES)?;
                self.each_holds(members, |run, (name, member)| {
                    run.is_member_valid(properties, name, member)
                })
            }
            Rule::PropertyNames(node) => self
                .each_holds(members.keys(), |run, name| run.is_valid(node, Instance::Name(name))),
            Rule::Required(names) => {
                self.budget.charge(names.len() / NAMES)?;
                Ok(names.iter().all(|name| members.contains_key(name)))
            }
            Rule::UnevaluatedProperties(rest) => {
                let covered = self.evaluated_coverage(node, at)?;
                let others =
                    members.values().enumerate().filter(|(at, _)| covered.is_unevaluated(*at));
                self.are_all_valid(others.map(|(_, member)| member), rest)
            }
            _ => Ok(true),
        }
    }

    fn is_member_valid(
        &mut self,
        properties: &'p Properties,
        name: &'v str,
        member: &'v Value,
    ) -> Paid<bool> {
        let at = Instance::Value(member);
        let declared = properties.property_node(name);
        let mut is_told = declared.is_some();
        if let Some(node) = declared
            && !self.is_valid(node, at)?
        {
            return Ok(false);
        }
        for (pattern, node) in &properties.patterns {
            self.budget.charge(1)?;
            if !pattern.matches_or_too_large(name, &mut self.budget)? {
                continue;
            }
            is_told = true;
            if pattern.is_compilable() && !self.is_valid(node, at)? {
                return Ok(false);
            }
        }
        match &properties.rest {
            Some(rest) if !is_told && !rest.is_any() => self.is_valid(rest, at),
            _ => Ok(true),
        }
    }
}

/// The number of names whose look-up costs a step.
const NAMES: usize = 4;
