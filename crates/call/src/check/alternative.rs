//! Chooses the alternative of a union that an invalid value was meant for: the alternative that its tags name, else the
//! one that declares most of its members and has the fewest violations. Runs only after a check has failed.

mod tags;

use callgate_tool::Object;

use self::tags::{Tag, alternative_tags, follow_path, is_partition, values_listed_at_root};
use super::{
    budget::Paid,
    instance::Instance,
    node::{Node, Rule},
    run::{Breach, Run, Segment, Violation},
};

/// One alternative of a union, without unions directly in it.
#[derive(Debug)]
struct Alternative<'p> {
    node: &'p Node,
    tags: Vec<Tag<'p>>,
}

/// The fit of an alternative: lower is better.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Fit {
    undeclared: usize,
    wrong: usize,
    missing: usize,
}

/// The violations of the alternative that a value was meant for; `None` if the value has the type of no alternative.
pub(super) fn meant_alternative_violations<'p, 'v>(
    run: &mut Run<'p, 'v>,
    union: &'p [Node],
    violation: &Violation<'p, 'v>,
) -> Paid<Option<Vec<Violation<'p, 'v>>>> {
    Choice { run, whole: violation, depth: DEPTH }.chosen_alternative_violations(union)
}

struct Choice<'r, 'p, 'v> {
    run: &'r mut Run<'p, 'v>,
    whole: &'r Violation<'p, 'v>,
    /// The levels of unions inside alternatives that are still weighed.
    depth: usize,
}

type Chosen<'p, 'v> = Paid<Option<Vec<Violation<'p, 'v>>>>;

impl<'p, 'v> Choice<'_, 'p, 'v> {
    fn chosen_alternative_violations(&mut self, union: &'p [Node]) -> Chosen<'p, 'v> {
        let mut nodes = Vec::new();
        self.collect_alternatives(union, DEPTH, &mut nodes)?;
        let mut fitting = Vec::new();
        for node in nodes {
            if self.run.in_place_nodes(node).iter().all(|one| one.types.allows(self.whole.at)) {
                fitting.push(node);
            }
        }
        if fitting.is_empty() {
            return Ok(None);
        }
        let Some(members) = self.whole.at.object() else {
            return self.violations_of_non_object(fitting);
        };
        let mut alternatives = Vec::new();
        for node in fitting {
            let tags = alternative_tags(self.run, node)?;
            alternatives.push(Alternative { node, tags });
        }
        if let Some(unknown) = self.keep_tagged_alternatives(&mut alternatives, members)? {
            return Ok(Some(vec![unknown]));
        }
        self.violations_of_nearest(alternatives, Some(members))
    }

    /// The alternatives, with those of unions that are alternatives themselves.
    fn collect_alternatives(
        &mut self,
        union: &'p [Node],
        depth: usize,
        nodes: &mut Vec<&'p Node>,
    ) -> Paid {
        for node in union {
            self.run.charge_steps(1)?;
            let Some(node) = self.run.resolved_node(node) else { continue };
            match &*node.rules {
                [Rule::AnyOf(inner) | Rule::OneOf(inner)] if depth > 0 => {
                    self.collect_alternatives(inner, depth - 1, nodes)?;
                }
                _ if nodes.iter().any(|collected_node| std::ptr::eq(*collected_node, node)) => {}
                _ => nodes.push(node),
            }
        }
        Ok(())
    }

    /// Chooses for a value that is no object: enumerated values of several alternatives are one list.
    fn violations_of_non_object(&mut self, nodes: Vec<&'p Node>) -> Chosen<'p, 'v> {
        let is_array = self.whole.at.array().is_some();
        let mut listed = Vec::new();
        let mut others = Vec::new();
        for node in nodes {
            match values_listed_at_root(self.run, node).filter(|_| !is_array) {
                Some(values) => listed.extend(values),
                None => others.push(Alternative { node, tags: Vec::new() }),
            }
        }
        if others.is_empty() {
            return Ok(Some(vec![self.violation_at(Vec::new(), Breach::UnknownTag(listed))]));
        }
        self.violations_of_nearest(others, None)
    }

    /// Keeps the alternatives that the tags of a value name. Returns the violation of a tag that names none.
    fn keep_tagged_alternatives(
        &mut self,
        alternatives: &mut Vec<Alternative<'p>>,
        members: &'v Object,
    ) -> Paid<Option<Violation<'p, 'v>>> {
        for path in ranked_tag_paths(alternatives) {
            if alternatives.len() == 1 {
                break;
            }
            let (segments, Some(value)) = follow_path(members, &path) else { continue };
            let at = Instance::Value(value);
            self.run.charge_steps(alternatives.len())?;
            let names =
                |one: &Alternative<'p>| one.tag_at(&path).is_some_and(|tag| tag.lists_value(at));
            if alternatives.iter().any(names) {
                alternatives.retain(names);
                continue;
            }
            if !is_partition(alternatives.iter().map(|one| one.tag_at(&path))) {
                continue;
            }
            let other = self.untagged_positions(alternatives, &path, members)?;
            if other.is_empty() {
                let tags = alternatives.iter().filter_map(|one| one.tag_at(&path));
                let unknown = Breach::UnknownTag(tags.flat_map(Tag::values).collect());
                let mut violation = self.violation_at(segments, unknown);
                violation.at = at;
                return Ok(Some(violation));
            }
            let mut n = 0..;
            alternatives.retain(|_| n.next().is_some_and(|n| other.contains(&n)));
        }
        Ok(None)
    }

    /// The positions of the alternatives without the tag at a path that may be meant all the same.
    fn untagged_positions(
        &mut self,
        alternatives: &[Alternative<'p>],
        path: &[&'p str],
        members: &'v Object,
    ) -> Paid<Vec<usize>> {
        let mut other = Vec::new();
        for (n, one) in alternatives.iter().enumerate() {
            if one.tag_at(path).is_none()
                && self.is_possible_without_tag(one, path.first(), members)?
            {
                other.push(n);
            }
        }
        Ok(other)
    }

    /// True if an alternative without the tag declares its member, or lacks no required member.
    fn is_possible_without_tag(
        &mut self,
        one: &Alternative<'p>,
        name: Option<&&'p str>,
        members: &'v Object,
    ) -> Paid<bool> {
        let declared = self.run.member_names_in_place(one.node)?;
        if name.is_some_and(|name| declared.contains(name)) {
            return Ok(true);
        }
        let violations = self.run.violations(one.node, self.whole.at, &self.whole.path)?;
        let is_open = |violation: &Violation<'_, '_>| match &violation.breach {
            Breach::Unexpected(names, _) | Breach::Unevaluated(names, _) => {
                !name.is_some_and(|name| names.contains(name))
            }
            Breach::Missing(_) => violation.path.len() > self.whole.path.len(),
            _ => true,
        };
        Ok(violations.iter().all(is_open)
            && members.keys().any(|name| declared.contains(name.as_str())))
    }

    fn violations_of_nearest(
        &mut self,
        alternatives: Vec<Alternative<'p>>,
        members: Option<&'v Object>,
    ) -> Chosen<'p, 'v> {
        if let [only] = &*alternatives {
            let violations = self.run.violations(only.node, self.whole.at, &self.whole.path)?;
            return Ok(Some(self.mark_missing_members_as_tags(only, violations)));
        }
        let mut ranked = Vec::new();
        for one in alternatives {
            let violations = self.run.violations(one.node, self.whole.at, &self.whole.path)?;
            let fit = self.fit_of_alternative(&one, &violations, members)?;
            ranked.push((fit, one, violations));
        }
        let near = ranked.iter().map(|(fit, ..)| (fit.undeclared, fit.wrong)).min();
        ranked.retain(|(fit, ..)| Some((fit.undeclared, fit.wrong)) == near);
        if let Some(missing) =
            members.and_then(|members| self.missing_tag_violation(&ranked, members))
        {
            return Ok(Some(vec![missing]));
        }
        let least = ranked.iter().map(|(fit, ..)| *fit).min();
        ranked.retain(|(fit, ..)| Some(*fit) == least);
        if let Some(either) = self.missing_member_violation(&ranked) {
            return Ok(Some(vec![either]));
        }
        let best = ranked.into_iter().next();
        Ok(best.map(|(_, one, violations)| self.mark_missing_members_as_tags(&one, violations)))
    }

    fn fit_of_alternative(
        &mut self,
        one: &Alternative<'p>,
        violations: &[Violation<'p, 'v>],
        members: Option<&'v Object>,
    ) -> Paid<Fit> {
        let declared = self.run.member_names_in_place(one.node)?;
        let given = members.into_iter().flat_map(Object::keys);
        let undeclared = given.filter(|name| !declared.contains(name.as_str())).count();
        let is_missing = |violation: &&Violation<'_, '_>| {
            violation.path.len() == self.whole.path.len()
                && matches!(violation.breach, Breach::Missing(_))
        };
        let missing = violations.iter().filter(is_missing).count();
        let mut wrong = violations.len() - missing;
        if self.depth > 0 && violations.len() <= FEW {
            for inner in violations {
                wrong += self.n_extra_union_violations(inner)?;
            }
        }
        Ok(Fit { undeclared, wrong, missing })
    }

    /// The violations of a union inside an alternative, beyond the first.
    fn n_extra_union_violations(&mut self, inner: &Violation<'p, 'v>) -> Paid<usize> {
        let Breach::Rule(Rule::AnyOf(nodes) | Rule::OneOf(nodes)) = inner.breach else {
            return Ok(0);
        };
        let depth = self.depth - 1;
        let nested =
            Choice { run: self.run, whole: inner, depth }.chosen_alternative_violations(nodes)?;
        Ok(nested.map_or(0, |nested| nested.len().saturating_sub(1)))
    }

    /// The violation of a tag that is not given, if several alternatives are equally near without it.
    fn missing_tag_violation(
        &self,
        ranked: &[(Fit, Alternative<'p>, Vec<Violation<'p, 'v>>)],
        members: &'v Object,
    ) -> Option<Violation<'p, 'v>> {
        let [(_, first, _), _, ..] = ranked else { return None };
        let required = first.tags.iter().filter(|tag| tag.is_required);
        for path in required.map(|tag| &tag.path) {
            let tags = || ranked.iter().map(|(_, one, _)| one.tag_at(path));
            let (segments, value) = follow_path(members, path);
            let is_each = tags().all(|tag| tag.is_some_and(|tag| tag.is_required));
            if value.is_some() || !is_each || !is_partition(tags()) {
                continue;
            }
            let name = path.get(segments.len())?;
            let is_last = segments.len() + 1 == path.len();
            let values = tags().flatten().flat_map(Tag::values).collect();
            let breach =
                if is_last { Breach::MissingTag(name, values) } else { Breach::Missing(name) };
            return Some(self.violation_at(segments, breach));
        }
        None
    }

    /// The violation of alternatives each of which lacks one member.
    fn missing_member_violation(
        &self,
        ranked: &[(Fit, Alternative<'p>, Vec<Violation<'p, 'v>>)],
    ) -> Option<Violation<'p, 'v>> {
        let mut names: Vec<&'p str> = Vec::new();
        for (_, _, violations) in ranked {
            let [only] = &**violations else { return None };
            let Breach::Missing(name) = only.breach else { return None };
            if only.path != self.whole.path {
                return None;
            }
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (names.len() > 1).then(|| self.violation_at(Vec::new(), Breach::MissingEither(names)))
    }

    fn mark_missing_members_as_tags(
        &self,
        one: &Alternative<'p>,
        mut violations: Vec<Violation<'p, 'v>>,
    ) -> Vec<Violation<'p, 'v>> {
        for inner in violations.iter_mut().filter(|inner| inner.path == self.whole.path) {
            let Breach::Missing(name) = inner.breach else { continue };
            if let Some(tag) = one.tag_at(&[name]) {
                inner.breach = Breach::MissingTag(name, tag.values().collect());
            }
        }
        violations
    }

    fn violation_at(&self, below: Vec<Segment<'v>>, breach: Breach<'p, 'v>) -> Violation<'p, 'v> {
        let mut at = self.whole.at;
        for segment in &below {
            if let (Segment::Name(name), Some(members)) = (segment, at.object()) {
                at = members.get(name).map_or(at, Instance::Value);
            }
        }
        let path = self.whole.path.iter().copied().chain(below).collect();
        Violation { breach, at, path }
    }
}

impl<'p> Alternative<'p> {
    fn tag_at(&self, path: &[&str]) -> Option<&Tag<'p>> {
        self.tags.iter().find(|tag| tag.path == path)
    }
}

/// The paths of all tags: those of all alternatives first, then required and shallow ones.
fn ranked_tag_paths<'p>(alternatives: &[Alternative<'p>]) -> Vec<Vec<&'p str>> {
    let mut paths: Vec<([bool; 2], usize, &[&'p str])> = Vec::new();
    for tag in alternatives.iter().flat_map(|one| &one.tags) {
        if paths.iter().any(|(.., listed_path)| *listed_path == tag.path) {
            continue;
        }
        let own = || alternatives.iter().map(|one| one.tag_at(&tag.path));
        let is_of_some = own().any(|tag| tag.is_none());
        let is_weak = !own().flatten().all(|tag| tag.is_required) || !is_partition(own());
        paths.push(([is_of_some, is_weak], tag.path.len(), &tag.path));
    }
    paths.sort_by_key(|(weakness, depth, _)| (*weakness, *depth));
    paths.into_iter().map(|(.., path)| path.to_vec()).collect()
}

/// The most levels of unions in unions.
const DEPTH: usize = 2;
/// The most violations among which unions are weighed.
const FEW: usize = 8;
