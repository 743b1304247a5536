//! Filters of documents: a tree of conditions, read from the text of an operator or of an export (`grammar`), or from what a model gave
//! (`conditions`), completed with values of the session, and written for the service with our own quotes (`text`).

mod grammar;
mod text;

use callgate_call::wording::vertex as wording;
use callgate_kind::{MOST_VALUES, Operator};
use callgate_tool::{Fault, Number, Session, SessionSource, Value};

pub use self::grammar::InvalidFilter;
pub(crate) use self::text::expression_text;

/// A filter: conditions on the fields of documents.
///
/// ```
/// use callgate_vertex::Filter;
///
/// let filter = r#"audience: ANY($session.params.audience) AND NOT state: ANY("draft")"#;
/// let filter: Filter = filter.parse()?;
/// assert_eq!(filter.sources().count(), 1);
/// // Readers of the grammar do not agree on which of the two binds more.
/// let error = "a > 1 AND b > 1 OR c > 1".parse::<Filter>().unwrap_err();
/// assert_eq!(error.to_string(), "expected parentheses around `AND` beside `OR`, got none at byte 16");
/// # Ok::<(), callgate_vertex::InvalidFilter>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Filter(pub(crate) Expression);

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    All(Vec<Self>),
    Any(Vec<Self>),
    Is(Condition),
    Not(Box<Self>),
}

/// A condition on one field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Condition {
    pub(crate) field: String,
    pub(crate) test: Test,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    /// `ANY("a", "b")`.
    Any(Vec<Operand>),
    /// `IN(1i, *)`.
    Between([RangeBound; 2]),
    Compare(Operator, Operand),
    /// `GEO_DISTANCE(…)`.
    Near(Vec<Operand>),
}

/// An end of a range.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RangeBound {
    /// `*`.
    Open,
    /// A number, with `i` for inclusive or `e` for exclusive.
    At(Operand, Option<char>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Number(Number),
    Session(SessionSource),
    Text(String),
}

impl Filter {
    /// The values of the session that the filter reads, in their order.
    pub fn sources(&self) -> impl Iterator<Item = &SessionSource> {
        let mut sources = Vec::new();
        self.0.add_sources(&mut sources);
        sources.into_iter()
    }

    /// The filter with the values of a session.
    ///
    /// # Errors
    /// A fault if a value is missing, or is none that its condition takes.
    pub(crate) fn with_session_values(&self, session: &Session) -> Result<Expression, Box<Fault>> {
        self.0.with_session_values(session)
    }
}

impl Expression {
    /// Expressions that all hold.
    pub(crate) fn conjunction(parts: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut parts: Vec<Self> = parts.into_iter().collect();
        match parts.len() {
            0 | 1 => parts.pop(),
            _ => Some(Self::All(parts)),
        }
    }

    fn add_sources<'a>(&'a self, sources: &mut Vec<&'a SessionSource>) {
        let operands: Vec<&Operand> = match self {
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.add_sources(sources);
                }
                return;
            }
            Self::Not(part) => return part.add_sources(sources),
            Self::Is(Condition { test, .. }) => match test {
                Test::Any(operands) | Test::Near(operands) => operands.iter().collect(),
                Test::Between(bounds) => bounds.iter().filter_map(RangeBound::operand).collect(),
                Test::Compare(_, operand) => vec![operand],
            },
        };
        sources.extend(operands.into_iter().filter_map(|operand| match operand {
            Operand::Session(source) => Some(source),
            Operand::Number(_) | Operand::Text(_) => None,
        }));
    }

    fn with_session_values(&self, session: &Session) -> Result<Self, Box<Fault>> {
        let each = |parts: &[Self]| -> Result<Vec<Self>, Box<Fault>> {
            parts.iter().map(|part| part.with_session_values(session)).collect()
        };
        Ok(match self {
            Self::All(parts) => Self::All(each(parts)?),
            Self::Any(parts) => Self::Any(each(parts)?),
            Self::Not(part) => Self::Not(Box::new(part.with_session_values(session)?)),
            Self::Is(condition) => Self::Is(condition.with_session_values(session)?),
        })
    }
}

impl RangeBound {
    fn operand(&self) -> Option<&Operand> {
        match self {
            Self::At(operand, _) => Some(operand),
            Self::Open => None,
        }
    }
}

impl Condition {
    fn with_session_values(&self, session: &Session) -> Result<Self, Box<Fault>> {
        let read = |source: &SessionSource, values: fn(&Value) -> Option<Vec<Operand>>| {
            if session.is_unknown() {
                return Err(callgate_call::wording::unknown_session());
            }
            let session_values = source.value_in_session(session).and_then(|value| values(&value));
            session_values.ok_or_else(|| wording::missing_value(&self.field, &source.to_string()))
        };
        let one = |operand: &Operand| -> Result<Operand, Box<Fault>> {
            match operand {
                Operand::Session(source) => {
                    let mut values =
                        read(source, |value| comparable_operand(value).map(|value| vec![value]))?;
                    Ok(values.swap_remove(0))
                }
                operand => Ok(operand.clone()),
            }
        };
        let bound = |bound: &RangeBound| -> Result<RangeBound, Box<Fault>> {
            Ok(match bound {
                RangeBound::Open => RangeBound::Open,
                RangeBound::At(operand, kind) => RangeBound::At(one(operand)?, *kind),
            })
        };
        let test = match &self.test {
            Test::Any(operands) => {
                let mut all = Vec::new();
                for operand in operands {
                    match operand {
                        Operand::Session(source) => all.extend(read(source, text_operands)?),
                        operand => all.push(operand.clone()),
                    }
                }
                Test::Any(all)
            }
            Test::Between([low, high]) => Test::Between([bound(low)?, bound(high)?]),
            Test::Compare(comparison, operand) => Test::Compare(*comparison, one(operand)?),
            Test::Near(operands) => Test::Near(operands.iter().map(one).collect::<Result<_, _>>()?),
        };
        Ok(Self { field: self.field.clone(), test })
    }
}

/// The texts that a session gives for `ANY`: one, or a list of some. An empty text and an empty list are none.
fn text_operands(value: &Value) -> Option<Vec<Operand>> {
    let one = |value: &Value| {
        let text = value
            .as_str()
            .filter(|text| !text.is_empty() && text::has_no_control_characters(text))?;
        Some(Operand::Text(text.to_owned()))
    };
    match value {
        Value::Array(items) if (1..=MOST_VALUES).contains(&items.len()) => {
            items.iter().map(one).collect()
        }
        value => one(value).map(|value| vec![value]),
    }
}

/// A number or a date that a session gives for a comparison.
fn comparable_operand(value: &Value) -> Option<Operand> {
    match value {
        Value::Number(number) => Some(Operand::Number(number.clone())),
        Value::String(text) if is_date_or_time(text) => Some(Operand::Text(text.clone())),
        _ => None,
    }
}

/// True for a date or a time of ISO 8601, as far as its characters and its beginning tell.
pub(crate) fn is_date_or_time(text: &str) -> bool {
    let (date, rest) = text.split_at_checked(10).unwrap_or_default();
    let is_digit = |at: usize| ![4, 7].contains(&at);
    let is_date = date
        .bytes()
        .enumerate()
        .all(|(at, byte)| if is_digit(at) { byte.is_ascii_digit() } else { byte == b'-' });
    let is_time = |byte: u8| byte.is_ascii_digit() || b":.+-Z".contains(&byte);
    let has_time = rest
        .strip_prefix('T')
        .is_some_and(|time| (2..=30).contains(&time.len()) && time.bytes().all(is_time));
    !date.is_empty() && is_date && (rest.is_empty() || has_time)
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Object, json};

    use super::*;

    #[track_caller]
    fn check(filter: &str, audience: Value, expected: Option<&str>) {
        let filter: Filter = filter.parse().unwrap();
        let session = Session::new("s").with_parameters(Object::from([("a", audience)]));
        let written =
            filter.with_session_values(&session).ok().map(|entry| expression_text(&entry).unwrap());
        assert_eq!(written.as_deref(), expected);
    }

    #[test]
    fn values_of_the_session_are_quoted_here() {
        let any = "f: ANY($session.params.a, \"z\")";
        check(any, json!("x"), Some("f: ANY(\"x\", \"z\")"));
        check(
            any,
            json!(["x", "\") OR f: ANY(\"y"]),
            Some(r#"f: ANY("x", "\") OR f: ANY(\"y", "z")"#),
        );
        check("f >= $session.params.a", json!(7), Some("f >= 7"));
        check("f > $session.params.a", json!("2026-01-01"), Some("f > \"2026-01-01\""));
        check("f: IN($session.params.a, *)", json!(1.5), Some("f: IN(1.5, *)"));
    }

    #[test]
    fn a_session_without_a_usable_value_gets_no_filter() {
        for value in
            [json!(null), json!(""), json!([]), json!([""]), json!({}), json!(7), json!("a\nb")]
        {
            check("f: ANY($session.params.a)", value, None);
        }
        for value in [json!("x"), json!(["2026-01-01"]), json!(true), json!("2026-01-01\" OR a")] {
            check("f > $session.params.a", value, None);
        }
    }

    #[test]
    fn dates_are_known_by_their_form() {
        for text in
            ["2026-01-01", "2026-01-01T10", "2026-01-01T10:00:00.5+02:00", "2026-01-01T10:00:00Z"]
        {
            assert!(is_date_or_time(text), "{text}");
        }
        for text in
            ["", "2026", "2026-01-01 10", "2026-01-01T", "2026-1-01", "2026-01-01T\"", "x026-01-01"]
        {
            assert!(!is_date_or_time(text), "{text}");
        }
    }
}
