//! The text of an operator's statement with its values by name: finds `:name` outside strings, quoted identifiers, comments and
//! casts, and writes placeholders instead. It does not know SQL beyond that; the database reads the result.

use crate::engine::{Engine, Escapes, LexicalRules};

/// A statement in pieces.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Piece {
    Text(String),
    /// The name of a value.
    Value(String),
}

/// A text that is no statement with named values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum MalformedStatement {
    /// A placeholder of the engine's own: `$1`, `?`.
    Placeholder,
    /// Text after the semicolon that ends a statement.
    Second,
    /// A string, a quoted identifier or a comment without its end.
    Unended,
}

/// The pieces of one statement, without the semicolon at its end.
pub(super) fn pieces(sql: &str, engine: Engine) -> Result<Vec<Piece>, MalformedStatement> {
    let rules = &engine.facts().lexical_rules;
    let mut reader = StatementReader { rest: sql, rules, pieces: Vec::new(), text: String::new() };
    while !reader.rest.is_empty() {
        reader.take_next()?;
    }
    reader.flush_text();
    Ok(reader.pieces)
}

struct StatementReader<'a> {
    rest: &'a str,
    rules: &'static LexicalRules,
    pieces: Vec<Piece>,
    text: String,
}

impl<'a> StatementReader<'a> {
    fn take_next(&mut self) -> Result<(), MalformedStatement> {
        let rules = self.rules;
        let mut characters = self.rest.chars();
        let (first, second) = (characters.next().unwrap_or_default(), characters.next());
        if let Some((_, end)) = rules.quotations.iter().find(|(begin, _)| *begin == first) {
            return self.take_quotation(*end, self.has_backslash_escapes(first));
        }
        match (first, second) {
            ('-', Some('-')) => self.take_line(),
            ('/', Some('*')) => self.take_comment()?,
            _ if rules.line_comments.contains(&first) => self.take_line(),
            ('$', _) if rules.has_dollar_strings => self.take_dollar_quotation(second)?,
            _ if rules.placeholders.contains(&first) => {
                return Err(MalformedStatement::Placeholder);
            }
            (':', Some(':' | '=')) => self.take(2),
            (':', Some(next)) if is_start(next) => self.take_named_value(),
            (';', _) => self.take_final_semicolon()?,
            (first, _) if is_start(first) => self.take_word(),
            _ => self.take(first.len_utf8()),
        }
        Ok(())
    }

    /// Takes so many bytes as they stand.
    fn take(&mut self, n_bytes: usize) {
        let (taken, rest) = self.rest.split_at_checked(n_bytes).unwrap_or((self.rest, ""));
        self.text.push_str(taken);
        self.rest = rest;
    }

    fn take_line(&mut self) {
        self.take(self.rest.find('\n').map_or(self.rest.len(), |at| at + 1));
    }

    /// A word is taken whole, so that a `$` in it begins nothing.
    fn take_word(&mut self) {
        let is_end = |c: char| !(is_start(c) || c.is_ascii_digit() || c == '$');
        self.take(self.rest.find(is_end).unwrap_or(self.rest.len()));
    }

    fn take_comment(&mut self) -> Result<(), MalformedStatement> {
        let mut depth = 0_usize;
        loop {
            if self.rest.starts_with("/*") && (depth == 0 || self.rules.nests_comments) {
                depth += 1;
                self.take(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.take(2);
            } else {
                let first = self.rest.chars().next().ok_or(MalformedStatement::Unended)?;
                self.take(first.len_utf8());
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// True if a backslash escapes in the quotation that begins here with a mark.
    fn has_backslash_escapes(&self, mark: char) -> bool {
        match self.rules.escapes {
            Escapes::All => matches!(mark, '\'' | '"'),
            Escapes::Marked => {
                let mut before = self.text.chars().rev();
                mark == '\''
                    && matches!(before.next(), Some('e' | 'E'))
                    && !before.next().is_some_and(|c| is_start(c) || c.is_ascii_digit() || c == '$')
            }
            Escapes::Nowhere => false,
        }
    }

    /// A quotation up to its mark; the mark twice is one of its characters.
    fn take_quotation(&mut self, mark: char, has_escapes: bool) -> Result<(), MalformedStatement> {
        self.take(1);
        loop {
            let first = self.rest.chars().next().ok_or(MalformedStatement::Unended)?;
            self.take(first.len_utf8());
            if first == '\\' && has_escapes {
                let escaped = self.rest.chars().next().ok_or(MalformedStatement::Unended)?;
                self.take(escaped.len_utf8());
                continue;
            }
            let is_twice = mark != ']' && self.rest.starts_with(mark);
            match (first == mark, is_twice) {
                (true, true) => self.take(1),
                (true, false) => return Ok(()),
                (false, _) => {}
            }
        }
    }

    /// A string in dollars: `$tag$ … $tag$`.
    fn take_dollar_quotation(&mut self, second: Option<char>) -> Result<(), MalformedStatement> {
        if second.is_some_and(|second| second.is_ascii_digit()) {
            return Err(MalformedStatement::Placeholder);
        }
        let rest: &'a str = self.rest;
        let inner = rest.strip_prefix('$').unwrap_or_default();
        let is_of_tag = |c: char| is_start(c) || c.is_ascii_digit();
        let n_tag = inner.find(|c| !is_of_tag(c)).unwrap_or(inner.len());
        let tag = inner.get(..n_tag).unwrap_or_default();
        let Some(body) = inner.get(n_tag..).and_then(|rest| rest.strip_prefix('$')) else {
            self.take(1);
            return Ok(());
        };
        let mark = format!("${tag}$");
        let n_body = body.find(&mark).ok_or(MalformedStatement::Unended)?;
        self.take(mark.len() + n_body + mark.len());
        Ok(())
    }

    fn take_named_value(&mut self) {
        self.flush_text();
        let rest: &'a str = self.rest;
        let name = rest.strip_prefix(':').unwrap_or_default();
        let is_end = |c: char| !(is_start(c) || c.is_ascii_digit());
        let (name, rest) = name.split_at(name.find(is_end).unwrap_or(name.len()));
        self.pieces.push(Piece::Value(name.to_owned()));
        self.rest = rest;
    }

    /// After the semicolon come spaces and comments alone, which are left out.
    fn take_final_semicolon(&mut self) -> Result<(), MalformedStatement> {
        let kept = self.text.len();
        self.take(1);
        while let Some(first) = self.rest.chars().next() {
            if first.is_whitespace() {
                self.take(first.len_utf8());
            } else if self.rest.starts_with("--") {
                self.take_line();
            } else if self.rest.starts_with("/*") {
                self.take_comment()?;
            } else {
                return Err(MalformedStatement::Second);
            }
        }
        self.text.truncate(kept);
        Ok(())
    }

    fn flush_text(&mut self) {
        if !self.text.is_empty() {
            self.pieces.push(Piece::Text(std::mem::take(&mut self.text)));
        }
    }
}

fn is_start(character: char) -> bool {
    character.is_alphabetic() || character == '_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The pieces with values as `<name>`.
    #[track_caller]
    fn check(engine: Engine, sql: &str, expected: Result<&str, MalformedStatement>) {
        let shown = pieces(sql, engine).map(|pieces| {
            let shown = pieces.into_iter().map(|piece| match piece {
                Piece::Text(text) => text,
                Piece::Value(name) => format!("<{name}>"),
            });
            shown.collect::<String>()
        });
        assert_eq!(shown.as_deref().map_err(|malformed| *malformed), expected, "{sql}");
    }

    const ALL: [Engine; 3] = [Engine::Mysql, Engine::Postgres, Engine::Sqlite];

    #[test]
    fn named_values_are_found_outside_strings_identifiers_and_comments() {
        for engine in ALL {
            check(engine, "select :a, :b_2+:a", Ok("select <a>, <b_2>+<a>"));
            check(engine, "select ':a', 'it''s :b', :c", Ok("select ':a', 'it''s :b', <c>"));
            check(
                engine,
                "select \":a\" from t -- :b\n, :c",
                Ok("select \":a\" from t -- :b\n, <c>"),
            );
            check(engine, "select /* :a */ :b", Ok("select /* :a */ <b>"));
            check(engine, "select '", Err(MalformedStatement::Unended));
            check(engine, "select /* :a", Err(MalformedStatement::Unended));
            check(engine, "a := :b", Ok("a := <b>"));
        }
    }

    #[test]
    fn casts_and_strings_of_postgres_hold_no_value() {
        let check = |sql, expected| check(Engine::Postgres, sql, expected);
        check("select a::text, :b::date", Ok("select a::text, <b>::date"));
        check("select $$ :a $$, $x$ $$ :a $x$, :b", Ok("select $$ :a $$, $x$ $$ :a $x$, <b>"));
        check("select E'\\' :a', :b", Ok("select E'\\' :a', <b>"));
        check("select like'\\', :b", Ok("select like'\\', <b>"));
        check("select /* /* :a */ :b */ :c", Ok("select /* /* :a */ :b */ <c>"));
        check("select a ? 'b', a$1 from t", Ok("select a ? 'b', a$1 from t"));
        check("select $1", Err(MalformedStatement::Placeholder));
        check("select $$ :a", Err(MalformedStatement::Unended));
    }

    #[test]
    fn identifiers_of_sqlite_hold_no_value() {
        let check = |sql, expected| check(Engine::Sqlite, sql, expected);
        check("select [:a], `:b`, :c", Ok("select [:a], `:b`, <c>"));
        check("select '\\', :a", Ok("select '\\', <a>"));
        for own in ["select ?", "select ?1", "select @a", "select $a"] {
            check(own, Err(MalformedStatement::Placeholder));
        }
    }

    #[test]
    fn a_statement_loses_its_last_semicolon() {
        for engine in ALL {
            check(engine, "select 1; -- done\n", Ok("select 1"));
            check(engine, "select 1; select 2", Err(MalformedStatement::Second));
            check(engine, "select 1;;", Err(MalformedStatement::Second));
            check(engine, "select ';'", Ok("select ';'"));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_to_its_end(sql in "[a$'\"`\\[\\]:;*/\\-\\\\e\n é?@#0-9]{0,40}") {
            for engine in ALL {
                drop(pieces(&sql, engine));
            }
        }
    }
}
