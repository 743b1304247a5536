//! A statement as the server describes it when it is prepared: the number of its values, and the types of its columns.

use std::sync::Arc;

use super::{pool::Pool, reader::CatalogReader};
use crate::{
    description::{DescribedColumn, StatementDescription},
    error::{Error, ErrorKind},
};

pub(super) async fn describe(
    pool: &Pool,
    principal: &str,
    text: &Arc<str>,
) -> Result<StatementDescription, Error> {
    let is_change = is_change(text)?;
    let mut reader = CatalogReader::open_for(principal, pool).await?;
    let statement = match reader.prepare(text).await {
        Ok(statement) => statement,
        Err(error) => {
            // A statement that cannot be prepared leaves nothing behind.
            if error.kind() == ErrorKind::Statement {
                reader.give_back_connection();
            }
            return Err(error);
        }
    };
    reader.give_back_connection();
    let columns = statement.columns.iter();
    let columns = columns.map(|it| DescribedColumn { name: it.name.clone(), kind: it.kind() });
    // The server says nothing of the types of values.
    let values = vec![String::new(); statement.n_values];
    Ok(StatementDescription {
        values,
        columns: columns.collect(),
        is_read: is_change.then_some(false),
    })
}

/// True for a statement that changes rows. Others than those that read or change rows are refused: many of them commit what
/// was done before, whatever comes after.
fn is_change(text: &str) -> Result<bool, Error> {
    let refused = |message: &str| Err(Error::new(ErrorKind::Statement, message.to_owned()));
    // The server runs what stands in such a comment.
    if ["/*!", "/*M!"].iter().any(|start| text.contains(start)) {
        return refused("the statement has a comment that is run: `/*!`");
    }
    let word = first_word(text);
    match word.as_str() {
        "select" | "values" | "with" => Ok(false),
        "delete" | "insert" | "replace" | "update" => Ok(true),
        _ => refused(
            "expected `select`, `with`, `values`, `insert`, `update`, `replace` or `delete` at the beginning",
        ),
    }
}

/// The first word of a statement, behind comments and parentheses.
fn first_word(text: &str) -> String {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
        let end = match rest {
            _ if rest.starts_with("--") || rest.starts_with('#') => "\n",
            _ if rest.starts_with("/*") => "*/",
            _ => break,
        };
        rest = rest.split_once(end).map_or("", |(_, rest)| rest);
    }
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    rest.split_at(end).0.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_neither_read_nor_change_rows_are_refused() {
        for (text, expected) in [
            ("select 1", Some(false)),
            (" ( (SELECT 1) union select 2)", Some(false)),
            ("-- a\n# b\n/* c */ With x as (select 1) select * from x", Some(false)),
            ("replace into t values (1)", Some(true)),
            ("update/**/t set a = 1", Some(true)),
            ("/*! select */ call p()", None),
            ("/* x", None),
            ("drop table t", None),
            ("call p()", None),
            ("set @a = 1", None),
            ("commit", None),
            ("selects", None),
        ] {
            assert_eq!(is_change(text).ok(), expected, "{text}");
        }
    }
}
