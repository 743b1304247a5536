//! The tags of an alternative: members, also of members, whose values it enumerates.

use callgate_tool::{Object, Value};

use crate::check::{
    budget::Paid,
    instance::Instance,
    node::{Node, Rule, equals_instance},
    run::{Run, Segment},
};

#[derive(Debug)]
pub(super) struct Tag<'p> {
    pub(super) path: Vec<&'p str>,
    pub(super) is_required: bool,
    values: &'p [Value],
}

impl<'p> Tag<'p> {
    pub(super) fn values(&self) -> impl Iterator<Item = &'p Value> + use<'p> {
        self.values.iter()
    }

    pub(super) fn lists_value(&self, at: Instance<'_>) -> bool {
        self.values.iter().any(|value| equals_instance(value, at))
    }

    fn has_same_values(&self, other: &Self) -> bool {
        self.values.len() == other.values.len()
            && self.values.iter().all(|value| other.lists_value(Instance::Value(value)))
    }

    fn has_no_common_value(&self, other: &Self) -> bool {
        self.values.iter().all(|value| !other.lists_value(Instance::Value(value)))
    }
}

/// The tags of an alternative, shallow ones first.
pub(super) fn alternative_tags<'p>(run: &mut Run<'p, '_>, node: &'p Node) -> Paid<Vec<Tag<'p>>> {
    let mut tags: Vec<Tag<'p>> = Vec::new();
    let mut pending = vec![(node, Vec::new(), true)];
    let mut next = 0;
    while let Some((node, path, is_required)) = pending.get(next).cloned().filter(|_| next < MOST) {
        next += 1;
        let nodes = run.in_place_nodes(node);
        run.charge_steps(nodes.len())?;
        let rules = || nodes.iter().flat_map(|node| &node.rules);
        if !path.is_empty()
            && let Some(values) = rules().find_map(listed_values)
            && tags.iter().all(|tag| tag.path != path)
        {
            tags.push(Tag { path: path.clone(), is_required, values });
        }
        if path.len() == DEEPEST {
            continue;
        }
        let required: Vec<&str> = rules()
            .filter_map(|rule| if let Rule::Required(names) = rule { Some(names) } else { None })
            .flat_map(|names| names.iter().map(|name| &**name))
            .collect();
        for (name, values) in rules().filter_map(discriminator_values) {
            let path: Vec<&str> = path.iter().copied().chain([name]).collect();
            let is_required = is_required && required.contains(&name);
            if tags.iter().all(|tag| tag.path != path) {
                tags.push(Tag { path, is_required, values });
            }
        }
        let declared = rules().filter_map(|rule| match rule {
            Rule::Properties(properties) => Some(properties),
            _ => None,
        });
        for (name, node) in declared.flat_map(|properties| properties.members()) {
            let path = path.iter().copied().chain([name]).collect();
            pending.push((node, path, is_required && required.contains(&name)));
        }
    }
    Ok(tags)
}

pub(super) fn values_listed_at_root<'p>(run: &Run<'p, '_>, node: &'p Node) -> Option<&'p [Value]> {
    run.in_place_nodes(node).iter().flat_map(|node| &node.rules).find_map(listed_values)
}

/// The known part of a path in the members, and the value at its end.
pub(super) fn follow_path<'v>(
    members: &'v Object,
    path: &[&str],
) -> (Vec<Segment<'v>>, Option<&'v Value>) {
    let (mut segments, mut members, mut end) = (Vec::new(), Some(members), None);
    for name in path {
        let member = members.and_then(|members| members.get_key_value(name));
        let Some((name, value)) = member else { return (segments, None) };
        segments.push(Segment::Name(name));
        members = value.as_object();
        end = Some(value);
    }
    (segments, end)
}

/// True if the tags at one path tell alternatives apart: any two are equal or have no value in common.
pub(super) fn is_partition<'t, 'p: 't>(
    tags: impl Iterator<Item = Option<&'t Tag<'p>>> + Clone,
) -> bool {
    let (n, mut is_told) = (tags.clone().count(), false);
    let tags = tags.flatten();
    if n > MOST {
        return false;
    }
    for (at, one) in tags.clone().enumerate() {
        for other in tags.clone().skip(at + 1).filter(|other| !one.has_same_values(other)) {
            if !one.has_no_common_value(other) {
                return false;
            }
            is_told = true;
        }
    }
    is_told || tags.count() < n
}

fn discriminator_values(rule: &Rule) -> Option<(&str, &[Value])> {
    match rule {
        Rule::Tag(tag) => Some((&*tag.0, &*tag.1)),
        _ => None,
    }
}

fn listed_values(rule: &Rule) -> Option<&[Value]> {
    match rule {
        Rule::Const(value) => Some(std::slice::from_ref(&**value)),
        Rule::Enum(options) => Some(options.values()),
        _ => None,
    }
}

/// The most members of one alternative that are examined, and the most alternatives that are compared.
const MOST: usize = 200;
/// The most names in the path of a tag.
const DEEPEST: usize = 3;
