//! Finds the known names that a misspelled name most likely means. Only letters and digits count, of every script; upper and
//! lower case are alike.

/// The known name that is most like `name`; `None` if no name is similar enough.
///
/// ```
/// use callgate_tool::nearest;
///
/// assert_eq!(nearest("get_Pett", ["getPets", "getPet", "addPet"]), Some("getPet"));
/// assert_eq!(nearest("weather", ["getPets", "getPet", "addPet"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let best = similar_names(name, candidates)
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, candidate)| candidate)
}

/// The known names that are like `name`, the most similar first.
pub fn nearest_first<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Vec<&'a str> {
    let mut alike: Vec<_> = similar_names(name, candidates).collect();
    alike.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    alike.into_iter().map(|(_, candidate)| candidate).collect()
}

/// True if a name is most likely another one with a misspelling: no more than two letters differ.
///
/// ```
/// use callgate_tool::misspells;
///
/// assert!(misspells("lstOrders", "listOrders"));
/// assert!(!misspells("searchOrders", "replaceOrder"));
/// ```
#[doc(hidden)]
pub fn misspells(name: &str, correct_name: &str) -> bool {
    strsim::osa_distance(&folded_name(name), &folded_name(correct_name)) <= 2
}

fn similar_names<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> impl Iterator<Item = (f64, &'a str)> {
    let n_known = if name.len() <= LONGEST { usize::MAX } else { 0 };
    let (name, candidates) = (folded_name(name), candidates.into_iter().take(n_known));
    candidates.filter_map(move |candidate| {
        let folded = folded_name(candidate);
        let likeness = likeness(&name, &folded);
        let is_near = || likeness >= CLEARLY_ALIKE || shares_most_letters(&name, &folded);
        (likeness >= ALIKE && is_near()).then_some((likeness, candidate))
    })
}

/// True if fewer than half of the letters differ, or if one name begins with the other.
fn shares_most_letters(name: &str, candidate: &str) -> bool {
    let n_letters = name.chars().count().max(candidate.chars().count());
    let is_beginning = name.starts_with(candidate) || candidate.starts_with(name);
    is_beginning || strsim::osa_distance(name, candidate).saturating_mul(2) < n_letters
}

/// The likeness of two folded names. One edit of a short name changes much of it, and is still its likeliest misspelling.
fn likeness(name: &str, candidate: &str) -> f64 {
    let likeness = strsim::jaro_winkler(name, candidate);
    let n_letters = name.chars().count().max(candidate.chars().count());
    let is_one_edit = || strsim::osa_distance(name, candidate) <= 1;
    if n_letters >= SHORT && is_one_edit() { 1.0 + likeness } else { likeness }
}

/// True if a legal name made from `name` still shows all of its letters and digits.
///
/// ```
/// use callgate_tool::shows_all_letters;
///
/// assert!(shows_all_letters("query_filter_status", "filter[status]"));
/// assert!(!shows_all_letters("query_b3fdfd", "名前"));
/// ```
pub fn shows_all_letters(legal: &str, name: &str) -> bool {
    folded_name(legal).ends_with(&folded_name(name))
}

/// The letters and digits of a name in lower case; the name itself if it has none.
fn folded_name(name: &str) -> String {
    let words: String =
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if words.is_empty() { name.to_owned() } else { words }
}

/// The least similarity, from 0 to 1, at which one name is suggested for another. Misspellings are above it, other words
/// below.
const ALIKE: f64 = 0.7;

/// The similarity from which the letters need not be compared one by one.
const CLEARLY_ALIKE: f64 = 0.8;

/// A longer name, in bytes, misspells none, and comparing it with many takes long.
const LONGEST: usize = 1024;

/// The length from which one edit leaves most of a name.
const SHORT: usize = 3;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn signs_between_words_do_not_count_for_the_nearest_name() {
        for (name, meant) in [
            ("a b", "a_b"),
            ("$id", "id"),
            ("x&y=z", "x_y_z"),
            ("filter[length]", "filter_length"),
            ("X-Request-ID", "x_request_id"),
            ("$", "$"),
        ] {
            assert_eq!(nearest(name, ["other", meant]), Some(meant), "{name}");
        }
    }

    #[test]
    fn a_name_that_shares_half_of_its_letters_is_no_misspelling() {
        for (name, other) in [("clinic", "limit"), ("tenant", "status")] {
            assert_eq!(nearest(name, [other]), None, "{name} {other}");
        }
        assert_eq!(nearest("query", ["q"]), Some("q"));
        assert_eq!(nearest("lmit", ["limit"]), Some("limit"));
    }

    #[test]
    fn the_nearest_name_is_found_in_every_script() {
        for (name, meant) in
            [("番地号", "番地"), ("Größ", "größe"), ("иия", "имя"), ("ИМЯ", "имя"), ("नामा", "नाम")]
        {
            assert_eq!(nearest(name, ["住所", meant]), Some(meant), "{name}");
        }
    }

    #[test]
    fn a_name_longer_than_any_is_compared_with_none() {
        let known = "a".repeat(LONGEST);
        assert_eq!(nearest(&known, [&*known]), Some(&*known));
        assert_eq!(nearest(&"a".repeat(LONGEST + 1), [&*known]), None);
    }

    #[test]
    fn a_legal_name_that_lost_letters_does_not_show_the_original() {
        for (legal, name) in [("id", "$id"), ("X_Request_ID", "X-Request-ID"), ("_1st", "1st")] {
            assert!(shows_all_letters(legal, name), "{legal} {name}");
        }
        for (legal, name) in [
            ("query_b3fdfd", "名前"),
            ("gr_e_ab12cd", "größe"),
            ("___", "番号"),
            ("query_0a1b2c", "$"),
        ] {
            assert!(!shows_all_letters(legal, name), "{legal} {name}");
        }
    }

    proptest! {
        #[test]
        fn a_name_with_other_signs_between_its_words_has_itself_as_nearest(
            words in prop::collection::vec("[a-z0-9\\p{Han}\\p{Cyrillic}]{1,5}", 1..4),
            signs in prop::collection::vec("[-_. \\[\\]$&=@/:]{1,2}", 4),
        ) {
            let legal = words.join("_");
            let given: String = words.iter().zip(&signs).map(|(word, sign)| format!("{sign}{word}")).collect();
            if folded_name(&legal).chars().any(char::is_alphanumeric) {
                prop_assert_eq!(nearest(&given, [&*legal]), Some(&*legal));
            }
        }
    }
}
