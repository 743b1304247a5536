//! The best of many scores, when few are wanted: one pass, with a list of the best so far.

use crate::query::Hit;

/// The pieces with the highest scores above zero that `admits` accepts; of equal scores, the first piece comes first.
pub(super) fn best(scores: &[f32], limit: usize, admits: impl Fn(usize) -> bool) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    let mut least = 0.0;
    for (document, score) in scores.iter().enumerate() {
        // Equal scores stay behind those that came first.
        if *score <= least || limit == 0 || !admits(document) {
            continue;
        }
        let at = hits.partition_point(|hit| hit.score >= *score);
        hits.insert(at, Hit { document, score: *score });
        hits.truncate(limit);
        if hits.len() == limit {
            least = hits.last().map_or(0.0, |hit| hit.score);
        }
    }
    hits
}
