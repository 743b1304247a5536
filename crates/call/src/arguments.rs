//! Checks the arguments of a tool that is no operation against its schema, by the letter. Which evaluator runs is nobody
//! else's business.

use callgate_tool::{Arguments, Fault, Value};

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
    /// Takes an object schema over all arguments. Keywords that are not known check nothing.
    pub fn new(schema: Value) -> Self {
        Self(Evaluator::new(schema))
    }

    /// Checks arguments.
    ///
    /// # Errors
    /// A fault that names every violation.
    pub fn check(&self, arguments: &Arguments) -> Result<(), Box<Fault>> {
        let evaluated = self.0.evaluate("", &Value::Object(arguments.clone()));
        let mut problems = match evaluated.verdict {
            Verdict::Invalid => evaluated.problems,
            Verdict::TooDear => vec![wording::too_dear("arguments".to_owned())],
            Verdict::Valid => return Ok(()),
        };
        for problem in &mut problems {
            // The arguments together have no name.
            problem.at = problem.at.trim_start_matches('.').to_owned();
        }
        Err(wording::invalid_arguments(problems))
    }
}
