//! Splits a multipart body at its boundary (RFC 2046 §5.1.1), or reports where it is broken. It reads each line once and
//! copies no content. A nested multipart part stays one part. `parts` interprets the parts.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{CONTENT_DISPOSITION, CONTENT_TYPE},
};

#[derive(Debug)]
pub(super) struct SplitBody {
    pub(super) parts: Vec<RawPart>,
    /// The number of bytes before the first boundary and after the last, which have no meaning.
    pub(super) n_outside: usize,
}

#[derive(Debug)]
pub(super) struct RawPart {
    /// The offset of its content in the body.
    pub(super) at: usize,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum SplitError {
    Form {
        /// The offset in the body, in bytes.
        at: usize,
        expected: &'static str,
        got: &'static str,
    },
    TooMany,
}

pub(super) fn split_body(body: &Bytes, boundary: &str) -> Result<SplitBody, SplitError> {
    if !(1..=MAX_BOUNDARY).contains(&boundary.len()) {
        let expected = "a `boundary` of 1 to 70 characters in `Content-Type`";
        return Err(malformed_parts_error(0, expected, "none"));
    }
    let whole = MultipartBody { body, boundary: boundary.as_bytes() };
    let first = whole.next_delimiter(0, None)?;
    let first = first.ok_or_else(|| {
        malformed_parts_error(0, "a line that begins with the boundary", "no such line")
    })?;
    let (mut parts, mut here) = (Vec::new(), first);
    while !here.is_last {
        if parts.len() == MAX_PARTS {
            return Err(SplitError::TooMany);
        }
        let next = whole.next_delimiter(here.end, Some(first.line_end))?;
        let expected = "the boundary that ends the last part";
        let next = next
            .ok_or_else(|| malformed_parts_error(body.len(), expected, "the end of the answer"))?;
        // There is nothing between two boundaries that share a line end.
        parts.push(whole.parse_part(here.end, next.start.max(here.end))?);
        here = next;
    }
    let outside = [body.get(..first.start), body.get(here.end..)];
    let n_outside = outside.into_iter().flatten().map(|bytes| bytes.trim_ascii().len()).sum();
    Ok(SplitBody { parts, n_outside })
}

#[derive(Clone, Copy, Debug)]
struct MultipartBody<'a> {
    body: &'a Bytes,
    boundary: &'a [u8],
}

#[derive(Clone, Copy, Debug)]
struct Delimiter {
    /// The end of the content before it; the line end before it belongs to the delimiter.
    start: usize,
    /// The offset after its line end.
    end: usize,
    line_end: &'static [u8],
    is_last: bool,
}

impl MultipartBody<'_> {
    /// The next delimiter at the beginning of a line. The first one shows the line ends: a line feed alone is common.
    fn next_delimiter(
        &self,
        from: usize,
        line_end: Option<&'static [u8]>,
    ) -> Result<Option<Delimiter>, SplitError> {
        let mut line = from;
        while let Some((before, rest)) = self.body.split_at_checked(line) {
            let is_line = line == from || line_end.is_none_or(|ends| before.ends_with(ends));
            let tail = rest.strip_prefix(b"--").filter(|_| is_line);
            if let Some(tail) = tail.and_then(|rest| rest.strip_prefix(self.boundary)) {
                return self.delimiter_from_tail(line, tail, line_end).map(Some);
            }
            let Some(feed) = rest.iter().position(|byte| *byte == b'\n') else { break };
            line += feed + 1;
        }
        Ok(None)
    }

    fn delimiter_from_tail(
        &self,
        line: usize,
        tail: &[u8],
        line_end: Option<&'static [u8]>,
    ) -> Result<Delimiter, SplitError> {
        let at = self.body.len() - tail.len();
        let (is_last, tail) = tail.strip_prefix(b"--").map_or((false, tail), |tail| (true, tail));
        // RFC 2046 §5.1.1: white space that was added in transit is ignored.
        let n_padding = tail.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let tail = tail.get(n_padding..).unwrap_or_default();
        let own = match [CRLF, LF].into_iter().find(|ends| tail.starts_with(ends)) {
            Some(own) if line_end.is_some_and(|ends| ends != own) => {
                let expected = "the line end that the first boundary has";
                return Err(malformed_parts_error(at, expected, "another"));
            }
            Some(own) => own,
            None if is_last && tail.is_empty() => &[],
            None => {
                return Err(malformed_parts_error(
                    at,
                    "`--` or a line end after the boundary",
                    "more text",
                ));
            }
        };
        let start = line.saturating_sub(line_end.map_or(0, <[u8]>::len));
        let end = self.body.len() - tail.len() + own.len();
        Ok(Delimiter { start, end, line_end: own, is_last })
    }

    /// The part between two delimiters: lines of headers, an empty line, the content.
    fn parse_part(&self, start: usize, end: usize) -> Result<RawPart, SplitError> {
        let (mut at, mut lines) = (start, Vec::<(usize, Vec<u8>)>::new());
        while at < end {
            let rest = self.body.get(at..end).unwrap_or_default();
            let feed = rest.iter().take(MAX_HEADERS).position(|byte| *byte == b'\n');
            let length = feed.map_or(rest.len(), |feed| feed + 1);
            if at + length > start + MAX_HEADERS {
                return Err(malformed_parts_error(
                    start,
                    "at most 16384 bytes of headers of a part",
                    "more",
                ));
            }
            let line = rest.get(..length).unwrap_or_default();
            let line = line.strip_suffix(LF).unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            at += length;
            match (line.first(), lines.last_mut()) {
                (None, _) => break,
                // RFC 5322 §2.2.3: such a line continues the previous header.
                (Some(b' ' | b'\t'), Some((_, header))) => {
                    header.push(b' ');
                    header.extend_from_slice(line.trim_ascii());
                }
                _ => lines.push((at - length, line.to_vec())),
            }
        }
        Ok(RawPart { at, headers: parse_part_headers(&lines)?, body: self.body.slice(at..end) })
    }
}

fn parse_part_headers(lines: &[(usize, Vec<u8>)]) -> Result<HeaderMap, SplitError> {
    let mut headers = HeaderMap::new();
    for (at, line) in lines {
        let expected = "a header of a part, or an empty line before its content";
        let wrong = || malformed_parts_error(*at, expected, "another line");
        let colon = line.iter().position(|byte| *byte == b':').ok_or_else(wrong)?;
        let (name, value) = line.split_at(colon);
        let name = HeaderName::from_bytes(name).map_err(|_| wrong())?;
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        let value = HeaderValue::from_bytes(value).map_err(|_| wrong())?;
        if KNOWN.contains(&name) && headers.insert(name, value).is_some() {
            return Err(malformed_parts_error(
                *at,
                "each header of a part once",
                "one of them twice",
            ));
        }
    }
    Ok(headers)
}

pub(super) fn malformed_parts_error(
    at: usize,
    expected: &'static str,
    got: &'static str,
) -> SplitError {
    SplitError::Form { at, expected, got }
}

pub(super) const CONTENT_ID: HeaderName = HeaderName::from_static("content-id");
pub(super) const TRANSFER_ENCODING: HeaderName =
    HeaderName::from_static("content-transfer-encoding");
const KNOWN: [HeaderName; 4] = [CONTENT_DISPOSITION, CONTENT_ID, TRANSFER_ENCODING, CONTENT_TYPE];
const CRLF: &[u8] = b"\r\n";
const LF: &[u8] = b"\n";
/// The longest boundary (RFC 2046 §5.1.1).
const MAX_BOUNDARY: usize = 70;
/// The most bytes of headers; names of files may be long, but longer headers are invalid.
const MAX_HEADERS: usize = 16 * 1024;
/// The most parts of one response, as many as the requests of a batch of well-known services.
pub(super) const MAX_PARTS: usize = 1000;

#[cfg(test)]
mod tests;
