//! Splits a line of bash, up to the cursor, into words, and writes candidates as they are typed there. bash also splits
//! words at its own characters (including `=` and `:`) and takes candidates for the last piece only. It inserts candidates
//! unchanged, so a description must not be able to make a shell run anything.

#[derive(Default)]
pub(super) struct Line {
    /// The words without quotes, the last up to the cursor.
    pub(super) words: Vec<String>,
    /// The part of the last word that bash leaves unchanged.
    pub(super) written_part: String,
    quote: Option<char>,
}

impl Line {
    /// The words of `text`; `breaks` are the characters at which bash ends pieces.
    pub(super) fn parse_line(text: &str, breaks: &str) -> Self {
        let mut line = Self::default();
        let mut word = None;
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            match line.quote {
                Some(quote) if c == quote => line.quote = None,
                Some('"') if c == '\\' => {
                    extend_word(&mut word, unescaped_in_double_quotes(rest.next()));
                }
                None if matches!(c, ' ' | '\t' | '\n') => line.end_word(&mut word),
                None if matches!(c, '\'' | '"') => {
                    line.quote = Some(c);
                    extend_word(&mut word, None);
                    line.written_part = word.clone().unwrap_or_default();
                }
                None if c == '\\' => extend_word(&mut word, rest.next()),
                _ => extend_word(&mut word, Some(c)),
            }
            let is_break = line.quote.is_none() && !"\\'\" \t\n".contains(c) && breaks.contains(c);
            if is_break {
                line.written_part = word.clone().unwrap_or_default();
            }
        }
        line.words.push(word.unwrap_or_default());
        line
    }

    fn end_word(&mut self, word: &mut Option<String>) {
        self.words.extend(word.take());
        self.written_part.clear();
    }

    /// The text to type for a whole word in place of the last piece; `None` if the quotes around it cannot hold it.
    pub(super) fn text_to_type(&self, word: &str) -> Option<String> {
        let rest = word.strip_prefix(&self.written_part)?;
        match self.quote {
            Some('\'') => (!rest.contains('\'')).then(|| rest.to_owned()),
            Some(_) => (!rest.contains('!')).then(|| escaped_text(rest, |c| "\"\\$`".contains(c))),
            None => {
                let is_plain = |c: char| c.is_alphanumeric() || "-_.,:/@%+=".contains(c);
                Some(escaped_text(rest, |c| !is_plain(c)))
            }
        }
    }
}

fn extend_word(word: &mut Option<String>, more: impl IntoIterator<Item = char>) {
    word.get_or_insert_default().extend(more);
}

/// The character after a backslash in double quotes, with the backslash if it is literal.
fn unescaped_in_double_quotes(c: Option<char>) -> impl Iterator<Item = char> {
    let backslash = Some('\\').filter(|_| !c.is_some_and(|c| "\"\\$`".contains(c)));
    backslash.into_iter().chain(c)
}

fn escaped_text(text: &str, is_special: impl Fn(char) -> bool) -> String {
    let mut typed = String::with_capacity(text.len());
    for c in text.chars() {
        if is_special(c) {
            typed.push('\\');
        }
        typed.push(c);
    }
    typed
}

#[cfg(test)]
mod tests {
    use super::*;

    const BREAKS: &str = " \t\n\"'><=;|&(:";

    #[track_caller]
    fn check(text: &str, words: &[&str], known: &str) {
        let line = Line::parse_line(text, BREAKS);
        assert_eq!(
            (line.words, &*line.written_part),
            (words.iter().map(ToString::to_string).collect(), known),
            "{text}"
        );
    }

    #[test]
    fn words_are_read_as_bash_reads_them() {
        check("callgate ca", &["callgate", "ca"], "");
        check("callgate  call ", &["callgate", "call", ""], "");
        check("callgate a=b", &["callgate", "a=b"], "a=");
        check("callgate a=", &["callgate", "a="], "a=");
        check("callgate a:b=c d", &["callgate", "a:b=c", "d"], "");
        check("callgate a\\ b\\=c", &["callgate", "a b=c"], "");
        check("callgate 'a b=c", &["callgate", "a b=c"], "");
        check("callgate a=\"b c", &["callgate", "a=b c"], "a=");
        check("callgate \"a\\$b\\c\" \u{e4}", &["callgate", "a$b\\c", "\u{e4}"], "");
    }

    #[test]
    fn nothing_that_is_typed_is_run_by_the_shell() {
        for (text, word, expected) in [
            ("callgate a=", "a=$(touch x)", Some("\\$\\(touch\\ x\\)")),
            ("callgate a=", "a=b c;`d`!~#*", Some("b\\ c\\;\\`d\\`\\!\\~\\#\\*")),
            ("callgate a=\"", "a=$(b)\"", Some("\\$(b)\\\"")),
            ("callgate a=\"", "a=b!c", None),
            ("callgate a='", "a=$(b)", Some("$(b)")),
            ("callgate a='", "a=b'$(c)", None),
            ("callgate a=", "issues/list", None),
            ("callgate i", "issues/list-for-repo", Some("issues/list-for-repo")),
        ] {
            let typed = Line::parse_line(text, BREAKS).text_to_type(word);
            assert_eq!(typed.as_deref(), expected, "{text} {word}");
        }
    }
}
