//! Sentences about values that cannot be written in the body that their description asks for. Facts come from `body`.

use callgate_tool::{Fault, Handle, Value};

use super::{invalid_argument, shortened_text, value_description};

pub(crate) fn not_bytes(at: &str, got: &Value) -> Box<Fault> {
    let (got, suggestion) = match got {
        Value::String(text) if Handle::new(text).is_some() => {
            ("a bare handle".to_owned(), "give a handle in an object: {\"handle\": \"…\"}")
        }
        Value::String(_) => ("text that is neither".to_owned(), TEXT_HINT),
        other => (value_description(other), TEXT_HINT),
    };
    invalid_argument(at, "bytes as base64 or as a `data:` URL", got, Some(suggestion))
}

/// The value names a result that is not stored. The handle is not repeated: anyone who has it may read the result.
pub(crate) fn unknown_handle(at: &str) -> Box<Fault> {
    let expected = "the handle of a result that is still kept";
    let remedy = "fetch the result again and use its new handle";
    let got = "one that is unknown or has expired";
    invalid_argument(&format!("{at}.handle"), expected, got, Some(remedy))
}

pub(crate) fn media_type_mismatch(at: &str, declared: &str, got: &str) -> Box<Fault> {
    let expected = format!("content of type `{}`", shortened_text(declared));
    let remedy = "name the type as `content_type` of an object, or in a `data:` URL";
    invalid_argument(at, expected, shortened_text(got), Some(remedy))
}

pub(crate) fn unwritable_in_charset(at: &str, charset: &str) -> Box<Fault> {
    let expected = format!("text that `{}` can be written in", shortened_text(charset));
    invalid_argument(at, expected, "other characters", None)
}

/// A body that is written member by member is not an object.
pub(crate) fn not_an_object(whole: Option<(&str, &Value)>, media_type: &str) -> Box<Fault> {
    let (at, value) = whole.unwrap_or(("body", &Value::Null));
    invalid_argument(at, expected_form("an object", media_type), value.kind(), None)
}

/// The value is a structure, and its media type holds only text.
pub(crate) fn not_a_text(at: &str, media_type: &str, got: &Value) -> Box<Fault> {
    invalid_argument(at, expected_form("a text", media_type), got.kind(), None)
}

/// The value is an object, and its media type holds a list of operations.
pub(crate) fn not_a_patch_list(at: &str, media_type: &str) -> Box<Fault> {
    let remedy = "choose another media type, if the operation has one";
    invalid_argument(
        at,
        expected_form("a list of operations", media_type),
        "an object",
        Some(remedy),
    )
}

fn expected_form(what: &str, media_type: &str) -> String {
    format!("{what}, as `{}` is written", shortened_text(media_type))
}

const TEXT_HINT: &str = "give text as it is in an object: {\"text\": \"…\"}";
