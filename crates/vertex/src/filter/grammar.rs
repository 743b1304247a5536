//! Reads the text of a filter in the grammar of Vertex AI Search, with values of the session in place of literals. Texts that readers
//! could understand in several ways are refused: `AND` beside `OR` without parentheses.

use std::{fmt, str::FromStr};

use callgate_kind::{MOST_VALUES, Operator};
use callgate_tool::{Number, SessionSource};

use super::{Condition, Expression, Filter, Operand, RangeBound, Test, is_date_or_time};
use crate::filter::text::has_no_control_characters;

/// The text is no filter.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidFilter {
    expected: &'static str,
    got: String,
    at: usize,
}

impl FromStr for Filter {
    type Err = InvalidFilter;

    fn from_str(text: &str) -> Result<Self, InvalidFilter> {
        let mut reader = FilterReader { text, at: 0, n_conditions: 0 };
        if text.len() > MOST_BYTES {
            return Err(reader.fault_here("a filter of at most 16384 bytes"));
        }
        let expression = reader.read_expression(0)?;
        if !reader.rest_after_spaces().is_empty() {
            return Err(reader.fault_here("`AND`, `OR` or the end"));
        }
        Ok(Self(expression))
    }
}

impl fmt::Display for InvalidFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expected, got, at } = self;
        match got.as_str() {
            "" => write!(f, "expected {expected}, got none at byte {at}"),
            got => write!(f, "expected {expected}, got at byte {at}: `{got}`"),
        }
    }
}

impl std::error::Error for InvalidFilter {}

struct FilterReader<'a> {
    text: &'a str,
    at: usize,
    n_conditions: usize,
}

type ParseResult<T> = Result<T, InvalidFilter>;

impl<'a> FilterReader<'a> {
    fn fault_here(&mut self, expected: &'static str) -> InvalidFilter {
        let got = self.rest_after_spaces().chars().take(20).collect();
        InvalidFilter { expected, got, at: self.at }
    }

    /// The rest behind spaces.
    fn rest_after_spaces(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let is_next = self.rest_after_spaces().starts_with(sign);
        self.at += if is_next { sign.len() } else { 0 };
        is_next
    }

    /// Takes a word in capitals that ends there.
    fn take_whole_word(&mut self, word: &str) -> bool {
        let after = self.rest_after_spaces().strip_prefix(word);
        let is_next = after.is_some_and(|after| !after.starts_with(is_name_character));
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    fn require_sign(&mut self, sign: &str, expected: &'static str) -> ParseResult<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.fault_here(expected)) }
    }

    fn read_expression(&mut self, depth: usize) -> ParseResult<Expression> {
        let first = self.read_unary_expression(depth)?;
        let mut parts = vec![first];
        let is_and = self.take_whole_word("AND");
        if !is_and && !self.take_whole_word("OR") {
            return Ok(parts.swap_remove(0));
        }
        let [joint, other] = if is_and { ["AND", "OR"] } else { ["OR", "AND"] };
        parts.push(self.read_unary_expression(depth)?);
        while self.take_whole_word(joint) {
            parts.push(self.read_unary_expression(depth)?);
        }
        let at = self.at;
        if self.take_whole_word(other) {
            let expected = "parentheses around `AND` beside `OR`";
            return Err(InvalidFilter { expected, got: String::new(), at });
        }
        Ok(if is_and { Expression::All(parts) } else { Expression::Any(parts) })
    }

    fn read_unary_expression(&mut self, depth: usize) -> ParseResult<Expression> {
        if depth > MOST_DEPTH {
            return Err(self.fault_here("at most 16 expressions in each other"));
        }
        if self.take_whole_word("NOT") || self.take_sign("-") {
            return Ok(Expression::Not(Box::new(self.read_unary_expression(depth + 1)?)));
        }
        if self.take_sign("(") {
            let inner = self.read_expression(depth + 1)?;
            self.require_sign(")", "`)`")?;
            return Ok(inner);
        }
        self.n_conditions += 1;
        if self.n_conditions > MOST_CONDITIONS {
            return Err(self.fault_here("at most 100 conditions"));
        }
        let field = self.read_field()?;
        let test =
            if self.take_sign(":") { self.read_function()? } else { self.read_comparison()? };
        Ok(Expression::Is(Condition { field, test }))
    }

    fn read_field(&mut self) -> ParseResult<String> {
        let rest = self.rest_after_spaces();
        let length = rest.find(|letter| !is_name_character(letter)).unwrap_or(rest.len());
        let field = rest.get(..length).unwrap_or_default();
        if !is_valid_field_name(field) {
            return Err(self.fault_here("the name of a field"));
        }
        self.at += length;
        Ok(field.to_owned())
    }

    fn read_comparison(&mut self) -> ParseResult<Test> {
        let sign = ["<=", ">=", "<", ">", "="].into_iter().find(|sign| self.take_sign(sign));
        let Some(comparison) = sign.and_then(Operator::from_sign) else {
            return Err(self.fault_here("`:`, `<`, `<=`, `>`, `>=` or `=`"));
        };
        let at = self.at;
        let operand = self.read_operand("a number, or a date in double quotes")?;
        match &operand {
            Operand::Text(text) if !is_date_or_time(text) => {
                self.at = at;
                Err(self.fault_here("a number, or a date in double quotes"))
            }
            _ => Ok(Test::Compare(comparison, operand)),
        }
    }

    fn read_function(&mut self) -> ParseResult<Test> {
        if self.take_whole_word("ANY") {
            self.require_sign("(", "`(`")?;
            let operands = self.read_operands("a text in double quotes")?;
            let is_number = |operand: &Operand| matches!(operand, Operand::Number(_));
            if operands.iter().any(is_number) {
                return Err(self.fault_here("texts in double quotes before it"));
            }
            return Ok(Test::Any(operands));
        }
        if self.take_whole_word("IN") {
            self.require_sign("(", "`(`")?;
            let low = self.read_range_bound()?;
            self.require_sign(",", "`,`")?;
            let high = self.read_range_bound()?;
            self.require_sign(")", "`)`")?;
            return Ok(Test::Between([low, high]));
        }
        if self.take_whole_word("GEO_DISTANCE") {
            self.require_sign("(", "`(`")?;
            let operands = self.read_operands("a place or a number")?;
            let is_place = matches!(
                &*operands,
                [Operand::Text(_), Operand::Number(_)]
                    | [Operand::Number(_), Operand::Number(_), Operand::Number(_)]
            );
            if !is_place {
                return Err(self.fault_here("a place and a distance in meters before it"));
            }
            return Ok(Test::Near(operands));
        }
        Err(self.fault_here("`ANY(`, `IN(` or `GEO_DISTANCE(`"))
    }

    fn read_operands(&mut self, expected: &'static str) -> ParseResult<Vec<Operand>> {
        let mut operands = vec![self.read_operand(expected)?];
        while self.take_sign(",") {
            if operands.len() == MOST_VALUES {
                return Err(self.fault_here("at most 100 values"));
            }
            operands.push(self.read_operand(expected)?);
        }
        self.require_sign(")", "`,` or `)`")?;
        Ok(operands)
    }

    fn read_range_bound(&mut self) -> ParseResult<RangeBound> {
        if self.take_sign("*") {
            return Ok(RangeBound::Open);
        }
        let operand = self.read_operand("a number or `*`")?;
        if matches!(operand, Operand::Text(_)) {
            return Err(self.fault_here("a number before it"));
        }
        let kind = ['i', 'e'].into_iter().find(|kind| self.take_sign(&kind.to_string()));
        Ok(RangeBound::At(operand, kind))
    }

    fn read_operand(&mut self, expected: &'static str) -> ParseResult<Operand> {
        let rest = self.rest_after_spaces();
        match rest.chars().next() {
            Some('"') => self.read_quoted_text().map(Operand::Text),
            Some('$') => {
                let length = rest
                    .find(|letter| !is_name_character(letter) && letter != '$')
                    .unwrap_or(rest.len());
                let source = rest.get(..length).and_then(SessionSource::parse);
                let source = source.ok_or_else(|| {
                    self.fault_here(
                        "`$session.params.NAME`, `$request.payload.PATH` or `$context.PATH`",
                    )
                })?;
                self.at += length;
                Ok(Operand::Session(source))
            }
            Some(first) if first == '-' || first.is_ascii_digit() => {
                let is_part = |letter: char| letter.is_ascii_digit() || "-.".contains(letter);
                let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
                let number = rest.get(..length).and_then(Number::from_digits);
                let number = number.ok_or_else(|| self.fault_here("a number"))?;
                self.at += length;
                Ok(Operand::Number(number))
            }
            _ => Err(self.fault_here(expected)),
        }
    }

    fn read_quoted_text(&mut self) -> ParseResult<String> {
        let (rest, at) = (self.rest_after_spaces(), self.at);
        let mut text = String::new();
        let mut letters = rest.char_indices().skip(1);
        while let Some((place, letter)) = letters.next() {
            match letter {
                '"' if !has_no_control_characters(&text) => break,
                '"' => {
                    self.at = at + place + 1;
                    return Ok(text);
                }
                '\\' => match letters.next() {
                    Some((_, escaped @ ('"' | '\\'))) => text.push(escaped),
                    _ => break,
                },
                letter => text.push(letter),
            }
        }
        Err(self.fault_here("a text in double quotes, with `\\` only before `\"` and `\\`"))
    }
}

fn is_name_character(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_.-".contains(letter)
}

/// True for a text that can be the name of a field, and is no word of the grammar.
pub(crate) fn is_valid_field_name(text: &str) -> bool {
    let is_first = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    text.starts_with(is_first)
        && text.len() <= 128
        && text.chars().all(is_name_character)
        && !["AND", "ANY", "GEO_DISTANCE", "IN", "NOT", "OR"].contains(&text)
}

const MOST_BYTES: usize = 16 << 10;
const MOST_CONDITIONS: usize = 100;
/// Reading and writing recurse: no person nests as deeply.
const MOST_DEPTH: usize = 16;

#[cfg(test)]
mod tests {
    use callgate_testkit::check_rows;

    use super::*;
    use crate::filter::text::expression_text;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let read = text.parse::<Filter>();
        let written = read
            .map_or_else(|error| error.to_string(), |filter| expression_text(&filter.0).unwrap());
        assert_eq!(written, expected, "{text}");
    }

    #[test]
    fn filters_of_the_documentation_are_read_and_written_with_our_quotes() {
        check(r#"category: ANY("persona_A","b")"#, r#"category: ANY("persona_A", "b")"#);
        check("score: IN(*, 100.0e)", "score: IN(*, 100.0e)");
        check("score:IN(-5i,5)", "score: IN(-5i, 5)");
        check(
            r#"(category: ANY("a") OR score < 3) AND -state: ANY("x\"y\\")"#,
            r#"(category: ANY("a") OR score < 3) AND NOT state: ANY("x\"y\\")"#,
        );
        check(r#"day >= "2026-05-01T10:00:00Z""#, r#"day >= "2026-05-01T10:00:00Z""#);
        check("NOT (a=1 OR b<=2.5)", "NOT (a = 1 OR b <= 2.5)");
        check(
            r#"at: GEO_DISTANCE("Main Street 1", 100)"#,
            r#"at: GEO_DISTANCE("Main Street 1", 100)"#,
        );
        check("at: GEO_DISTANCE(34.1,-118.2,3000)", "at: GEO_DISTANCE(34.1, -118.2, 3000)");
        check("((a > 1))", "a > 1");
    }

    #[test]
    fn other_texts_are_refused_at_their_place() {
        check("", "expected the name of a field, got none at byte 0");
        check_rows(
            r#"
            a => `:`, `<`, `<=`, `>`, `>=` or `=`, got none at byte 1
            a > 1 AND => the name of a field, got none at byte 9
            a > 1 b > 2 => `AND`, `OR` or the end, got at byte 6: `b > 2`
            a: ANY() => a text in double quotes, got at byte 7: `)`
            a: ANY(1) => texts in double quotes before it, got none at byte 9
            a: "x" => `ANY(`, `IN(` or `GEO_DISTANCE(`, got at byte 3: `"x"`
            a = "x" => a number, or a date in double quotes, got at byte 4: `"x"`
            a = 1-2 => a number, got at byte 4: `1-2`
            a > $user => `$session.params.NAME`, `$request.payload.PATH` or `$context.PATH`, got at byte 4: `$user`
            a: ANY("x => a text in double quotes, with `\` only before `"` and `\`, got at byte 7: `"x`
            a: ANY("\n") => a text in double quotes, with `\` only before `"` and `\`, got at byte 7: `"\n")`
            (a > 1 => `)`, got none at byte 6
            AND > 1 => the name of a field, got at byte 0: `AND > 1`
            a: GEO_DISTANCE(1, 2) => a place and a distance in meters before it, got none at byte 21
            "#,
            |[text, expected]| check(text, &format!("expected {expected}")),
        );
    }

    #[test]
    fn nesting_and_number_are_bounded() {
        let deep = format!("{}a > 1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(deep.parse::<Filter>().is_err());
        let deep = format!("{}a > 1", "NOT ".repeat(2_000));
        assert!(deep.parse::<Filter>().is_err());
        let many = vec!["a > 1"; 101].join(" AND ");
        assert!(many.parse::<Filter>().is_err());
    }
}
