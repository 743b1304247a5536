//! The word of a model's text at which the database stopped, with the nearest name that it may read. The database says where it stopped;
//! its own words, which may quote values, are not read.

use callgate_tool::nearest;

/// The word at a character of the text, counted from 1, and the nearest of the names.
pub(super) fn stopped_word_and_nearest<'n>(
    sql: &str,
    character: usize,
    names: &'n [String],
) -> Option<(String, Option<&'n str>)> {
    let rest = sql.chars().skip(character.checked_sub(1)?);
    let is_of_a_word = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '"' | '`');
    let word: String = rest.take_while(is_of_a_word).take(MOST_CHARACTERS).collect();
    let name = word.rsplit('.').next().unwrap_or_default().trim_matches(['"', '`']);
    if name.is_empty() {
        return None;
    }
    let is_name = names.iter().any(|known_name| known_name == name);
    let near = if is_name { None } else { nearest(name, names.iter().map(String::as_str)) };
    Some((name.to_owned(), near))
}

/// The characters of a word that a fault repeats.
const MOST_CHARACTERS: usize = 60;

#[cfg(test)]
mod tests {
    use super::stopped_word_and_nearest;

    #[track_caller]
    fn check(sql: &str, character: usize, expected: Option<(&str, Option<&str>)>) {
        let names = ["total", "no"].map(str::to_owned);
        let expected = expected.map(|(name, near)| (name.to_owned(), near));
        assert_eq!(stopped_word_and_nearest(sql, character, &names), expected, "{sql}");
    }

    #[test]
    fn the_word_at_a_place_of_a_text_has_the_nearest_name() {
        check("select totl from t", 8, Some(("totl", Some("total"))));
        check("select 'ü', o.\"totl\" from t o", 13, Some(("totl", Some("total"))));
        check("select total total total", 14, Some(("total", None)));
        check("select zzzzzz", 8, Some(("zzzzzz", None)));
        check("select ", 8, None);
        check("select +", 8, None);
        check("select 1", 0, None);
    }
}
