//! HTTP Archives, which browsers and proxies write (HAR 1.2).

use base64::{Engine as _, engine::general_purpose::STANDARD};
use callgate_tool::Value;

use super::Source;
use crate::{
    error::{self, Error},
    exchange::{Exchange, Message, Response},
};

/// Beginnings of media types of pages and what belongs to them, which are no results of a service.
const PAGE_TYPES: [&str; 10] = [
    "text/html",
    "text/css",
    "text/javascript",
    "application/javascript",
    "application/x-javascript",
    "application/wasm",
    "image/",
    "font/",
    "audio/",
    "video/",
];

/// The requests of an archive to a service; `place` names it for a person.
///
/// # Errors
/// When the text is no archive.
pub fn read_har(text: &str, place: &str) -> Result<Source, Error> {
    let unreadable = || error::unreadable(place, "an HTTP archive (HAR): JSON with `log.entries`");
    let archive = Value::parse(text.trim_start_matches('\u{feff}'))
        .map_err(|fault| unreadable().with_source(fault))?;
    let entries =
        archive.pointer("/log/entries").and_then(Value::as_array).ok_or_else(unreadable)?;
    let mut source = Source::default();
    let (mut n_pages, mut n_bodies) = (0_usize, 0_usize);
    for (at, entry) in entries.iter().enumerate() {
        let place = format!("{place}, entry {}", at + 1);
        if is_page_resource(entry) {
            n_pages += 1;
            continue;
        }
        let size = entry.pointer("/response/content/size").and_then(Value::as_i64);
        let has_text =
            text_at(entry, "/response/content/text").is_some_and(|text| !text.is_empty());
        n_bodies += usize::from(size.is_some_and(|size| size > 0) && !has_text);
        match read_entry(entry, &place) {
            Ok(exchange) if exchange.method == "OPTIONS" => {
                source.record_left_out(&place, "a browser asked whether it may call");
            }
            Ok(exchange) => source.exchanges.push(exchange),
            Err(why) => source.record_left_out(&place, &why.to_string()),
        }
    }
    if n_pages > 0 {
        let why = "pages, scripts, styles, images and fonts";
        source.notes.push(format!("{place}: {n_pages} entries are left out: {why}"));
    }
    if n_bodies > 0 {
        source
            .notes
            .push(format!("{place}: the recording lacks the bodies of {n_bodies} responses"));
    }
    Ok(source)
}

/// True for what a browser loads to show a page.
fn is_page_resource(entry: &Value) -> bool {
    let media_type = text_at(entry, "/response/content/mimeType").unwrap_or_default();
    let is_get = text_at(entry, "/request/method") == Some("GET");
    is_get && PAGE_TYPES.iter().any(|page| media_type.starts_with(page))
}

fn read_entry(entry: &Value, place: &str) -> Result<Exchange, Error> {
    let method = text_at(entry, "/request/method").unwrap_or("GET");
    let mut exchange =
        Exchange::from_address(method, text_at(entry, "/request/url").unwrap_or_default(), place)?;
    let mut headers = pairs(entry.pointer("/request/headers"));
    if let Some(media_type) = text_at(entry, "/request/postData/mimeType")
        && headers.iter().all(|header| !header.0.eq_ignore_ascii_case("content-type"))
    {
        headers.push(("content-type".to_owned(), media_type.to_owned()));
    }
    let has_cookies = headers.iter().any(|header| header.0.eq_ignore_ascii_case("cookie"));
    let cookies = pairs(entry.pointer("/request/cookies"));
    if !has_cookies && !cookies.is_empty() {
        let cookies: Vec<String> =
            cookies.iter().map(|cookie| format!("{}={}", cookie.0, cookie.1)).collect();
        headers.push(("cookie".to_owned(), cookies.join("; ")));
    }
    exchange.request = Message::read(&headers, request_body(entry).as_bytes());
    let status = entry
        .pointer("/response/status")
        .and_then(Value::as_u64)
        .and_then(|status| u16::try_from(status).ok());
    // An aborted request has the status 0.
    exchange.response = status.filter(|status| *status >= 100).map(|status| Response {
        status,
        message: Message::read(&response_headers(entry), &response_body(entry)),
    });
    Ok(exchange)
}

fn request_body(entry: &Value) -> String {
    let parameters = pairs(entry.pointer("/request/postData/params"));
    let given = text_at(entry, "/request/postData/text").unwrap_or_default();
    if given.is_empty() && !parameters.is_empty() {
        return url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(parameters)
            .finish();
    }
    given.to_owned()
}

fn response_headers(entry: &Value) -> Vec<(String, String)> {
    let mut headers = pairs(entry.pointer("/response/headers"));
    if let Some(media_type) = text_at(entry, "/response/content/mimeType")
        && headers.iter().all(|header| !header.0.eq_ignore_ascii_case("content-type"))
    {
        headers.push(("content-type".to_owned(), media_type.to_owned()));
    }
    headers
}

fn response_body(entry: &Value) -> Vec<u8> {
    let content = text_at(entry, "/response/content/text").unwrap_or_default();
    let is_encoded = text_at(entry, "/response/content/encoding") == Some("base64");
    let decoded = is_encoded.then(|| STANDARD.decode(content).ok()).flatten();
    decoded.unwrap_or_else(|| content.as_bytes().to_vec())
}

fn text_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer)?.as_str()
}

/// The names and values of a list of HAR.
fn pairs(list: Option<&Value>) -> Vec<(String, String)> {
    let pair = |item: &Value| {
        Some((item["name"].as_str()?.to_owned(), item["value"].as_str()?.to_owned()))
    };
    list.and_then(Value::as_array).into_iter().flatten().filter_map(pair).collect()
}
