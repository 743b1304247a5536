//! Whatever is given, in whatever location and style: a service reads it, the result says what it reads otherwise, or
//! nothing is sent. A required value always leaves a trace. The cases are drawn at random; a reader of the tests' own works
//! backwards from the bytes of the request.

pub(crate) mod case;
mod compare;
pub(crate) mod decode;
pub(crate) mod parts;
mod space;

use crate::prelude::*;
use std::cell::Cell;

use proptest::{prelude::*, test_runner::Config};

use self::{
    case::{Case, Kind, Place, Schema, Version},
    compare::{Differences, Said},
    decode::decoded,
};

/// The comparison of what a service reads with what was given.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Ended {
    /// Nothing is sent.
    Refused,
    /// The result says how what was sent differs.
    Said,
    /// A service reads what was given.
    Same,
}

fn check(case: &Case) -> Result<Ended, TestCaseError> {
    let Some(plan) = case.plan() else {
        prop_assert!(!is_plain(case), "the operation is refused: {}", case.description());
        return Ok(Ended::Refused);
    };
    let (arguments, at) = case.arguments(&plan);
    let shown = format!("{arguments}\n{}", case.description());
    let arguments: Arguments = members(arguments);
    let mut journal = Journal::default();
    let request = match plan.request(&arguments, &Session::default(), &mut journal) {
        Ok(request) => request,
        Err(fault) => {
            prop_assert!(!is_plain(case), "refused: {} {shown}", fault.message);
            return Ok(Ended::Refused);
        }
    };
    let types = case.given.as_ref().or(case.schema.default.as_ref());
    let schema =
        types.map_or_else(|| case.schema.clone(), |value| case.schema.with_types_of(value));
    let wire = format!("{:?}", (request.uri(), request.headers(), request.body()));
    let read = decoded(case, &schema, &request);
    let read = read.map_err(|why| TestCaseError::fail(format!("{why}: {wire} {shown}")))?;
    let said = Said::by(&journal);
    let mut differences = Differences::default();
    differences.find(at, case.given.as_ref(), read.as_ref(), &said);
    let has_body = request.headers().contains_key("content-type");
    if arguments.get("body") == Some(&json!({})) && !has_body {
        differences.find("body", Some(&json!({})), None, &said);
    }
    let unsaid = differences.unsaid(&said);
    prop_assert_eq!(unsaid, None, "read {:?} {} {} {:?}", read, wire, shown, said);
    let is_spread =
        case.style().1 || case.style().0 == "deepObject" || case.place == Place::QuerystringForm;
    // A `null` may stand for the default.
    let value =
        case.given.as_ref().filter(|given| !given.is_null()).or(case.schema.default.as_ref());
    let is_complete = is_spread && value == Some(&json!({}));
    let leaves_trace = read.is_some() || is_complete;
    prop_assert!(leaves_trace || !case.is_required, "no trace: {} {}", wire, shown);
    Ok(if differences.is_empty() { Ended::Same } else { Ended::Said })
}

/// Returns true if nothing can stand against a case: it has to be sent.
fn is_plain(case: &Case) -> bool {
    let Some(given) = &case.given else {
        return !case.is_required && case.schema.default.is_none();
    };
    let is_json = matches!(case.place, Place::JsonMember | Place::QuerystringJson);
    let is_defined = match case.style().0 {
        "spaceDelimited" | "pipeDelimited" => matches!(case.schema.kind, Kind::List(_)),
        "deepObject" => matches!(case.schema.kind, Kind::Object(_)),
        _ => case.place != Place::QuerystringForm,
    };
    let depth = if case.version == Version::V2 && !is_json { 1 } else { 4 };
    is_defined
        && (is_json || is_plain_value(&case.schema, given, depth))
        && meets(&case.schema, given)
}

/// Returns true if no text of a value is empty or could be a delimiter.
fn is_plain_value(schema: &Schema, value: &Value, depth: usize) -> bool {
    let is_plain_text =
        |text: &str| !text.is_empty() && text.chars().all(|one| one.is_ascii_alphanumeric());
    match (&schema.kind, value) {
        (Kind::Boolean, Value::Bool(_)) | (Kind::Integer | Kind::Number, Value::Number(_)) => true,
        (Kind::List(item), Value::Array(items)) => {
            depth > 0
                && !items.is_empty()
                && items.iter().all(|value| is_plain_value(item, value, 0))
        }
        (Kind::Object(known), Value::Object(members)) => {
            depth > 0
                && !members.is_empty()
                && members.iter().all(|(name, value)| {
                    let known = known.iter().find(|member| member.name == *name);
                    is_plain_text(name)
                        && name != "sibling"
                        && known.is_some_and(|member| is_plain_value(&member.schema, value, 0))
                })
        }
        (Kind::Text, Value::String(text)) => is_plain_text(text),
        _ => false,
    }
}

/// Returns true if a value surely meets its schema.
fn meets(schema: &Schema, value: &Value) -> bool {
    match (&schema.kind, value) {
        (_, Value::Null) => schema.is_nullable,
        (Kind::Any, _)
        | (Kind::Boolean, Value::Bool(_))
        | (Kind::Text, Value::String(_))
        | (Kind::Number, Value::Number(_)) => true,
        (Kind::Integer, Value::Number(number)) => !number.is_f64(),
        (Kind::List(item), Value::Array(items)) => items.iter().all(|value| meets(item, value)),
        (Kind::Map(other), Value::Object(members)) => {
            members.values().all(|value| meets(other, value))
        }
        (Kind::Object(known), Value::Object(members)) => {
            known.iter().all(|member| !member.is_required || members.contains_key(&member.name))
                && members.iter().all(|(name, value)| {
                    known
                        .iter()
                        .find(|member| member.name == *name)
                        .is_some_and(|member| meets(&member.schema, value))
                })
        }
        _ => false,
    }
}

#[test]
fn a_request_decodes_to_its_arguments_or_the_result_reports_the_difference() {
    let cases = Config::default().cases.max(800);
    let config =
        Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let counts = [Ended::Refused, Ended::Said, Ended::Same].map(|ended| (ended, Cell::new(0_u32)));
    let result = TestRunner::new(config).run(&space::case(), |case| {
        let ended = check(&case)?;
        let (_, count) = counts.iter().find(|(known, _)| *known == ended).expect("an ending");
        count.set(count.get() + 1);
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.unwrap_err());
    let [refused, said, same] = counts.map(|(_, count)| count.get());
    // Otherwise the space has too few cases that say something.
    let is_wide = refused < cases / 2 && said > cases / 20 && same > cases / 4;
    assert!(is_wide, "of {cases}: {refused} refused, {said} with notes, {same} as given");
}
