//! Reads a response by its status and its media type: JSON keeps its digits, pages become text, sequences become arrays,
//! errors become faults with the service's own words. Bytes come from the transport, already decoded and limited; `shape`
//! decides how much of a result is shown.

mod failure;
mod file_name;
mod headers;
mod json;
mod media;
mod multipart;
mod parameter;
mod parts;
mod sequence;
mod stream;
mod transfer;
mod wait;

use std::borrow::Cow;

use bytes::Bytes;
use callgate_openapi::Operation;
use callgate_secret::Masker;
use callgate_tool::{
    Answer, Arguments, Content, Event, Fault, Journal, Outcome, Value, hexadecimal,
};
use http::{HeaderMap, Response, StatusCode, response::Parts};
use sha2::{Digest, Sha256};

use crate::{
    echo::{self, Echo},
    html, page,
    sanitize::{n_invisible_characters, visible_text, visible_text_if_changed},
    shape::{self, ReadResponse, Shape, ShapedAnswer},
    wording,
};
use json::{NoJson, begins_like_json, decode_and_parse_json};
use media::{Kind, Media};
pub use parts::WholePart;
use sequence::Sequence;
pub use stream::{SplitValue, Splitter, Unfinished};
pub use wait::{retry_after, retry_delay, retry_delay_in_body};

/// The settings for reading a response.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "a new field must break code that builds the value")]
pub struct ReadContext<'a> {
    /// The shape in which the result is shown.
    pub shape: &'a Shape,
    /// The secrets that were sent, which the response may hold.
    pub masker: &'a Masker<'a>,
    /// The arguments of the call: the page that they ask for is the one before the next.
    pub arguments: &'a Arguments,
    /// The journal for changes to the result.
    pub journal: &'a mut Journal,
}

/// A response that was read.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a new field must break code that builds the value")]
pub struct Understood {
    /// The outcome of the call.
    pub outcome: Outcome,
    /// True if the decoded response held a secret, which is masked in the outcome.
    pub held_secret: bool,
    /// The parts of a multipart response that are files or were cut.
    pub whole_parts: Vec<WholePart>,
}

impl From<Box<Fault>> for Understood {
    fn from(fault: Box<Fault>) -> Self {
        Self { outcome: fault.into(), held_secret: false, whole_parts: Vec::new() }
    }
}

pub(crate) fn understood_response(
    response: &Response<Bytes>,
    operation: &Operation,
    mut reading: ReadContext<'_>,
) -> Understood {
    let status = response.status();
    // A redirect that the description declares is the answer itself, as `303 See Other` after a write (RFC 9110 §15.4.4).
    let is_declared = failure::is_redirect(status) && operation.declares_redirect(status.as_u16());
    if !status.is_success() && !is_declared {
        return failure::unsuccessful_response_fault(response, operation, &mut reading).into();
    }
    let ReadContent { mut content, n_more, n_replaced, n_removed, parts } =
        match read_content(response, operation, &mut reading) {
            Ok(taken) => taken,
            Err(fault) => return fault.into(),
        };
    let ReadContext { shape, masker, arguments, .. } = reading;
    note_replaced_characters(n_replaced, reading.journal);
    note_undeclared_text(operation, &content, reading.journal);
    page::note_unsendable_parameters(operation, response.headers(), &content, reading.journal);
    page::note_unreachable_next_page(operation, response.headers(), &content, reading.journal);
    let is_held = parts.iter().any(|part| part.held_secret);
    let held_secret = echo::mask_content(&mut content, masker) == Echo::Secret || is_held;
    if held_secret {
        reading.journal.note(Event::CredentialEchoed);
    }
    let more_of_parts: Vec<usize> = parts.iter().map(|part| part.n_more).collect();
    let (headers, size) = (response.headers(), response.body().len());
    let more_of_parts = &more_of_parts;
    let read = ReadResponse { operation, arguments, headers, size, n_more, more_of_parts };
    let shown = shape.shaped_answer(Answer::new(status.as_u16(), content), &read);
    let ShapedAnswer { mut answer, n_removed: n_hidden, cut_parts } = shown;
    note_removed_characters(n_removed + n_hidden, reading.journal);
    let whole_parts = parts::whole_hidden_parts(&answer, parts, &cut_parts, &reading);
    for value in answer.next.values_mut() {
        value.mask_secrets(masker);
        let _: usize = shape::remove_invisible_characters(value);
    }
    answer.headers = headers::shown_headers(operation, response.headers(), &reading);
    if response.extensions().get::<Unfinished>().is_some() {
        answer.still_sending = true;
        answer.truncated =
            Some(wording::answer::unfinished_truncation(answer.truncated, read.size));
    }
    let outcome = Outcome::Answered(Box::new(answer));
    Understood { outcome, held_secret, whole_parts }
}

pub(crate) fn answer_head(
    head: &Parts,
    operation: &Operation,
    reading: &ReadContext<'_>,
) -> Answer {
    let mut answer = Answer::new(head.status.as_u16(), Content::Empty);
    answer.headers = headers::shown_headers(operation, &head.headers, reading);
    answer
}

/// Notes a text where the description declares JSON alone: it may be the page of a login, which is a success for HTTP.
fn note_undeclared_text(operation: &Operation, content: &Content, journal: &mut Journal) {
    let expected = &operation.accept;
    let is_json = |media_type: &str| media_type.ends_with("json");
    let is_meant = expected.is_empty() || !expected.iter().all(|it| is_json(it));
    if matches!(content, Content::Text { .. }) && !is_meant {
        let expected = expected.iter().map(ToString::to_string).collect();
        journal.note(Event::TextForJson { expected });
    }
}

fn note_removed_characters(count: usize, journal: &mut Journal) {
    if count > 0 {
        journal.note(Event::UnseenRemoved { count });
    }
}

fn note_replaced_characters(count: usize, journal: &mut Journal) {
    if count > 0 {
        journal.note(Event::CharactersReplaced { count });
    }
}

struct ReadContent {
    content: Content,
    /// The number of further values of a sequence, after those of the content.
    n_more: usize,
    /// The number of invalid bytes and lone surrogates that were replaced.
    n_replaced: usize,
    /// The number of invisible characters that were removed from a text.
    n_removed: usize,
    parts: Vec<parts::ReadPart>,
}

impl From<Content> for ReadContent {
    fn from(content: Content) -> Self {
        Self { content, n_more: 0, n_replaced: 0, n_removed: 0, parts: Vec::new() }
    }
}

impl From<Sequence> for ReadContent {
    fn from(Sequence { values, n_more, n_replaced, .. }: Sequence) -> Self {
        let content = Content::Json(Value::Array(values).into());
        Self { n_more, n_replaced, ..Self::from(content) }
    }
}

fn read_content(
    response: &Response<Bytes>,
    operation: &Operation,
    reading: &mut ReadContext<'_>,
) -> Result<ReadContent, Box<Fault>> {
    let (status, body) = (response.status(), response.body());
    if matches!(status, StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT) {
        return Ok(Content::Empty.into());
    }
    if response.extensions().get::<Unfinished>().is_some()
        && let Some(splitter) = Splitter::from_headers(response.headers())
    {
        return Ok(complete_sequence(splitter, body, reading).into());
    }
    let media = Media::from_headers(response.headers());
    if media.kind() == Kind::Multipart && !body.is_empty() {
        return parts::read_parts(response, operation, reading);
    }
    let read = body_content(body, media, reading, reading.shape.media_bytes).map_err(|why| {
        let body = Media::from_headers(response.headers()).decoded_text(body);
        let (status, effect) = (status.as_u16(), operation.retry_effect());
        failure::unreadable_response_fault(status, effect, why, &body, reading)
    });
    let mut read = read?;
    if let Content::File { filename: name, .. } = &mut read.content {
        *name = masked_filename(response.headers(), reading.masker);
    }
    Ok(read)
}

/// Reads a body, or one part of it, by its media type; images and sounds of up to `media_bytes` are passed on.
fn body_content(
    body: &Bytes,
    media: Media<'_>,
    reading: &ReadContext<'_>,
    media_bytes: usize,
) -> Result<ReadContent, NoJson> {
    let ReadContext { shape, masker, .. } = reading;
    let kind = media.kind();
    if body.is_empty() || (kind == Kind::Json && body.trim_ascii().is_empty()) {
        return Ok(Content::Empty.into());
    }
    let n_undecodable = media.n_undecodable_characters(body);
    let mut read: ReadContent = match kind {
        Kind::Binary if body.len() <= MAX_TEXT && is_text(body) => guessed_content(body, media),
        // A part with parts of its own stays one file: results are not nested.
        Kind::Binary | Kind::Multipart => {
            file_content(&without_secrets(body, masker), media.essence.into_owned()).into()
        }
        Kind::Events => {
            sequence::parse_events(&media.decoded_text(body), shape.most_sequence_bytes()).into()
        }
        // HTML begins with a tag. Some services forget to name their JSON, and their frameworks label it as HTML.
        Kind::Html if begins_like_json(body) => guessed_content(body, media),
        Kind::Html => html_content(&media.decoded_text(body)),
        Kind::Json => decode_and_parse_json(body, &media)?.into(),
        Kind::JsonLines => {
            match sequence::parse_json_lines(&media.decoded_text(body), shape.most_sequence_bytes())
            {
                Some(values) => values.into(),
                None => text_content(body, media),
            }
        }
        Kind::Perceived => {
            media_or_file_content(without_secrets(body, masker), media, media_bytes).into()
        }
        Kind::Text => text_content(body, media),
        Kind::Unnamed if begins_like_json(body) || is_text(body) => guessed_content(body, media),
        Kind::Unnamed => {
            file_content(&without_secrets(body, masker), "application/octet-stream".to_owned())
                .into()
        }
    };
    if matches!(read.content, Content::Json(_) | Content::Text { .. }) {
        read.n_replaced += n_undecodable;
    }
    Ok(read)
}

/// Reads a body without a reliable media type: as JSON if it is JSON, else as text.
fn guessed_content(body: &[u8], media: Media<'_>) -> ReadContent {
    let taken =
        begins_like_json(body).then(|| decode_and_parse_json(body, &media)).and_then(Result::ok);
    match taken {
        Some(taken) => taken.into(),
        None if media.kind() == Kind::Html => html_content(&media.decoded_text(body)),
        None => text_content(body, media),
    }
}

impl From<json::ParsedJson> for ReadContent {
    fn from(json::ParsedJson { json, n_replaced }: json::ParsedJson) -> Self {
        Self { n_replaced, ..Self::from(Content::Json(json)) }
    }
}

fn html_content(html: &str) -> ReadContent {
    let (text, n_removed) = html::cleaned_page_text(html);
    let content = Content::Text { text, media_type: "text/plain".to_owned() };
    ReadContent { n_removed, ..content.into() }
}

/// An image or a sound; one over the limit becomes a file.
fn media_or_file_content(data: Bytes, media: Media<'_>, media_bytes: usize) -> Content {
    if data.len() > media_bytes {
        return file_content(&data, media.essence.into_owned());
    }
    Content::Media { media_type: media.essence.into_owned(), data }
}

/// The complete values of a sequence that broke off.
fn complete_sequence(mut splitter: Splitter, body: &[u8], reading: &ReadContext<'_>) -> Sequence {
    let mut sequence = Sequence::new(reading.shape.most_sequence_bytes());
    for piece in body.chunks(PIECE) {
        splitter.push(piece);
        while let Some(bytes) = splitter.next_value_bytes() {
            if let Some(value) = splitter.read_value(&bytes, reading.masker) {
                sequence.n_replaced += value.n_replaced;
                sequence.add_or_count(|| value.json.into_value());
            }
        }
    }
    sequence
}

/// The bytes with every literal secret masked; binary content is not decoded further.
fn without_secrets(body: &Bytes, masker: &Masker<'_>) -> Bytes {
    match masker.mask(body) {
        Cow::Borrowed(_) => body.clone(),
        Cow::Owned(masked) => masked.into(),
    }
}

/// The name that a response gives its body, cleaned, without secrets.
pub fn masked_filename(headers: &HeaderMap, masker: &Masker<'_>) -> Option<String> {
    let name = file_name::file_name(headers)?;
    let name = masker.mask_text(&name).into_owned();
    let name = visible_text_if_changed(&name).unwrap_or(name);
    Some(name).filter(|name| !name.is_empty())
}

fn file_content(body: &Bytes, media_type: String) -> Content {
    let sha256 = hexadecimal(&Sha256::digest(body));
    Content::File { media_type, filename: None, size: body.len(), sha256 }
}

fn text_content(body: &[u8], media: Media<'_>) -> ReadContent {
    let decoded = media.decoded_text(body);
    let text = visible_text(&decoded);
    let n_removed = n_invisible_characters(&decoded);
    let media_type =
        if media.essence.is_empty() { "text/plain".to_owned() } else { media.essence.into_owned() };
    ReadContent { n_removed, ..Content::Text { text, media_type }.into() }
}

/// True if bytes without a reliable media type are text: in UTF-8, without control characters that no text has. A PDF
/// file may be in UTF-8, and is none.
fn is_text(body: &[u8]) -> bool {
    if body.starts_with(b"%PDF-") {
        return false;
    }
    let is_foreign =
        |one: char| one.is_control() && !matches!(one, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}');
    std::str::from_utf8(body).is_ok_and(|text| !text.contains(is_foreign))
}

/// The largest binary body that is shown as text if it is one; models ask for texts by their own media types.
const MAX_TEXT: usize = 64 * 1024;
/// The size of the pieces that a whole response is split in, to avoid a copy of it.
const PIECE: usize = 64 * 1024;

#[cfg(test)]
mod tests;
