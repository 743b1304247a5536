//! Responses as text: written as they were read, without headers that belong to the connection; read from recordings.

use bytes::Bytes;
use callgate_secret::MASK;
use http::{
    HeaderName, HeaderValue, Response, StatusCode, Version,
    header::{RETRY_AFTER, SET_COOKIE},
};

use super::{head_and_body, push_body_and_newline};
use crate::error::{self, Error};

/// The text of a response, which [`parse_response`] reads. The body is written decoded, so the headers about its length and
/// its connection are omitted; cookies show `****`. The date is kept only if `Retry-After` counts from it.
pub fn render_response(response: &Response<Bytes>) -> Vec<u8> {
    let (status, headers) = (response.status(), response.headers());
    let version = if response.version() == Version::HTTP_2 { "HTTP/2" } else { "HTTP/1.1" };
    let reason = status.canonical_reason().unwrap_or("Unknown");
    let mut text = format!("{version} {} {reason}\n", status.as_str()).into_bytes();
    let is_told = |name: &HeaderName| match name.as_str() {
        "connection" | "content-length" | "keep-alive" | "transfer-encoding" => false,
        "date" => headers.contains_key(RETRY_AFTER),
        _ => true,
    };
    for (name, value) in headers.iter().filter(|(name, _)| is_told(name)) {
        let is_secret = *name == SET_COOKIE || value.is_sensitive();
        let value = if is_secret { MASK.as_bytes() } else { value.as_bytes() };
        text.extend_from_slice(&[name.as_str().as_bytes(), b": ", value, b"\n"].concat());
    }
    text.push(b'\n');
    push_body_and_newline(&mut text, response.body());
    text
}

/// Reads the text of a response.
///
/// # Errors
/// [`ErrorKind::MalformedRecording`](crate::ErrorKind::MalformedRecording) with the line and what was expected there.
pub fn parse_response(text: &[u8]) -> Result<Response<Bytes>, Error> {
    let (head, body) = head_and_body(text);
    let mut lines = head.into_iter().zip(1..);
    let first = lines.next().and_then(|(line, _)| parse_status_line(line));
    let Some((version, status)) = first else {
        return Err(error::malformed_recording(1, "a status line such as `HTTP/1.1 200 OK`"));
    };
    let mut response = Response::new(Bytes::copy_from_slice(body));
    *response.version_mut() = version;
    *response.status_mut() = status;
    for (line, number) in lines {
        let Some((name, value)) = parse_header(line) else {
            return Err(error::malformed_recording(
                number,
                "a header such as `name: value`, or a blank line",
            ));
        };
        response.headers_mut().append(name, value);
    }
    Ok(response)
}

fn parse_status_line(line: &[u8]) -> Option<(Version, StatusCode)> {
    let mut words = str::from_utf8(line).ok()?.splitn(3, ' ');
    let version = match words.next()? {
        "HTTP/1.0" => Version::HTTP_10,
        "HTTP/1.1" => Version::HTTP_11,
        "HTTP/2" => Version::HTTP_2,
        _ => return None,
    };
    // Informational responses never end an exchange.
    let status =
        words.next()?.parse::<StatusCode>().ok().filter(|status| !status.is_informational())?;
    Some((version, status))
}

fn parse_header(line: &[u8]) -> Option<(HeaderName, HeaderValue)> {
    let mut parts = line.splitn(2, |byte| *byte == b':');
    let name = HeaderName::from_bytes(parts.next()?).ok()?;
    let value = HeaderValue::from_bytes(parts.next()?.trim_ascii()).ok()?;
    Some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn a_response_is_rendered_without_its_connection() {
        let response = Response::builder()
            .version(Version::HTTP_2)
            .status(503)
            .header("Content-Length", "3")
            .header("Connection", "close")
            .header("Date", "now")
            .header("Set-Cookie", "sid=canary")
            .header("X-A", "1");
        let mut response = response.body(Bytes::from_static(b"\0\n\n")).unwrap();
        let text = b"HTTP/2 503 Service Unavailable\nset-cookie: ****\nx-a: 1\n\n\0\n\n\n";
        assert_eq!(render_response(&response), text);
        assert_eq!(parse_response(text).unwrap().body(), response.body());
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("3"));
        assert!(String::from_utf8(render_response(&response)).unwrap().contains("date: now\n"));
    }

    #[track_caller]
    fn check_response(text: &str, status: u16, headers: &[(&str, &str)], body: &str) {
        let response = parse_response(text.as_bytes()).unwrap();
        assert_eq!(response.status(), status);
        let read = response.headers().iter();
        let read: Vec<_> =
            read.map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
        assert_eq!(read, headers);
        assert_eq!(response.body(), body);
    }

    #[test]
    fn a_recorded_response_is_read_with_either_line_end() {
        let headers = [("content-type", "text/plain"), ("x-a", "1: 2")];
        let text = "HTTP/1.1 200 OK\nContent-Type: text/plain\nx-a:  1: 2 \n\nhello\n";
        check_response(text, 200, &headers, "hello");
        check_response(&text.replace('\n', "\r\n"), 200, &headers, "hello\r");
        check_response("HTTP/1.1 200 OK\n\nhello\n\n", 200, &[], "hello\n");
        check_response("HTTP/1.1 204", 204, &[], "");
        check_response("HTTP/2 404 \n\n", 404, &[], "");
        check_response(
            "HTTP/1.1 500 Something Went Wrong\na: 1\na: 2\n\n\n",
            500,
            &[("a", "1"), ("a", "2")],
            "",
        );
    }

    #[track_caller]
    fn check_malformed(text: &str, line: &str, expected: &str) {
        let error = parse_response(text.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MalformedRecording);
        let shown = error.to_string();
        assert!(
            shown.contains(line) && shown.contains(expected) && !shown.contains("canary"),
            "{shown}"
        );
    }

    #[test]
    fn a_malformed_response_is_refused_with_its_line() {
        for text in [
            "",
            "\n",
            "200 OK",
            "HTTP/1.1",
            "HTTP/1.1 canary",
            "HTTP/1.1 100 Continue",
            "HTTP/9 200",
        ] {
            check_malformed(text, "line 1", "`HTTP/1.1 200 OK`");
        }
        check_malformed("HTTP/1.1 200 OK\na: b\ncanary\n\n", "line 3", "`name: value`");
        check_malformed("HTTP/1.1 200 OK\na canary: b\n", "line 2", "`name: value`");
        check_malformed("HTTP/1.1 200 OK\na: b\n canary\n", "line 3", "`name: value`");
    }
}
