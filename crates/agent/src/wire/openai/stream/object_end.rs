//! Sees where an object in JSON ends, in a text that comes in pieces, without reading it again for each of them.

/// The state of a text that has come so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ObjectEnd {
    depth: usize,
    is_begun: bool,
    is_escaped: bool,
    is_in_text: bool,
}

impl ObjectEnd {
    /// Takes the next piece.
    pub(super) fn push(&mut self, piece: &str) {
        for byte in piece.bytes() {
            self.take_byte(byte);
        }
    }

    /// True if an object has begun and ended.
    pub(super) fn is_whole(self) -> bool {
        self.is_begun && self.depth == 0
    }

    /// The bytes of a text up to the end of its first object; all of them if none ends.
    pub(super) fn bytes_of_first_object(text: &str) -> usize {
        let mut end = Self::default();
        let last = text.bytes().position(|byte| {
            end.take_byte(byte);
            end.is_whole()
        });
        last.map_or(text.len(), |at| at.saturating_add(1))
    }

    fn take_byte(&mut self, byte: u8) {
        if self.is_escaped {
            self.is_escaped = false;
            return;
        }
        match (self.is_in_text, byte) {
            (true, b'\\') => self.is_escaped = true,
            (_, b'"') => self.is_in_text = !self.is_in_text,
            (false, b'{' | b'[') => {
                self.is_begun = true;
                self.depth = self.depth.saturating_add(1);
            }
            (false, b'}' | b']') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_whole_at_its_last_brace_in_any_pieces() {
        let text = r#" {"a\"}":[{"b":"\\"}],"c":"}"}"#;
        for n_piece in 1..=text.len() {
            let mut end = ObjectEnd::default();
            let mut n_seen = 0;
            for piece in text.as_bytes().chunks(n_piece) {
                assert!(!end.is_whole(), "after {n_seen} bytes");
                end.push(std::str::from_utf8(piece).unwrap());
                n_seen += piece.len();
            }
            assert!(end.is_whole(), "in pieces of {n_piece}");
        }
        for text in ["", " ", "7", r#""{}""#, "{", r#"{"a":"}"#] {
            let mut end = ObjectEnd::default();
            end.push(text);
            assert!(!end.is_whole(), "{text}");
        }
    }

    #[test]
    fn an_object_has_the_bytes_up_to_its_last_brace() {
        for (text, expected) in
            [(r#"{"ä":"}"}</end>"#, 10), ("{}", 2), (" {} {}", 3), ("{", 1), ("", 0)]
        {
            assert_eq!(ObjectEnd::bytes_of_first_object(text), expected, "{text}");
        }
    }
}
