//! Sentences about calls that search data stores. They hold nothing that the service wrote.

use callgate_tool::{Effect, Fault, FaultCode, Next};

use super::{
    fault_with_problems, fault_with_status, invalid_argument, invalid_arguments, problem,
    shortened_text,
};

/// A condition of the operator reads a value that the session lacks, or that the condition cannot take.
pub fn missing_value(field: &str, reference: &str) -> Box<Fault> {
    let expected = format!("`{reference}` in the session, in the form that the condition takes");
    let remedy = format!("set `{reference}` before the call");
    let got = "nothing, or another value";
    let missing = problem(shortened_text(field), expected, got, Some(&remedy));
    let advice = "; the value comes from the session, not from arguments";
    fault_with_problems(FaultCode::MissingSessionValue, vec![missing], advice, Next::GiveUp)
}

/// A condition of a model has a value that its field does not take.
pub fn wrong_condition(at: &str, expected: &str) -> Box<Fault> {
    let at =
        if at.is_empty() { "where".to_owned() } else { format!("where.{}", shortened_text(at)) };
    invalid_argument(&at, expected, "another value", None)
}

/// The text of a filter that a model gave is none.
pub fn wrong_filter(why: &str) -> Box<Fault> {
    let why = why.strip_prefix("expected ").unwrap_or(why);
    let (expected, got) = why.rsplit_once(", got ").unwrap_or((why, "another text"));
    invalid_arguments(vec![problem("filter", expected, shortened_text(got), None)])
}

/// A filter has a text or a number that the service has no literal for.
pub fn unwritable(at: &str) -> Box<Fault> {
    let expected = "texts without control characters, and numbers in the range of a double";
    invalid_argument(at, expected, "another value", None)
}

/// The response is no JSON object, which results of searches are.
pub fn result_not_an_object() -> Box<Fault> {
    super::answer::undecodable_content(Effect::Read)
}

/// The service found documents and wrote no answer.
pub fn no_answer() -> Box<Fault> {
    let message = "the service could not write an answer; try again later, or search for passages";
    fault_with_status(FaultCode::ServiceError, 200, message, Next::TryLater)
}
