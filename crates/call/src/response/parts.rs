//! Reads the parts of a multipart response, each by its own media type, with its names. `multipart` finds the parts.

use bytes::Bytes;
use callgate_openapi::Operation;
use callgate_tool::{Answer, Content, Event, Fault, Part, StoredResult};
use http::{
    HeaderMap, Response,
    header::{CONTENT_DISPOSITION, CONTENT_TYPE},
};

use super::{
    ReadContent, ReadContext, body_content, failure,
    file_name::file_name,
    masked_filename,
    media::Media,
    multipart::{CONTENT_ID, RawPart, SplitBody, split_body},
    parameter::header_parameter,
    transfer::transfer_decoded_body,
    without_secrets,
};
use crate::{
    echo::{self, Echo},
    sanitize::{n_invisible_characters, visible_text_if_changed},
};

/// A part of a response that is not shown completely, for storage.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a new field must break code that builds the value")]
pub struct WholePart {
    /// The part's position among the parts that are shown.
    pub index: usize,
    /// The whole part, with secrets masked.
    pub result: StoredResult,
}

#[derive(Debug)]
pub(super) struct ReadPart {
    headers: HeaderMap,
    masked: Bytes,
    pub(super) held_secret: bool,
    /// The number of further values of a sequence, after those that were read.
    pub(super) n_more: usize,
}

pub(super) fn read_parts(
    response: &Response<Bytes>,
    operation: &Operation,
    reading: &mut ReadContext<'_>,
) -> Result<ReadContent, Box<Fault>> {
    let boundary =
        header_parameter(response.headers(), CONTENT_TYPE, "boundary").unwrap_or_default();
    let apart = split_body(response.body(), &boundary);
    let decoded = apart.and_then(|SplitBody { parts, n_outside }| {
        let parts = parts.into_iter().map(|raw| Ok((transfer_decoded_body(&raw)?, raw)));
        Ok((parts.collect::<Result<Vec<_>, _>>()?, n_outside))
    });
    let (decoded, n_outside) = match decoded {
        Ok(split_parts) => split_parts,
        Err(why) => return Err(failure::broken_response_fault(response, operation, why, reading)),
    };
    if n_outside > 0 {
        reading.journal.note(Event::OutsidePartsIgnored { count: n_outside });
    }
    let mut all = ReadContent::from(Content::Empty);
    let (mut parts, mut room) = (Vec::with_capacity(decoded.len()), reading.shape.media_bytes);
    for (bytes, raw) in decoded {
        let taken = body_content(&bytes, Media::from_headers(&raw.headers), reading, room);
        let taken = taken.map_err(|why| {
            let (status, number) = (response.status().as_u16(), parts.len() + 1);
            let text = Media::from_headers(&raw.headers).decoded_text(&bytes);
            let effect = operation.retry_effect();
            let fault = failure::unreadable_response_fault(status, effect, why, &text, reading);
            failure::fault_in_part(fault, number)
        })?;
        if let Content::Media { data, .. } = &taken.content {
            room = room.saturating_sub(data.len());
        }
        let masked = without_secrets(&bytes, reading.masker);
        let (part, n_removed) = part_with_names(Part::new(taken.content), &raw);
        parts.push(part);
        all.n_replaced += taken.n_replaced;
        all.n_removed += taken.n_removed + n_removed;
        let (held_secret, n_more) = (masked != bytes, taken.n_more);
        all.parts.push(ReadPart { headers: raw.headers, masked, held_secret, n_more });
    }
    all.content = Content::Parts(parts);
    Ok(all)
}

/// The shown parts that are files or were cut, without parts that still hold a secret when decoded.
pub(super) fn whole_hidden_parts(
    answer: &Answer,
    wholes: Vec<ReadPart>,
    cut: &[usize],
    reading: &ReadContext<'_>,
) -> Vec<WholePart> {
    let Content::Parts(shown) = &answer.content else { return Vec::new() };
    let mut kept = Vec::new();
    for ((index, part), whole) in shown.iter().enumerate().zip(wholes) {
        let is_more = matches!(part.content, Content::File { .. }) || cut.contains(&index);
        if is_more && !whole.holds_secret(reading) {
            let media_type = whole.headers.get(CONTENT_TYPE);
            let media_type = media_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
            let result = StoredResult::new(reading.masker.mask_text(media_type), whole.masked);
            let result = result.with_filename(masked_filename(&whole.headers, reading.masker));
            kept.push(WholePart { index, result });
        }
    }
    kept
}

impl ReadPart {
    fn holds_secret(&self, reading: &ReadContext<'_>) -> bool {
        if reading.masker.is_empty() {
            return false;
        }
        let read =
            body_content(&self.masked, Media::from_headers(&self.headers), reading, usize::MAX);
        // Masked bytes may no longer be JSON; they are then searched as text.
        let mut content = read.map_or_else(
            |_| Content::Text {
                text: String::from_utf8_lossy(&self.masked).into_owned(),
                media_type: String::new(),
            },
            |taken| taken.content,
        );
        echo::mask_content(&mut content, reading.masker) == Echo::Secret
    }
}

/// The part with the names from its headers, and the number of invisible characters removed from them.
fn part_with_names(mut part: Part, RawPart { headers, .. }: &RawPart) -> (Part, usize) {
    part.name = header_parameter(headers, CONTENT_DISPOSITION, "name");
    part.filename = file_name(headers);
    // RFC 2392 §2: the brackets are not a part of the id.
    part.content_id = headers.get(CONTENT_ID).map(|value| {
        let text = String::from_utf8_lossy(value.as_bytes());
        text.trim_start_matches('<').trim_end_matches('>').to_owned()
    });
    let mut n_removed = 0;
    for name in [&mut part.name, &mut part.content_id, &mut part.filename] {
        if let Some(text) = name.as_mut()
            && let Some(seen) = visible_text_if_changed(text)
        {
            n_removed += n_invisible_characters(text);
            *text = seen;
        }
        *name = name.take().filter(|text| !text.is_empty());
    }
    (part, n_removed)
}
