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
        paths::encoded(id),
        paths::query(&[("session", request.query("session"))])
    );
    if request.query("download") == "true" {
        let answer = request.get(&path, &[]).await;
        if !answer.is_success() {
            return layout::show_refusal(request, Section::None, answer).await;
        }
        return PageResponse::download_answer(id, answer);
    }
    let from: usize = request.query("from").parse().unwrap_or(0);
    let until = from.saturating_add(MOST_SHOWN - 1);
    let answer = request.get(&path, &[("range", &format!("bytes={from}-{until}"))]).await;
    if !answer.is_success() {
        return layout::show_refusal(request, Section::None, answer).await;
    }
    let media_type = answer.header("content-type").to_owned();
    let range = answer.header("content-range").to_owned();
    let total: usize = range.rsplit('/').next().and_then(|total| total.parse().ok()).unwrap_or(0);
    let bytes = answer.bytes().await.unwrap_or_default();
    let (next, session) = (from + bytes.len(), request.query("session"));
    let address = |from: usize| {
        let from = from.to_string();
        format!(
            "{}{}",
            paths::page(&["results", id]),
            paths::query(&[("from", &from), ("session", session)])
        )
    };
    let content = html! {
        h1 { "Result " code { (id) } }
        p.quiet { (media_type) " · bytes " (from) " to " (next) " of " (usize::max(total, next)) }
        (json_view::show_text(&String::from_utf8_lossy(&bytes), "a piece of the result"))
        p.actions {
            @if from > 0 { a.button href=(address(from.saturating_sub(MOST_SHOWN))) rel="prev" { "Previous 64 KiB" } " " }
            @if next < total { a.button href=(address(next)) rel="next" { "Next 64 KiB" } " " }
            a.button href={ (paths::page(&["results", id])) (paths::query(&[("download", "true"), ("session", session)])) } { "Download" }
        }
    };
    layout::show(request, Section::None, "Result", &content)
}
