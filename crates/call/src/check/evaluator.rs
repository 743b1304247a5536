//! A schema that values are strictly checked against, for callers with a schema but no operation.

use callgate_tool::{Problem, Value};

use super::{
    budget::{Budget, Paid, Spent},
    compile::{Fragment, UnknownKeyword},
    instance::Instance,
    program::{Formats, Program, Scope},
    run::{Overlap, Run},
    violation::{CheckedArgument, Privacy, explained_problems},
};

/// A JSON Schema 2020-12 that values are checked against.
///
/// ```
/// use callgate_call::{Evaluator, Verdict};
/// use callgate_tool::json;
///
/// let evaluator = Evaluator::new(json!({"type": "object", "properties": {"n": {"type": "integer"}}}));
/// assert_eq!(evaluator.evaluate("pet", &json!({"n": 1})).verdict, Verdict::Valid);
/// let evaluated = evaluator.evaluate("pet", &json!({"n": "one"}));
/// assert_eq!(evaluated.verdict, Verdict::Invalid);
/// assert_eq!(evaluated.problems[0].at, "pet.n");
/// ```
#[derive(Debug)]
pub struct Evaluator {
    schema: Value,
    program: Program,
    root: Fragment,
    formats: Formats,
}

/// The result of a check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Evaluated {
    /// The verdict on the value.
    pub verdict: Verdict,
    /// The problems with the value.
    pub problems: Vec<Problem>,
    /// The number of times that a schema was applied to a value.
    pub steps: usize,
    /// The most bytes that the check held at one time.
    pub bytes: usize,
}

/// The verdict on a value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Verdict {
    /// The value does not meet the schema.
    Invalid,
    /// The verdict is unknown: it takes more than the budget of one check.
    TooDear,
    /// The value meets the schema.
    Valid,
}

impl Evaluator {
    /// Compiles a schema. Definitions are compiled on first use.
    pub fn new(schema: Value) -> Self {
        let program = Program::new(&schema);
        let root = Scope::new(&program, &schema).compile("");
        let root = root.unwrap_or_else(Fragment::accept_all);
        Self { schema, program, root, formats: Formats::Asserted }
    }

    /// Takes `format` as a description that checks nothing, as for the arguments of a call.
    #[must_use]
    pub(crate) fn without_format_checks(self) -> Self {
        Self { formats: Formats::Described, ..self }
    }

    /// The JSON pointers of keywords that are not applied: unknown keywords, keywords with invalid values, and patterns
    /// that are too large for the engine.
    pub fn unknown_keywords(&self) -> Vec<String> {
        let unknown = Scope::new(&self.program, &self.schema).unapplied_keywords(&self.root);
        unknown.into_iter().map(|UnknownKeyword(pointer)| pointer).collect()
    }

    /// Checks a value; problems call the value `name`.
    pub fn evaluate(&self, name: &str, value: &Value) -> Evaluated {
        let scope = Scope::new(&self.program, &self.schema).with_formats(self.formats);
        let mut run = Run::new(scope, Budget::new(Budget::CALL), Overlap::Refused);
        let checked = self.problems_if_invalid(&mut run, name, value);
        let (verdict, problems) = match checked {
            Err(Spent::Depth | Spent::Steps) => (Verdict::TooDear, Vec::new()),
            Ok(None) => (Verdict::Valid, Vec::new()),
            Ok(Some(problems)) => (Verdict::Invalid, problems),
        };
        let steps = Budget::CALL - run.budget.steps_left();
        Evaluated { verdict, problems, steps, bytes: run.peak_bytes() }
    }

    fn problems_if_invalid<'p>(
        &'p self,
        run: &mut Run<'p, 'p>,
        name: &str,
        value: &'p Value,
    ) -> Paid<Option<Vec<Problem>>> {
        let at = Instance::Value(value);
        if run.is_valid(&self.root.node, at)? {
            return Ok(None);
        }
        let violations = run.violations(&self.root.node, at, &[])?;
        let place = CheckedArgument { argument: name, privacy: Privacy::Public };
        explained_problems(run, &violations, place).map(Some)
    }
}
