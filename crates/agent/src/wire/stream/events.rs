//! The data of server-sent events (<https://html.spec.whatwg.org/multipage/server-sent-events.html>), from bytes that come
//! in any pieces.

/// Bytes of a stream, from which whole events are taken.
#[derive(Debug, Default)]
pub(crate) struct Events {
    bytes: Vec<u8>,
    /// The bytes that were taken.
    n_taken: usize,
    /// The bytes in which no further line ends, so that a long line is looked through once.
    n_seen: usize,
    /// True if the line before ended by a carriage return, to which a line feed belongs.
    is_behind_return: bool,
    /// The data of the event whose end has not come.
    data: String,
    /// True once the mark of the end has come.
    is_done: bool,
}

impl Events {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.n_taken);
        self.n_seen = self.n_seen.saturating_sub(self.n_taken);
        self.n_taken = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Ends the last event: some servers leave its line break out.
    pub(crate) fn end_last_event(&mut self) {
        self.push(b"\n\n");
    }

    /// True if the server has marked the end of the stream, as OpenAI does.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    /// The data of the next whole event. Events without data, and the mark of the end that OpenAI sends, are passed over.
    pub(crate) fn next_event_data(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.bytes);
        let data = self.next_data(&bytes);
        self.bytes = bytes;
        data
    }

    fn next_data(&mut self, bytes: &[u8]) -> Option<String> {
        loop {
            self.skip_rest_of_line_end(bytes);
            let unseen = bytes.get(self.n_seen..)?;
            let Some(end) = unseen.iter().position(|byte| matches!(byte, b'\r' | b'\n')) else {
                self.n_seen = bytes.len();
                return None;
            };
            let end = self.n_seen.saturating_add(end);
            let line = String::from_utf8_lossy(bytes.get(self.n_taken..end).unwrap_or_default());
            self.is_behind_return = bytes.get(end) == Some(&b'\r');
            self.n_taken = end.saturating_add(1);
            self.n_seen = self.n_taken;
            let data = self.take_line(&line);
            if data.is_some() {
                return data;
            }
        }
    }

    /// Skips the line feed of a line end whose carriage return was taken, maybe with the bytes before.
    fn skip_rest_of_line_end(&mut self, bytes: &[u8]) {
        let Some(first) = bytes.get(self.n_taken).filter(|_| self.is_behind_return) else { return };
        self.n_taken = self.n_taken.saturating_add(usize::from(*first == b'\n'));
        self.n_seen = self.n_taken;
        self.is_behind_return = false;
    }

    /// Takes a line. Returns the data of the event that it ends.
    fn take_line(&mut self, line: &str) -> Option<String> {
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            let is_mark = is_end_mark(&data);
            self.is_done |= is_mark;
            return Some(data).filter(|data| !data.is_empty() && !is_mark);
        }
        // A byte order mark may stand before the first line.
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        // llama.cpp names the field of an error after it, and not `data`, up to the autumn of 2025.
        if let Some(error) = line.strip_prefix("error:").filter(|error| error.contains('{')) {
            let before = std::mem::replace(&mut self.data, format!("{{\"error\":{error}}}"));
            return Some(before).filter(|data| !data.is_empty());
        }
        let data = line.strip_prefix("data:")?;
        let data = data.strip_prefix(' ').unwrap_or(data);
        // Some servers end an event with one line break: no JSON goes on with an object after an object.
        if self.data.ends_with('}') && (data.starts_with('{') || is_end_mark(data)) {
            return Some(std::mem::replace(&mut self.data, data.to_owned()));
        }
        if !self.data.is_empty() {
            self.data.push('\n');
        }
        self.data.push_str(data);
        None
    }
}

/// True for the mark of the end, behind which some servers leave spaces.
fn is_end_mark(data: &str) -> bool {
    data.trim_end() == "[DONE]"
}
