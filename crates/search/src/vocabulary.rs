//! Numbers for the words of all documents. Each spelling of a word is stemmed only once.

use hashbrown::HashMap;

use crate::{
    synonyms::Synonyms,
    words::{MOST_WORDS, Stemmer, each_word, is_stop_word, means_asker, without_html_tags},
};

#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    stems: HashMap<Box<str>, u32>,
}

#[derive(Debug, Default)]
pub(crate) struct Learner {
    vocabulary: Vocabulary,
    spellings: Spellings,
}

/// The numbers of words as they are written; a stop word has no number.
#[derive(Debug, Default)]
pub(crate) struct Spellings {
    stemmer: Stemmer,
    /// Those of words that fit in the key itself, which most do.
    short: HashMap<u128, Option<u32>>,
    long: HashMap<Box<str>, Option<u32>>,
}

impl Vocabulary {
    /// The numbers of a text's different words that some document has, and of their synonyms, in the order of the stems: scores are
    /// added in an order that does not depend on numbers.
    pub(crate) fn word_numbers(&self, text: &str, synonyms: &Synonyms) -> Vec<u32> {
        let mut stems = Stemmer::default().stems(text);
        if asks_about_asker(text, &stems) {
            stems.extend(Stemmer::default().stems(ITSELF));
            stems.push(SELF.into());
        }
        if !synonyms.is_empty() {
            let others: Vec<_> =
                stems.iter().flat_map(|stem| synonyms.synonym_stems(stem)).cloned().collect();
            stems.extend(others);
        }
        stems.sort_unstable();
        stems.dedup();
        stems.iter().filter_map(|stem| self.stems.get(stem).copied()).collect()
    }

    /// The numbers of a question's different words that some piece has, each with the times that the question has it. A long question repeats
    /// what it is about.
    pub(crate) fn word_counts(&self, text: &str) -> Vec<(u32, usize)> {
        let mut stems = Stemmer::default().stems(text);
        stems.sort_unstable();
        let runs = stems.chunk_by(|one, other| one == other);
        let counted = |run: &[Box<str>]| Some((*self.stems.get(run.first()?)?, run.len()));
        runs.filter_map(counted).collect()
    }

    /// The numbers of a text's different words; `None` if it has no words, or one that no document has.
    pub(crate) fn word_numbers_if_indexed(&self, text: &str) -> Option<Box<[u32]>> {
        let stems = Stemmer::default().stems(&without_html_tags(text));
        let numbers = stems.iter().map(|stem| self.stems.get(stem).copied());
        let mut numbers: Vec<u32> = numbers.collect::<Option<_>>()?;
        numbers.sort_unstable();
        numbers.dedup();
        (!numbers.is_empty()).then(|| numbers.into())
    }

    /// The number of a stem, a new one if it has none; `None` if there are too many stems.
    pub(crate) fn number_or_add_stem(&mut self, stem: Box<str>) -> Option<u32> {
        let next = u32::try_from(self.stems.len()).ok().filter(|n| *n < MOST_STEMS);
        match next {
            Some(next) => Some(*self.stems.entry(stem).or_insert(next)),
            None => self.stems.get(&stem).copied(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.stems.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        let texts: usize = self.stems.keys().map(|stem| stem.len()).sum();
        texts + self.stems.allocation_size()
    }
}

impl Learner {
    pub(crate) fn read_words(&mut self, text: &str, numbers: &mut Vec<u32>) {
        let Self { vocabulary, spellings } = self;
        spellings.each_word_number(
            text,
            |stem| vocabulary.number_or_add_stem(stem),
            |number| numbers.push(number),
        );
    }

    pub(crate) fn into_vocabulary(mut self) -> Vocabulary {
        self.vocabulary.stems.shrink_to_fit();
        self.vocabulary
    }
}

impl Spellings {
    /// Passes the number of each word of a text to `take`. `number_of` has the numbers of stems.
    pub(crate) fn each_word_number(
        &mut self,
        text: &str,
        mut number_of: impl FnMut(Box<str>) -> Option<u32>,
        mut take: impl FnMut(u32),
    ) {
        let mut room = MOST_WORDS;
        each_word(&without_html_tags(text), |word| {
            self.cached_word_number(word, &mut number_of).into_iter().for_each(&mut take);
            room -= 1;
            room > 0
        });
    }

    fn cached_word_number(
        &mut self,
        word: &str,
        number_of: impl FnOnce(Box<str>) -> Option<u32>,
    ) -> Option<u32> {
        let short = short_word_key(word);
        let cached_number = match short {
            Some(key) => self.short.get(&key),
            None => self.long.get(word),
        };
        if let Some(cached_number) = cached_number {
            return *cached_number;
        }
        // `/me` and `getMe` say whose things they are.
        let is_read = word.len() <= LONGEST && (!is_stop_word(word) || word == SELF);
        let number = if is_read { number_of(self.stemmer.stem(word)) } else { None };
        if self.short.len() + self.long.len() < MOST_SPELLINGS && word.len() <= LONGEST {
            match short {
                Some(key) => self.short.insert(key, number),
                None => self.long.insert(word.into(), number),
            };
        }
        number
    }
}

/// The bytes of a short word as a number. A word has no zero byte.
fn short_word_key(word: &str) -> Option<u128> {
    let mut key = [0; 16];
    key.get_mut(..word.len())?.copy_from_slice(word.as_bytes());
    Some(u128::from_le_bytes(key))
}

/// True for a question about the person who asks: `who am i`.
fn asks_about_asker(text: &str, stems: &[Box<str>]) -> bool {
    let mut is_first = false;
    each_word(text, |word| {
        is_first |= means_asker(word);
        true
    });
    is_first && stems.iter().all(|stem| &**stem == "whoami")
}

/// The words that services have for the person who calls them.
const ITSELF: &str = "authenticated current user identity profile whoami";
/// The word of paths for the person who calls.
const SELF: &str = "me";
/// The longest word that is indexed, in bytes. What is longer is no word: encoded bytes, a line without spaces.
const LONGEST: usize = 128;
/// The most different stems of an index, so that texts of random words do not fill the memory.
const MOST_STEMS: u32 = 1 << 20;
/// The most spellings that are remembered while texts are read.
const MOST_SPELLINGS: usize = 1 << 18;
