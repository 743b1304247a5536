//! The common form of requests and responses as text: lines, a blank one, and a body of any bytes.

/// Adds a body, and the LF that ends a text with a body.
pub(super) fn push_body(text: &mut Vec<u8>, body: &[u8]) {
    if body.is_empty() {
        return;
    }
    text.extend_from_slice(body);
    text.push(b'\n');
}

/// The lines before the blank one without their line ends, and the body.
pub(super) fn split(text: &[u8]) -> (Vec<&[u8]>, &[u8]) {
    let mut head = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut parts = rest.splitn(2, |byte| *byte == b'\n');
        let line = parts.next().unwrap_or_default();
        rest = parts.next().unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            break;
        }
        head.push(line);
    }
    (head, rest.strip_suffix(b"\n").unwrap_or(rest))
}
