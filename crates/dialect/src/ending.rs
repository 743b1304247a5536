//! The end of a call in the forms that all formats share: texts, values, and images or sounds. A fault always has the
//! members of the `error` of callgate's own result.

use callgate_tool::{Answer, Content, Json, Number, Object, Outcome, Part, ToolResult, Value};

use crate::wording::MEDIA_LEFT_OUT;

#[derive(Debug)]
pub(crate) struct Rendered {
    /// The answer, verbatim, with one block per part; the last block has further facts: headers, cuts, the handle of the
    /// whole.
    pub(crate) blocks: Vec<Block>,
    pub(crate) is_failed: bool,
}

#[derive(Debug)]
pub(crate) enum Block {
    Media(Media),
    Text(String),
}

#[derive(Debug)]
pub(crate) struct Media {
    pub(crate) media_type: String,
    /// The bytes in base64.
    pub(crate) data: String,
}

#[derive(Debug)]
pub(crate) enum ResultValue {
    Failed(Value),
    Fine(Value, Vec<Media>),
}

/// Renders the end of a call as blocks; `takes` says which media types the format can show.
pub(crate) fn rendered_result(result: &ToolResult, takes: impl Fn(&str) -> bool) -> Rendered {
    let whole = |text: String, is_failed| Rendered { blocks: vec![Block::Text(text)], is_failed };
    let notes = defaults_and_notes(result);
    let Outcome::Answered(answer) = &result.outcome else {
        return whole(
            text_with_notes(Json::from_serializable(&result.outcome), notes),
            result.is_failed(),
        );
    };
    let mut rest = answer_without_content(answer);
    rest.extend(notes.clone());
    let mut blocks = match &answer.content {
        // There is no content, so the status is the whole answer.
        Content::Empty => {
            return whole(text_with_notes(Json::from_serializable(&**answer), notes), false);
        }
        Content::Parts(parts) => {
            rest.insert_if_some("parts", part_names(parts));
            parts.iter().map(|part| content_block(&part.content, &takes)).collect()
        }
        content => vec![content_block(content, &takes)],
    };
    if !rest.is_empty() {
        blocks.push(Block::Text(Value::Object(rest).to_string()));
    }
    Rendered { blocks, is_failed: false }
}

/// The end of a call as one text, for formats with only a text; several parts become an array.
pub(crate) fn outcome_text(result: &ToolResult) -> String {
    let texts = match &result.outcome {
        Outcome::Answered(answer) if matches!(answer.content, Content::Parts(_)) => {
            let (parts, mut rest) = (
                description_and_media(&answer.content, &|_| false).0,
                answer_without_content(answer),
            );
            rest.extend(defaults_and_notes(result));
            let rest = (!rest.is_empty()).then(|| Value::Object(rest).to_string());
            [Some(parts.to_string()), rest].into_iter().flatten().collect()
        }
        _ => rendered_result(result, |_| false).into_texts(),
    };
    texts.join("\n")
}

/// The facts that the caller has to know of the request: `defaults` and `notes`, as in callgate's own result.
pub(crate) fn defaults_and_notes(result: &ToolResult) -> Object {
    let mut notes = Object::new();
    notes.insert_if_some("defaults", result.defaults());
    notes.insert_if_some("notes", result.notes());
    notes
}

fn text_with_notes(object: Json, notes: Object) -> String {
    if notes.is_empty() {
        return object.text().to_owned();
    }
    let mut whole = object.into_value();
    if let Some(members) = whole.as_object_mut() {
        members.extend(notes);
    }
    whole.to_string()
}

fn content_block(content: &Content, takes: &impl Fn(&str) -> bool) -> Block {
    match content {
        Content::Empty => Block::Text(String::new()),
        Content::Json(json) => Block::Text(json.text().to_owned()),
        Content::Text { text, .. } => Block::Text(text.clone()),
        Content::File { .. } | Content::Media { .. } | Content::Parts(_) => {
            let (described, mut media) = description_and_media(content, takes);
            media.pop().map_or_else(|| Block::Text(described.to_string()), Block::Media)
        }
    }
}

/// The names of parts, each at the position of its part; `None` if no part has a name.
fn part_names(parts: &[Part]) -> Option<Value> {
    let named = |part: &Part| {
        let mut names = Object::new();
        let handle = part.handle.as_ref().map(|handle| handle.as_str().to_owned());
        let fields = [
            ("name", &part.name),
            ("contentId", &part.content_id),
            ("filename", &part.filename),
            ("handle", &handle),
        ];
        for (name, value) in fields {
            names.insert_if_some(name, value.as_deref());
        }
        names
    };
    let named: Vec<Object> = parts.iter().map(named).collect();
    let has_names = named.iter().any(|names| !names.is_empty());
    has_names.then(|| named.into_iter().map(Value::Object).collect())
}

/// The end of a call as a value whose numbers survive being read as 64-bit floating-point numbers.
pub(crate) fn double_safe_result(result: &ToolResult, takes: impl Fn(&str) -> bool) -> ResultValue {
    let answer = match &result.outcome {
        Outcome::Answered(answer) => answer,
        Outcome::Failed(fault) => {
            let mut error = Json::from_serializable(&**fault).into_value();
            if let (Some(members), Some(status)) = (error.as_object_mut(), fault.status) {
                members.insert("status", Number::from(status).into());
            }
            return ResultValue::Failed(double_safe_value(error));
        }
        other => {
            return ResultValue::Fine(
                double_safe_value(Json::from_serializable(other).into_value()),
                Vec::new(),
            );
        }
    };
    let rest = answer_without_content(answer);
    if answer.content == Content::Empty {
        return ResultValue::Fine(Json::from_serializable(&**answer).into_value(), Vec::new());
    }
    let (value, media) = description_and_media(&answer.content, &takes);
    if rest.is_empty() {
        return ResultValue::Fine(double_safe_value(value), media);
    }
    let mut whole = Object::new();
    whole.insert("response", value);
    whole.extend(rest);
    ResultValue::Fine(double_safe_value(Value::Object(whole)), media)
}

impl Rendered {
    pub(crate) fn into_texts(self) -> Vec<String> {
        let text = |block| match block {
            Block::Media(_) => None,
            Block::Text(text) => Some(text),
        };
        self.blocks.into_iter().filter_map(text).collect()
    }

    pub(crate) fn has_media(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Media(_)))
    }
}

fn answer_without_content(answer: &Answer) -> Object {
    let mut bare = Answer::new(None, Content::Empty);
    bare.headers.clone_from(&answer.headers);
    bare.truncated.clone_from(&answer.truncated);
    bare.next.clone_from(&answer.next);
    bare.handle.clone_from(&answer.handle);
    bare.still_sending = answer.still_sending;
    match Json::from_serializable(&bare).into_value() {
        Value::Object(mut members) => {
            members.remove("response");
            members
        }
        _ => Object::new(),
    }
}

/// A content as a value that describes images and sounds, and the media that the format accepts.
fn description_and_media(content: &Content, takes: &impl Fn(&str) -> bool) -> (Value, Vec<Media>) {
    let mut described = Json::from_serializable(content).into_value();
    let mut media = Vec::new();
    match content {
        Content::Media { media_type, .. } => {
            media.extend(take_accepted_media(&mut described, media_type, takes));
        }
        Content::Parts(parts) => {
            let items = described.as_array_mut().into_iter().flatten().zip(parts);
            for (item, part) in items {
                if let Content::Media { media_type, .. } = &part.content
                    && let Some(item) = item.get_mut("content")
                {
                    media.extend(take_accepted_media(item, media_type, takes));
                }
            }
        }
        _ => {}
    }
    (described, media)
}

/// Removes the bytes of an image or a sound from its description; returns the media if the format accepts it.
fn take_accepted_media(
    described: &mut Value,
    media_type: &str,
    takes: &impl Fn(&str) -> bool,
) -> Option<Media> {
    let members = described.as_object_mut()?;
    let data = members.remove("data");
    if takes(media_type)
        && let Some(Value::String(data)) = data
    {
        return Some(Media { media_type: media_type.to_owned(), data });
    }
    members.insert("message", MEDIA_LEFT_OUT.into());
    None
}

/// Replaces numbers that 64-bit floating-point numbers cannot hold by texts: these formats are read through `Struct` of
/// Protocol Buffers, which has no other numbers.
fn double_safe_value(value: Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(double_safe_value).collect()),
        Value::Number(number) => {
            let nearest = number.as_f64().and_then(Number::from_f64);
            let is_held = nearest.is_some_and(|nearest| nearest.is_equal_to(&number));
            if is_held { Value::Number(number) } else { Value::String(number.to_string()) }
        }
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| (name, double_safe_value(value)));
            Value::Object(members.collect())
        }
        other => other,
    }
}
