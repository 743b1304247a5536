//! The data of server-sent events (<https://html.spec.whatwg.org/multipage/server-sent-events.html>), from bytes that come
//! in any pieces.

/// Bytes of a stream, from which whole events are taken.
#[derive(Debug, Default)]
pub(crate) struct Events {
    bytes: Vec<u8>,
    /// The data of the event whose end has not come.
    data: String,
}

impl Events {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The data of the next whole event. Events without data, and the mark of the end that OpenAI sends, are passed over.
    pub(crate) fn next(&mut self) -> Option<String> {
        while let Some(end) = self.bytes.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.bytes.drain(..=end).collect();
            if let Some(data) =
                self.line(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']))
            {
                return Some(data);
            }
        }
        None
    }

    /// Takes a line. Returns the data of the event that it ends.
    fn line(&mut self, line: &str) -> Option<String> {
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return Some(data).filter(|data| !data.is_empty() && data != "[DONE]");
        }
        let data = line.strip_prefix("data:")?;
        if !self.data.is_empty() {
            self.data.push('\n');
        }
        self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        None
    }
}
