//! Names operations whose ids differ by a number alone, as generators write them, or not at all: `getConfig_22` takes the words of
//! its path that no other operation of this id has. The result does not depend on the order of the operations.

use hashbrown::{HashMap, HashSet};

use crate::names::{Identity, is_argument_byte, legal_name};

/// The ids that several operations have.
pub(super) struct SharedIds<'a>(HashSet<&'a str>);

impl<'a> SharedIds<'a> {
    pub(super) fn new(operations: &[Identity<'a>]) -> Self {
        let mut seen_ids = HashSet::new();
        let ids = operations.iter().filter_map(|operation| operation.operation_id);
        Self(ids.filter(|id| !seen_ids.insert(*id)).collect())
    }

    pub(super) fn has_id_of(&self, operation: &Identity<'_>) -> bool {
        operation.operation_id.is_some_and(|id| self.0.contains(id))
    }
}

/// For each operation with a numbered or a shared id a name of words; `None` where no words of the path are its own.
pub(super) fn names_with_path_words(
    operations: &[Identity<'_>],
    shared_ids: &SharedIds<'_>,
) -> Vec<Option<String>> {
    let mut names = vec![None; operations.len()];
    for (own, group) in groups_of_like_ids(operations) {
        let own = legal_name(own, is_argument_byte);
        if !own.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
            continue;
        }
        let candidates = group.iter().map(|(_, operation)| {
            let mut candidates = path_ending_candidates(operation.path);
            if shared_ids.has_id_of(operation) {
                candidates.extend(method_candidates(operation));
            }
            candidates
        });
        let candidates: Vec<_> = candidates.collect();
        let mut n_writers: HashMap<&(Words, String), usize> = HashMap::new();
        for candidate in candidates.iter().flatten() {
            *n_writers.entry(candidate).or_default() += 1;
        }
        for ((at, operation), candidates) in group.iter().zip(&candidates) {
            let is_numbered = operation.operation_id.and_then(id_without_number).is_some();
            let needs_words = is_numbered || shared_ids.has_id_of(operation);
            let only = candidates.iter().find(|candidate| n_writers.get(candidate) == Some(&1));
            if let Some(name) = names.get_mut(*at).filter(|_| needs_words) {
                *name = only.map(|(_, words)| format!("{own}_{words}"));
            }
        }
    }
    names
}

/// The operations whose ids differ by a number at most, with their positions, by the id without it.
fn groups_of_like_ids<'a, 'o>(
    operations: &'o [Identity<'a>],
) -> HashMap<&'a str, Vec<(usize, &'o Identity<'a>)>> {
    let own_id = |operation: &Identity<'a>| {
        operation.operation_id.map(|id| id_without_number(id).unwrap_or(id))
    };
    let mut n_operations: HashMap<&'a str, usize> = HashMap::new();
    for own in operations.iter().filter_map(own_id) {
        *n_operations.entry(own).or_default() += 1;
    }
    let mut groups: HashMap<&'a str, Vec<(usize, &'o Identity<'a>)>> = HashMap::new();
    for (at, operation) in operations.iter().enumerate() {
        let Some(own) = own_id(operation) else { continue };
        if n_operations.get(own).is_some_and(|n| *n > 1) {
            groups.entry(own).or_default().push((at, operation));
        }
    }
    groups
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
    Method,
    MethodAndWhole,
    Whole,
}

/// The words at the end of a path, the fewest first.
fn path_ending_candidates(path: &str) -> Vec<(Words, String)> {
    let segments = reversed_segments(path);
    let fixed: Vec<_> = segments.iter().copied().filter(|it| !it.contains('{')).collect();
    let numbers = 1..=fixed.len().min(MOST_SEGMENTS);
    let fixed = numbers.map(|n| (Words::Fixed, ending_of_reversed_path(&fixed, n)));
    let whole = (!segments.is_empty())
        .then(|| (Words::Whole, ending_of_reversed_path(&segments, MOST_SEGMENTS)));
    fixed.chain(whole).collect()
}

/// The method alone and before the path. Ids that differ by a number have one method mostly, and no need of it.
fn method_candidates(operation: &Identity<'_>) -> [(Words, String); 2] {
    let method = operation.method.to_ascii_lowercase();
    let path = ending_of_reversed_path(&reversed_segments(operation.path), MOST_SEGMENTS);
    let whole = if path.is_empty() { method.clone() } else { format!("{method}_{path}") };
    [(Words::Method, method), (Words::MethodAndWhole, whole)]
}

fn reversed_segments(path: &str) -> Vec<&str> {
    path.rsplit('/').filter(|segment| !segment.is_empty()).collect()
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
        let identities = rows.iter().map(|&(id, route, _)| {
            let (method, path) = route.split_once(' ').unwrap_or(("GET", route));
            Identity { method, operation_id: Some(id), path, tag: None }
        });
        let operations: Vec<_> = identities.collect();
        let names = names_with_path_words(&operations, &SharedIds::new(&operations));
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

    #[test]
    fn a_shared_id_takes_words_of_its_paths_or_its_method() {
        check(&[
            ("list", "/orders", Some("list_orders")),
            ("list", "/shops/{id}/returns", Some("list_returns")),
            ("list_2", "/users", Some("list_users")),
            ("lists", "/users", None),
        ]);
        check(&[
            ("user", "/user", Some("user_get")),
            ("user", "POST /user", Some("user_post")),
            ("get-it", "/a", Some("get_it_get_a")),
            ("get-it", "POST /a", Some("get_it_post")),
            ("get-it", "/b/{c}", Some("get_it_b")),
        ]);
        check(&[("a", "/", Some("a_get")), ("a", "/b", Some("a_b"))]);
    }

    #[test]
    fn a_shared_id_without_words_of_its_own_or_without_a_letter_stays() {
        check(&[("a", "/b", None), ("a", "/b/", None), ("a", "/c", Some("a_c"))]);
        check(&[
            ("\u{732b}", "/b", None),
            ("\u{732b}", "/c", None),
            ("", "/d", None),
            ("", "/e", None),
        ]);
    }
}
