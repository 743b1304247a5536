//! The parts of what a user says: words, images and other files, and their form in JSON, which is that of the arguments that
//! take bytes.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use callgate_call::{StoredResults, file_from_value};
use callgate_tool::{Handle, Object, StoredResult, Value};

use super::Input;
use crate::error::{self, Error};

/// A part of what a user says.
///
/// ```
/// use callgate_agent::{Input, InputPart};
/// use callgate_tool::StoredResult;
///
/// let image = StoredResult::new("image/png", vec![0x89, b'P', b'N', b'G'].into());
/// let input = Input::Parts(vec![InputPart::File(image), InputPart::Text("What is this?".to_owned())]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum InputPart {
    /// An image or another file, by its media type: of the program's own, or that of a handle, by
    /// [`Executor::result`](callgate_executor::Executor::result).
    File(StoredResult),
    /// Words.
    Text(String),
}

impl Input {
    /// Reads words, or a list of parts: `{"text"}`, or a file as an argument that takes bytes names it, `{"handle"}` or
    /// `{"data", "content_type", "filename"}`.
    ///
    /// ```
    /// use callgate_agent::Input;
    /// use callgate_call::StoredResults;
    /// use callgate_tool::json;
    ///
    /// let value = json!([{"text": "What is this?"}, {"data": "data:image/png;base64,iVBORw=="}]);
    /// let input = Input::from_value(&value, StoredResults::NONE)?;
    /// assert!(matches!(input, Input::Parts(parts) if parts.len() == 2));
    /// # Ok::<(), callgate_agent::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for no words, and for a part that is none or whose handle names nothing.
    pub fn from_value(value: &Value, kept: StoredResults<'_>) -> Result<Self, Error> {
        match value {
            Value::String(text) if !text.trim().is_empty() => Ok(Self::Text(text.clone())),
            Value::Array(parts) if !parts.is_empty() => {
                let parts = parts.iter().enumerate();
                let parts = parts.map(|(at, part)| InputPart::from_value(at, part, kept));
                Ok(Self::Parts(parts.collect::<Result<_, _>>()?))
            }
            Value::String(_) => Err(error::no_words()),
            _ => Err(error::no_parts(value.kind())),
        }
    }

    /// The handles in a value that [`Input::from_value`] reads.
    pub fn handles(value: &Value) -> Vec<Handle> {
        let parts = value.as_array().into_iter().flatten();
        parts.filter_map(|part| Handle::new(part.get("handle")?.as_str()?)).collect()
    }
}

impl InputPart {
    fn from_value(at: usize, value: &Value, kept: StoredResults<'_>) -> Result<Self, Error> {
        let place = format!("input.{at}");
        let members = value.as_object();
        let members = members.ok_or_else(|| error::no_part(&place, value.kind()))?;
        if let Some(name) = members.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
            return Err(error::unknown_member(&place, name));
        }
        if let (Some(text), 1) = (members.get("text").and_then(Value::as_str), members.len()) {
            return Ok(Self::Text(text.to_owned()));
        }
        let file = file_from_value(&place, value, kept);
        Ok(Self::File(file.map_err(|fault| error::unusable_part(&fault.message))?))
    }

    /// The part as [`Input::from_value`] reads it.
    pub fn to_value(&self) -> Value {
        let mut members = Object::new();
        match self {
            Self::Text(text) => drop(members.insert("text", text.as_str().into())),
            Self::File(file) => {
                members.insert("data", BASE64_STANDARD.encode(&file.bytes).into());
                members.insert_unless_empty("content_type", file.media_type.as_str());
                members.insert_if_some("filename", file.filename.as_deref());
            }
        }
        members.into()
    }
}

const MEMBERS: [&str; 5] = ["content_type", "data", "filename", "handle", "text"];
