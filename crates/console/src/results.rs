//! A whole result or a file, in pieces of 64 KiB, and as a download.

use callgate_gateway::{PageRequest, PageResponse};
use maud::html;

use crate::{
    json_view::{self, MOST_SHOWN},
    layout::{self, Section},
    paths,
};

pub(crate) async fn page(request: &PageRequest, id: &str) -> PageResponse {
    let path = format!(
        "/v1/results/{}{}",
        paths::percent_encoded(id),
        paths::query(&[("session", request.query_parameter("session"))])
    );
    if request.query_parameter("download") == "true" {
        let answer = request.get_own_path(&path, &[]).await;
        if !answer.is_success() {
            return layout::show_refusal(request, Section::None, answer).await;
        }
        let name = Some(request.query_parameter("name")).filter(|name| !name.is_empty());
        return PageResponse::download_answer(name.unwrap_or(id), answer);
    }
    let from: usize = request.query_parameter("from").parse().unwrap_or(0);
    let until = from.saturating_add(MOST_SHOWN - 1);
    let answer = request.get_own_path(&path, &[("range", &format!("bytes={from}-{until}"))]).await;
    if !answer.is_success() {
        return layout::show_refusal(request, Section::None, answer).await;
    }
    let media_type = answer.header("content-type").to_owned();
    let range = answer.header("content-range").to_owned();
    let total: usize = range.rsplit('/').next().and_then(|total| total.parse().ok()).unwrap_or(0);
    let Some(bytes) = answer.bytes().await else {
        return layout::show_broken_answer(request, Section::None);
    };
    let (skipped, shown) = whole_characters(&bytes);
    let (next, session) = (from + skipped + shown.len(), request.query_parameter("session"));
    let address = |from: usize| {
        let from = from.to_string();
        format!(
            "{}{}",
            paths::console_address(&["results", id]),
            paths::query(&[("from", &from), ("session", session)])
        )
    };
    let content = html! {
        h1 { "Result " code { (id) } }
        p.quiet { (media_type) " · bytes " (from + skipped) " to " (next) " of " (usize::max(total, next)) }
        @if str::from_utf8(shown).is_err() {
            p.note { "Some of these bytes are no text and stand here as “�”; the download has them as they are." }
        }
        div.piece { (json_view::shortened_text_frame(&String::from_utf8_lossy(shown), "a piece of the result")) }
        p.actions {
            @if from > 0 { a.button href=(address(from.saturating_sub(MOST_SHOWN))) rel="prev" { "Previous 64 KiB" } " " }
            @if next < total { a.button href=(address(next)) rel="next" { "Next 64 KiB" } " " }
            a.button href={ (paths::console_address(&["results", id])) (paths::query(&[("download", "true"), ("session", session)])) } { "Download" }
        }
    };
    layout::page_in_frame(request, Section::None, "Result", &content)
}

/// A piece of a text without the parts of characters at its ends, and the number of bytes that were left out before it. Bytes
/// that are no text stay as they are.
fn whole_characters(bytes: &[u8]) -> (usize, &[u8]) {
    let is_inside = |byte: &&u8| **byte & 0xC0 == 0x80;
    let skipped = bytes.iter().take(MOST_INSIDE).take_while(is_inside).count();
    let rest = bytes.get(skipped..).unwrap_or_default();
    let end = match str::from_utf8(rest) {
        // A character that breaks off is whole in the next piece.
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => error.valid_up_to(),
        Ok(_) | Err(_) => rest.len(),
    };
    (skipped, rest.get(..end).unwrap_or(rest))
}

/// The bytes of a character after its first.
const MOST_INSIDE: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_text_hold_whole_characters() {
        let text = "aä€😀z".as_bytes();
        let mut from = 0;
        let mut whole = String::new();
        while from < text.len() {
            let (skipped, shown) = whole_characters(&text[from..text.len().min(from + 5)]);
            whole.push_str(str::from_utf8(shown).unwrap());
            from += skipped + shown.len();
        }
        assert_eq!(whole, "aä€😀z");
        assert_eq!(whole_characters(&text[2..6]), (1, &text[3..6]));
        assert_eq!(whole_characters(&[0xff, 0xfe, b'a']), (0, &[0xff, 0xfe, b'a'][..]));
    }
}
