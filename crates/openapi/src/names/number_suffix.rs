//! Names operations whose ids differ by a number alone, as generators write them: `getConfig_22` takes the words of its path
//! that no other operation of this id has. The result does not depend on the order of the operations.

use hashbrown::HashMap;

use crate::names::{Identity, is_argument_byte};

/// For each operation with a numbered id a name of words; `None` where no words of the path are its own.
pub(super) fn numbered_names(operations: &[Identity<'_>]) -> Vec<Option<String>> {
    let ids = || operations.iter().map(|operation| operation.operation_id.unwrap_or_default());
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, own) in ids().enumerate().filter_map(|(at, id)| Some((at, id_without_number(id)?))) {
        groups.entry(own).or_default().push(at);
    }
    if groups.is_empty() {
        return vec![None; operations.len()];
    }
    for (at, id) in ids().enumerate() {
        if let Some(group) = groups.get_mut(id) {
            group.push(at);
        }
    }
    let mut names = vec![None; operations.len()];
    for (own, group) in groups.into_iter().filter(|(_, group)| group.len() > 1) {
        let endings: Vec<_> =
            group.iter().map(|at| path_ending_candidates(operations, *at)).collect();
        let mut n_writers: HashMap<&(Words, String), usize> = HashMap::new();
        for ending in endings.iter().flatten() {
            *n_writers.entry(ending).or_default() += 1;
        }
        for (at, endings) in group.iter().zip(&endings) {
            let is_numbered =
                operations.get(*at).and_then(|it| id_without_number(it.operation_id?)).is_some();
            let only = endings.iter().find(|ending| n_writers.get(ending) == Some(&1));
            if let Some(name) = names.get_mut(*at).filter(|_| is_numbered) {
                *name = only.map(|(_, ending)| format!("{own}_{ending}"));
            }
        }
    }
    names
}

/// The id without its number: `getConfig` of `getConfig_22`.
fn id_without_number(id: &str) -> Option<&str> {
    let (own, number) = id.rsplit_once('_')?;
    let is_number = (1..=4).contains(&number.len()) && number.bytes().all(|c| c.is_ascii_digit());
    (is_number && !own.is_empty()).then_some(own)
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
enum Words {
    /// Those of the segments without variables.
    Fixed,
    Whole,
}

/// The words at the end of a path, the fewest first.
fn path_ending_candidates(operations: &[Identity<'_>], at: usize) -> Vec<(Words, String)> {
    let path = operations.get(at).map(|operation| operation.path).unwrap_or_default();
    let segments: Vec<_> = path.rsplit('/').filter(|segment| !segment.is_empty()).collect();
    let fixed: Vec<_> = segments.iter().copied().filter(|it| !it.contains('{')).collect();
    let numbers = 1..=fixed.len().min(MOST_SEGMENTS);
    let fixed = numbers.map(|n| (Words::Fixed, ending_of_reversed_path(&fixed, n)));
    let whole = (!segments.is_empty())
        .then(|| (Words::Whole, ending_of_reversed_path(&segments, MOST_SEGMENTS)));
    fixed.chain(whole).collect()
}

/// The last segments of a path as words; the first of `segments` is the last of the path.
fn ending_of_reversed_path(segments: &[&str], n: usize) -> String {
    let words = segments.iter().take(n).rev().map(|segment| joined_words(segment));
    words.collect::<Vec<_>>().join("_")
}

fn joined_words(segment: &str) -> String {
    let is_part = |c: char| u8::try_from(c).is_ok_and(is_argument_byte);
    let words = segment.split(|c| !is_part(c)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

/// Names of more segments would be too long.
const MOST_SEGMENTS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rows: &[(&str, &str, Option<&str>)]) {
        let identity = |&(id, path, _): &(_, _, _)| Identity {
            method: "GET",
            operation_id: Some(id),
            path,
            tag: None,
        };
        let operations: Vec<_> = rows.iter().map(identity).collect();
        let names = numbered_names(&operations);
        let expected: Vec<_> = rows.iter().map(|row| row.2.map(str::to_owned)).collect();
        assert_eq!(names, expected, "{rows:?}");
    }

    #[test]
    fn a_numbered_id_takes_the_words_of_its_path_that_are_its_own() {
        check(&[
            ("getConfig", "/people/{id}/intercept", None),
            ("getConfig_1", "/people/{id}/call-waiting", Some("getConfig_call_waiting")),
            ("getConfig_22", "/places/{id}/intercept", Some("getConfig_places_intercept")),
            ("getOther_2", "/others", None),
        ]);
        check(&[
            ("read_1", "/a", Some("read_a")),
            ("read_2", "/a/{b}", Some("read_a_b")),
            ("read_3", "/c", Some("read_c")),
        ]);
    }

    #[test]
    fn an_id_stays_whose_words_another_has_too() {
        check(&[("get_1", "/a", None), ("get_2", "/a", None), ("get_3", "/b", Some("get_b"))]);
        check(&[("get_1", "/", None), ("get_2", "/{id}", Some("get_id")), ("oauth_2", "/o", None)]);
    }
}
