//! The ending of a call, in the words every format shares: a text for those that have texts, a value for those that have
//! objects, an image or a sound for those that take it. A fault is the `error` of callgate's own result everywhere.

use callgate_tool::{Answer, Content, Json, Number, Object, Outcome, ToolResult, Value};

use crate::wording::MEDIA_LEFT_OUT;

/// An ending in text.
#[derive(Debug)]
pub(crate) struct Told {
    /// The answer, verbatim; nothing where an image says it all.
    pub(crate) text: Option<String>,
    /// Further facts: headers, what was cut, where the rest is.
    pub(crate) rest: Option<String>,
    /// The image or the sound.
    pub(crate) media: Option<Media>,
    /// True where the call failed.
    pub(crate) is_failed: bool,
}

/// An image or a sound.
#[derive(Debug)]
pub(crate) struct Media {
    pub(crate) media_type: String,
    /// In base64.
    pub(crate) data: String,
}

/// An ending as a value.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The error.
    Failed(Value),
    /// The answer, with the image or the sound.
    Fine(Value, Option<Media>),
}

/// The ending in text; `takes` says which media types the format can show.
pub(crate) fn told(result: &ToolResult, takes: impl Fn(&str) -> bool) -> Told {
    let Outcome::Answered(answer) = &result.outcome else {
        let text = Some(Json::of(&result.outcome).text().to_owned());
        return Told { text, rest: None, media: None, is_failed: result.is_failed() };
    };
    let rest = rest(answer);
    let (text, media) = match &answer.content {
        // Nothing was said, so the status is all there is.
        Content::Empty => {
            let text = Some(Json::of(&**answer).text().to_owned());
            return Told { text, rest: None, media: None, is_failed: false };
        }
        Content::Json(json) => (Some(json.text().to_owned()), None),
        Content::Text { text, .. } => (Some(text.clone()), None),
        Content::File { .. } => (Some(Json::of(&answer.content).text().to_owned()), None),
        Content::Media { media_type, .. } => {
            let (described, media) = media_of(media_type, &answer.content, takes(media_type));
            (media.is_none().then(|| described.to_string()), media)
        }
    };
    let rest = (!rest.is_empty()).then(|| Value::Object(rest).to_string());
    Told { text, rest, media, is_failed: false }
}

/// The ending as a value whose numbers survive being read as floating point numbers of 64 bits.
pub(crate) fn ended(result: &ToolResult, takes: impl Fn(&str) -> bool) -> Ended {
    let answer = match &result.outcome {
        Outcome::Answered(answer) => answer,
        Outcome::Failed(fault) => {
            let mut error = Json::of(&**fault).into_value();
            if let (Some(members), Some(status)) = (error.as_object_mut(), fault.status) {
                members.insert("status", Number::from(status).into());
            }
            return Ended::Failed(doubled(error));
        }
        other => return Ended::Fine(doubled(Json::of(other).into_value()), None),
    };
    let rest = rest(answer);
    let (value, media) = match &answer.content {
        Content::Empty => return Ended::Fine(Json::of(&**answer).into_value(), None),
        Content::Media { media_type, .. } => {
            media_of(media_type, &answer.content, takes(media_type))
        }
        content => (Json::of(content).into_value(), None),
    };
    if rest.is_empty() {
        return Ended::Fine(doubled(value), media);
    }
    let mut whole = Object::new();
    whole.insert("response", value);
    whole.extend(rest);
    Ended::Fine(doubled(Value::Object(whole)), media)
}

impl Told {
    /// All of it in one text.
    pub(crate) fn joined(self) -> String {
        [self.text, self.rest].into_iter().flatten().collect::<Vec<_>>().join("\n")
    }

    /// The texts, one after the other.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        [&self.text, &self.rest].into_iter().flatten().map(String::as_str)
    }
}

/// Facts of an answer beside its status and its content.
fn rest(answer: &Answer) -> Object {
    let mut bare = Answer::new(None, Content::Empty);
    bare.headers.clone_from(&answer.headers);
    bare.truncated.clone_from(&answer.truncated);
    bare.next.clone_from(&answer.next);
    bare.handle.clone_from(&answer.handle);
    bare.still_sending = answer.still_sending;
    match Json::of(&bare).into_value() {
        Value::Object(mut members) => {
            members.remove("response");
            members
        }
        _ => Object::new(),
    }
}

/// The words for an image or a sound, and the thing itself where it is taken.
fn media_of(media_type: &str, content: &Content, is_taken: bool) -> (Value, Option<Media>) {
    let mut described = Json::of(content).into_value();
    let Some(members) = described.as_object_mut() else { return (described, None) };
    let data = members.remove("data");
    if is_taken && let Some(Value::String(data)) = data {
        return (described, Some(Media { media_type: media_type.to_owned(), data }));
    }
    members.insert("message", MEDIA_LEFT_OUT.into());
    (described, None)
}

/// Numbers that floating point numbers of 64 bits do not hold, as texts: these formats are read through `Struct` of Protocol
/// Buffers, which has no others.
fn doubled(value: Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(doubled).collect()),
        Value::Number(number) => {
            let nearest = number.as_f64().and_then(Number::from_f64);
            let is_held = nearest.is_some_and(|nearest| nearest.is_equal_to(&number));
            if is_held { Value::Number(number) } else { Value::String(number.to_string()) }
        }
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| (name, doubled(value)));
            Value::Object(members.collect())
        }
        other => other,
    }
}
