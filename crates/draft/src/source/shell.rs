//! The words of commands, as a POSIX shell reads them, without anything that a shell would run.

/// A quote without an end: a shell would wait for more.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct OpenQuote;

/// The commands of a text, each as its words. A backslash at the end of a line joins it with the next.
pub(super) fn split_commands(text: &str) -> Result<Vec<Vec<String>>, OpenQuote> {
    let rest = text.chars().peekable();
    let mut reader = Reader { rest, commands: vec![Vec::new()], word: None, is_open: false };
    while let Some(c) = reader.rest.next() {
        reader.take_character(c);
    }
    reader.end_word();
    reader.commands.retain(|words| !words.is_empty());
    if reader.is_open { Err(OpenQuote) } else { Ok(reader.commands) }
}

struct Reader<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    commands: Vec<Vec<String>>,
    word: Option<String>,
    /// True if the text ends within a quote.
    is_open: bool,
}

impl Reader<'_> {
    fn take_character(&mut self, c: char) {
        match c {
            '\n' | ';' | '&' | '|' => {
                self.end_word();
                self.commands.push(Vec::new());
            }
            c if c.is_whitespace() => self.end_word(),
            '#' if self.word.is_none() => while self.rest.next_if(|c| *c != '\n').is_some() {},
            '\\' => match self.rest.next() {
                Some('\n') | None => {}
                Some('\r') => {
                    self.rest.next_if_eq(&'\n');
                }
                Some(c) => self.push(c),
            },
            '\'' => self.take_single_quoted(),
            '"' => self.take_double_quoted(),
            '$' if self.rest.next_if_eq(&'\'').is_some() => self.take_ansi_c_quoted(),
            c => self.push(c),
        }
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn end_word(&mut self) {
        if let (Some(word), Some(words)) = (self.word.take(), self.commands.last_mut()) {
            words.push(word);
        }
    }

    fn take_single_quoted(&mut self) {
        self.word.get_or_insert_default();
        while let Some(c) = self.rest.next_if(|c| *c != '\'') {
            self.push(c);
        }
        self.is_open |= self.rest.next().is_none();
    }

    fn take_double_quoted(&mut self) {
        self.word.get_or_insert_default();
        while let Some(c) = self.rest.next_if(|c| *c != '"') {
            let escaped = (c == '\\')
                .then(|| self.rest.next_if(|c| matches!(c, '"' | '\\' | '$' | '`' | '\n')))
                .flatten();
            match escaped {
                Some('\n') => {}
                Some(c) => self.push(c),
                None => self.push(c),
            }
        }
        self.is_open |= self.rest.next().is_none();
    }

    /// The text of `$'…'`, in which browsers write commands.
    fn take_ansi_c_quoted(&mut self) {
        self.word.get_or_insert_default();
        while let Some(c) = self.rest.next_if(|c| *c != '\'') {
            if c != '\\' {
                self.push(c);
                continue;
            }
            match self.rest.next() {
                Some('n') => self.push('\n'),
                Some('r') => self.push('\r'),
                Some('t') => self.push('\t'),
                Some('u') => self.push_hexadecimal(4),
                Some('x') => self.push_hexadecimal(2),
                Some(c) => self.push(c),
                None => {}
            }
        }
        self.is_open |= self.rest.next().is_none();
    }

    fn push_hexadecimal(&mut self, most: usize) {
        let mut digits = String::new();
        while let Some(digit) = self.rest.next_if(|c| digits.len() < most && c.is_ascii_hexdigit())
        {
            digits.push(digit);
        }
        let c = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
        self.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        let text = "curl 'a b' \"c \\\"d\\\"\" e\\ f $'g\\'\\u00e9\\n' '' # note\n  -x \\\n y; z";
        let words = split_commands(text).unwrap();
        assert_eq!(
            words,
            [vec!["curl", "a b", "c \"d\"", "e f", "g'é\n", ""], vec!["-x", "y"], vec!["z"]]
        );
    }

    #[test]
    fn a_quote_without_an_end_is_reported() {
        for text in
            ["curl 'a", "curl \"a\\\"", "curl $'a\\'", "curl -d '{}'' https://a.example\ncurl b"]
        {
            assert_eq!(split_commands(text), Err(OpenQuote), "{text}");
        }
    }
}
