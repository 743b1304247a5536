//! Splits texts into words: at characters that are not letters or digits and inside `camelCase`. Words are in lower case,
//! and English words are stemmed (Snowball). Scripts without spaces are split into overlapping pairs of characters. Texts that
//! differ only in the form of their characters (composed, of full width, ligatures, invisible ones) have the same words.

use std::{borrow::Cow, fmt, mem};

use rust_stemmers::{Algorithm, Stemmer as Snowball};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

pub(crate) struct Stemmer(Snowball);

impl Default for Stemmer {
    fn default() -> Self {
        Self(Snowball::create(Algorithm::English))
    }
}

impl fmt::Debug for Stemmer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stemmer")
    }
}

impl Stemmer {
    /// The stem of a word in lower case. A word that cannot be English is its own stem.
    pub(crate) fn stem(&self, word: &str) -> Box<str> {
        let is_english = word.len() <= LONGEST && word.bytes().all(|b| b.is_ascii_lowercase());
        if is_english { self.0.stem(word).into() } else { word.into() }
    }

    /// The stems of a text's words, without stop words.
    pub(crate) fn stems(&self, text: &str) -> Vec<Box<str>> {
        let mut stems = Vec::new();
        each_word(text, |word| {
            if !is_stop_word(word) {
                stems.push(self.stem(word));
            }
            stems.len() < MOST_WORDS
        });
        stems
    }
}

/// Passes the words of a text in lower case to `take`, until it returns false.
pub(crate) fn each_word(text: &str, mut take: impl FnMut(&str) -> bool) {
    let is_separator = |b: &u8| b.is_ascii() && !b.is_ascii_alphanumeric();
    let is_small = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let mut from = 0;
    for part in text.as_bytes().split(is_separator) {
        let to = from + part.len();
        // Most parts are a word as it is written.
        let goes_on = match text.get(from..to).unwrap_or_default() {
            "" => true,
            word if part.iter().all(|b| is_small(*b)) => take(word),
            part => each_word_of_part(&normalized_text(part), &mut take),
        };
        if !goes_on {
            return;
        }
        from = to + 1;
    }
}

/// A text in the form in which equal words are equal: NFKC, without invisible characters, and with the letters of which a capital
/// or the end of a word makes others (`STRASSE`, `ΟΔΟΣ`).
fn normalized_text(text: &str) -> Cow<'_, str> {
    let stays = |c: char| !is_invisible(c) && !matches!(c, 'ß' | 'ẞ' | 'ς');
    let is_comparable =
        || text.chars().all(stays) && matches!(is_nfkc_quick(text.chars()), IsNormalized::Yes);
    if text.is_ascii() || is_comparable() {
        return text.into();
    }
    let mut comparable = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_invisible(*c)).nfkc() {
        match c {
            'ß' => comparable.push_str("ss"),
            'ẞ' => comparable.push_str("SS"),
            'ς' => comparable.push('σ'),
            _ => comparable.push(c),
        }
    }
    comparable.into()
}

/// Characters that show where a line may break, how letters join or which way they run, and are no part of a word.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
    )
}

/// Passes the words of a part of a text, which separators or the ends of the text surround.
fn each_word_of_part(part: &str, take: &mut impl FnMut(&str) -> bool) -> bool {
    let mut word = Word::default();
    let mut chars = part.chars().peekable();
    while let Some(next) = chars.next() {
        let kind = Kind::from_char(next);
        let begins = match (word.last, kind) {
            (Kind::Pair, Kind::Pair)
            | (Kind::Between, _)
            | (Kind::Upper | Kind::Lower, Kind::Lower) => false,
            // The last of several capitals belongs to the next word: `HTTPServer`.
            (Kind::Upper, Kind::Upper) => chars.peek().is_some_and(|c| c.is_lowercase()),
            _ => true,
        };
        if begins && !word.pass_word_on(take) {
            return false;
        }
        word.push(next, kind);
    }
    word.pass_word_on(take)
}

#[derive(Debug, Default)]
struct Word {
    text: String,
    last: Kind,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Kind {
    #[default]
    Between,
    Lower,
    /// A character that makes a word with the next one.
    Pair,
    Upper,
}

impl Kind {
    fn from_char(c: char) -> Self {
        match c {
            'a'..='z' | '0'..='9' => Self::Lower,
            'A'..='Z' => Self::Upper,
            // Kana, Chinese characters and Hangul; Thai and Lao, Burmese, Khmer.
            '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7af}'
            | '\u{e00}'..='\u{eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}' => Self::Pair,
            _ if c.is_uppercase() => Self::Upper,
            _ if c.is_alphanumeric() => Self::Lower,
            _ => Self::Between,
        }
    }
}

impl Word {
    fn push(&mut self, next: char, kind: Kind) {
        self.last = kind;
        match kind {
            Kind::Between => {}
            Kind::Lower | Kind::Pair if !next.is_uppercase() => self.text.push(next),
            _ => self.text.extend(next.to_lowercase()),
        }
    }

    /// Passes the word on. Returns false if `take` wants no more words.
    fn pass_word_on(&mut self, take: &mut impl FnMut(&str) -> bool) -> bool {
        let is_pairs = mem::take(&mut self.last) == Kind::Pair;
        let goes_on = match (self.text.is_empty(), is_pairs) {
            (true, _) => true,
            (_, true) => each_character_pair(&self.text, take),
            (_, false) => take(&self.text),
        };
        self.text.clear();
        goes_on
    }
}

/// Passes overlapping pairs of characters to `take`; a lone character is passed by itself.
fn each_character_pair(text: &str, take: &mut impl FnMut(&str) -> bool) -> bool {
    let begins: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    if begins.len() < 3 {
        return take(text);
    }
    begins
        .iter()
        .zip(begins.iter().skip(2))
        .all(|(from, to)| text.get(*from..*to).is_none_or(&mut *take))
}

/// The text with a space for each tag of HTML: `<p>`, `</a>`.
pub(crate) fn without_html_tags(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return text.into();
    }
    let mut parts = text.split('<');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_tag = part.starts_with(|c: char| c == '/' || c.is_ascii_alphabetic());
        let after = part.split_once('>').filter(|_| is_tag).map(|(_, after)| after);
        plain.push(' ');
        plain.push_str(after.unwrap_or(part));
    }
    plain.into()
}

pub(crate) fn means_asker(word: &str) -> bool {
    matches!(word, "i" | "me" | "my" | "mine" | "whoami")
}

pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

const LONGEST: usize = 40;
/// The most words that are read of a text; the rest of a longer text adds nothing new.
pub(crate) const MOST_WORDS: usize = 1000;
/// Articles, pronouns, prepositions, conjunctions and auxiliary verbs, in order.
const STOP_WORDS: [&str; 66] = [
    "a", "am", "an", "and", "are", "as", "at", "be", "but", "by", "can", "could", "do", "does",
    "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me",
    "my", "need", "no", "not", "of", "on", "or", "our", "please", "should", "so", "such", "that",
    "the", "their", "then", "there", "these", "they", "this", "to", "us", "want", "was", "we",
    "were", "what", "when", "where", "which", "who", "will", "with", "would", "you", "your",
    "yours", "yourself",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        each_word(text, |word| {
            found.push(word.to_owned());
            true
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn names_are_split_at_capitals_and_signs() {
        check("listPets", &["list", "pets"]);
        check("HTTPServer2Go", &["http", "server2", "go"]);
        check("get-users_top.items", &["get", "users", "top", "items"]);
        check("/users/{user_id}", &["users", "user", "id"]);
        check("PetsV2", &["pets", "v2"]);
    }

    #[test]
    fn texts_of_any_script_are_split_to_words() {
        check("Straße ÜBER Öl", &["strasse", "über", "öl"]);
        check("địa chỉ", &["địa", "chỉ"]);
        check("使用ID搜索", &["使用", "id", "搜索"]);
        check("关键词", &["关键", "键词"]);
        check("词", &["词"]);
        check("บ้าน", &["บ้", "้า", "าน"]);
        check("—…!", &[]);
        check("", &[]);
    }

    #[test]
    fn one_word_in_any_form_of_its_characters_is_one_word() {
        for (text, expected) in [
            ("Cafe\u{301} cafe\u{301}s", ["café", "cafés"].as_slice()),
            ("Donau\u{ad}dampf\u{200b}schiff\u{2060}fahrt", &["donaudampfschifffahrt"]),
            ("o\u{fb03}ce ＦＵＬＬ", &["office", "full"]),
            ("STRASSE STRAẞE straße", &["strasse", "strasse", "strasse"]),
            ("ΟΔΟΣ οδος", &["οδοσ", "οδοσ"]),
            ("\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}", &["한국"]),
            ("a\u{feff}b\u{200d}", &["ab"]),
            ("\u{ad}\u{200b}", &[]),
        ] {
            check(text, expected);
            check(&text.nfd().collect::<String>(), expected);
        }
    }

    #[test]
    fn forms_of_a_word_have_one_stem_and_stop_words_have_no_stem() {
        let stems = |text: &str| Stemmer::default().stems(text);
        assert_eq!(stems("What are the playlists"), stems("playlist"));
        assert_eq!(stems("following"), stems("followed"));
        assert_eq!(stems("ℵ0").len(), 1);
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }
}
