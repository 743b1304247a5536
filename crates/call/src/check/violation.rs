//! The text of a validation fault: turns the results of a check into problems in our own words, which quote as little of a
//! value as possible. Knows only the argument that it is given.

use callgate_tool::{Problem, Value, nearest};

use super::{
    alternative::meant_alternative_violations,
    budget::Paid,
    convert::container_from_text,
    instance::{Instance, Types},
    node::{Limit, Rule},
    run::{Breach, MOST, Run, Segment, Violation},
};
use crate::wording;

/// The argument that a value is a part of, and whether the value may be shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckedArgument<'a> {
    pub(crate) argument: &'a str,
    pub(crate) privacy: Privacy,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Privacy {
    /// The value came from the session and may be a token.
    Private,
    Public,
}

pub(crate) fn explained_problems<'p, 'v>(
    run: &mut Run<'p, 'v>,
    violations: &[Violation<'p, 'v>],
    place: CheckedArgument<'_>,
) -> Paid<Vec<Problem>> {
    let mut problems = Vec::new();
    let mut explainer = Explainer { run, place, problems: &mut problems };
    violations.iter().try_for_each(|violation| explainer.explain_violation(violation, DEPTH))?;
    Ok(problems)
}

/// The types that a value may be converted to: the expected types of all branches together, if only the type is wrong. None if a
/// branch takes values of this kind and refuses this one for another reason: a number out of bounds is no text.
pub(crate) fn conversion_types<'p, 'v>(
    run: &mut Run<'p, 'v>,
    violation: &Violation<'p, 'v>,
) -> Paid<Types> {
    let due = expected_types(run, violation, DEPTH)?;
    let is_meant = !due.is_empty() && allows_kind(run, violation, DEPTH)?;
    Ok(if is_meant { Types::NONE } else { due })
}

/// The location in the argument: `owner.labels[2]`.
pub(crate) fn dotted_path(argument: &str, path: &[Segment<'_>]) -> String {
    let mut shown = argument.to_owned();
    for segment in path {
        match segment {
            Segment::Index(at) => shown.push_str(&format!("[{at}]")),
            Segment::Name(name) => shown.extend([".", name]),
        }
    }
    shown
}

fn expected_types<'p, 'v>(
    run: &mut Run<'p, 'v>,
    violation: &Violation<'p, 'v>,
    depth: usize,
) -> Paid<Types> {
    let nodes = match violation.breach {
        Breach::Type(types) => return Ok(types),
        Breach::Rule(Rule::AnyOf(nodes) | Rule::OneOf(nodes)) if depth > 0 => nodes,
        _ => return Ok(Types::NONE),
    };
    let mut due = Types::NONE;
    for node in nodes {
        let branch = run.violations(node, violation.at, &[])?;
        for inner in branch.iter().filter(|inner| inner.path.is_empty()) {
            due = due.union(expected_types(run, inner, depth - 1)?);
        }
    }
    Ok(due)
}

/// True if what is violated is meant for values of this kind, by its types or the values that it lists.
fn allows_kind<'p, 'v>(
    run: &mut Run<'p, 'v>,
    violation: &Violation<'p, 'v>,
    depth: usize,
) -> Paid<bool> {
    let kind = Types::of_kind(violation.at);
    let is_like = |value: &Value| Types::of_kind(Instance::Value(value)) == kind;
    let nodes = match violation.breach {
        Breach::Type(types) => return Ok(types.overlaps(kind)),
        Breach::Rule(Rule::AnyOf(nodes) | Rule::OneOf(nodes)) if depth > 0 => nodes,
        Breach::Rule(Rule::Const(value)) => return Ok(is_like(value)),
        Breach::Rule(Rule::Enum(options)) => return Ok(options.values().iter().any(is_like)),
        Breach::Rule(Rule::Never) => return Ok(false),
        _ => return Ok(true),
    };
    for node in nodes {
        let branch = run.violations(node, violation.at, &[])?;
        let mut takes = true;
        for inner in branch.iter().filter(|inner| inner.path.is_empty()) {
            takes = takes && allows_kind(run, inner, depth - 1)?;
        }
        if takes {
            return Ok(true);
        }
    }
    Ok(false)
}

struct Explainer<'r, 'p, 'v> {
    run: &'r mut Run<'p, 'v>,
    place: CheckedArgument<'r>,
    problems: &'r mut Vec<Problem>,
}

impl<'p, 'v> Explainer<'_, 'p, 'v> {
    fn explain_violation(&mut self, violation: &Violation<'p, 'v>, depth: usize) -> Paid {
        if self.problems.len() >= MOST {
            return Ok(());
        }
        let at = dotted_path(self.place.argument, &violation.path);
        match &violation.breach {
            Breach::Missing(name) => {
                self.problems.push(wording::missing_argument(format!("{at}.{name}"), "a value"));
            }
            Breach::MissingEither(names) => {
                let [first, others @ ..] = &**names else { return Ok(()) };
                let mut expected = String::from("a value, or one for ");
                wording::push_quoted_names(&mut expected, others.iter().copied());
                self.problems.push(wording::missing_argument(format!("{at}.{first}"), &expected));
            }
            Breach::MissingTag(name, values) => {
                self.problems.push(wording::missing_argument(
                    format!("{at}.{name}"),
                    &listed_values_text(values),
                ));
            }
            Breach::Unexpected(unexpected, properties) => {
                let names: Vec<_> = properties.names().collect();
                self.report_unexpected_properties(&at, unexpected, &names);
            }
            Breach::Unevaluated(unexpected, node) => {
                let names = self.run.declared_property_names(node);
                self.report_unexpected_properties(&at, unexpected, &names);
            }
            Breach::Rule(Rule::AnyOf(nodes) | Rule::OneOf(nodes)) if depth > 0 => {
                match meant_alternative_violations(self.run, nodes, violation)? {
                    Some(branch) if branch.is_empty() => {
                        let expected = "a value of one of the declared shapes alone";
                        self.report_problem(at, expected.to_owned(), violation);
                    }
                    Some(branch) => {
                        return branch
                            .iter()
                            .try_for_each(|inner| self.explain_violation(inner, depth - 1));
                    }
                    None => {
                        let types = expected_types(self.run, violation, depth)?;
                        self.report_problem(
                            at,
                            type_expectation(expected_types_of_kind(types, violation)),
                            violation,
                        );
                    }
                }
            }
            breach => self.report_problem(at, expected_text(breach), violation),
        }
        Ok(())
    }

    fn report_unexpected_properties(&mut self, at: &str, unexpected: &[&str], names: &[&str]) {
        for name in unexpected {
            let mut problem = wording::unknown_argument(name, names.iter().copied());
            problem.at = format!("{at}.{}", problem.at);
            "an unknown property".clone_into(&mut problem.got);
            self.problems.push(problem);
        }
    }

    fn report_problem(&mut self, at: String, expected: String, violation: &Violation<'_, '_>) {
        let got = match (violation.at, self.place.privacy) {
            (Instance::Name(_), _) => "a name".to_owned(),
            (Instance::Value(value), Privacy::Private) => value.kind().to_owned(),
            (Instance::Value(_), Privacy::Public) if has_expected_json_text(violation) => {
                wording::JSON_IN_TEXT.to_owned()
            }
            (Instance::Value(value), Privacy::Public) => wording::value_description(value),
        };
        self.problems.push(Problem { at, expected, got, suggestion: nearest_option(violation) });
    }
}

/// True for a text that holds as JSON what is expected in its place.
fn has_expected_json_text(violation: &Violation<'_, '_>) -> bool {
    let Breach::Type(types) = violation.breach else { return false };
    violation.at.text().is_some_and(|text| container_from_text(text, types).is_some())
}

/// The types that are meant for values of this kind, if there are any; else all.
fn expected_types_of_kind(types: Types, violation: &Violation<'_, '_>) -> Types {
    let own = types.intersection(Types::of_kind(violation.at));
    if own.is_empty() { types } else { own }
}

fn type_expectation(types: Types) -> String {
    if types.is_empty() {
        "a value of one of the declared shapes".to_owned()
    } else {
        types.type_words()
    }
}

fn expected_text(breach: &Breach<'_, '_>) -> String {
    let rule = match breach {
        Breach::Rule(rule) => rule,
        Breach::Type(types) => return types.type_words(),
        Breach::UnknownTag(values) => return listed_values_text(values),
        Breach::Missing(_)
        | Breach::MissingEither(_)
        | Breach::MissingTag(..)
        | Breach::Unevaluated(..)
        | Breach::Unexpected(..) => return String::new(),
    };
    match rule {
        Rule::AnyOf(_) | Rule::OneOf(_) => type_expectation(Types::NONE),
        Rule::Const(value) => format!("`{}`", wording::shortened_text(&value.text_or_json())),
        Rule::Enum(options) => listed_values_text(&options.values().iter().collect::<Vec<_>>()),
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
            format!("text that matches `{}`", wording::shortened_text(pattern.as_str()))
        }
        Rule::UniqueItems => "items that differ from each other".to_owned(),
        other => format!("a value that meets `{}`", keyword_without_sentence(other)),
    }
}

/// The keyword of a rule that has no sentence of its own.
fn keyword_without_sentence(rule: &Rule) -> &'static str {
    match rule {
        Rule::Contains(_) => "contains",
        Rule::Not(_) => "not",
        Rule::PropertyNames(_) => "propertyNames",
        _ => "schema",
    }
}

fn listed_values_text(values: &[&Value]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for value in values {
        let text = value.text_or_json();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let mut expected = String::from(if texts.len() == 1 { "" } else { "one of " });
    wording::push_quoted_names(&mut expected, texts.iter().map(String::as_str));
    expected
}

fn nearest_option(violation: &Violation<'_, '_>) -> Option<String> {
    let values: Vec<&Value> = match &violation.breach {
        Breach::Rule(Rule::Enum(options)) => options.values().iter().collect(),
        Breach::UnknownTag(values) => values.clone(),
        _ => return None,
    };
    let option_texts = values.into_iter().filter_map(Value::as_str);
    let meant = nearest(violation.at.text()?, option_texts);
    meant.map(|option_text| format!("`{}`", wording::shortened_text(option_text)))
}

/// The most levels of nested branches that are explained.
const DEPTH: usize = 8;
