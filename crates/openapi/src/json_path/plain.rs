//! Expressions that consist only of names, indexes and wildcards. `serde_json_path` evaluates all others.

use callgate_tool::Value;

use super::PathStep;

#[derive(Clone, Debug)]
pub(super) enum Segment {
    Step(PathStep),
    Wildcard,
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
