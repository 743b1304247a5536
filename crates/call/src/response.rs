//! Reads an answer by its status and its media type: JSON keeps its digits, pages become text, sequences become arrays,
//! errors become faults that keep the service's own words. Bytes come from the transport, already decoded and bounded;
//! how much of a result is shown is decided in `shape`.

mod failure;
mod media;
mod sequence;
mod stream;

use bytes::Bytes;
use callgate_openapi::Operation;
use callgate_tool::{Answer, Content, Fault, Json, Outcome, Value};
use http::{Response, StatusCode};
use sha2::{Digest, Sha256};

use crate::{
    html,
    readable::cleaned,
    shape::{Read, Shape},
    wording,
};
use media::{Kind, Media};
use sequence::Sequence;
pub use stream::{Splitter, Unfinished};

/// What an answer of `operation` means, in the form a model can use.
pub(crate) fn outcome(response: &Response<Bytes>, operation: &Operation, shape: &Shape) -> Outcome {
    let status = response.status();
    if !status.is_success() {
        return Outcome::Failed(failure::fault(response, operation.effect));
    }
    match content(response, shape) {
        Ok(Taken { content, n_more }) => {
            let size = response.body().len();
            let read = Read { operation, headers: response.headers(), size, n_more };
            let mut answer = shape.answer(Answer::new(status.as_u16(), content), &read);
            if response.extensions().get::<Unfinished>().is_some() {
                answer.truncated = Some(wording::answer::unfinished(answer.truncated, read.size));
            }
            Outcome::Answered(Box::new(answer))
        }
        Err(fault) => Outcome::Failed(fault),
    }
}

/// What was taken of an answer.
struct Taken {
    content: Content,
    /// How many values of a sequence come after those of the content.
    n_more: usize,
}

impl From<Content> for Taken {
    fn from(content: Content) -> Self {
        Self { content, n_more: 0 }
    }
}

impl From<Sequence> for Taken {
    fn from(Sequence { values, n_more, .. }: Sequence) -> Self {
        Self { content: Content::Json(Value::Array(values).into()), n_more }
    }
}

fn content(response: &Response<Bytes>, shape: &Shape) -> Result<Taken, Box<Fault>> {
    let (status, body) = (response.status().as_u16(), response.body());
    if body.is_empty()
        || matches!(response.status(), StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT)
    {
        return Ok(Content::Empty.into());
    }
    let media = Media::of(response.headers());
    if response.extensions().get::<Unfinished>().is_some()
        && let Some(splitter) = Splitter::of(response.headers())
    {
        return Ok(complete(splitter, body, shape).into());
    }
    let content = match media.kind() {
        Kind::Binary => file(body, media.essence),
        Kind::Events => return Ok(sequence::events(&media.decoded(body), shape.room()).into()),
        Kind::Html => Content::Text {
            text: html::text(&media.decoded(body)),
            media_type: "text/plain".to_owned(),
        },
        Kind::Json => match json(body, &media) {
            Some(json) => Content::Json(json),
            None => return Err(failure::unreadable(status, &media.decoded(body))),
        },
        Kind::JsonLines => match sequence::lines(&media.decoded(body), shape.room()) {
            Some(values) => return Ok(values.into()),
            None => text(body, media),
        },
        Kind::Perceived if body.len() > shape.media_bytes => file(body, media.essence),
        Kind::Perceived => Content::Media { media_type: media.essence, data: body.clone() },
        Kind::Text => text(body, media),
        Kind::Unnamed => match json(body, &media) {
            Some(json) if json.text().trim_start().starts_with(['[', '{']) => Content::Json(json),
            _ if is_text(body) => text(body, media),
            _ => file(body, "application/octet-stream".to_owned()),
        },
    };
    Ok(content.into())
}

/// The values of a sequence that broke off, without the one that is not whole.
fn complete(mut splitter: Splitter, body: &[u8], shape: &Shape) -> Sequence {
    let mut sequence = Sequence::new(shape.room());
    for piece in body.chunks(PIECE) {
        splitter.push(piece);
        while let Some(bytes) = splitter.split() {
            if let Some(value) = splitter.value(&bytes) {
                sequence.add(|| value.into_value());
            }
        }
    }
    sequence
}

fn file(body: &Bytes, media_type: String) -> Content {
    let digest = Sha256::digest(body);
    let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Content::File { media_type, size: body.len(), sha256 }
}

fn text(body: &[u8], media: Media) -> Content {
    let text = cleaned(&media.decoded(body));
    let media_type = if media.essence.is_empty() { "text/plain".to_owned() } else { media.essence };
    Content::Text { text, media_type }
}

/// Whether bytes of an unnamed type are text: in UTF-8, without NUL.
fn is_text(body: &[u8]) -> bool {
    std::str::from_utf8(body).is_ok_and(|text| !text.contains('\0'))
}

/// The JSON of a body; its depth is bounded (127). RFC 8259 §8.1: it is UTF-8, and a byte order mark may be ignored;
/// text in another encoding is read as it is announced, and what is no text becomes U+FFFD.
fn json(body: &[u8], media: &Media) -> Option<Json> {
    let taken = std::str::from_utf8(body).ok().and_then(|text| Json::parse(text).ok());
    taken.or_else(|| Json::parse(&media.decoded(body)).ok())
}

/// A whole answer need not be copied to be split.
const PIECE: usize = 64 * 1024;

#[cfg(test)]
mod tests;
