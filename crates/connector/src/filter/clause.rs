//! Reads the conditions of Google's agents (`filterClause`): `Status = 'Open' AND (Total > 10 OR Note LIKE 'a%')`. Whatever is
//! not such a condition is refused; what is read is written anew by `conditions`.

use callgate_kind::{MOST_CONDITIONS, MOST_VALUES, Operator};
use callgate_tool::{Number, Problem, Value};

use super::{Condition, Filter, Test};
use crate::field::Field;

/// The filter that a text writes over these fields.
///
/// # Errors
/// A problem that says where the text is no condition.
pub(crate) fn parse_clause(text: &str, fields: &[&Field]) -> Result<Filter, Problem> {
    let tokens = tokens(text).map_err(|at| clause_problem("a condition", text.get(at..)))?;
    let mut reader = ClauseReader { tokens: &tokens, fields, n_conditions: 0 };
    let filter = reader.read_disjunction(0)?;
    match reader.tokens.first() {
        None => Ok(filter),
        Some(token) => Err(reader.unexpected_token_problem("`AND`, `OR` or the end", Some(token))),
    }
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum ClauseToken {
    Number(Number),
    Sign(&'static str),
    Text(String),
    Word(String),
}

#[derive(Debug)]
struct ClauseReader<'a> {
    tokens: &'a [ClauseToken],
    fields: &'a [&'a Field],
    n_conditions: usize,
}

impl<'a> ClauseReader<'a> {
    fn read_disjunction(&mut self, depth: usize) -> Result<Filter, Problem> {
        let mut parts = vec![self.read_conjunction(depth)?];
        while self.takes_word("or") {
            parts.push(self.read_conjunction(depth)?);
        }
        Ok(joined_filter(parts, Filter::Any))
    }

    fn read_conjunction(&mut self, depth: usize) -> Result<Filter, Problem> {
        let mut parts = vec![self.read_condition_or_group(depth)?];
        while self.takes_word("and") {
            parts.push(self.read_condition_or_group(depth)?);
        }
        Ok(joined_filter(parts, Filter::All))
    }

    fn read_condition_or_group(&mut self, depth: usize) -> Result<Filter, Problem> {
        if self.takes_sign("(") {
            if depth >= MAX_DEPTH {
                return Err(clause_problem("conditions with fewer parentheses", None));
            }
            let inner = self.read_disjunction(depth + 1)?;
            if !self.takes_sign(")") {
                return Err(self.unexpected_token_problem("`)`", self.tokens.first()));
            }
            return Ok(inner);
        }
        self.n_conditions += 1;
        if self.n_conditions > MOST_CONDITIONS {
            return Err(clause_problem(&format!("at most {MOST_CONDITIONS} conditions"), None));
        }
        let field = self.read_field()?;
        let test = self.read_test()?;
        Ok(Filter::Is(Condition { field, test }))
    }

    fn read_field(&mut self) -> Result<String, Problem> {
        let token = self.take_token();
        let word = match token {
            Some(ClauseToken::Word(word)) => word.as_str(),
            other => return Err(self.unexpected_token_problem("the name of a field", other)),
        };
        // Names of fields are found in any case: an agent writes them as it reads them.
        let mut exact = self.fields.iter().filter(|field| field.name == word);
        let mut folded = self.fields.iter().filter(|field| field.name.eq_ignore_ascii_case(word));
        if let Some(field) = exact.next().or_else(|| folded.next()) {
            return Ok(field.name.clone());
        }
        let names = self.fields.iter().map(|field| format!("`{}`", field.name));
        let names: Vec<_> = names.take(20).collect();
        Err(clause_problem(&format!("one of the fields {}", names.join(", ")), Some(word)))
    }

    fn read_test(&mut self) -> Result<Test, Problem> {
        let token = self.take_token();
        match token {
            Some(ClauseToken::Sign(sign)) => match comparison_operator(sign) {
                Some(comparison) => Ok(Test::Compare(comparison, self.read_value()?)),
                None => Err(self.unexpected_token_problem(OPERATORS, token)),
            },
            Some(ClauseToken::Word(word)) if word.eq_ignore_ascii_case("is") => {
                let is_null = !self.takes_word("not");
                if !self.takes_word("null") {
                    return Err(self.unexpected_token_problem("`NULL`", self.tokens.first()));
                }
                Ok(Test::IsNull(is_null))
            }
            Some(ClauseToken::Word(word)) if word.eq_ignore_ascii_case("like") => {
                match self.take_token() {
                    Some(ClauseToken::Text(pattern)) => Ok(Test::Like(pattern.clone())),
                    other => Err(self.unexpected_token_problem("a text in quotes", other)),
                }
            }
            Some(ClauseToken::Word(word)) if word.eq_ignore_ascii_case("in") => self.read_in_list(),
            other => Err(self.unexpected_token_problem(OPERATORS, other)),
        }
    }

    fn read_in_list(&mut self) -> Result<Test, Problem> {
        if !self.takes_sign("(") {
            return Err(self.unexpected_token_problem("`(`", self.tokens.first()));
        }
        let mut items = vec![self.read_value()?];
        while self.takes_sign(",") {
            items.push(self.read_value()?);
        }
        match self.takes_sign(")") {
            true if items.len() <= MOST_VALUES => Ok(Test::In(items)),
            true => Err(clause_problem(&format!("at most {MOST_VALUES} values in a list"), None)),
            false => Err(self.unexpected_token_problem("`)`", self.tokens.first())),
        }
    }

    fn read_value(&mut self) -> Result<Value, Problem> {
        match self.take_token() {
            Some(ClauseToken::Number(number)) => Ok(Value::Number(number.clone())),
            Some(ClauseToken::Text(text)) => Ok(Value::String(text.clone())),
            Some(ClauseToken::Word(word)) if word.eq_ignore_ascii_case("true") => {
                Ok(Value::Bool(true))
            }
            Some(ClauseToken::Word(word)) if word.eq_ignore_ascii_case("false") => {
                Ok(Value::Bool(false))
            }
            other => Err(self.unexpected_token_problem("a number, or a text in quotes", other)),
        }
    }

    fn take_token(&mut self) -> Option<&'a ClauseToken> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is = |token: &ClauseToken| matches!(token, ClauseToken::Word(own) if own.eq_ignore_ascii_case(word));
        self.take_if(is)
    }

    fn takes_sign(&mut self, sign: &str) -> bool {
        self.take_if(|token| matches!(token, ClauseToken::Sign(own) if *own == sign))
    }

    fn take_if(&mut self, is: impl Fn(&ClauseToken) -> bool) -> bool {
        let Some((first, rest)) = self.tokens.split_first().filter(|(first, _)| is(first)) else {
            return false;
        };
        let _: &ClauseToken = first;
        self.tokens = rest;
        true
    }

    #[expect(clippy::unused_self, reason = "it reads as a step of the reader")]
    fn unexpected_token_problem(&self, expected: &str, token: Option<&ClauseToken>) -> Problem {
        let got = match token {
            None => "the end".to_owned(),
            Some(ClauseToken::Number(number)) => number.digits().to_string(),
            Some(ClauseToken::Sign(sign)) => (*sign).to_owned(),
            Some(ClauseToken::Text(text)) => format!("'{text}'"),
            Some(ClauseToken::Word(word)) => word.clone(),
        };
        clause_problem(expected, Some(&got))
    }
}

fn joined_filter(mut parts: Vec<Filter>, of: fn(Vec<Filter>) -> Filter) -> Filter {
    match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            parts.extend(last);
            of(parts)
        }
    }
}

fn comparison_operator(sign: &str) -> Option<Operator> {
    Operator::from_sign(if sign == "!=" { "<>" } else { sign })
}

fn clause_problem(expected: &str, got: Option<&str>) -> Problem {
    let got: String = got.unwrap_or("more").chars().take(40).collect();
    Problem { at: String::new(), expected: expected.to_owned(), got, suggestion: None }
}

/// The tokens of a text; the error is the position of a character that begins none.
fn tokens(text: &str) -> Result<Vec<ClauseToken>, usize> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        let at = text.len() - rest.len();
        let Some(first) = rest.chars().next() else { return Ok(tokens) };
        let (token, n_bytes) = match first {
            '\'' | '"' => quoted_token(rest, first),
            '0'..='9' | '-' | '.' => number_token(rest),
            _ if first.is_ascii_alphabetic() || first == '_' => Some(word_token(rest)),
            _ => sign_token(rest),
        }
        .ok_or(at)?;
        tokens.push(token);
        rest = rest.get(n_bytes..).unwrap_or_default();
    }
}

/// A text in quotes, which are doubled inside.
fn quoted_token(rest: &str, quote: char) -> Option<(ClauseToken, usize)> {
    let mut text = String::new();
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character != quote {
            text.push(character);
        } else if characters.next_if(|(_, next)| *next == quote).is_some() {
            text.push(quote);
        } else {
            return Some((ClauseToken::Text(text), at + 1));
        }
    }
    None
}

fn number_token(rest: &str) -> Option<(ClauseToken, usize)> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "+-.".contains(character);
    let length = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
    let number = Number::from_digits(rest.get(..length)?)?;
    Some((ClauseToken::Number(number), length))
}

fn word_token(rest: &str) -> (ClauseToken, usize) {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let length = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
    (ClauseToken::Word(rest.get(..length).unwrap_or_default().to_owned()), length)
}

fn sign_token(rest: &str) -> Option<(ClauseToken, usize)> {
    let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
    Some((ClauseToken::Sign(sign), sign.len()))
}

/// The longer ones first.
const SIGNS: [&str; 10] = ["!=", "<>", "<=", ">=", "=", "<", ">", "(", ")", ","];
const OPERATORS: &str = "one of `=`, `!=`, `<`, `<=`, `>`, `>=`, `LIKE`, `IN`, `IS NULL`";
const MAX_DEPTH: usize = 8;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;
    use crate::filter::conditions::conditions_text;

    fn fields() -> Vec<Field> {
        let names = ["Status", "Total", "Note"].into_iter();
        names.map(|name| Field::read(&json!({"name": name})).unwrap()).collect()
    }

    fn rewritten(text: &str) -> Result<String, Problem> {
        let fields = fields();
        parse_clause(text, &fields.iter().collect::<Vec<_>>())
            .map(|filter| conditions_text(&filter).unwrap())
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(rewritten(text).as_deref(), Ok(expected));
    }

    #[test]
    fn a_clause_is_read_and_written_anew() {
        check("Status='Open'", "Status = 'Open'");
        check("status = \"it's\" and Total>=10.50", "Status = 'it''s' AND Total >= 10.50");
        check(
            "Total = 1 OR Total = 2 AND Note IS NOT NULL",
            "Total = 1 OR (Total = 2 AND Note IS NOT NULL)",
        );
        check(
            "(Total != 1 or Note like 'a%') AND Status IN ('a', 'b')",
            "(Total <> 1 OR Note LIKE 'a%') AND Status IN ('a', 'b')",
        );
        check("Status = TRUE", "Status = true");
    }

    #[test]
    fn other_clauses_are_refused() {
        let texts = "|1=1|Status|Status = Note|Status = 'a' OR 1=1|Status = 'a'; DROP TABLE x|Status = 'a' --|Status = 'a' /* */|Status = 'a|\
            Status = (select 1)|Status = lower('a')|Secret = 'a'|NOT Status = 'a'|Status IN ()|Status = 'a' AND|\
            ((((((((((Status = 'a'))))))))))|Status = -";
        for text in texts.split('|') {
            assert!(rewritten(text).is_err(), "{text}");
        }
        let many = vec!["Total = 1"; 21].join(" AND ");
        assert!(rewritten(&many).is_err());
    }
}
