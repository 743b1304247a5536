//! A text for a pattern: the first alternative, the first character of a class, the least repetitions. Knows the plain parts
//! of regular expressions and skips others, so that the text may not match: a call checks it.

/// A short text that a pattern was written for; `None` if the pattern cannot be read.
pub(super) fn text(pattern: &str) -> Option<String> {
    let characters: Vec<char> = pattern.chars().collect();
    let mut reader = Reader { characters: &characters, at: 0 };
    let text = reader.alternatives(DEPTH)?;
    (reader.at == characters.len()).then_some(text)
}

struct Reader<'a> {
    characters: &'a [char],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at = self.at.saturating_add(1);
        Some(next)
    }

    fn takes(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.at = self.at.saturating_add(1);
        }
        is_there
    }

    /// Reads on to a character, and behind it.
    fn skip_behind(&mut self, end: char) -> Option<()> {
        while self.next()? != end {}
        Some(())
    }

    /// The text of the first alternative; the others are read to their end.
    fn alternatives(&mut self, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let first = self.sequence(depth)?;
        while self.takes('|') {
            self.sequence(depth)?;
        }
        Some(first)
    }

    fn sequence(&mut self, depth: usize) -> Option<String> {
        let mut text = String::new();
        while let Some(next) = self.peek().filter(|next| !matches!(next, '|' | ')')) {
            self.at = self.at.saturating_add(1);
            let part = match next {
                '(' => self.group(depth)?,
                '[' => self.class()?.to_string(),
                '\\' => self.escape()?,
                '^' | '$' => String::new(),
                '.' => USUAL.to_string(),
                plain => plain.to_string(),
            };
            let n = self.repetitions()?;
            if text.len().saturating_add(part.len().saturating_mul(n)) > MOST_BYTES {
                return None;
            }
            text.push_str(&part.repeat(n));
        }
        Some(text)
    }

    /// A group behind its parenthesis; one that looks around stands for no text.
    fn group(&mut self, depth: usize) -> Option<String> {
        let mut looks_around = false;
        if self.takes('?') {
            let kind = self.next()?;
            let is_name = kind == 'P' || (kind == '<' && !matches!(self.peek(), Some('=' | '!')));
            if is_name {
                self.skip_behind('>')?;
            }
            looks_around = !is_name && kind != ':';
        }
        let text = self.alternatives(depth)?;
        self.takes(')').then_some(())?;
        Some(if looks_around { String::new() } else { text })
    }

    /// A character of a class behind its bracket: a letter or a digit if there is one.
    fn class(&mut self) -> Option<char> {
        let is_negated = self.takes('^');
        let mut ranges: Vec<(char, char)> = Vec::new();
        while !self.takes(']') {
            let first = self.member()?;
            let is_range = self.peek() == Some('-')
                && self.characters.get(self.at.saturating_add(1)).is_some_and(|end| *end != ']');
            let last = if is_range { self.next().and_then(|_| self.member())? } else { first };
            ranges.push((first, last));
        }
        let has = |c: char| ranges.iter().any(|(first, last)| (*first..=*last).contains(&c));
        let usual = USUAL_CHARACTERS.chars().find(|c| has(*c) != is_negated);
        usual.or_else(|| ranges.first().map(|(first, _)| *first).filter(|_| !is_negated))
    }

    fn member(&mut self) -> Option<char> {
        match self.next()? {
            '\\' => self.escape()?.chars().next(),
            plain => Some(plain),
        }
    }

    /// The character of an escape; nothing for a border of words.
    fn escape(&mut self) -> Option<String> {
        let text = match self.next()? {
            'b' | 'B' | 'A' | 'z' | 'Z' => return Some(String::new()),
            'd' => '1',
            'D' | 'w' | 'S' => USUAL,
            'n' => '\n',
            'r' => '\r',
            's' => ' ',
            't' => '\t',
            'W' => '-',
            'x' => self.by_number(2)?,
            'u' => self.by_number(4)?,
            'p' | 'P' => {
                self.takes('{').then_some(())?;
                self.skip_behind('}')?;
                USUAL
            }
            plain => plain,
        };
        Some(text.to_string())
    }

    fn by_number(&mut self, n_digits: usize) -> Option<char> {
        let mut number = 0_u32;
        for _ in 0..n_digits {
            number = number.checked_mul(16)?.checked_add(self.next()?.to_digit(16)?)?;
        }
        char::from_u32(number)
    }

    /// The least number of repetitions that a quantifier asks for; once without one, and for one that may be none.
    fn repetitions(&mut self) -> Option<usize> {
        let n = match self.peek() {
            Some('*' | '+' | '?') => {
                self.at = self.at.saturating_add(1);
                1
            }
            Some('{') if self.characters.get(self.at.saturating_add(1))?.is_ascii_digit() => {
                self.at = self.at.saturating_add(1);
                let mut within = String::new();
                loop {
                    match self.next()? {
                        '}' => break,
                        c => within.push(c),
                    }
                }
                let least: usize = within.split(',').next()?.parse().ok()?;
                let may_be_more = within.contains(',') && within != "0,0";
                if may_be_more { least.max(1) } else { least }
            }
            _ => return Some(1),
        };
        // Lazy and possessive quantifiers allow the same texts.
        if !self.takes('?') {
            self.takes('+');
        }
        Some(n)
    }
}

const USUAL: char = 'a';
/// The characters that a class is searched for first.
const USUAL_CHARACTERS: &str = "abcdefghijklmnopqrstuvwxyz1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. ";
const MOST_BYTES: usize = 512;
const DEPTH: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_a_pattern_matches_it() {
        for (pattern, expected) in [
            ("^MG[0-9a-fA-F]{4}$", Some("MGaaaa")),
            ("projects/[^/]+/notes/[^/]+", Some("projects/a/notes/a")),
            ("^(?:red|green)-\\d{2,}$", Some("red-11")),
            ("^(?=.*x)[A-Z]\\.(?<n>b)?", Some("A.b")),
            ("[\\w.-]+@x", Some("a@x")),
            ("\\u0041\\x42\\p{L}", Some("ABa")),
            ("a{0,3}b{0}", Some("a")),
            ("[^a-z]*?", Some("1")),
            ("(", None),
            ("[", None),
            ("a)", None),
            ("a{9999}", None),
        ] {
            assert_eq!(text(pattern).as_deref(), expected, "{pattern}");
        }
    }
}
