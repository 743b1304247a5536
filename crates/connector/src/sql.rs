//! Statements of the operator: their named values (`:since`) become the `?` of the service, in their order.

/// A statement with `?`, and the names of its values in their order; a name may come more than once.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Statement {
    pub(crate) text: String,
    pub(crate) names: Vec<String>,
}

/// Reads a statement.
///
/// # Errors
/// A sentence about a statement that holds `?` itself, or whose quotes or comments do not end.
pub(crate) fn parse_statement(sql: &str) -> Result<Statement, &'static str> {
    let mut statement = Statement { text: String::with_capacity(sql.len()), names: Vec::new() };
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' | '"' | '`' => quotation_length(rest, first).ok_or(OPEN)?,
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").ok_or(OPEN)? + 2,
            '?' => return Err("expected values by name, such as `:since`, got: `?`"),
            ':' if rest.starts_with("::") => 2,
            ':' => {
                let name = leading_name(rest.get(1..).unwrap_or_default());
                if !name.is_empty() {
                    statement.names.push(name.to_owned());
                    statement.text.push('?');
                    rest = rest.get(1 + name.len()..).unwrap_or_default();
                    continue;
                }
                1
            }
            _ => first.len_utf8(),
        };
        statement.text.push_str(rest.get(..length).unwrap_or_default());
        rest = rest.get(length..).unwrap_or_default();
    }
    Ok(statement)
}

/// The length of a text in quotes; doubled quotes are two texts side by side, which ends at the same place.
fn quotation_length(rest: &str, quote: char) -> Option<usize> {
    rest.get(1..)?.find(quote).map(|at| at + 2)
}

fn leading_name(rest: &str) -> &str {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let length = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
    let name = rest.get(..length).unwrap_or_default();
    if name.starts_with(|first: char| first.is_ascii_digit()) { "" } else { name }
}

const OPEN: &str = "expected a statement whose quotes and comments end, got one that is open";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sql: &str, expected: Result<(&str, &[&str]), &str>) {
        let read = parse_statement(sql);
        let read = read.as_ref().map(|read| {
            (read.text.as_str(), read.names.iter().map(String::as_str).collect::<Vec<_>>())
        });
        let read = read.as_ref().map(|(text, names)| (*text, &**names)).map_err(|why| **why);
        assert_eq!(read, expected);
    }

    #[test]
    fn names_become_question_marks_outside_of_quotes_and_comments() {
        check(
            "select :a, ':b', x::text -- :c\n, :a",
            Ok(("select ?, ':b', x::text -- :c\n, ?", &["a", "a"])),
        );
        check(
            "select \"a:b\" /* :c */ where t = '12:30' and u = :u_1",
            Ok(("select \"a:b\" /* :c */ where t = '12:30' and u = ?", &["u_1"])),
        );
        check("select 'it''s :x', :y", Ok(("select 'it''s :x', ?", &["y"])));
    }

    #[test]
    fn a_statement_that_cannot_be_read_is_refused() {
        check("select ?", Err("expected values by name, such as `:since`, got: `?`"));
        check("select 'a", Err(OPEN));
        check("select /* a", Err(OPEN));
    }
}
