//! Sentences about values that cannot be written in the body that their description asks for. Facts come from `body`.

use callgate_tool::{Fault, Handle, Problem, Value};

use super::{invalid_arguments, shortened, shown};

pub(crate) fn no_bytes(at: &str, got: &Value) -> Box<Fault> {
    let (got, suggestion) = match got {
        Value::String(text) if Handle::new(text).is_some() => {
            ("a bare handle".to_owned(), "give a handle in an object: {\"handle\": \"…\"}")
        }
        Value::String(_) => ("text that is neither".to_owned(), TEXT_HINT),
        other => (shown(other), TEXT_HINT),
    };
    invalid_arguments(vec![Problem {
        at: at.to_owned(),
        expected: "bytes as base64 or as a `data:` URL".to_owned(),
        got,
        suggestion: Some(suggestion.to_owned()),
    }])
}

/// The value names a result that is not stored. The handle is not repeated: anyone who has it may read the result.
pub(crate) fn not_kept(at: &str) -> Box<Fault> {
    invalid_arguments(vec![Problem {
        at: format!("{at}.handle"),
        expected: "the handle of a result that is still kept".to_owned(),
        got: "one that is unknown or has expired".to_owned(),
        suggestion: Some("fetch the result again and use its new handle".to_owned()),
    }])
}

/// The bytes have another media type than the declared ones.
pub(crate) fn other_media(at: &str, declared: &str, got: &str) -> Box<Fault> {
    invalid_arguments(vec![Problem {
        at: at.to_owned(),
        expected: format!("content of type `{}`", shortened(declared)),
        got: shortened(got).into_owned(),
        suggestion: Some(
            "name the type as `content_type` of an object, or in a `data:` URL".to_owned(),
        ),
    }])
}

/// The text cannot be written in the declared charset.
pub(crate) fn other_charset(at: &str, charset: &str) -> Box<Fault> {
    invalid_arguments(vec![Problem {
        at: at.to_owned(),
        expected: format!("text that `{}` can be written in", shortened(charset)),
        got: "other characters".to_owned(),
        suggestion: None,
    }])
}

/// A body that is written member by member is not an object.
pub(crate) fn no_members(whole: Option<(&str, &Value)>, media_type: &str) -> Box<Fault> {
    let (at, value) = whole.unwrap_or(("body", &Value::Null));
    invalid_arguments(vec![Problem {
        at: at.to_owned(),
        expected: format!("an object, as `{}` is written", shortened(media_type)),
        got: value.kind().to_owned(),
        suggestion: None,
    }])
}

/// The value is a structure, and its media type holds only text.
pub(crate) fn no_text(at: &str, media_type: &str, got: &Value) -> Box<Fault> {
    invalid_arguments(vec![Problem {
        at: at.to_owned(),
        expected: format!("a text, as `{}` is written", shortened(media_type)),
        got: got.kind().to_owned(),
        suggestion: None,
    }])
}

/// The value is an object, and its media type holds a list of operations.
pub(crate) fn no_patch(at: &str, media_type: &str) -> Box<Fault> {
    invalid_arguments(vec![Problem {
        at: at.to_owned(),
        expected: format!("a list of operations, as `{}` is written", shortened(media_type)),
        got: "an object".to_owned(),
        suggestion: Some("choose another media type, if the operation has one".to_owned()),
    }])
}

const TEXT_HINT: &str = "give text as it is in an object: {\"text\": \"…\"}";
