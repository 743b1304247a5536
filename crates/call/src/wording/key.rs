//! Sentences about keys of a request that have another writer.

use callgate_openapi::Writer;
use callgate_tool::{Fault, FaultCode, Next};

use super::{fault_with_problems, problem, refused_request, shortened_text};

/// A member of a value would be written under a key that has another writer.
pub(crate) fn key_of_another_fault(at: &str, noun: &str, key: &str, writer: &Writer) -> Box<Fault> {
    let expected = format!("members whose names are no {noun} of another input");
    let got = format!("the {noun} `{}`, which {writer} writes", shortened_text(key));
    let problems = vec![problem(at, expected, got, None)];
    let advice = "; leave that member out and call again";
    fault_with_problems(FaultCode::Refused, problems, advice, Next::CorrectArguments)
}

pub(crate) fn denied_header(at: &str) -> Box<Fault> {
    refused_request(&format!("`{at}` is written to a header that arguments may not set"))
}

/// A whole query string is given beside single values of the query.
pub(crate) fn whole_query_beside_values(at: &str) -> Box<Fault> {
    let got = "other values of the query beside it";
    let problems = vec![problem(at, "to be the whole query string", got, None)];
    let advice = "; leave out either and call again";
    fault_with_problems(FaultCode::Refused, problems, advice, Next::CorrectArguments)
}

/// A whole query string that is not a form cannot stand beside the query of the path.
pub(crate) fn whole_beside_fixed_query(at: &str) -> Box<Fault> {
    refused_request(&format!(
        "`{at}` is the whole query string, and the path has values of the query"
    ))
}

pub(crate) fn cookie_has_own_argument(name: &str) -> Box<Fault> {
    refused_request(&format!(
        "a whole cookie header sets the cookie `{name}`, which is an argument of its own"
    ))
}
