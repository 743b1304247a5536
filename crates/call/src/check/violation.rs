//! Turns the results of a check into problems in our own words, which quote as little of a value as possible. Knows only
//! the argument that it is given.

use callgate_tool::{Problem, Value, nearest};

use super::{
    budget::Spent,
    instance::{Instance, Types},
    node::{Limit, Node, Rule},
    run::{Breach, MOST, Run, Segment, Violation},
};
use crate::wording;

/// The argument that a value is a part of, and whether the value may be shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckedArgument<'a> {
    /// The argument.
    pub(crate) argument: &'a str,
    /// Says whether the value may be shown.
    pub(crate) privacy: Privacy,
}

/// Says whether a value may be shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Privacy {
    /// The value came from the session and may be a token.
    Private,
    /// The model wrote the value.
    Public,
}

/// The problems that explain violations.
pub(crate) fn explain<'p, 'v>(
    run: &mut Run<'p, 'v>,
    violations: &[Violation<'p, 'v>],
    place: CheckedArgument<'_>,
) -> Result<Vec<Problem>, Spent> {
    let mut problems = Vec::new();
    let mut explainer = Explainer { run, place, problems: &mut problems };
    violations.iter().try_for_each(|violation| explainer.explain(violation, DEPTH))?;
    Ok(problems)
}

/// The expected types at a violation, if only the type is wrong: the types of all branches together.
pub(crate) fn types_due<'p, 'v>(
    run: &mut Run<'p, 'v>,
    violation: &Violation<'p, 'v>,
) -> Result<Types, Spent> {
    types_within(run, violation, DEPTH)
}

/// The location in the argument: `owner.labels[2]`.
pub(crate) fn path_of(argument: &str, path: &[Segment<'_>]) -> String {
    let mut shown = argument.to_owned();
    for segment in path {
        match segment {
            Segment::Index(at) => shown.push_str(&format!("[{at}]")),
            Segment::Name(name) => shown.extend([".", name]),
        }
    }
    shown
}

fn types_within<'p, 'v>(
    run: &mut Run<'p, 'v>,
    violation: &Violation<'p, 'v>,
    depth: usize,
) -> Result<Types, Spent> {
    let nodes = match violation.breach {
        Breach::Type(types) => return Ok(types),
        Breach::Rule(Rule::AnyOf(nodes) | Rule::OneOf(nodes)) if depth > 0 => nodes,
        _ => return Ok(Types::NONE),
    };
    let mut due = Types::NONE;
    for node in nodes {
        let branch = run.violations(node, violation.at, &[])?;
        for inner in branch.iter().filter(|inner| inner.path.is_empty()) {
            due = due.and(types_within(run, inner, depth - 1)?);
        }
    }
    Ok(due)
}

struct Explainer<'r, 'p, 'v> {
    run: &'r mut Run<'p, 'v>,
    place: CheckedArgument<'r>,
    problems: &'r mut Vec<Problem>,
}

impl<'p, 'v> Explainer<'_, 'p, 'v> {
    fn explain(&mut self, violation: &Violation<'p, 'v>, depth: usize) -> Result<(), Spent> {
        if self.problems.len() >= MOST {
            return Ok(());
        }
        let at = path_of(self.place.argument, &violation.path);
        match &violation.breach {
            Breach::Missing(name) => {
                self.problems.push(wording::missing(format!("{at}.{name}"), "a value"));
            }
            Breach::Unexpected(unexpected, properties) => {
                let names: Vec<_> = properties.names().collect();
                self.unexpected(&at, unexpected, &names);
            }
            Breach::Unevaluated(unexpected, node) => {
                let names = self.run.names(node);
                self.unexpected(&at, unexpected, &names);
            }
            Breach::Rule(Rule::AnyOf(nodes) | Rule::OneOf(nodes)) if depth > 0 => {
                match self.meant(nodes, violation)? {
                    Some(branch) if branch.is_empty() => {
                        let expected = "a value of one of the declared shapes alone";
                        self.problem(at, expected.to_owned(), violation);
                    }
                    Some(branch) => {
                        return branch.iter().try_for_each(|inner| self.explain(inner, depth - 1));
                    }
                    None => {
                        let types = types_within(self.run, violation, depth)?;
                        self.problem(at, shapes(types), violation);
                    }
                }
            }
            breach => self.problem(at, expected(breach), violation),
        }
        Ok(())
    }

    fn unexpected(&mut self, at: &str, unexpected: &[&str], names: &[&str]) {
        for name in unexpected {
            let mut problem = wording::unknown_argument(name, names.iter().copied());
            problem.at = format!("{at}.{}", problem.at);
            "an unknown property".clone_into(&mut problem.got);
            self.problems.push(problem);
        }
    }

    fn problem(&mut self, at: String, expected: String, violation: &Violation<'_, '_>) {
        let got = match (violation.at, self.place.privacy) {
            (Instance::Name(_), _) => "a name".to_owned(),
            (Instance::Value(value), Privacy::Private) => value.kind().to_owned(),
            (Instance::Value(value), Privacy::Public) => wording::shown(value),
        };
        self.problems.push(Problem { at, expected, got, suggestion: nearest_option(violation) });
    }

    /// Explains a violation of several branches by the branch that the value was most likely meant for: a branch whose type
    /// fits, with the fewest violations and, of those, the fewest missing members.
    fn meant(
        &mut self,
        nodes: &'p [Node],
        violation: &Violation<'p, 'v>,
    ) -> Result<Option<Vec<Violation<'p, 'v>>>, Spent> {
        let is_other_type = |inner: &Violation<'_, '_>| {
            inner.path.len() == violation.path.len()
                && matches!(
                    inner.breach,
                    Breach::Type(_) | Breach::Rule(Rule::Const(_) | Rule::Enum(_))
                )
        };
        let is_missing = |inner: &&Violation<'_, '_>| {
            inner.path.len() == violation.path.len() && matches!(inner.breach, Breach::Missing(_))
        };
        let mut best: Option<((usize, usize), Vec<_>)> = None;
        for node in nodes {
            let branch = self.run.violations(node, violation.at, &violation.path)?;
            let rank = (branch.len(), branch.iter().filter(is_missing).count());
            let is_better = best.as_ref().is_none_or(|(least, _)| rank < *least);
            if is_better && !branch.iter().any(is_other_type) {
                best = Some((rank, branch));
            }
        }
        Ok(best.map(|(_, branch)| branch))
    }
}

fn shapes(types: Types) -> String {
    if types.is_empty() {
        "a value of one of the declared shapes".to_owned()
    } else {
        types.words()
    }
}

fn expected(breach: &Breach<'_, '_>) -> String {
    let rule = match breach {
        Breach::Rule(rule) => rule,
        Breach::Type(types) => return types.words(),
        Breach::Missing(_) | Breach::Unevaluated(..) | Breach::Unexpected(..) => {
            return String::new();
        }
    };
    match rule {
        Rule::AnyOf(_) | Rule::OneOf(_) => shapes(Types::NONE),
        Rule::Const(value) => format!("`{}`", wording::shortened(&text(value))),
        Rule::Enum(options) => one_of(options.values()),
        Rule::Format(format) => {
            format!("text of the format `{}`, such as `{}`", format.name(), format.example())
        }
        Rule::Limit(limit, bound) => {
            let words = match limit {
                Limit::ExclusiveMaximum => "less than",
                Limit::ExclusiveMinimum => "more than",
                Limit::Maximum => "at most",
                Limit::Minimum => "at least",
                Limit::MultipleOf => "a multiple of",
            };
            format!("{words} {bound}")
        }
        Rule::MaxItems(limit) => format!("at most {limit} items"),
        Rule::MaxLength(limit) => format!("at most {limit} characters"),
        Rule::MaxProperties(limit) => format!("at most {limit} members"),
        Rule::MinItems(limit) => format!("at least {limit} items"),
        Rule::MinLength(limit) => format!("at least {limit} characters"),
        Rule::MinProperties(limit) => format!("at least {limit} members"),
        Rule::Never => "nothing: it may not be sent".to_owned(),
        Rule::Pattern(pattern) => {
            format!("text that matches `{}`", wording::shortened(pattern.as_str()))
        }
        Rule::UniqueItems => "items that differ from each other".to_owned(),
        other => format!("a value that meets `{}`", keyword(other)),
    }
}

/// The keyword of a rule that has no sentence of its own.
fn keyword(rule: &Rule) -> &'static str {
    match rule {
        Rule::Contains(_) => "contains",
        Rule::Not(_) => "not",
        Rule::PropertyNames(_) => "propertyNames",
        _ => "schema",
    }
}

fn one_of(options: &[Value]) -> String {
    let texts: Vec<_> = options.iter().map(text).collect();
    let mut expected = String::from("one of ");
    wording::push_list(&mut expected, texts.iter().map(String::as_str));
    expected
}

fn nearest_option(violation: &Violation<'_, '_>) -> Option<String> {
    let Breach::Rule(Rule::Enum(options)) = violation.breach else { return None };
    let known = options.values().iter().filter_map(Value::as_str);
    let meant = nearest(violation.at.text()?, known);
    meant.map(|known| format!("`{}`", wording::shortened(known)))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The most levels of nested branches that are explained.
const DEPTH: usize = 8;
