//! Finds the boundaries of HTTP/1 messages, and every message whose end can be read in two ways (RFC 9112 §11.2): two
//! lengths, a length beside chunks, codings other than `chunked`, folded lines, blanks before a colon, bare line feeds.
//! The HTTP library accepts some of them in its own reading; a proxy in front of the sidecar may read them differently.

use memchr::memchr;

#[derive(Debug)]
pub(super) struct Framing {
    state: State,
    /// The beginning of a line whose end has not arrived.
    line: Vec<u8>,
    head: Head,
    is_in_head: bool,
    /// The longest line that is kept; the HTTP library refuses longer ones.
    longest: usize,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    ChunkData(u64),
    ChunkEnd,
    ChunkSize,
    Content(u64),
    Header,
    /// HTTP/2: each frame has exactly one length.
    Opaque,
    RequestLine,
    Trailer,
}

#[derive(Clone, Copy, Debug, Default)]
struct Head {
    is_1_0: bool,
    length: Option<u64>,
    is_chunked: bool,
    has_host: bool,
}

/// The error for a message of ambiguous length; `at` is the offset of the line that causes it in the given bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Ambiguous {
    pub(super) at: usize,
}

/// A line that can be read in two ways.
struct AmbiguousLine;

impl Framing {
    pub(super) fn new(longest: usize) -> Self {
        let (line, head) = (Vec::new(), Head::default());
        Self { state: State::RequestLine, line, head, is_in_head: false, longest }
    }

    pub(super) fn is_in_head(&self) -> bool {
        self.is_in_head
    }

    pub(super) fn check_framing(&mut self, bytes: &[u8]) -> Result<(), Ambiguous> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let at = bytes.len() - rest.len();
            let left = match self.state {
                State::Opaque => return Ok(()),
                State::Content(left) => self.skip_content(rest, left),
                State::ChunkData(left) => self.skip_chunk_data(rest, left),
                _ => self.take_line(rest).map_err(|AmbiguousLine| Ambiguous { at })?,
            };
            rest = left;
        }
        Ok(())
    }

    fn skip_content<'a>(&mut self, bytes: &'a [u8], left: u64) -> &'a [u8] {
        let (left, rest) = skip_bytes(bytes, left);
        self.state = if left == 0 { State::RequestLine } else { State::Content(left) };
        rest
    }

    fn skip_chunk_data<'a>(&mut self, bytes: &'a [u8], left: u64) -> &'a [u8] {
        let (left, rest) = skip_bytes(bytes, left);
        self.state = if left == 0 { State::ChunkEnd } else { State::ChunkData(left) };
        rest
    }

    /// Takes a line, or the beginning of one.
    fn take_line<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], AmbiguousLine> {
        self.is_in_head |= self.state == State::RequestLine;
        let Some(end) = memchr(b'\n', bytes) else {
            let room = self.longest.saturating_sub(self.line.len()).min(bytes.len());
            self.line.extend_from_slice(bytes.get(..room).unwrap_or_default());
            return Ok(&[]);
        };
        let (line, rest) = bytes.split_at_checked(end.saturating_add(1)).unwrap_or((bytes, &[]));
        if self.line.is_empty() {
            self.check_line(line)?;
        } else {
            let mut whole = std::mem::take(&mut self.line);
            whole.extend_from_slice(line);
            self.check_line(&whole)?;
        }
        Ok(rest)
    }

    fn check_line(&mut self, line: &[u8]) -> Result<(), AmbiguousLine> {
        // RFC 9112 §2.2: a recipient may accept a bare line feed, but a proxy in front of the sidecar may not.
        let line = line.strip_suffix(b"\r\n").ok_or(AmbiguousLine)?;
        if memchr(b'\r', line).is_some() {
            return Err(AmbiguousLine);
        }
        match self.state {
            State::RequestLine => self.read_request_line(line),
            State::Header => self.check_header_line(line)?,
            State::ChunkSize => self.state = state_after_chunk_line(line)?,
            State::ChunkEnd if line.is_empty() => self.state = State::ChunkSize,
            State::Trailer if line.is_empty() => self.state = State::RequestLine,
            State::Trailer => {}
            State::ChunkEnd | State::ChunkData(_) | State::Content(_) | State::Opaque => {
                return Err(AmbiguousLine);
            }
        }
        Ok(())
    }

    fn read_request_line(&mut self, line: &[u8]) {
        // RFC 9113 §3.4: the beginning of every HTTP/2 connection.
        if line == b"PRI * HTTP/2.0" {
            (self.state, self.is_in_head) = (State::Opaque, false);
            return;
        }
        // RFC 9112 §2.2: empty lines before a request are skipped.
        if !line.is_empty() {
            self.head = Head { is_1_0: line.ends_with(b"HTTP/1.0"), ..Head::default() };
            self.state = State::Header;
        }
    }

    fn check_header_line(&mut self, line: &[u8]) -> Result<(), AmbiguousLine> {
        if line.is_empty() {
            self.state = self.head.state_after_head()?;
            self.is_in_head = false;
            return Ok(());
        }
        let colon = memchr(b':', line).ok_or(AmbiguousLine)?;
        let (name, value) = line.split_at_checked(colon).ok_or(AmbiguousLine)?;
        // RFC 9112 §5.1 and §5.2: no blank before the colon, none at the beginning of a line.
        if name.is_empty() || name.iter().any(|byte| matches!(byte, b' ' | b'\t')) {
            return Err(AmbiguousLine);
        }
        let value = value.strip_prefix(b":").unwrap_or(value).trim_ascii();
        let is = |header_name: &[u8]| name.eq_ignore_ascii_case(header_name);
        let head = &mut self.head;
        if is(b"content-length") {
            let is_first = head.length.is_none();
            head.length = Some(parse_length(value).filter(|_| is_first).ok_or(AmbiguousLine)?);
        } else if is(b"transfer-encoding") {
            if head.is_chunked || !value.eq_ignore_ascii_case(b"chunked") {
                return Err(AmbiguousLine);
            }
            head.is_chunked = true;
        } else if is(b"host") {
            if head.has_host {
                return Err(AmbiguousLine);
            }
            head.has_host = true;
        }
        Ok(())
    }
}

impl Head {
    fn state_after_head(self) -> Result<State, AmbiguousLine> {
        match self {
            Self { is_chunked: true, length: Some(_), .. }
            | Self { is_chunked: true, is_1_0: true, .. } => Err(AmbiguousLine),
            Self { is_chunked: true, .. } => Ok(State::ChunkSize),
            Self { length: Some(length @ 1..), .. } => Ok(State::Content(length)),
            _ => Ok(State::RequestLine),
        }
    }
}

/// RFC 9112 §7.1: hexadecimal digits, perhaps with extensions, which are ignored.
fn state_after_chunk_line(line: &[u8]) -> Result<State, AmbiguousLine> {
    let end = memchr(b';', line).unwrap_or(line.len());
    let digits = line.get(..end).unwrap_or_default();
    if !(1..=16).contains(&digits.len()) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(AmbiguousLine);
    }
    let text = str::from_utf8(digits).map_err(|_| AmbiguousLine)?;
    match u64::from_str_radix(text, 16).map_err(|_| AmbiguousLine)? {
        0 => Ok(State::Trailer),
        size => Ok(State::ChunkData(size)),
    }
}

fn parse_length(digits: &[u8]) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    str::from_utf8(digits).ok().filter(|_| is_number)?.parse().ok()
}

/// The bytes left to skip, and the bytes after them.
fn skip_bytes(bytes: &[u8], left: u64) -> (u64, &[u8]) {
    let here = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
    let rest = bytes.get(here..).unwrap_or_default();
    (left.saturating_sub(here as u64), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the message whole, in every split into two pieces, and byte by byte.
    #[track_caller]
    fn check(message: &str, is_fine: bool) {
        let bytes = message.as_bytes();
        for cut in 0..bytes.len() {
            let mut framing = Framing::new(1024);
            let (head, tail) = bytes.split_at(cut);
            let taken = framing.check_framing(head).and_then(|()| framing.check_framing(tail));
            assert_eq!(taken.is_ok(), is_fine, "{message:?} cut at {cut}");
        }
        let mut framing = Framing::new(1024);
        let taken = bytes.iter().try_for_each(|byte| framing.check_framing(&[*byte]));
        assert_eq!(taken.is_ok(), is_fine, "{message:?} byte by byte");
        assert!(!is_fine || !framing.is_in_head(), "{message:?}");
    }

    fn post(headers: &str, rest: &str) -> String {
        format!("POST / HTTP/1.1\r\nHost: a\r\n{headers}\r\n\r\n{rest}")
    }

    #[test]
    fn messages_with_an_unambiguous_length_are_accepted() {
        check("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true);
        check("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", true);
        check(&post("Content-Length: 5", "a\nb\rcGET / HTTP/1.1\r\nHost: a\r\n\r\n"), true);
        check(&post("Content-Length: 0", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"), true);
        check(&post("Transfer-Encoding: Chunked", "5\r\na\nb\rc\r\n0\r\n\r\n"), true);
        let chunks =
            "a;x=\"y\"\r\n0123456789\r\n00\r\nA: b\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
        check(&post("transfer-encoding:chunked", chunks), true);
        check("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\n\x04\n\n", true);
    }

    #[test]
    fn messages_with_an_ambiguous_length_are_refused() {
        check(&post("Content-Length: 5\r\nTransfer-Encoding: chunked", ""), false);
        check(&post("Transfer-Encoding: chunked\r\nContent-Length: 5", ""), false);
        check(&post("Content-Length: 5\r\nContent-Length: 5", ""), false);
        check(&post("Content-Length: 5, 5", ""), false);
        check(&post("Content-Length: +5", ""), false);
        check(&post("Content-Length:", ""), false);
        check(&post("Content-Length: 99999999999999999999", ""), false);
        check(&post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", ""), false);
        check(&post("Transfer-Encoding: gzip, chunked", ""), false);
        check(&post("Transfer-Encoding: xchunked", ""), false);
        check(&post("Transfer-Encoding : chunked", ""), false);
        check(&post("Transfer-Encoding\t: chunked", ""), false);
        check(&post("X: a\r\n Transfer-Encoding: chunked", ""), false);
        check(&post("X: a\nTransfer-Encoding: chunked", ""), false);
        check(&post("X: a\rTransfer-Encoding: chunked", ""), false);
        check(&post("Host: b", ""), false);
        check(&post("no colon", ""), false);
        check("GET / HTTP/1.1\nHost: a\n\n", false);
        check("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", false);
    }

    #[test]
    fn chunks_with_an_ambiguous_length_are_refused() {
        let chunked = |rest: &str| post("Transfer-Encoding: chunked", rest);
        check(&chunked("5\nabcde\r\n0\r\n\r\n"), false);
        check(&chunked("5\r\nabcdef\r\n0\r\n\r\n"), false);
        check(&chunked("5;a\nb\r\nabcde\r\n0\r\n\r\n"), false);
        check(&chunked("0x5\r\nabcde\r\n"), false);
        check(&chunked("-5\r\n"), false);
        check(&chunked(" 5\r\n"), false);
        check(&chunked("\r\n"), false);
        check(&chunked("fffffffffffffffff\r\n"), false);
    }

    #[test]
    fn a_partial_head_is_recognized_and_an_ambiguous_line_is_reported() {
        let mut framing = Framing::new(16);
        assert!(!framing.is_in_head());
        framing.check_framing(b"GET / HTTP/1.1\r\nHost: a-name-that-is-very-long").unwrap();
        assert!(framing.is_in_head());
        assert_eq!(framing.line.len(), 16);
        let mut framing = Framing::new(1024);
        let ambiguous = framing.check_framing(b"GET / HTTP/1.1\r\nA : b\r\n").unwrap_err();
        assert_eq!(ambiguous, Ambiguous { at: 16 });
    }
}
