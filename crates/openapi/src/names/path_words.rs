//! Names operations whose ids differ by a number alone, as generators write them, or not at all: `getConfig_22` takes the words of
//! its path that no other operation of this id has. The result does not depend on the order of the operations, and no name becomes
//! that of another when one is added: rules and clients that use it would mean the other.

use hashbrown::{HashMap, HashSet};

use crate::names::{Identity, is_argument_name_byte, legal_name};

/// The ids that several operations have.
pub(super) struct SharedIds<'a>(HashSet<&'a str>);

impl<'a> SharedIds<'a> {
    pub(super) fn new(operations: &[Identity<'a>]) -> Self {
        let mut seen_ids = HashSet::new();
        let ids = operations.iter().filter_map(|operation| operation.operation_id);
        Self(ids.filter(|id| !seen_ids.insert(*id)).collect())
    }

    pub(super) fn has_shared_id(&self, operation: &Identity<'_>) -> bool {
        operation.operation_id.is_some_and(|id| self.0.contains(id))
    }
}

/// For each operation with a numbered or a shared id a name of words; `None` where no words of the path are its own.
pub(super) fn names_with_path_words(
    operations: &[Identity<'_>],
    shared_ids: &SharedIds<'_>,
) -> Vec<Option<String>> {
    let mut names = vec![None; operations.len()];
    for (own, group) in groups_by_numberless_id(operations) {
        let own = legal_name(own, is_argument_name_byte);
        if !own.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
            continue;
        }
        let candidates = group.iter().map(|(_, operation)| {
            path_word_candidates(operation, shared_ids.has_shared_id(operation))
        });
        let candidates: Vec<_> = candidates.collect();
        let mut n_writers: HashMap<&str, usize> = HashMap::new();
        for words in candidates.iter().flatten() {
            *n_writers.entry(words).or_default() += 1;
        }
        for ((at, operation), candidates) in group.iter().zip(&candidates) {
            let is_numbered = operation.operation_id.and_then(id_without_number).is_some();
            let needs_words = is_numbered || shared_ids.has_shared_id(operation);
            let only = candidates.iter().find(|words| n_writers.get(words.as_str()) == Some(&1));
            if let Some(name) = names.get_mut(*at).filter(|_| needs_words) {
                *name = only.map(|words| format!("{own}_{words}"));
            }
        }
    }
    names
}

/// The operations whose ids differ by a number at most, with their positions, by the id without it.
fn groups_by_numberless_id<'a, 'o>(
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

/// The words that may distinguish an operation, each once: the ends of its path without variables, the fewest first, the path, and
/// both with the method. Words that another has too, whichever of these they are, distinguish neither.
fn path_word_candidates(operation: &Identity<'_>, is_shared: bool) -> Vec<String> {
    let segments = operation.path.rsplit('/');
    let fixed = segments.clone().filter(|segment| !segment.contains('{'));
    let fixed: Vec<_> = fixed.filter_map(joined_words).collect();
    let whole: Vec<_> = segments.filter_map(joined_words).collect();
    let mut candidates: Vec<_> =
        (1..=fixed.len().min(MOST_SEGMENTS)).map(|n| ending_of_reversed_path(&fixed, n)).collect();
    let method = operation.method.to_ascii_lowercase();
    // Ids that differ by a number have one method mostly.
    let method_alone = is_shared.then(|| method.clone());
    let path = Some(ending_of_reversed_path(&whole, MOST_SEGMENTS)).filter(|it| !it.is_empty());
    let method_and_path = path.as_ref().map(|path| format!("{method}_{path}"));
    for words in [path, method_alone, method_and_path].into_iter().flatten() {
        if !candidates.contains(&words) {
            candidates.push(words);
        }
    }
    candidates
}

/// The last segments of a path as words; the first of `segments` is the last of the path.
fn ending_of_reversed_path(segments: &[String], n: usize) -> String {
    let words = segments.iter().take(n).rev().map(String::as_str);
    words.collect::<Vec<_>>().join("_")
}

/// The words of a segment; `None` if it has none.
fn joined_words(segment: &str) -> Option<String> {
    let is_part = |c: char| u8::try_from(c).is_ok_and(is_argument_name_byte);
    let words = segment.split(|c| !is_part(c)).filter(|word| !word.is_empty());
    let words = words.collect::<Vec<_>>().join("_");
    (!words.is_empty()).then_some(words)
}

/// Names of more segments would be too long.
const MOST_SEGMENTS: usize = 4;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            ("read_1", "/a", Some("read_get_a")),
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
        check(&[("a", "/", None), ("a", "/b", Some("a_b"))]);
        check(&[("a", "/", Some("a_get")), ("a", "POST /b", Some("a_b"))]);
        // Segments of other letters have no words.
        check(&[("a", "/\u{732b}", Some("a_get")), ("a", "POST /\u{732b}/b", Some("a_b"))]);
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

    proptest! {
        #[test]
        fn no_name_becomes_that_of_another_operation_when_one_is_added(
            rows in prop::collection::vec(
                ("list(_[12])?", "(/(a|b|get|\\{c\\})){0,3}", prop::bool::ANY),
                1..8,
            ),
        ) {
            let identities = rows.iter().map(|(id, path, is_post)| Identity {
                method: if *is_post { "POST" } else { "GET" },
                operation_id: Some(id.as_str()),
                path: path.as_str(),
                tag: None,
            });
            let operations: Vec<_> = identities.collect();
            let before = &operations[..operations.len() - 1];
            let names = names_with_path_words(&operations, &SharedIds::new(&operations));
            let former = names_with_path_words(before, &SharedIds::new(before));
            for (at, name) in former.iter().enumerate().filter(|(_, name)| name.is_some()) {
                let others = names.iter().enumerate().filter(|(other, _)| *other != at);
                prop_assert!(others.map(|(_, other)| other).all(|other| other != name), "{name:?}");
            }
        }
    }
}
