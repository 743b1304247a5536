//! Checks the arguments and results of a tool that is not an operation strictly against its schemas. No other
//! crate sees which evaluator runs.

use callgate_tool::{Arguments, Effect, Fault, Problem, Value};

use crate::{
    check::{Evaluator, Verdict},
    wording,
};

/// The schema of a tool's arguments, ready to check them.
///
/// ```
/// use callgate_call::ArgumentCheck;
/// use callgate_tool::Arguments;
/// use callgate_tool::json;
///
/// let check = ArgumentCheck::new(json!({"type": "object", "required": ["zone"]}));
/// let fault = check.check(&Arguments::new()).unwrap_err();
/// assert_eq!(fault.problems[0].at, "zone");
/// ```
#[derive(Debug)]
pub struct ArgumentCheck(Evaluator);

impl ArgumentCheck {
    /// Takes an object schema over all arguments. Unknown keywords are not checked.
    pub fn new(schema: Value) -> Self {
        Self(Evaluator::new(schema).without_format_checks())
    }

    /// Checks arguments.
    ///
    /// # Errors
    /// A fault that lists every violation.
    pub fn check(&self, arguments: &Arguments) -> Result<(), Box<Fault>> {
        let problems = value_problems(&self.0, &Value::Object(arguments.clone()), "arguments");
        if problems.is_empty() { Ok(()) } else { Err(wording::invalid_arguments(problems)) }
    }
}

/// The schema of a tool's results, ready to check the results of a client or of a program's own tool.
///
/// ```
/// use callgate_call::OutputCheck;
/// use callgate_tool::json;
///
/// let check = OutputCheck::new(json!({"type": "object", "required": ["name"]}));
/// assert_eq!(check.check(&json!({})).unwrap_err().problems[0].at, "name");
/// ```
#[derive(Debug)]
pub struct OutputCheck(Evaluator);

impl OutputCheck {
    /// Takes a schema. Unknown keywords are not checked.
    pub fn new(schema: Value) -> Self {
        Self(Evaluator::new(schema).without_format_checks())
    }

    /// Checks a client's result.
    ///
    /// # Errors
    /// A fault that lists every violation.
    pub fn check(&self, output: &Value) -> Result<(), Box<Fault>> {
        let problems = self.output_problems(output);
        if problems.is_empty() { Ok(()) } else { Err(wording::client::unexpected_answer(problems)) }
    }

    /// Checks the result of a tool that ran, which had this effect.
    ///
    /// # Errors
    /// A fault that lists every violation and has the result as its body.
    pub fn check_own_result(&self, output: &Value, effect: Effect) -> Result<(), Box<Fault>> {
        let problems = self.output_problems(output);
        if problems.is_empty() {
            return Ok(());
        }
        Err(wording::own_tool::unexpected_result(problems, output.clone(), effect))
    }

    fn output_problems(&self, output: &Value) -> Vec<Problem> {
        let mut problems = value_problems(&self.0, output, "output");
        for problem in problems.iter_mut().filter(|problem| problem.at.is_empty()) {
            "output".clone_into(&mut problem.at);
        }
        problems
    }
}

/// All problems of a value; the value as a whole is called `whole`.
fn value_problems(evaluator: &Evaluator, value: &Value, whole: &str) -> Vec<Problem> {
    let evaluated = evaluator.evaluate("", value);
    let mut problems = match evaluated.verdict {
        Verdict::Invalid => evaluated.problems,
        Verdict::TooDear => vec![wording::check_too_expensive(whole.to_owned())],
        Verdict::Valid => Vec::new(),
    };
    for problem in &mut problems {
        problem.at = problem.at.trim_start_matches('.').to_owned();
    }
    problems
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn json_in_a_text_is_refused_with_what_to_do_where_nothing_is_converted() {
        let kinds = json!({"where": {"type": "object"}, "note": {"type": ["object", "string"]}});
        let check = ArgumentCheck::new(json!({"type": "object", "properties": kinds}));
        let text = json!({"where": "{\"no\": 1}", "note": "{}"});
        let fault = check.check(text.as_object().unwrap()).unwrap_err();
        assert_eq!(
            fault.message,
            "`where`: expected object, got JSON in a text: give it without quotes around it; correct and call again"
        );
        let other = json!({"where": "[1]"});
        let fault = check.check(other.as_object().unwrap()).unwrap_err();
        assert!(!fault.message.contains("quotes"), "{}", fault.message);
    }
}
