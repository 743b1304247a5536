//! Removes the spots of a graph that lead to no session input: most schemas of a body do not.

use std::sync::Arc;

use crate::{
    bindings::{Alternative, Spot},
    input::Source,
};

/// The spots that lead to a source, and always the first one; empty if there is no source.
pub(super) fn pruned(mut spots: Vec<Spot>) -> Vec<Spot> {
    let mut is_kept: Vec<bool> = spots.iter().map(|spot| spot.source != Source::Model).collect();
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); spots.len()];
    for (at, spot) in spots.iter().enumerate() {
        for below in spot.below() {
            above.get_mut(below).into_iter().for_each(|above| above.push(at));
        }
    }
    let mut open: Vec<usize> =
        is_kept.iter().enumerate().filter(|(_, kept)| **kept).map(|(at, _)| at).collect();
    if open.is_empty() {
        return Vec::new();
    }
    while let Some(at) = open.pop() {
        for above in above.get(at).into_iter().flatten() {
            if let Some(kept) = is_kept.get_mut(*above).filter(|kept| !**kept) {
                *kept = true;
                open.push(*above);
            }
        }
    }
    if !is_kept.first().copied().unwrap_or_default() {
        return Vec::new();
    }
    let mut places: Vec<Option<usize>> = Vec::with_capacity(spots.len());
    let mut n_kept = 0;
    for kept in &is_kept {
        places.push(kept.then_some(n_kept));
        n_kept += usize::from(*kept);
    }
    let place = |at: usize| places.get(at).copied().flatten();
    for spot in &mut spots {
        moved(spot, place);
    }
    let kept = spots.into_iter().zip(is_kept).filter(|(_, kept)| *kept);
    kept.map(|(spot, _)| spot).collect()
}

/// Replaces the indexes of the spots below by their new ones.
fn moved(spot: &mut Spot, place: impl Fn(usize) -> Option<usize>) {
    let take = std::mem::take::<Box<[(Arc<str>, usize)]>>;
    let named = |members: Box<[(Arc<str>, usize)]>| {
        members.into_iter().filter_map(|(name, at)| Some((name, place(at)?))).collect()
    };
    spot.properties = named(take(&mut spot.properties));
    spot.patterns = named(take(&mut spot.patterns));
    spot.same = spot.same.iter().filter_map(|at| place(*at)).collect();
    for branch in spot.alternatives.iter_mut().flatten() {
        branch.spot = branch.spot.and_then(&place);
    }
    let leads = |group: &[Alternative]| group.iter().any(|branch| branch.spot.is_some());
    spot.alternatives =
        std::mem::take(&mut spot.alternatives).into_iter().filter(|group| leads(group)).collect();
    spot.leading = spot.leading.iter().map(|at| at.and_then(&place)).collect();
    spot.items = spot.items.and_then(&place);
    spot.others = spot.others.and_then(&place);
    if spot.others.is_none() {
        (spot.declared, spot.declared_patterns) = Default::default();
    }
}
