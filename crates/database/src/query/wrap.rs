//! The statement around a model's text: it reads the text as a table, each column as a text that is cut, and no more rows than
//! one beyond those that are shown. The line breaks end comments at the edges of the text.

use crate::{
    catalog::{Column, ColumnKind},
    description::StatementDescription,
    engine::Engine,
    query_text::QueryText,
    settings::DatabaseLimits,
    sql,
};

/// A model's text as it is run.
pub(super) struct WrappedQuery {
    pub(super) text: String,
    /// The columns as a result names them.
    pub(super) columns: Vec<(String, ColumnKind)>,
}

/// The statement around a text with these columns. `names` are those by which SQLite knows the columns from outside; the other
/// engines take numbers for names.
pub(super) fn wrapped_query(
    engine: Engine,
    text: &QueryText,
    described: &StatementDescription,
    names: Option<Vec<String>>,
    limits: &DatabaseLimits,
) -> WrappedQuery {
    let shown = unique_names(described.columns.iter().map(|column| column.name.as_str()));
    let inner = names.unwrap_or_else(|| (1..=shown.len()).map(|at| format!("c{at}")).collect());
    let kinds = described.columns.iter().map(|column| column.kind.clone());
    let columns: Vec<Column> = inner
        .iter()
        .zip(kinds.clone())
        .map(|(name, kind)| Column::of_statement(name, kind))
        .collect();
    let columns: Vec<&Column> = columns.iter().collect();
    let columns = sql::statement_result_columns(engine, &columns, limits.row_bytes);
    let (names, most) = (inner.join(", "), limits.rows.saturating_add(1));
    let QueryText { with, sql: text } = text;
    let wrapped = engine.sql().wrapped_query(with, text, &names, &columns);
    let text = format!("{wrapped} LIMIT {most}");
    WrappedQuery { text, columns: shown.into_iter().zip(kinds).collect() }
}

/// A reading of all columns of a text.
pub(super) fn select_star(text: &str) -> String {
    format!("{BEFORE}{text}{BEHIND}")
}

pub(super) const BEFORE: &str = "SELECT * FROM (\n";

pub(super) const BEHIND: &str = "\n) AS callgate";

/// The names, each once: `a`, `a_2`.
fn unique_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut unique: Vec<String> = Vec::new();
    for name in names {
        let mut candidate = name.to_owned();
        let mut count = 1;
        while unique.contains(&candidate) {
            count += 1;
            candidate = format!("{name}_{count}");
        }
        unique.push(candidate);
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::DescribedColumn;

    #[test]
    fn columns_of_one_name_get_names_of_their_own() {
        let column = |name: &str| DescribedColumn {
            name: name.to_owned(),
            kind: ColumnKind::Text { most: None },
        };
        let columns = ["a", "a", "a_2", "a"].map(column).into();
        let described = StatementDescription { values: Vec::new(), columns, is_read: None };
        let limits = DatabaseLimits { row_bytes: 9, rows: 2, ..DatabaseLimits::default() };
        let text = QueryText { with: String::new(), sql: "table t --".to_owned() };
        let wrapped = wrapped_query(Engine::Postgres, &text, &described, None, &limits);
        let names: Vec<_> = wrapped.columns.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "a_2", "a_2_2", "a_3"]);
        assert_eq!(
            wrapped.text,
            "SELECT left(\"callgate\".\"c1\"::text, 10), left(\"callgate\".\"c2\"::text, 10), \
             left(\"callgate\".\"c3\"::text, 10), left(\"callgate\".\"c4\"::text, 10) FROM (\ntable t --\n) AS callgate (c1, c2, c3, c4) LIMIT 3"
        );
    }
}
