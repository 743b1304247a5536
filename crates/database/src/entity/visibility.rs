//! The fields that the tools of an entity show. Others take part in no condition, order, group or sum unless the operator lists them there: each
//! answer would say something of their values.

use crate::{operation::Operation, settings::EntitySettings};

/// The fields that the tools which read rows show, or else those that show groups or changed rows.
pub(super) fn shown_fields(settings: &EntitySettings, fields: &[String]) -> Vec<String> {
    let is_offered = |operation: &&Operation| settings.operations.contains(operation);
    let mut groups = SHOWING.iter().map(|group| group.iter().filter(is_offered));
    let Some(operations) = groups.find(|group| group.clone().next().is_some()) else {
        return fields.to_vec();
    };
    let is_shown = |field: &&String| {
        operations.clone().any(|operation| {
            let listed = settings.output_fields.get(operation);
            listed.is_none_or(|listed| listed.contains(field))
        })
    };
    fields.iter().filter(is_shown).cloned().collect()
}

/// The operations that show rows, the first group before the others: what is hidden in lists is not for the rest to show.
const SHOWING: [&[Operation]; 3] =
    [&[Operation::Get, Operation::List], &[Operation::Aggregate], &[Operation::Update]];
