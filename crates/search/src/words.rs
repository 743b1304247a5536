//! Texts as words: cut at what is no letter or digit and where `camelCase` begins anew, in lower case, English words
//! stemmed (Snowball). Scripts without spaces between words are cut into pairs of characters.

use std::{fmt, mem};

use rust_stemmers::{Algorithm, Stemmer as Snowball};

/// Stems English words.
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
    /// The stem of a word in lower case. Words that cannot be English are their own stems.
    pub(crate) fn stem(&self, word: &str) -> Box<str> {
        let is_english = word.len() <= LONGEST && word.bytes().all(|b| b.is_ascii_lowercase());
        if is_english { self.0.stem(word).into() } else { word.into() }
    }

    /// The stems of the words of a text that say something.
    pub(crate) fn stems(&self, text: &str) -> Vec<Box<str>> {
        let mut found = Vec::new();
        each_word(text, |word| {
            if !is_stop_word(word) {
                found.push(self.stem(word));
            }
            found.len() < MOST_WORDS
        });
        found
    }
}

/// The words of a text, in lower case. `take` says whether it takes further ones.
pub(crate) fn each_word(text: &str, mut take: impl FnMut(&str) -> bool) {
    let mut word = Word::default();
    let mut chars = text.chars().peekable();
    while let Some(next) = chars.next() {
        let kind = Kind::of(next);
        let begins = match (word.last, kind) {
            (Kind::Pair, Kind::Pair)
            | (Kind::Between, _)
            | (Kind::Upper | Kind::Lower, Kind::Lower) => false,
            // The last capital of several belongs to what follows: `HTTPServer`.
            (Kind::Upper, Kind::Upper) => chars.peek().is_some_and(|c| c.is_lowercase()),
            _ => true,
        };
        if begins && !word.end(&mut take) {
            return;
        }
        word.push(next, kind);
    }
    word.end(&mut take);
}

/// A word in the making.
#[derive(Debug, Default)]
struct Word {
    text: String,
    last: Kind,
}

/// The role of a character between words.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Kind {
    /// It stands between words.
    #[default]
    Between,
    /// It goes on, as a small letter or a digit does.
    Lower,
    /// It is a word with the one after it.
    Pair,
    /// It may begin a word.
    Upper,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' | '0'..='9' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' => {
                Self::Pair
            }
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

    /// Hands the word on. False when no further one is taken.
    fn end(&mut self, take: &mut impl FnMut(&str) -> bool) -> bool {
        let is_pairs = mem::take(&mut self.last) == Kind::Pair;
        let goes_on = match (self.text.is_empty(), is_pairs) {
            (true, _) => true,
            (_, true) => each_pair(&self.text, take),
            (_, false) => take(&self.text),
        };
        self.text.clear();
        goes_on
    }
}

/// The characters of a text in pairs that overlap; a character that stands alone is one.
fn each_pair(text: &str, take: &mut impl FnMut(&str) -> bool) -> bool {
    let begins: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    if begins.len() < 3 {
        return take(text);
    }
    begins
        .iter()
        .zip(begins.iter().skip(2))
        .all(|(from, to)| text.get(*from..*to).is_none_or(&mut *take))
}

/// True for a word that says nothing about a tool: what sentences are held together by.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Longer ones are no words.
const LONGEST: usize = 40;
/// A text of more words says nothing new in the rest of them.
pub(crate) const MOST_WORDS: usize = 1000;
/// Articles, pronouns, prepositions, conjunctions and the verbs that help others, in order.
const STOP_WORDS: [&str; 65] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "could", "do", "does", "for",
    "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my",
    "need", "no", "not", "of", "on", "or", "our", "please", "should", "so", "such", "that", "the",
    "their", "then", "there", "these", "they", "this", "to", "us", "want", "was", "we", "were",
    "what", "when", "where", "which", "who", "will", "with", "would", "you", "your", "yours",
    "yourself",
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
    fn names_are_cut_where_a_word_begins() {
        check("listPets", &["list", "pets"]);
        check("HTTPServer2Go", &["http", "server2", "go"]);
        check("get-users_top.items", &["get", "users", "top", "items"]);
        check("/users/{user_id}", &["users", "user", "id"]);
        check("PetsV2", &["pets", "v2"]);
    }

    #[test]
    fn texts_of_any_script_have_words() {
        check("Straße ÜBER Öl", &["straße", "über", "öl"]);
        check("địa chỉ", &["địa", "chỉ"]);
        check("使用ID搜索", &["使用", "id", "搜索"]);
        check("关键词", &["关键", "键词"]);
        check("词", &["词"]);
        check("—…!", &[]);
        check("", &[]);
    }

    #[test]
    fn words_of_a_kind_have_a_stem_and_words_without_sense_none() {
        let stems = |text: &str| Stemmer::default().stems(text);
        assert_eq!(stems("What are the playlists"), stems("playlist"));
        assert_eq!(stems("following"), stems("followed"));
        assert_eq!(stems("ℵ0").len(), 1);
    }

    #[test]
    fn the_words_without_sense_are_in_order() {
        assert!(STOP_WORDS.is_sorted());
    }
}
