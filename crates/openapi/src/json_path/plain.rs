//! Expressions that consist only of names, indexes and wildcards. `serde_json_path` evaluates all others.

use callgate_tool::Value;

use super::PathStep;

/// A part of an expression that selects from one value.
#[derive(Clone, Debug)]
pub(super) enum Segment {
    Step(PathStep),
    Wildcard,
}

/// The segments of a parsed expression; `None` if a segment is of another kind, or written in an unusual way.
pub(super) fn segments(text: &str) -> Option<Box<[Segment]>> {
    let mut rest = text.strip_prefix('$')?;
    let mut segments = Vec::new();
    while !rest.is_empty() {
        let (segment, after) = match rest.strip_prefix('[') {
            Some(inner) => bracketed(inner)?,
            None => dotted(rest.strip_prefix('.')?)?,
        };
        segments.push(segment);
        rest = after;
    }
    Some(segments.into())
}

fn dotted(text: &str) -> Option<(Segment, &str)> {
    if let Some(rest) = text.strip_prefix('*') {
        return Some((Segment::Wildcard, rest));
    }
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
    let is_name = !name.is_empty() && name.chars().all(is_plain);
    is_name.then(|| (Segment::Step(PathStep::Name(name.to_owned())), rest))
}

/// The segment in brackets, and the text after the closing bracket.
fn bracketed(text: &str) -> Option<(Segment, &str)> {
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"')) {
        let (name, rest) = text.strip_prefix(quote)?.split_once(quote)?;
        let segment = Segment::Step(PathStep::Name(name.to_owned()));
        return (!name.contains('\\')).then_some((segment, rest.strip_prefix(']')?));
    }
    let (inner, rest) = text.split_once(']')?;
    let segment = match inner {
        "*" => Segment::Wildcard,
        index => {
            Segment::Step(PathStep::Index(index.parse().ok().filter(|_| !index.starts_with('+'))?))
        }
    };
    Some((segment, rest))
}

pub(super) fn places(segments: &[Segment], root: &Value) -> Vec<Vec<PathStep>> {
    let mut found = vec![(Vec::new(), root)];
    for segment in segments {
        let below = found.into_iter().flat_map(|(place, value)| {
            below(segment, value).into_iter().map(move |(step, value)| {
                let mut place = place.clone();
                place.push(step);
                (place, value)
            })
        });
        found = below.collect();
    }
    found.into_iter().map(|(place, _)| place).collect()
}

/// Selects the children of one value by a segment.
fn below<'v>(segment: &Segment, value: &'v Value) -> Vec<(PathStep, &'v Value)> {
    match (segment, value) {
        (Segment::Step(step), value) => {
            let found = super::at(value, std::slice::from_ref(step));
            found.map(|value| (step.clone(), value)).into_iter().collect()
        }
        (Segment::Wildcard, Value::Array(items)) => {
            let items = items.iter().enumerate();
            items.map(|(at, item)| (PathStep::Index(at), item)).collect()
        }
        (Segment::Wildcard, Value::Object(members)) => {
            members.iter().map(|(name, member)| (PathStep::Name(name.clone()), member)).collect()
        }
        (Segment::Wildcard, _) => Vec::new(),
    }
}
