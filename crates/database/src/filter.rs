//! Conditions on rows: what a model writes as `where`, checked against the columns. `sql` writes the conditions of statements.

mod json;
mod operator;
mod pattern;
mod schema;

pub(crate) use self::{
    json::{read, unknown_name_problem},
    pattern::{Pattern, Piece},
    schema::schema,
};

/// Conditions that all hold, and groups of which one holds as a whole.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Filter {
    pub(crate) all: Vec<Condition>,
    /// Empty, or at least two groups, none of them empty.
    pub(crate) any: Vec<Vec<Condition>>,
}

/// One condition on one column.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Condition {
    pub(crate) column: String,
    pub(crate) test: Test,
}

/// A test of a column's value. The texts are checked, as [`column::bound_text`](crate::column::bound_text) makes them. A column that is null
/// passes none but [`Self::IsNull`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Test {
    AtLeast(String),
    AtMost(String),
    Equal(String),
    In(Vec<String>),
    IsNotNull,
    IsNull,
    Less(String),
    Like(Pattern),
    More(String),
    NotEqual(String),
}

impl Filter {
    /// True if every row meets it.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty() && self.any.is_empty()
    }

    /// True if a condition is on the column.
    pub(crate) fn has_condition_on(&self, column: &str) -> bool {
        self.all.iter().chain(self.any.iter().flatten()).any(|it| it.column == column)
    }

    /// The number of its conditions.
    fn n_conditions(&self) -> usize {
        self.all.len() + self.any.iter().map(Vec::len).sum::<usize>()
    }
}

#[cfg(test)]
mod tests;
