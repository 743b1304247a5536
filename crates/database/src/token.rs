//! SQL of a model as tokens, by the lexical rules of its engine as callgate's connections set them. Strings and comments hold nothing that a server would
//! run, unless it says so of a comment, which is refused.

use std::ops::Range;

/// A piece of a text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum SqlToken {
    /// An identifier in quotes, as the engine compares it.
    Name(String),
    Sign(char),
    Text,
    /// A keyword, an identifier or a number, as the engine compares it.
    Word(String),
}

/// A token with the bytes of the text that it takes.
#[derive(Clone, Debug)]
pub(crate) struct PlacedToken {
    pub(crate) token: SqlToken,
    pub(crate) bytes: Range<usize>,
}

/// The lexical rules of an engine.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Lexicon {
    #[cfg(any(feature = "mysql", test))]
    Mysql,
    #[cfg(any(feature = "postgres", test))]
    Postgres,
    /// A string is a name, which it is where the engine expects one.
    #[cfg(any(feature = "sqlite", test))]
    Sqlite,
}

/// A token, if the text begins with one and not with a comment or a blank, and the text behind it.
type Next<'a> = Result<(Option<SqlToken>, &'a str), &'static str>;

/// The tokens of a text, or the reason why it has none that can be trusted.
pub(crate) fn tokens(lexicon: Lexicon, text: &str) -> Result<Vec<PlacedToken>, &'static str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (token, after) = match lexicon {
            #[cfg(any(feature = "mysql", test))]
            Lexicon::Mysql => mysql::next_token(first, rest)?,
            #[cfg(any(feature = "postgres", test))]
            Lexicon::Postgres => postgres::next_token(first, rest)?,
            #[cfg(any(feature = "sqlite", test))]
            Lexicon::Sqlite => sqlite::next_token(first, rest)?,
        };
        let bytes = text.len() - rest.len()..text.len() - after.len();
        tokens.extend(token.map(|token| PlacedToken { token, bytes }));
        rest = after;
    }
    Ok(tokens)
}

#[cfg(any(feature = "mysql", test))]
mod mysql {
    use super::{Next, SqlToken, UNENDED, next_line, quoted_text, split_word};

    pub(super) fn next_token(first: char, text: &str) -> Next<'_> {
        let after = text.get(first.len_utf8()..).unwrap_or_default();
        Ok(match first {
            '#' => (None, next_line(after, &['\n'])),
            '-' if is_line_comment(after) => (None, next_line(after, &['\n'])),
            '/' if after.starts_with('*') => (None, behind_comment(after)?),
            '\'' | '"' => (Some(SqlToken::Text), quoted_text(after, first, Some('\\'))?.1),
            '`' => {
                let (name, rest) = quoted_text(after, first, None)?;
                (Some(SqlToken::Name(folded_word(&name))), rest)
            }
            _ if super::is_of_word(first) => {
                let (word, rest) = split_word(text);
                (Some(SqlToken::Word(folded_word(word))), rest)
            }
            _ if first.is_whitespace() => (None, after),
            _ => (Some(SqlToken::Sign(first)), after),
        })
    }

    /// The servers take letters for equal whose upper cases are: `ı` is an `i`.
    fn folded_word(word: &str) -> String {
        word.to_uppercase().to_lowercase()
    }

    /// Two dashes begin a comment if a space or a control character is behind them.
    fn is_line_comment(after: &str) -> bool {
        let end = after.strip_prefix('-').map(|rest| rest.chars().next());
        end.is_some_and(|next| next.is_none_or(|next| next == ' ' || next.is_ascii_control()))
    }

    /// The text behind a comment, whose star comes first. The servers run some: `/*!`, `/*M!`, `/*+`.
    fn behind_comment(text: &str) -> Result<&str, &'static str> {
        let inner = text.strip_prefix('*').unwrap_or(text);
        if ["!", "+", "M!"].iter().any(|mark| inner.starts_with(mark)) {
            return Err("a text with a comment that the server reads");
        }
        inner.split_once("*/").map(|(_, rest)| rest).ok_or(UNENDED)
    }
}

#[cfg(any(feature = "postgres", test))]
mod postgres {
    use super::{Next, SqlToken, UNENDED, next_line, quoted_text, split_word};

    /// PostgreSQL, §4.1, with `standard_conforming_strings`.
    pub(super) fn next_token(first: char, text: &str) -> Next<'_> {
        let after = text.get(first.len_utf8()..).unwrap_or_default();
        Ok(match first {
            '-' if after.starts_with('-') => (None, next_line(after, &['\n', '\r'])),
            '/' if after.starts_with('*') => (None, behind_comment(after)?),
            '\'' => (Some(SqlToken::Text), quoted_text(after, first, None)?.1),
            '"' => {
                let (name, rest) = quoted_text(after, first, None)?;
                (Some(SqlToken::Name(name)), rest)
            }
            '$' => (Some(SqlToken::Text), text_after_dollar_quote(text)?),
            _ if first.is_ascii_digit() => {
                let end = text.find(|c| !(super::is_of_word(c) || c == '.')).unwrap_or(text.len());
                let (number, rest) = text.split_at(end);
                // Older servers read `1e'` as a number and the mark of a string.
                if rest.starts_with('\'') {
                    return Err("a text with a number before a string");
                }
                (Some(SqlToken::Word(checked_number(number)?)), rest)
            }
            _ if super::is_of_word(first) => word_or_string_token(text)?,
            _ if first.is_whitespace() => (None, after),
            _ => (Some(SqlToken::Sign(first)), after),
        })
    }

    /// A word, or the string or name that it is the mark of: `e'…'`, `u&"…"`.
    fn word_or_string_token(text: &str) -> Next<'_> {
        let (word, rest) = split_word(text);
        let word = word.to_ascii_lowercase();
        if word.len() > MOST_BYTES {
            return Err("a text with a name of more than 63 bytes");
        }
        if word == "u" && rest.starts_with("&\"") {
            return Err("a text with a name in `U&`");
        }
        let string = match word.as_str() {
            "e" => rest.strip_prefix('\'').map(|inner| (inner, Some('\\'))),
            "b" | "n" | "x" => rest.strip_prefix('\'').map(|inner| (inner, None)),
            "u" => rest.strip_prefix("&'").map(|inner| (inner, None)),
            _ => None,
        };
        match string {
            Some((inner, escape)) => {
                Ok((Some(SqlToken::Text), quoted_text(inner, '\'', escape)?.1))
            }
            None => Ok((Some(SqlToken::Word(word)), rest)),
        }
    }

    /// Older servers read `1abc` as two tokens.
    fn checked_number(number: &str) -> Result<String, &'static str> {
        let number = number.to_ascii_lowercase();
        let letters = number.trim_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_number = matches!(letters, "" | "e") || number.starts_with("0x");
        if is_number { Ok(number) } else { Err("a text with a number that goes on as a word") }
    }

    /// The text behind `$$…$$` or `$tag$…$tag$`.
    fn text_after_dollar_quote(text: &str) -> Result<&str, &'static str> {
        let inner = text.strip_prefix('$').unwrap_or(text);
        let tag = inner.split_once('$').map(|(tag, _)| tag);
        let is_tag = |tag: &&str| {
            let is_word = tag.chars().all(super::is_of_word);
            is_word && !tag.starts_with(|c: char| c.is_ascii_digit())
        };
        let tag = tag.filter(is_tag).ok_or("a text with placeholders")?;
        let mark = format!("${tag}$");
        let inner = text.strip_prefix(&mark).unwrap_or_default();
        inner.split_once(&mark).map(|(_, rest)| rest).ok_or(UNENDED)
    }

    /// The text behind a comment, which can hold others.
    fn behind_comment(text: &str) -> Result<&str, &'static str> {
        let mut rest = text.strip_prefix('*').unwrap_or(text);
        let mut depth = 1_usize;
        while depth > 0 {
            let at = rest.find(['*', '/']).ok_or(UNENDED)?;
            let tail = rest.get(at..).unwrap_or_default();
            (depth, rest) = match (tail.strip_prefix("*/"), tail.strip_prefix("/*")) {
                (Some(behind), _) => (depth.saturating_sub(1), behind),
                (_, Some(behind)) => (depth.saturating_add(1), behind),
                (None, None) => (depth, tail.get(1..).unwrap_or_default()),
            };
        }
        Ok(rest)
    }

    /// A longer name is cut by the server, so that it could be another one.
    const MOST_BYTES: usize = 63;
}

#[cfg(any(feature = "sqlite", test))]
mod sqlite {
    use super::{Next, SqlToken, UNENDED, next_line, quoted_text, split_word};

    pub(super) fn next_token(first: char, text: &str) -> Next<'_> {
        let after = text.get(first.len_utf8()..).unwrap_or_default();
        let name = |name: &str| Some(SqlToken::Name(name.to_ascii_lowercase()));
        Ok(match first {
            '-' if after.starts_with('-') => (None, next_line(after, &['\n'])),
            '/' if after.starts_with('*') => (None, behind_comment(after)?),
            '\'' | '"' | '`' => {
                let (inner, rest) = quoted_text(after, first, None)?;
                (name(&inner), rest)
            }
            '[' => {
                let (inner, rest) = after.split_once(']').ok_or(UNENDED)?;
                (name(inner), rest)
            }
            // A blank before a word, and a letter within one.
            '\u{feff}' => (None, after),
            // `$a(…)` is one token, whatever the parentheses hold.
            '#' | '$' | ':' | '?' | '@' => return Err("a text with placeholders"),
            _ if super::is_of_word(first) => {
                let (word, rest) = split_word(text);
                (Some(SqlToken::Word(word.to_ascii_lowercase())), rest)
            }
            _ if first.is_whitespace() => (None, after),
            _ => (Some(SqlToken::Sign(first)), after),
        })
    }

    /// The text behind a comment, whose star comes first.
    fn behind_comment(text: &str) -> Result<&str, &'static str> {
        let inner = text.strip_prefix('*').unwrap_or(text);
        inner.split_once("*/").map(|(_, rest)| rest).ok_or(UNENDED)
    }
}

/// The word at the beginning of a text, and the text behind it.
fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c| !is_of_word(c)).unwrap_or(text.len()))
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii()
}

/// The text behind a line.
fn next_line<'a>(text: &'a str, ends: &[char]) -> &'a str {
    text.split_once(ends).map_or("", |(_, rest)| rest)
}

/// A quotation up to its mark, and the text behind it; the mark twice is one of its characters, and so is what comes after an escape.
fn quoted_text(
    text: &str,
    mark: char,
    escape: Option<char>,
) -> Result<(String, &str), &'static str> {
    let mut inner = String::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        if Some(c) == escape {
            characters.next();
        } else if c != mark {
            inner.push(c);
        } else if characters.as_str().starts_with(mark) {
            inner.push(c);
            characters.next();
        } else {
            return Ok((inner, text.get(at + c.len_utf8()..).unwrap_or_default()));
        }
    }
    Err(UNENDED)
}

const UNENDED: &str = "a text with a string, a name or a comment without its end";

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of a text of PostgreSQL: names in quotes, `'` for strings.
    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let shown = tokens(Lexicon::Postgres, text).map(|tokens| {
            let shown = tokens.iter().map(|placed| match &placed.token {
                SqlToken::Name(name) => format!("{name:?}"),
                SqlToken::Sign(sign) => sign.to_string(),
                SqlToken::Text => "'".to_owned(),
                SqlToken::Word(word) => word.clone(),
            });
            shown.collect::<Vec<_>>().join(" ")
        });
        assert_eq!(shown, expected.map(str::to_owned), "{text}");
    }

    #[test]
    fn texts_of_postgres_are_read_by_its_rules() {
        check(r#"Select "A""b", É from T"#, Ok(r#"select "A\"b" , É from t"#));
        check(r"select 'a\', e'\'', E'\\', 'it''s'", Ok("select ' , ' , ' , '"));
        check("select 1 -- ' \r+ 2 /* /* ' */ */ + 3", Ok("select 1 + 2 + 3"));
        check("select $$;$$, $a$ $$ ' $a$, a$b$ from t", Ok("select ' , ' , a$b$ from t"));
        check("select b'1', x'ff', n'a', u&'\\0041', 0xff, 1.5e-3, 1e5", {
            Ok("select ' , ' , ' , ' , 0xff , 1.5e - 3 , 1e5")
        });
        check("select date'2026-01-01'", Ok("select date '"));
    }

    #[test]
    fn a_text_that_the_server_could_read_otherwise_is_refused() {
        for text in ["'", "e'\\'", "\"a", "/* /* */", "$a$ $$", "$$ $"] {
            check(text, Err(UNENDED));
        }
        check("select $1", Err("a text with placeholders"));
        check("select 1e'a'", Err("a text with a number before a string"));
        check("select 1pg_sleep", Err("a text with a number that goes on as a word"));
        check("table U&\"\\0070g_roles\"", Err("a text with a name in `U&`"));
        check(&"a".repeat(64), Err("a text with a name of more than 63 bytes"));
    }
}
