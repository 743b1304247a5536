//! Checks the arguments of a tool that is no operation against its schema, by the letter. Which evaluator runs is nobody
//! else's business.

use std::fmt;

use callgate_tool::{Arguments, Fault, Value};
use jsonschema::{PatternOptions, Validator};

use crate::{
    violation::{Place, Privacy, explain},
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
pub struct ArgumentCheck {
    schema: Value,
    validator: Option<Validator>,
}

impl ArgumentCheck {
    /// Takes an object schema over all arguments. One that cannot be compiled checks nothing.
    pub fn new(schema: Value) -> Self {
        let options = jsonschema::options().offline().with_draft(jsonschema::Draft::Draft202012);
        let options = options.with_pattern_options(PatternOptions::regex());
        let validator = options.should_validate_formats(true).build(&schema.to_serde_json()).ok();
        Self { schema, validator }
    }

    /// Checks arguments.
    ///
    /// # Errors
    /// A fault that names every violation.
    pub fn check(&self, arguments: &Arguments) -> Result<(), Box<Fault>> {
        let Some(validator) = &self.validator else { return Ok(()) };
        let whole = Value::Object(arguments.clone()).to_serde_json();
        let mut problems = Vec::new();
        let (schema, root) = (&self.schema, &self.schema);
        let place = Place { argument: "", schema, root, privacy: Privacy::Public };
        for error in validator.iter_errors(&whole).take(MAX_VIOLATIONS) {
            explain(&error, place, &mut problems);
        }
        if problems.is_empty() {
            return Ok(());
        }
        for problem in &mut problems {
            // The arguments together have no name.
            problem.at = problem.at.trim_start_matches('.').to_owned();
        }
        Err(wording::invalid_arguments(problems))
    }
}

impl fmt::Debug for ArgumentCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArgumentCheck").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// A list of a million wrong items is not told item by item.
const MAX_VIOLATIONS: usize = 50;
