//! The bytes of a response as they arrive, of any size. Credentials are masked in them as in all output: bytes are held back
//! until it is certain that no credential begins in them. The time limit holds for each chunk, not for the whole body.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use callgate_tool::{Answer, Fault};
use callgate_transport::ResponseBody;
use futures_util::stream;
use http::{HeaderMap, header::CONTENT_TYPE};
use tokio::time::timeout_at;

use super::{
    body_reader::timed_out_error,
    response_stream::{BodyHead, Piece, Pieces, Redactions, Terms},
};

#[derive(Debug)]
pub(super) struct Raw {
    body: ResponseBody,
    terms: Terms,
    held: BytesMut,
    is_ended: bool,
    noted: Arc<Redactions>,
}

impl Raw {
    pub(super) fn new(body: ResponseBody, terms: Terms) -> Self {
        let (held, noted) = (BytesMut::new(), Arc::default());
        Self { body, terms, held, is_ended: false, noted }
    }

    pub(super) fn into_pieces(self, head: Answer, headers: &HeaderMap) -> Pieces {
        let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = media_type.unwrap_or_default().split(';').next().unwrap_or_default();
        let media_type = essence.trim().to_ascii_lowercase();
        let about = BodyHead { media_type, size: self.body.announced_length() };
        let noted = Arc::clone(&self.noted);
        let chunks = stream::unfold(self, |mut raw| async move {
            let chunk = raw.next_masked_bytes().await?;
            Some((chunk.map(Piece::Bytes), raw))
        });
        Pieces::new(head, chunks).with_body_head(about).with_redactions(noted)
    }

    async fn next_masked_bytes(&mut self) -> Option<Result<Bytes, Box<Fault>>> {
        while !self.is_ended {
            let chunk = timeout_at(self.terms.piece_deadline(), self.body.chunk()).await;
            let bytes = match chunk.unwrap_or_else(|_| Err(timed_out_error())) {
                Err(error) => {
                    self.is_ended = true;
                    return Some(Err(self.terms.reading_fault(&error)));
                }
                Ok(Some(chunk)) if self.terms.masker.is_empty() => chunk,
                Ok(Some(chunk)) => self.push_and_take_masked(&chunk),
                Ok(None) => {
                    self.is_ended = true;
                    self.take_masked_bytes(0)
                }
            };
            if !bytes.is_empty() {
                return Some(Ok(bytes));
            }
        }
        None
    }

    fn push_and_take_masked(&mut self, chunk: &Bytes) -> Bytes {
        self.held.extend_from_slice(chunk);
        if self.held.len() < LOOKED_AT {
            Bytes::new()
        } else {
            self.take_masked_bytes(LONGEST_SECRET)
        }
    }

    /// Masks the held bytes, and returns all but the last `kept`.
    fn take_masked_bytes(&mut self, kept: usize) -> Bytes {
        let mut bytes = self.held.split();
        if let std::borrow::Cow::Owned(masked) = self.terms.masker.mask(&bytes) {
            self.noted.note_masked_credential();
            bytes = BytesMut::from(&*masked);
        }
        self.held = bytes.split_off(bytes.len().saturating_sub(kept));
        bytes.freeze()
    }
}

/// Longer than the longest spelling of a credential: a token of 8 KiB with every byte escaped.
const LONGEST_SECRET: usize = 64 << 10;
/// The bytes that are searched at a time: the held-back part is searched twice.
const LOOKED_AT: usize = 256 << 10;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use callgate_secret::{Masker, Secret};
    use callgate_tool::Effect;
    use callgate_transport::Limits;

    use super::*;

    async fn handed_on(bytes: Vec<u8>, secrets: Vec<Secret>) -> Vec<u8> {
        let limits = Limits { timeout: Duration::from_secs(1), ..Limits::default() };
        let body = ResponseBody::whole(bytes.into());
        let (masker, effect) = (Masker::new(secrets), Effect::Read);
        let mut raw = Raw::new(body, Terms { masker, limits, effect, deadline: None });
        let mut all = Vec::new();
        while let Some(chunk) = raw.next_masked_bytes().await {
            all.extend_from_slice(&chunk.unwrap());
        }
        all
    }

    #[tokio::test]
    async fn streamed_bytes_are_passed_on_unchanged_except_for_masked_credentials() {
        let mut bytes = vec![b'.'; 3 * LOOKED_AT];
        assert_eq!(handed_on(bytes.clone(), Vec::new()).await, bytes);
        let secrets = || vec![Secret::new("canary-token".to_owned())];
        assert_eq!(handed_on(bytes.clone(), secrets()).await, bytes);
        let at = LOOKED_AT - 4;
        bytes.splice(at..at + 12, *b"canary-token");
        let got = handed_on(bytes, secrets()).await;
        assert_eq!(got.get(at..at + 5), Some(&b"****."[..]));
    }
}
