//! The words, names and signs of a line of `SHOW GRANTS`.

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum GrantToken {
    Name(String),
    Sign(char),
    Word(String),
}

/// The tokens of a line, taken one by one.
pub(super) struct Tokens {
    tokens: Vec<GrantToken>,
    at: usize,
}

impl Tokens {
    /// The tokens of a line; `None` if a name in it does not end.
    pub(super) fn from_line(line: &str) -> Option<Self> {
        Some(Self { tokens: tokens(line)?, at: 0 })
    }

    pub(super) fn peek(&self) -> Option<&GrantToken> {
        self.tokens.get(self.at)
    }

    fn takes_token(&mut self, token: &GrantToken) -> bool {
        let is_it = self.peek() == Some(token);
        self.at += usize::from(is_it);
        is_it
    }

    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        self.takes_token(&GrantToken::Word(word.to_owned()))
    }

    pub(super) fn takes_sign(&mut self, sign: char) -> bool {
        self.takes_token(&GrantToken::Sign(sign))
    }

    /// The words up to a sign or this word.
    pub(super) fn take_words(&mut self, end: &str) -> String {
        let mut words: Vec<String> = Vec::new();
        while let Some(GrantToken::Word(word)) =
            self.peek().filter(|token| **token != GrantToken::Word(end.to_owned()))
        {
            words.push(word.clone());
            self.at += 1;
        }
        words.join(" ")
    }

    pub(super) fn take_name(&mut self) -> Option<String> {
        let GrantToken::Name(name) = self.peek()? else { return None };
        let name = name.clone();
        self.at += 1;
        Some(name)
    }

    pub(super) fn take_columns(&mut self) -> Option<Vec<String>> {
        let mut columns = vec![self.take_name()?];
        while self.takes_sign(',') {
            columns.push(self.take_name()?);
        }
        self.takes_sign(')').then_some(columns)
    }

    /// True if the line ends with this option.
    pub(super) fn has_option(&self, option: &str) -> bool {
        let rest = self.tokens.get(self.at..).unwrap_or_default();
        let wanted = [option, "OPTION"].map(|word| GrantToken::Word(word.to_owned()));
        rest.windows(2).any(|pair| *pair == wanted)
    }
}

fn tokens(line: &str) -> Option<Vec<GrantToken>> {
    let mut tokens = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        match first {
            '`' | '\'' => {
                let (name, after) = quoted_name(rest, first)?;
                tokens.push(GrantToken::Name(name));
                rest = after;
            }
            first if first.is_whitespace() => rest = rest.trim_start(),
            first if first.is_ascii_alphanumeric() || first == '_' => {
                let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
                let (word, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
                tokens.push(GrantToken::Word(word.to_ascii_uppercase()));
                rest = after;
            }
            first => {
                tokens.push(GrantToken::Sign(first));
                rest = rest.strip_prefix(first)?;
            }
        }
    }
    Some(tokens)
}

/// A name in marks, of which two stand for one, and the rest behind it.
fn quoted_name(text: &str, mark: char) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = text.strip_prefix(mark)?;
    loop {
        let (part, after) = rest.split_once(mark)?;
        name.push_str(part);
        match after.strip_prefix(mark) {
            Some(after) => {
                name.push(mark);
                rest = after;
            }
            None => return Some((name, after)),
        }
    }
}
