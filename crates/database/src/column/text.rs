//! The check of a value against the type of a column, and the text that is bound for it. The database's own cast is no check:
//! MariaDB and SQLite take `nobody` for 0.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use callgate_tool::{Number, Problem, Value, hexadecimal, nearest};

use super::{
    array,
    decimal::Decimal,
    moment::{self, MomentParts},
    problem,
};
use crate::{
    catalog::ColumnKind,
    engine::{Ability, Engine},
};

/// A type as the database names it.
struct Type<'a> {
    name: &'a str,
    engine: Engine,
}

/// The bound text of a value that is not null.
pub(super) fn non_null_bound_text(
    kind: &ColumnKind,
    sql_type: &str,
    engine: Engine,
    value: &Value,
) -> Result<String, Problem> {
    let sql_type = Type { name: sql_type, engine };
    match kind {
        ColumnKind::Array(item) => sql_type.array(item, value),
        ColumnKind::Boolean => boolean_as_digit(value),
        ColumnKind::Bytes => hex_from_base64(value),
        ColumnKind::Date => sql_type.moment(value, MomentParts::Date),
        ColumnKind::Enumeration(labels) => label(labels, value),
        ColumnKind::Flag { .. } if value.as_bool().is_some() => boolean_as_digit(value),
        ColumnKind::Flag { least, most } => integer(value, *least, *most).map_err(|problem| {
            problem::new(format!("`true`, `false` or {}", problem.expected), value)
        }),
        ColumnKind::Float => sql_type.float(value),
        ColumnKind::Integer { least, most } => integer(value, *least, *most),
        ColumnKind::Json => json(value),
        ColumnKind::Literal => sql_type.literal(value),
        ColumnKind::Numeric { precision, scale } => sql_type.numeric(value, *precision, *scale),
        ColumnKind::Any | ColumnKind::Other => {
            Err(problem::new("no value, since the column is only read", value))
        }
        ColumnKind::Text { most } => sql_type.text(value, *most),
        ColumnKind::Time { has_zone } => {
            sql_type.moment(value, MomentParts::Time { has_zone: *has_zone })
        }
        ColumnKind::Timestamp { has_zone } => {
            sql_type.moment(value, MomentParts::Timestamp { has_zone: *has_zone })
        }
        ColumnKind::Uuid => uuid(value, engine),
    }
}

/// `1` and `0`, which every engine casts.
fn boolean_as_digit(value: &Value) -> Result<String, Problem> {
    let expected = || problem::new("`true` or `false`", value);
    let truth = value.as_bool().ok_or_else(expected)?;
    Ok(if truth { "1" } else { "0" }.to_owned())
}

/// Hexadecimal digits of what arguments write in base64.
fn hex_from_base64(value: &Value) -> Result<String, Problem> {
    let decoded = value.as_str().and_then(|text| STANDARD.decode(text).ok());
    let bytes = decoded.ok_or_else(|| problem::new("bytes in base64", value))?;
    Ok(hexadecimal(&bytes))
}

fn label(labels: &[String], value: &Value) -> Result<String, Problem> {
    let label = value.as_str().filter(|text| labels.iter().any(|label| label == text));
    label.map(str::to_owned).ok_or_else(|| {
        let shown: Vec<_> = labels.iter().map(|label| format!("`{label}`")).collect();
        let mut problem = problem::new(format!("one of {}", shown.join(", ")), value);
        let given = value.as_str().unwrap_or_default();
        problem.suggestion =
            nearest(given, labels.iter().map(String::as_str)).map(|near| format!("`{near}`"));
        problem
    })
}

fn integer(value: &Value, least: i128, most: i128) -> Result<String, Problem> {
    let small = value.as_i64().map(i128::from);
    let whole = small.or_else(|| Decimal::from_number(&number_from_value(value)?)?.whole_number());
    let whole = whole.filter(|whole| (least..=most).contains(whole));
    let expected = || problem::new(format!("a whole number from {least} to {most}"), value);
    Ok(whole.ok_or_else(expected)?.to_string())
}

/// The number, which a session may hold as a text of exactly that form.
fn number_from_value(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => Number::from_digits(text),
        _ => None,
    }
}

/// A number without the digits after its point that no value of the kind has, and whether it is below zero; `None` for a number without
/// such digits.
pub(super) fn truncated_number_and_sign(kind: &ColumnKind, value: &Value) -> Option<(Value, bool)> {
    let n_digits = match kind {
        ColumnKind::Integer { .. } => 0,
        ColumnKind::Numeric { scale: Some(scale), .. } => usize::try_from(*scale).ok()?,
        _ => return None,
    };
    let decimal = Decimal::from_number(&number_from_value(value)?)?;
    let kept = Number::from_digits(&decimal.lossy_truncation(n_digits)?.to_string())?;
    Some((Value::Number(kept), decimal.is_negative()))
}

fn json(value: &Value) -> Result<String, Problem> {
    if has_nul(value) {
        return Err(problem::new(NO_NUL, value));
    }
    Ok(value.to_string())
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(members) => {
            members.iter().any(|(name, value)| name.contains('\0') || has_nul(value))
        }
        Value::String(text) => text.contains('\0'),
        Value::Bool(_) | Value::Null | Value::Number(_) => false,
    }
}

fn uuid(value: &Value, engine: Engine) -> Result<String, Problem> {
    let is_uuid = |text: &&str| {
        text.len() == 36
            && text.bytes().enumerate().all(|(index, byte)| match index {
                8 | 13 | 18 | 23 => byte == b'-',
                _ => byte.is_ascii_hexdigit(),
            })
    };
    let expected = || problem::new("a UUID: `123e4567-e89b-12d3-a456-426614174000`", value);
    let text = value.as_str().filter(is_uuid).ok_or_else(expected)?;
    // Without types of columns the text itself is kept.
    Ok(if engine.has(Ability::ColumnTypes) { text.to_ascii_lowercase() } else { text.to_owned() })
}

impl Type<'_> {
    fn array(&self, item: &ColumnKind, value: &Value) -> Result<String, Problem> {
        let items = value.as_array().ok_or_else(|| problem::new("a list", value))?;
        if !self.engine.has(Ability::Arrays) {
            return Err(problem::new("no value, since the column is only read", value));
        }
        let name = self.name.strip_suffix("[]").unwrap_or(self.name);
        let mut texts = Vec::with_capacity(items.len());
        for (index, value) in items.iter().enumerate() {
            let text = match value {
                Value::Null if *item != ColumnKind::Json => None,
                _ => Some(
                    non_null_bound_text(item, name, self.engine, value)
                        .map_err(|problem| item_problem(problem, index))?,
                ),
            };
            texts.push(match item {
                ColumnKind::Bytes => text.map(|hex| format!("\\x{hex}")),
                _ => text,
            });
        }
        Ok(array::literal(texts.iter().map(Option::as_deref)))
    }

    fn float(&self, value: &Value) -> Result<String, Problem> {
        if let Some(text) = self.not_finite(value) {
            return Ok(text);
        }
        let expected = || problem::new("a floating-point number within the column's range", value);
        let number = number_from_value(value).ok_or_else(expected)?;
        let nearest = number.as_f64().filter(|nearest| self.has_number_near(&number, *nearest));
        match nearest {
            Some(_) if self.engine.has(Ability::ColumnTypes) => Ok(number.to_string()),
            Some(nearest) => Ok(format!("{nearest:e}")),
            None => Err(expected()),
        }
    }

    /// True if the type has a number near this one, whose nearest number of 64 bits is `nearest`.
    fn has_number_near(&self, number: &Number, nearest: f64) -> bool {
        let nearest = if self.engine.sql().is_single_float(self.name) {
            number.digits().parse::<f32>().map_or(f64::INFINITY, f64::from)
        } else {
            nearest
        };
        let is_zero = number.is_equal_to(&Number::small(0));
        nearest.is_finite() && (nearest != 0.0 || is_zero)
    }

    fn numeric(
        &self,
        value: &Value,
        precision: Option<u32>,
        scale: Option<i32>,
    ) -> Result<String, Problem> {
        if let Some(text) = self.not_finite(value) {
            return Ok(text);
        }
        let expected = || problem::new(self.expected_numbers(precision, scale), value);
        let decimal = number_from_value(value)
            .and_then(|number| Decimal::from_number(&number))
            .ok_or_else(expected)?;
        let digits = self.engine.facts().decimal_digits;
        let is_kept = digits.is_none_or(|most| decimal.n_significant() <= most)
            || decimal.whole_number().is_some_and(|whole| i64::try_from(whole).is_ok());
        if !is_kept || !decimal.fits(precision, scale) {
            return Err(expected());
        }
        Ok(decimal.to_string())
    }

    /// The numbers that the type holds, in words.
    fn expected_numbers(&self, precision: Option<u32>, scale: Option<i32>) -> String {
        let digits = match (precision, scale) {
            (Some(precision), Some(scale)) if scale > 0 => {
                format!("a number of at most {precision} digits, {scale} of them after the point")
            }
            (Some(precision), _) => format!("a whole number of at most {precision} digits"),
            (None, _) => "a number".to_owned(),
        };
        let facts = self.engine.facts();
        match facts.decimal_digits {
            Some(most) => {
                format!(
                    "{digits}, and of at most {most} digits, as {} keeps no more",
                    facts.product
                )
            }
            None => digits,
        }
    }

    /// The numbers that JSON writes as texts.
    fn not_finite(&self, value: &Value) -> Option<String> {
        let is_one = |text: &&str| matches!(*text, "Infinity" | "-Infinity" | "NaN");
        let text = value.as_str().filter(|_| self.engine.has(Ability::Infinity)).filter(is_one)?;
        Some(text.to_owned())
    }

    fn text(&self, value: &Value, most: Option<u32>) -> Result<String, Problem> {
        let text = value.as_str().ok_or_else(|| problem::new("a text", value))?;
        if text.contains('\0') {
            return Err(problem::new(NO_NUL, value));
        }
        let has_room =
            |most: u32| usize::try_from(most).is_ok_and(|most| text.chars().count() <= most);
        if let Some(most) = most.filter(|most| !has_room(*most)) {
            return Err(problem::new(format!("a text of at most {most} characters"), value));
        }
        // These types lose blanks at the end, and what they have no room for.
        let name = self.name.to_ascii_lowercase();
        let is_padded = self.engine.has(Ability::ColumnTypes)
            && (name == "bpchar" || name.starts_with("character(") || name.starts_with("char("));
        if is_padded && text.ends_with(' ') {
            return Err(problem::new("a text without blanks at its end", value));
        }
        let most_bytes = match name.as_str() {
            "name" => 63,
            "\"char\"" => 1,
            _ => usize::MAX,
        };
        if text.len() > most_bytes {
            return Err(problem::new(format!("a text of at most {most_bytes} bytes"), value));
        }
        Ok(text.to_owned())
    }

    /// A text in the form of the type, which the server checks. A cast cuts bits to the number that the type has, or fills them up.
    fn literal(&self, value: &Value) -> Result<String, Problem> {
        let text = self.text(value, None)?;
        let (Some(size), true) = (self.size(), self.name.starts_with("bit")) else {
            return Ok(text);
        };
        let are_bits = text.bytes().all(|it| matches!(it, b'0' | b'1'));
        let most = if self.name.starts_with("bit varying") { "at most " } else { "" };
        let fits = text.len() == size || (!most.is_empty() && text.len() < size);
        if are_bits && fits {
            return Ok(text);
        }
        Err(problem::new(format!("a text of {most}{size} digits, each 0 or 1"), value))
    }

    fn moment(&self, value: &Value, parts: MomentParts) -> Result<String, Problem> {
        let bound = value
            .as_str()
            .and_then(|text| moment::bound_text(text, parts, self.n_second_digits(), self.engine));
        bound.ok_or_else(|| problem::new(self.expected_moments(parts), value))
    }

    fn expected_moments(&self, parts: MomentParts) -> String {
        let example = match parts {
            MomentParts::Date => return "a date: `2026-01-31`".to_owned(),
            MomentParts::Time { has_zone: false } => "a time: `12:00:00`",
            MomentParts::Time { has_zone: true } => "a time with its zone: `12:00:00Z`",
            MomentParts::Timestamp { has_zone: false } => {
                "a date and time without a zone: `2026-01-31T12:00:00`"
            }
            MomentParts::Timestamp { has_zone: true } => {
                "a date and time with its zone: `2026-01-31T12:00:00Z`"
            }
        };
        format!("{example}, with at most {} digits after the second", self.n_second_digits())
    }

    /// The digits of a second that the type keeps.
    fn n_second_digits(&self) -> usize {
        self.engine.sql().second_digits(self.size())
    }

    /// The number in the parentheses of the type.
    fn size(&self) -> Option<usize> {
        let (digits, _) = self.name.split_once('(')?.1.split_once(')')?;
        digits.parse().ok()
    }
}

fn item_problem(mut problem: Problem, index: usize) -> Problem {
    problem.at = format!("[{index}]{}", problem.at);
    problem
}

const NO_NUL: &str = "texts without the character U+0000";
