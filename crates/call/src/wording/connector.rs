//! Sentences about calls of a connection's tools. They hold nothing that the system behind the connection wrote.

use callgate_tool::{Fault, FaultCode, Next, Problem};

use super::{fault, fault_with_problems, problem};

/// The conditions, the id or the fields of a call cannot be sent.
pub fn wrong_conditions(problems: Vec<Problem>) -> Box<Fault> {
    fault_with_problems(
        FaultCode::InvalidArguments,
        problems,
        "; correct and call again",
        Next::CorrectArguments,
    )
}

/// A value that a statement needs is missing in the session, at this place.
pub fn no_session_value(place: String) -> Box<Fault> {
    let expected = "a text, a number or a boolean that is not empty";
    let problem = problem(place, expected, "nothing, or another value", None);
    super::missing_session_value(vec![problem], Next::GiveUp)
}

/// The connection was not described when its toolset was loaded.
pub fn undescribed_connection() -> Box<Fault> {
    let message = "the connection could not be read when its tools were loaded, nothing was sent; try again later";
    fault(FaultCode::Unreachable, message, Next::TryLater)
}

/// The result is no JSON object, which results of connections are.
pub fn result_not_an_object(effect: callgate_tool::Effect) -> Box<Fault> {
    super::answer::undecodable_content(effect)
}
