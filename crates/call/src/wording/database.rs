//! Sentences about the rows of a database. None has a value of a row, a text of the database, SQL or a host: only names of
//! columns that the model may know, and numbers.

use callgate_tool::{Effect, Fault, FaultCode, Next, Problem, Reached};

use super::{
    fault_after_sending, fault_with_problems, faults, invalid_argument, problem, push_quoted_names,
};

/// Arguments that do not fit the columns.
pub fn invalid_arguments(problems: Vec<Problem>) -> Box<Fault> {
    super::invalid_arguments(problems)
}

/// A value that decides whose rows the call is about is missing in the session, or cannot be one: `source` names it.
pub fn missing_session_value(source: &str, expected: &str, got: &str) -> Box<Fault> {
    let problem = problem(source, expected, got, Some(&format!("set {source} before the call")));
    let advice = "; the value comes from the session, not from arguments, nothing was sent";
    fault_with_problems(FaultCode::MissingSessionValue, vec![problem], advice, Next::GiveUp)
}

faults! {
    /// There is no row with this key, or none of this caller.
    pub fn not_found(entity: &str) = NotFound, CorrectArguments, reached Yes:
        "there is no row of `{entity}` with this key, nothing was changed; look for the right key and call again";

    /// There is no row with this key and this version.
    pub fn row_changed(entity: &str) = RowChanged, CorrectArguments, reached Yes:
        "the row of `{entity}` was changed since it was read, or is gone, nothing was changed now; read it again and call with its new version";

    /// The rows are not those that a person saw.
    pub fn reviewed_rows_changed() = RowChanged, TryLater, reached Yes:
        "the rows were changed since a person approved this call, so nothing was changed now; make the call again, and a person is asked again";

    /// The change touched more rows than it may.
    pub fn too_many_rows(affected: u64, most: u64) = TooManyRows, CorrectArguments, reached Yes:
        "the change would touch {affected} rows and may touch {most}; it was rolled back; narrow the conditions and call again";

    /// More rows meet the conditions than a change may touch, so nobody is asked about it.
    pub fn too_many_rows_to_review(most: u64) = TooManyRows, CorrectArguments, reached Yes:
        "the change would touch more than {most} rows, nothing was changed; narrow the conditions and call again";

    /// More rows have the key than one: the operator named columns that do not identify a row.
    pub fn ambiguous_key(entity: &str) = StaleDescription, GiveUp, reached Yes:
        "several rows of `{entity}` have this key; the operator has to correct the key of the tool; do not call again";

    /// Another transaction stood in the way.
    pub fn conflict() = Conflict, TryLater, reached Yes:
        "another change of the database stood in the way, nothing was changed; try again later";

    /// A table, a column or a type changed since the tools were loaded.
    pub fn stale_description() = StaleDescription, GiveUp, reached Yes:
        "the database is not what it was when this tool was loaded, nothing was changed; do not call again until the operator has loaded it anew";

    /// The login of the tools may not do it.
    pub fn denied_access() = AuthFailed, GiveUp, reached Yes:
        "the database does not allow this to the login of the tools, nothing was changed; do not call again";

    /// A value passed the check and the database does not take it.
    pub fn value_not_taken() = InvalidArguments, CorrectArguments, reached Yes:
        "the database does not take one of the values for its column, nothing was changed; correct the arguments and call again";

    /// A row or a value is larger than its bound.
    pub fn too_large_row_or_value() = ResponseTooLarge, CorrectArguments, reached Yes:
        "a value is larger than its bound, nothing was changed; ask for fewer columns or rows, or give shorter values";

    /// The database cannot be reached.
    pub fn unavailable() = Unreachable, TryLater:
        "the database cannot be reached now, nothing was sent; try again later";

    /// The disk of the database has no space left.
    pub fn full_disk() = ServiceError, TryLater, reached Yes:
        "the disk of the database is full, nothing was changed; try again later";

    /// The server of the database takes no changes.
    pub fn read_only() = ServiceError, TryLater, reached Yes:
        "the server of the database only reads now, nothing was changed; try again later";

    /// The server of the database lacks something of its own, by this code.
    pub fn unable_server(code: Option<&str>) = ServiceError, TryLater, reached Yes:
        "the database cannot do it now{code}, nothing was changed; try again later", code = code_in_parentheses(code);

    /// The database does not take a statement of callgate's own, or answers what callgate does not read.
    pub fn callgate_internal_fault(code: Option<&str>) = Internal, GiveUp, reached Yes:
        "a fault of callgate itself ended the call{code}, nothing was changed; do not call again", code = code_in_parentheses(code);

    /// Time was over, and the database took back what was done.
    pub fn rolled_back_in_time(seconds: f64) = TimedOut, TryLater, reached Yes:
        "the database did not finish within {seconds} s, and nothing was changed; ask for less, or try again later";

    /// The database refuses the statement by a code of its own.
    pub fn refused_statement(code: Option<&str>) = ServiceError, GiveUp, reached Yes:
        "the database refuses the statement{code}, nothing was changed; do not call again with the same arguments",
        code = code_in_parentheses(code);

    /// A reading that the database ends at a value by a code of its own.
    pub fn uncomputed_value(code: Option<&str>) = InvalidArguments, CorrectArguments, reached Yes:
        "the database cannot compute a value of the answer{code}, as a sum beyond the largest number, nothing was changed; narrow the conditions or ask for other columns",
        code = code_in_parentheses(code);
}

/// The columns refer to a row that does not exist, or to one of somebody else.
pub fn missing_referenced_row<'a>(columns: impl Iterator<Item = &'a str>) -> Box<Fault> {
    let mut message =
        "no row is there to which these columns could refer, nothing was changed: ".to_owned();
    push_quoted_names(&mut message, columns);
    message.push_str("; correct and call again");
    fault_after_sending(
        FaultCode::ConstraintViolated,
        message,
        Next::CorrectArguments,
        Reached::Yes,
    )
}

/// A rule of the database refuses the change: `rule` says which kind, the names are those of the columns or of the constraint.
pub fn constraint_violated<'a>(rule: &str, names: impl IntoIterator<Item = &'a str>) -> Box<Fault> {
    let mut message = format!("the database refuses the change, because {rule}");
    let mut names = names.into_iter().peekable();
    if names.peek().is_some() {
        message.push_str(": ");
        push_quoted_names(&mut message, names);
    }
    message.push_str("; nothing was changed; correct the arguments and call again");
    fault_after_sending(
        FaultCode::ConstraintViolated,
        message,
        Next::CorrectArguments,
        Reached::Yes,
    )
}

/// The statement would read more rows than it may, `rows` of them by the database's estimate, and an index that begins with one of the
/// columns would serve it. Without `rows` it was ended while it read.
pub fn too_many_rows_to_read(rows: Option<u64>, most: usize, columns: &[String]) -> Box<Fault> {
    let message = match rows {
        Some(rows) => {
            format!("the statement would read about {rows} rows, may read {most}, and was not run")
        }
        None => format!("the statement read more than the {most} rows that it may, and was ended"),
    };
    unread_rows(message, columns)
}

/// The fault of a statement whose estimate counts rows that the caller may not see.
pub fn too_many_hidden_rows(most: usize, columns: &[String]) -> Box<Fault> {
    let message =
        format!("the statement would read more than the {most} rows that it may, and was not run");
    unread_rows(message, columns)
}

/// The fault of a statement over rows that are not read, with the columns of an index.
fn unread_rows(mut message: String, columns: &[String]) -> Box<Fault> {
    message.push_str(", nothing was changed; narrow the conditions and call again");
    if !columns.is_empty() {
        message.push_str("; the operator helps with an index that begins with ");
        push_quoted_names(&mut message, columns.iter().map(String::as_str));
    }
    fault_after_sending(FaultCode::TooManyRows, message, Next::CorrectArguments, Reached::Yes)
}

/// A text of SQL that is not one statement which reads what it may.
pub fn not_a_query(got: &str) -> Box<Fault> {
    stopped_query(got, None)
}

/// A text of SQL at a word of which the database stopped, with the name that is nearest to it.
pub fn stopped_query(got: &str, nearest: Option<&str>) -> Box<Fault> {
    let expected = "one SELECT over the tables and columns of this tool";
    invalid_argument("sql", expected, got, nearest.map(|name| format!("`{name}`")).as_deref())
}

/// A text of SQL that the database began to run, and ended by a code of its own.
pub fn failing_query(code: Option<&str>) -> Box<Fault> {
    not_a_query(&format!("one that the database ends while it runs{}", code_in_parentheses(code)))
}

fn code_in_parentheses(code: Option<&str>) -> String {
    code.map(|code| format!(" (code {code})")).unwrap_or_default()
}

/// A token of a page that is none, or of another call.
pub fn invalid_page_token() -> Box<Fault> {
    let expected = "`next` of the result before, with the same `where` and `sort`";
    let got = "a text that is none of this call, or one from before a restart";
    invalid_argument("page", expected, got, Some("leave `page` out to begin with the first page"))
}

/// The sentence for values of a result that are cut.
pub fn cut_values_note(
    value_bytes: usize,
    result_bytes: usize,
    places: &[String],
    n_more: usize,
) -> String {
    let mut message = format!(
        "values are cut, because one has at most {value_bytes} bytes and a result {result_bytes}: "
    );
    push_quoted_names(&mut message, places.iter().map(String::as_str));
    if n_more > 0 {
        message.push_str(&format!(" and {n_more} more"));
    }
    message
}

/// The sentence for rows of a result that are not shown.
pub fn left_out_rows_note(shown: usize, fetched: usize, most: usize) -> String {
    format!(
        "{shown} of {fetched} fetched rows are shown, because a result has at most {most} bytes; ask for the next page, or with a smaller `limit`"
    )
}

/// A call that may have been executed although the connection broke.
pub fn lost_connection(effect: Effect, may_be_committed: Committed) -> Box<Fault> {
    match may_be_committed {
        Committed::Maybe => super::unreachable(Reached::Maybe, effect),
        Committed::No => {
            let message =
                "the connection to the database broke, and nothing was changed; try again later";
            fault_after_sending(FaultCode::Unreachable, message, Next::TryLater, Reached::Yes)
        }
    }
}

/// The state of a change after its connection broke.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a change is either known not to be made, or not known"
)]
pub enum Committed {
    /// It may have been made.
    Maybe,
    /// It was not made.
    No,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::MAX_MESSAGE;

    #[test]
    fn every_message_about_a_database_is_short_and_says_what_to_do() {
        let faults = [
            not_found("orders"),
            row_changed("orders"),
            reviewed_rows_changed(),
            missing_referenced_row(["customer"].into_iter()),
            constraint_violated("another row has these values", ["orders_no_key"]),
            too_many_rows(7, 1),
            ambiguous_key("orders"),
            too_many_rows_to_read(
                Some(2_000_000),
                10_000,
                &["note".to_owned(), "total".to_owned()],
            ),
            too_many_rows_to_read(None, 10_000, &[]),
            conflict(),
            stale_description(),
            denied_access(),
            uncomputed_value(None),
            value_not_taken(),
            too_large_row_or_value(),
            unavailable(),
            rolled_back_in_time(10.0),
            refused_statement(Some("XX000")),
            full_disk(),
            read_only(),
            unable_server(Some("58030")),
            callgate_internal_fault(Some("42601")),
            lost_connection(Effect::Write, Committed::No),
        ];
        for fault in faults {
            assert!(fault.message.len() <= MAX_MESSAGE / 2, "{}", fault.message);
            assert!(
                fault.message.contains("nothing")
                    || fault.message.contains("rolled back")
                    || fault.next == Next::GiveUp,
                "{}",
                fault.message
            );
        }
        assert_eq!(lost_connection(Effect::Write, Committed::Maybe).reached, Reached::Maybe);
    }
}
