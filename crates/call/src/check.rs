//! Checks filled inputs against the description: unknown and missing arguments and every violation of a schema at
//! once. A value of another type is converted where nothing is lost. Values come from `inputs`, sentences from
//! `wording` and `violation`.

use std::{borrow::Cow, cell::OnceCell, fmt};

use callgate_openapi::{Input, NestedInput, Source};
use callgate_tool::{ArgumentName, Arguments, Event, Fault, Journal, Next, Object, Problem, Value};
use jsonschema::{PatternOptions, Registry, ValidationError, Validator};

use crate::{
    convert::{converted, holds_fraction, make_whole},
    formats,
    inputs::{Filling, Fillings, Origin, Subject, has_body, holds, take_away},
    violation::{self, Place, Privacy},
    wording,
};

/// The compiled schemas of an operation's inputs, in the order of the inputs.
pub(crate) struct Checks(Box<[Option<Check>]>);

struct Check {
    validator: Validator,
    nullable: bool,
}

impl Checks {
    /// Compiles the members of `schema`, an object schema over all arguments. A schema that does not compile is tried
    /// again without its patterns, and is no check at all when that fails too.
    pub(crate) fn compile<'a>(schema: &Value, names: impl Iterator<Item = &'a str>) -> Self {
        let schema = &*formats::sure(schema);
        let (bare, bare_registry) = (OnceCell::new(), OnceCell::new());
        let whole = schema.to_serde_json();
        let whole = registry(&whole);
        let checks = names.map(|name| {
            let validator = compile_one(whole.as_ref(), name).or_else(|| {
                let bare = || bare.get_or_init(|| without_patterns(schema).to_serde_json());
                let bare = bare_registry.get_or_init(|| registry(bare()));
                compile_one(bare.as_ref(), name)
            })?;
            let nullable = validator.is_valid(&serde_json::Value::Null);
            Some(Check { validator, nullable })
        });
        Self(checks.collect())
    }

    /// Whether the input at a position takes `null`.
    pub(crate) fn is_nullable(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(|check| check.as_ref().is_some_and(|check| check.nullable))
    }
}

impl fmt::Debug for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Checks").field(&self.0.len()).finish()
    }
}

/// Checks and converts `fillings`.
pub(crate) fn check(
    subject: Subject<'_>,
    (checks, schema): (&Checks, &Value),
    arguments: &Arguments,
    fillings: &mut Fillings<'_>,
    journal: &mut Journal,
) -> Result<(), Box<Fault>> {
    let mut findings = Findings::default();
    find_unknown(subject, arguments, &mut findings);
    find_missing(subject, fillings, &mut findings);
    for (at, (input, slot)) in subject.inputs.iter().zip(fillings).enumerate() {
        let (Some(filling), Some(Some(check))) = (slot.as_mut(), checks.0.get(at)) else {
            continue;
        };
        let is_valid = check.validator.is_valid(&filling.value.to_serde_json());
        if is_valid && !holds_fraction(&filling.value) {
            continue;
        }
        let name = input.argument.as_str();
        let Some(own) = schema.get("properties").and_then(|properties| properties.get(name)) else {
            continue;
        };
        let privacy = match filling.origin {
            Origin::Mixed | Origin::Session => Privacy::Private,
            Origin::Default | Origin::Model => Privacy::Public,
        };
        let place = Place { argument: name, schema: own, root: schema, privacy };
        if is_valid {
            write_whole(filling, place);
            continue;
        }
        let mut problems = settle(&check.validator, filling, place, journal);
        if !problems.is_empty() && filling.origin == Origin::Default {
            journal.note(Event::DefaultUnfit { argument: name.to_owned() });
            *slot = None;
            if input.required {
                findings.problems.push(wording::missing(name.to_owned(), "a value"));
            }
            continue;
        }
        let given = arguments.get(name);
        while take_unfit_defaults(subject, (filling, given), &problems, journal) {
            problems = settle(&check.validator, filling, place, journal);
        }
        findings.add(problems, input, filling.origin, subject.nested);
    }
    findings.into_fault()
}

/// What is wrong so far.
#[derive(Debug, Default)]
struct Findings {
    problems: Vec<Problem>,
    session: Option<Next>,
}

impl Findings {
    fn add(
        &mut self,
        problems: Vec<Problem>,
        input: &Input,
        origin: Origin,
        nested: &[NestedInput],
    ) {
        if origin == Origin::Session && !problems.is_empty() {
            self.blame_session(&input.source);
        }
        for problem in problems {
            let hidden = nested
                .iter()
                .find(|nested| !nested.visible && nested.to_string() == problem.at)
                .filter(|_| problem.got == "nothing");
            match hidden {
                Some(nested) => {
                    self.blame_session(&nested.source);
                    self.problems.push(wording::missing_from_session(problem.at, &nested.source));
                }
                None => self.problems.push(problem),
            }
        }
    }

    fn blame_session(&mut self, source: &Source) {
        // What the runtime itself must know, no user can give.
        let next = match source {
            Source::Context(_) => Next::GiveUp,
            Source::Model | Source::Parameter(_) | Source::Payload(_) => Next::AskUser,
        };
        self.session = Some(if self.session == Some(Next::GiveUp) { Next::GiveUp } else { next });
    }

    fn into_fault(self) -> Result<(), Box<Fault>> {
        match self.session {
            Some(next) => Err(wording::missing_session_value(self.problems, next)),
            None if self.problems.is_empty() => Ok(()),
            None => Err(wording::invalid_arguments(self.problems)),
        }
    }
}

fn find_unknown(subject: Subject<'_>, arguments: &Arguments, findings: &mut Findings) {
    let known = |name: &str| subject.inputs.iter().any(|input| input.argument.as_str() == name);
    let n_known = subject
        .inputs
        .iter()
        .filter(|input| arguments.contains_key(input.argument.as_str()))
        .count();
    if n_known == arguments.len() {
        return;
    }
    let content_type = subject.body.and_then(|body| body.content_type.as_ref());
    let content_type = content_type.map(ArgumentName::as_str);
    let allowed = subject
        .inputs
        .iter()
        .filter(|input| input.visible)
        .map(|input| input.argument.as_str())
        .chain(content_type);
    for name in arguments.keys().filter(|name| !known(name)) {
        if content_type != Some(name.as_str()) {
            findings.problems.push(wording::unknown_argument(name, allowed.clone()));
        }
    }
}

fn find_missing(subject: Subject<'_>, fillings: &Fillings<'_>, findings: &mut Findings) {
    let has_body = has_body(subject, fillings);
    for (input, filling) in subject.inputs.iter().zip(fillings) {
        let is_due = input.place() != callgate_openapi::Place::Body || has_body;
        if filling.is_some() || !input.required || !is_due {
            continue;
        }
        let at = input.argument.to_string();
        if input.visible {
            findings.problems.push(wording::missing(at, "a value"));
        } else {
            findings.blame_session(&input.source);
            findings.problems.push(wording::missing_from_session(at, &input.source));
        }
    }
}

/// Takes away the defaults inside a value that break the description's own rules, and answers whether there were any.
/// What the model or the session gave stays.
fn take_unfit_defaults(
    subject: Subject<'_>,
    (filling, given): (&mut Filling<'_>, Option<&Value>),
    problems: &[Problem],
    journal: &mut Journal,
) -> bool {
    let mut n_taken = 0;
    for problem in problems {
        let at = without_indexes(&problem.at);
        let filled = subject.nested.iter().filter(|nested| {
            let is_default = nested.default.is_some() && nested.source == Source::Model;
            is_default && lies_in(&at, &nested.to_string())
        });
        for nested in filled {
            let is_given = given.is_some_and(|given| holds(given, &nested.steps));
            if !is_given && holds(&filling.value, &nested.steps) {
                journal.note(Event::DefaultUnfit { argument: nested.to_string() });
                take_away(filling.value.to_mut(), &nested.steps);
                n_taken += 1;
            }
        }
    }
    n_taken > 0
}

/// `labels[2].text` as `labels[].text`.
fn without_indexes(at: &str) -> String {
    let mut out = String::with_capacity(at.len());
    for (n, piece) in at.split('[').enumerate() {
        let index = piece
            .split_once(']')
            .filter(|(digits, _)| n > 0 && digits.bytes().all(|digit| digit.is_ascii_digit()));
        match index {
            Some((_, rest)) => out.extend(["[]", rest]),
            None if n > 0 => out.extend(["[", piece]),
            None => out.push_str(piece),
        }
    }
    out
}

/// Whether a path is `place` or leads below it.
fn lies_in(at: &str, place: &str) -> bool {
    let rest = at.strip_prefix(place);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn write_whole(filling: &mut Filling<'_>, place: Place<'_>) {
    let mut value = filling.value.clone().into_owned();
    if make_whole(&mut value, place.schema, place.root) {
        filling.value = Cow::Owned(value);
    }
}

/// Converts what can be converted and answers what is still wrong.
fn settle(
    validator: &Validator,
    filling: &mut Filling<'_>,
    place: Place<'_>,
    journal: &mut Journal,
) -> Vec<Problem> {
    let mut value = filling.value.clone().into_owned();
    let mut omitted = Vec::new();
    for _ in 0..ROUNDS {
        let copy = value.to_serde_json();
        let errors: Vec<_> = validator
            .iter_errors(&copy)
            .filter(|error| !violation::is_forgiven(error))
            .take(MAX_VIOLATIONS)
            .collect();
        if errors.is_empty() {
            make_whole(&mut value, place.schema, place.root);
            filling.value = Cow::Owned(value);
            return Vec::new();
        }
        let repairs: Vec<_> = errors.iter().filter_map(|error| repair(error, place)).collect();
        if repairs.is_empty() {
            return explained(&errors, place, &omitted);
        }
        drop(errors);
        for repair in repairs {
            if repair.event_is_null() {
                omitted.push(repair.at.clone());
            }
            repair.apply(&mut value, journal);
        }
    }
    let copy = value.to_serde_json();
    let errors: Vec<_> = validator.iter_errors(&copy).take(MAX_VIOLATIONS).collect();
    explained(&errors, place, &omitted)
}

fn explained(errors: &[ValidationError<'_>], place: Place<'_>, omitted: &[String]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for error in errors {
        violation::explain(error, place, &mut problems);
    }
    for problem in &mut problems {
        if omitted.contains(&problem.at) {
            "null".clone_into(&mut problem.got);
        }
    }
    problems
}

/// One change that loses nothing.
struct Repair {
    /// The JSON pointer of the value.
    pointer: String,
    /// The same as a problem shows it.
    at: String,
    /// The new value; `None` takes a `null` member away.
    value: Option<Value>,
}

impl Repair {
    fn event_is_null(&self) -> bool {
        self.value.is_none()
    }

    fn apply(self, whole: &mut Value, journal: &mut Journal) {
        let Self { pointer, at, value } = self;
        let Some(value) = value else {
            journal.note(Event::NullOmitted { argument: at });
            remove(whole, &pointer);
            return;
        };
        let Some(old) = whole.pointer_mut(&pointer) else { return };
        let (from, to) = (wording::kind(old), wording::kind(&value));
        journal.note(Event::Converted { argument: at, from, to });
        *old = value;
    }
}

fn repair(error: &ValidationError<'_>, place: Place<'_>) -> Option<Repair> {
    let due = violation::types_due(error)?;
    let pointer = error.instance_path().as_str().to_owned();
    let at = violation::path_of(place.argument, error);
    let value = &Value::from(error.instance().clone().into_owned());
    if value.is_null() {
        // Strict mode makes every member required and writes `null` for the optional ones. Whether this one may be
        // absent is seen in the next round.
        return (!pointer.is_empty()).then_some(Repair { pointer, at, value: None });
    }
    Some(Repair { pointer, at, value: Some(converted(value, due)?) })
}

fn remove(whole: &mut Value, pointer: &str) {
    let Some((parent, last)) = pointer.rsplit_once('/') else { return };
    let name = last.replace("~1", "/").replace("~0", "~");
    if let Some(Value::Object(members)) = whole.pointer_mut(parent) {
        members.remove(&name);
    }
}

/// Makes the members of `schema` known to the compiler, once for all of them: it looks at every part of the schema.
fn registry(schema: &serde_json::Value) -> Option<Registry<'_>> {
    Registry::new().add(BASE, schema).ok()?.prepare().ok()
}

fn compile_one(registry: Option<&Registry<'_>>, name: &str) -> Option<Validator> {
    let mut options = jsonschema::options()
        .offline()
        .with_draft(jsonschema::Draft::Draft202012)
        .with_registry(registry?)
        .with_pattern_options(PatternOptions::regex())
        .should_validate_formats(true);
    for format in formats::UNCHECKED {
        options = options.with_format(*format, |_: &str| true);
    }
    options.build(&serde_json::json!({"$ref": format!("{BASE}#/properties/{name}")})).ok()
}

/// `schema` without the patterns, which may be of a dialect the linear engine does not know.
fn without_patterns(schema: &Value) -> Value {
    match schema {
        Value::Array(items) => Value::Array(items.iter().map(without_patterns).collect()),
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, value)| {
                !(*name == "pattern" && value.is_string() || *name == "patternProperties")
            });
            let kept: Object =
                kept.map(|(name, value)| (name.clone(), without_patterns(value))).collect();
            Value::Object(kept)
        }
        other => other.clone(),
    }
}

/// The address of the schema inside the validator; nothing is ever fetched from it.
const BASE: &str = "json-schema:///arguments";
/// A conversion may uncover the next violation; a value nested deeper than this in JSON text stays text.
const ROUNDS: usize = 6;
/// A list of a million wrong items is not told item by item.
const MAX_VIOLATIONS: usize = 50;
