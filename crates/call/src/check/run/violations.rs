//! The problems with a value, rule by rule, up to a limit. Problems in the branches of `anyOf` and `oneOf` are not
//! collected; the explanation of such a violation asks for the problems of the most likely branch.

use std::{collections::BTreeSet, slice};

use callgate_tool::{Object, Value};

use super::{Instance, Key, Node, Paid, Rule, Run, Types};
use crate::check::node::Properties;

#[derive(Clone, Debug)]
pub(crate) struct Violation<'p, 'v> {
    pub(crate) breach: Breach<'p, 'v>,
    pub(crate) at: Instance<'v>,
    pub(crate) path: Box<[Segment<'v>]>,
}

#[derive(Clone, Debug)]
pub(crate) enum Breach<'p, 'v> {
    Type(Types),
    Rule(&'p Rule),
    Missing(&'p str),
    /// One of several members is missing, each of which makes an alternative of a union complete.
    MissingEither(Vec<&'p str>),
    /// A member is missing whose values tell the alternatives of a union apart.
    MissingTag(&'p str, Vec<&'p Value>),
    Unexpected(Vec<&'v str>, &'p Properties),
    Unevaluated(Vec<&'v str>, &'p Node),
    UnknownTag(Vec<&'p Value>),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Segment<'v> {
    Index(usize),
    Name(&'v str),
}

struct Collector<'r, 'p, 'v> {
    run: &'r mut Run<'p, 'v>,
    list: Vec<Violation<'p, 'v>>,
    path: Vec<Segment<'v>>,
    seen: BTreeSet<Key>,
}

impl<'p, 'v> Run<'p, 'v> {
    pub(crate) fn violations(
        &mut self,
        node: &'p Node,
        at: Instance<'v>,
        path: &[Segment<'v>],
    ) -> Paid<Vec<Violation<'p, 'v>>> {
        let (list, path, seen) = (Vec::new(), path.to_vec(), BTreeSet::new());
        let mut collector = Collector { run: self, list, path, seen };
        collector.collect_violations(node, at)?;
        Ok(collector.list)
    }

    pub(crate) fn declared_property_names(&self, node: &'p Node) -> Vec<&'p str> {
        let (mut names, mut pending, mut at) = (Vec::new(), vec![node], 0);
        while let Some(node) = pending.get(at).filter(|_| at < MOST) {
            at += 1;
            let rules = self.resolved_node(node).map(|node| &*node.rules).unwrap_or_default();
            pending.extend(rules.iter().flat_map(|rule| match rule {
                Rule::AllOf(nodes) => &**nodes,
                Rule::Reference(target) => {
                    self.scope.node(*target).map_or(&[][..], slice::from_ref)
                }
                _ => &[],
            }));
            let declared = rules.iter().filter_map(|rule| match rule {
                Rule::Properties(properties) => Some(properties),
                _ => None,
            });
            names.extend(declared.flat_map(|properties| properties.names()));
        }
        names
    }
}

impl<'p, 'v> Collector<'_, 'p, 'v> {
    fn is_full(&self) -> bool {
        self.list.len() >= MOST
    }

    fn push_violation(&mut self, breach: Breach<'p, 'v>, at: Instance<'v>) {
        if !self.is_full() {
            self.list.push(Violation { breach, at, path: self.path.as_slice().into() });
        }
    }

    fn collect_violations(&mut self, node: &'p Node, at: Instance<'v>) -> Paid {
        let Some(node) = self.run.resolved_node(node).filter(|_| !self.is_full()) else {
            return Ok(());
        };
        self.run.budget.charge(1)?;
        if !self.run.has_type(node.types, at)? {
            self.push_violation(Breach::Type(node.types), at);
            let listed =
                node.rules.iter().filter(|rule| matches!(rule, Rule::Const(_) | Rule::Enum(_)));
            return listed.into_iter().try_for_each(|rule| self.collect_by_rule(rule, node, at));
        }
        if node.is_shared
            && (self.run.is_valid(node, at)? || !self.seen.insert(self.run.memo_key(node, at)))
        {
            return Ok(());
        }
        self.run.enter_level()?;
        let collected = node.rules.iter().try_for_each(|rule| self.collect_by_rule(rule, node, at));
        self.run.depth -= 1;
        collected
    }

    fn collect_by_rule(&mut self, rule: &'p Rule, node: &'p Node, at: Instance<'v>) -> Paid {
        match rule {
            Rule::AllOf(nodes) => {
                nodes.iter().try_for_each(|node| self.collect_violations(node, at))
            }
            Rule::If(conditional) => {
                let is_valid =
                    self.run.with_strict_overlap(|run| run.is_valid(&conditional.condition, at))?;
                let branch = if is_valid { &conditional.then } else { &conditional.otherwise };
                let Some(branch) = branch else { return Ok(()) };
                // A condition on a member that is missing or wrong decides nothing yet.
                let condition = self.run.member_names_in_place(&conditional.condition)?;
                let is_open = self
                    .list
                    .iter()
                    .any(|violation| is_about_members(violation, &self.path, &condition));
                if is_open {
                    return Ok(());
                }
                if branch.is_never() && !is_valid {
                    return self.collect_violations(&conditional.condition, at);
                }
                self.collect_violations(branch, at)
            }
            Rule::Reference(target) => match self.run.scope.node(*target) {
                Some(node) => self.collect_violations(node, at),
                None => Ok(()),
            },
            Rule::Items(_) | Rule::UnevaluatedItems(_) => self.collect_items_rule(rule, node, at),
            _ => self.collect_object_rule(rule, node, at),
        }
    }

    fn collect_if_rule_fails(&mut self, rule: &'p Rule, node: &'p Node, at: Instance<'v>) -> Paid {
        if !self.run.rule_holds(rule, node, at)? {
            self.push_violation(Breach::Rule(rule), at);
        }
        Ok(())
    }

    fn collect_items_rule(&mut self, rule: &'p Rule, node: &'p Node, whole: Instance<'v>) -> Paid {
        let Some(items) = whole.array() else {
            return self.collect_if_rule_fails(rule, node, whole);
        };
        if let Rule::UnevaluatedItems(rest) = rule {
            // Items that another rule refuses still count as evaluated.
            if !self.list.is_empty() {
                return Ok(());
            }
            let covered = self.run.evaluated_coverage(node, whole)?;
            let mut others = items.iter().enumerate().filter(|(at, _)| covered.is_unevaluated(*at));
            return others
                .try_for_each(|(at, item)| self.collect_below(Segment::Index(at), rest, item));
        }
        let Rule::Items(schemas) = rule else { return Ok(()) };
        for (at, item) in items.iter().enumerate() {
            let Some(node) = schemas.prefix.get(at).or(schemas.rest.as_ref()) else { break };
            self.collect_below(Segment::Index(at), node, item)?;
        }
        Ok(())
    }

    fn collect_below(&mut self, segment: Segment<'v>, node: &'p Node, value: &'v Value) -> Paid {
        if node.is_any() {
            return Ok(());
        }
        self.path.push(segment);
        self.collect_violations(node, Instance::Value(value))?;
        self.path.pop();
        Ok(())
    }

    fn collect_object_rule(&mut self, rule: &'p Rule, node: &'p Node, at: Instance<'v>) -> Paid {
        let Some(members) = at.object() else {
            return self.collect_if_rule_fails(rule, node, at);
        };
        match rule {
            Rule::DependentRequired(each) => {
                let asked = each.iter().filter(|(name, _)| members.contains_key(name));
                let missing = asked.flat_map(|(_, names)| names);
                missing
                    .filter(|name| !members.contains_key(name))
                    .for_each(|name| self.push_violation(Breach::Missing(name), at));
                Ok(())
            }
            Rule::DependentSchemas(each) => {
                let mut asked = each.iter().filter(|(name, _)| members.contains_key(name));
                asked.try_for_each(|(_, node)| self.collect_violations(node, at))
            }
            Rule::Properties(properties) => self.collect_members(properties, members, at),
            Rule::Required(names) => {
                let missing = names.iter().filter(|name| !members.contains_key(name));
                missing.for_each(|name| self.push_violation(Breach::Missing(name), at));
                Ok(())
            }
            Rule::UnevaluatedProperties(rest) => self.collect_unevaluated_members(rest, node, at),
            _ => self.collect_if_rule_fails(rule, node, at),
        }
    }

    /// Collects violations of members that no rule beside `unevaluatedProperties` evaluates.
    fn collect_unevaluated_members(
        &mut self,
        rest: &'p Node,
        node: &'p Node,
        at: Instance<'v>,
    ) -> Paid {
        let Some(members) = at.object() else { return Ok(()) };
        // Members that another rule refuses still count as evaluated.
        if !self.list.is_empty() {
            return Ok(());
        }
        let covered = self.run.evaluated_coverage(node, at)?;
        let others = members.iter().enumerate().filter(|(at, _)| covered.is_unevaluated(*at));
        let mut others = others.map(|(_, member)| member);
        if !rest.is_never() {
            return others.try_for_each(|(name, member)| {
                self.collect_below(Segment::Name(name), rest, member)
            });
        }
        let names: Vec<_> = others.map(|(name, _)| name.as_str()).take(MOST).collect();
        if !names.is_empty() {
            self.push_violation(Breach::Unevaluated(names, node), at);
        }
        Ok(())
    }

    fn collect_members(
        &mut self,
        properties: &'p Properties,
        members: &'v Object,
        at: Instance<'v>,
    ) -> Paid {
        let mut unexpected = Vec::new();
        self.run.budget.charge(members.len())?;
        for (name, member) in members {
            let declared = properties.property_node(name);
            let mut is_told = declared.is_some();
            if let Some(node) = declared {
                self.collect_below(Segment::Name(name), node, member)?;
            }
            for (pattern, node) in &properties.patterns {
                let is_meant = pattern.matches_or_too_large(name, &mut self.run.budget)?;
                is_told |= is_meant;
                let node = Some(node).filter(|_| is_meant && pattern.is_compilable());
                node.map_or(Ok(()), |node| self.collect_below(Segment::Name(name), node, member))?;
            }
            match properties.rest.as_ref().filter(|_| !is_told) {
                Some(rest) if rest.is_never() => unexpected.push(name.as_str()),
                Some(rest) => self.collect_below(Segment::Name(name), rest, member)?,
                None => {}
            }
        }
        unexpected.truncate(MOST);
        if !unexpected.is_empty() {
            self.push_violation(Breach::Unexpected(unexpected, properties), at);
        }
        Ok(())
    }
}

fn is_about_members(
    violation: &Violation<'_, '_>,
    path: &[Segment<'_>],
    names: &BTreeSet<&str>,
) -> bool {
    let below = violation.path.strip_prefix(path);
    match (below, &violation.breach) {
        (Some([Segment::Name(name), ..]), _) | (Some([]), Breach::Missing(name)) => {
            names.contains(name)
        }
        _ => false,
    }
}

/// The most violations: a list of a million wrong items is not reported item by item.
pub(crate) const MOST: usize = 50;
