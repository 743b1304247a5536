//! The operators of conditions, and those that the values of a column have.

use callgate_tool::{Problem, Value};

use super::{MOST_VALUES, Pattern, Test};
use crate::{
    catalog::{Column, ColumnKind},
    column::{self, problem},
    engine::Engine,
};

/// An operator of a condition.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Operator {
    AtLeast,
    AtMost,
    Contains,
    Equal,
    In,
    IsNull,
    Less,
    Like,
    More,
    NotEqual,
    StartsWith,
}

use Operator::{
    AtLeast, AtMost, Contains, Equal, In, IsNull, Less, Like, More, NotEqual, StartsWith,
};

impl Operator {
    /// The operators of a kind, in the order in which messages list them.
    pub(super) fn for_kind(kind: &ColumnKind) -> &'static [Self] {
        match kind {
            ColumnKind::Array(_) | ColumnKind::Json => &[IsNull],
            ColumnKind::Boolean
            | ColumnKind::Bytes
            | ColumnKind::Enumeration(_)
            | ColumnKind::Uuid => &[Equal, NotEqual, In, IsNull],
            ColumnKind::Date
            | ColumnKind::Float
            | ColumnKind::Integer { .. }
            | ColumnKind::Numeric { .. }
            | ColumnKind::Time { .. }
            | ColumnKind::Timestamp { .. } => {
                &[Equal, NotEqual, Less, AtMost, More, AtLeast, In, IsNull]
            }
            ColumnKind::Any | ColumnKind::Other => &[],
            ColumnKind::Text { .. } => &[
                Equal, NotEqual, Less, AtMost, More, AtLeast, In, IsNull, StartsWith, Contains,
                Like,
            ],
        }
    }

    /// The name as a model writes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            AtLeast => "gte",
            AtMost => "lte",
            Contains => "contains",
            Equal => "eq",
            In => "in",
            IsNull => "is_null",
            Less => "lt",
            Like => "like",
            More => "gt",
            NotEqual => "neq",
            StartsWith => "starts_with",
        }
    }

    /// The test with this value.
    pub(super) fn test(
        self,
        column: &Column,
        value: &Value,
        engine: Engine,
    ) -> Result<Test, Problem> {
        let text = || bound_text(column, value, engine);
        match self {
            AtLeast => text().map(Test::AtLeast),
            AtMost => text().map(Test::AtMost),
            Contains => Pattern::containing(value).map(Test::Like),
            Equal if value.is_null() => Ok(Test::IsNull),
            Equal => text().map(Test::Equal),
            In => values(column, value, engine).map(Test::In),
            IsNull => match value.as_bool() {
                Some(true) => Ok(Test::IsNull),
                Some(false) => Ok(Test::IsNotNull),
                None => Err(problem("`true` or `false`", value)),
            },
            Less => text().map(Test::Less),
            Like => Pattern::of_stars(value).map(Test::Like),
            More => text().map(Test::More),
            NotEqual if value.is_null() => Ok(Test::IsNotNull),
            NotEqual => text().map(Test::NotEqual),
            StartsWith => Pattern::starting(value).map(Test::Like),
        }
    }
}

fn bound_text(column: &Column, value: &Value, engine: Engine) -> Result<String, Problem> {
    column::text(column, value, engine)?
        .ok_or_else(|| problem("a value other than null; use `is_null` for null", value))
}

fn values(column: &Column, value: &Value, engine: Engine) -> Result<Vec<String>, Problem> {
    let has_room = |items: &&Vec<Value>| (1..=MOST_VALUES).contains(&items.len());
    let items = value
        .as_array()
        .filter(has_room)
        .ok_or_else(|| problem(format!("a list of 1 to {MOST_VALUES} values"), value))?;
    let text = |(index, item)| {
        bound_text(column, item, engine).map_err(|mut problem| {
            problem.at = format!("[{index}]{}", problem.at);
            problem
        })
    };
    items.iter().enumerate().map(text).collect()
}
