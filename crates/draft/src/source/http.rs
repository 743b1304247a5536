//! A request and a response as they were sent (RFC 9112): a line, headers, an empty line, a body. Fixtures have this form.

use super::Source;
use crate::{
    error::{self, Error},
    exchange::{Exchange, Message, Response},
};

/// One exchange; the request's line has the whole address. `place` names it for a person.
///
/// # Errors
/// When one of the two is no message.
pub fn read_http_messages(
    request: &str,
    response: Option<&str>,
    place: &str,
) -> Result<Source, Error> {
    let (line, headers, body) = split_message(request);
    let mut words = line.split_whitespace();
    let (Some(method), Some(address)) = (words.next(), words.next()) else {
        return Err(error::unreadable(
            place,
            "a line such as `GET https://api.pets.example/pets/7 HTTP/1.1`",
        ));
    };
    let mut exchange = Exchange::from_address(method, address, place)?;
    exchange.request = Message::read(&headers, body.as_bytes());
    if let Some(response) = response {
        let (line, headers, body) = split_message(response);
        let status = line.split_whitespace().nth(1).and_then(|status| status.parse().ok());
        let status =
            status.ok_or_else(|| error::unreadable(place, "a line such as `HTTP/1.1 200 OK`"))?;
        exchange.response =
            Some(Response { status, message: Message::read(&headers, body.as_bytes()) });
    }
    Ok(Source { exchanges: vec![exchange], notes: Vec::new() })
}

/// The first line, the headers and the body.
fn split_message(text: &str) -> (&str, Vec<(String, String)>, &str) {
    let ends = [text.find("\r\n\r\n").map(|at| (at, 4)), text.find("\n\n").map(|at| (at, 2))];
    let end = ends.into_iter().flatten().min();
    let (at, length) = end.unwrap_or((text.len(), 0));
    let (head, body) =
        (text.get(..at).unwrap_or(text), text.get(at + length..).unwrap_or_default());
    let mut lines = head.lines();
    let line = lines.next().unwrap_or_default();
    let headers = lines.filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        Some((name.trim().to_owned(), value.trim().to_owned()))
    });
    (line, headers.collect(), body)
}
