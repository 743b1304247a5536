//! Expressions that consist only of names, indexes and wildcards. `serde_json_path` evaluates all others.

use callgate_tool::Value;

use super::PathStep;

#[derive(Clone, Debug)]
pub(super) enum Segment {
    Step(PathStep),
    Wildcard,
}

pub(super) fn selected_places(segments: &[Segment], root: &Value) -> Vec<Vec<PathStep>> {
    let mut located_values = vec![(Vec::new(), root)];
    for segment in segments {
        let below = located_values.into_iter().flat_map(|(place, value)| {
            selected_children(segment, value).into_iter().map(move |(step, value)| {
                let mut place = place.clone();
                place.push(step);
                (place, value)
            })
        });
        located_values = below.collect();
    }
    located_values.into_iter().map(|(place, _)| place).collect()
}

fn selected_children<'v>(segment: &Segment, value: &'v Value) -> Vec<(PathStep, &'v Value)> {
    match (segment, value) {
        (Segment::Step(step), value) => {
            let child = super::value_at(value, std::slice::from_ref(step));
            child.map(|value| (step.clone(), value)).into_iter().collect()
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
