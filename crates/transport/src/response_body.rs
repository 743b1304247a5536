//! The body of a response as it arrives: chunk by chunk, decoded, and never expanding beyond a fixed ratio. The reader
//! limits its time and its size.

use std::{
    io, mem,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt, stream};
use http::{Version, response::Parts};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt};
use tokio_util::io::StreamReader;

use crate::{
    coding::Coding,
    error::{self, Error},
};

/// The largest ratio of decoded to sent bytes of a response; text rarely exceeds twenty.
pub const MAX_EXPANSION: u64 = 100;

/// The body of a response.
///
/// ```
/// # use callgate_transport::{Error, ResponseBody};
/// # async fn run(mut body: ResponseBody) -> Result<usize, Error> {
/// let mut size = 0;
/// while let Some(chunk) = body.chunk().await? {
///     size += chunk.len();
/// }
/// # Ok(size)
/// # }
/// ```
pub struct ResponseBody {
    announced: Option<u64>,
    source: Source,
}

enum Source {
    Coded(Coded),
    Pieces(Pin<Box<dyn Stream<Item = Result<Bytes, Error>> + Send>>),
    Plain(Received),
    Whole(Bytes),
}

/// The bytes of a response as the HTTP client gets them.
struct Received {
    incoming: Incoming,
    /// True if nothing but the flag `END_STREAM` ends it.
    ends_by_flag: bool,
}

struct Coded {
    reader: BodyDecoder,
    /// The number of bytes that came over the wire.
    arrived: Arc<AtomicU64>,
    decoded: u64,
}

enum BodyDecoder {
    Decoding(Pin<Box<dyn AsyncRead + Send>>),
    Ended,
    /// No byte has been read yet: an empty body is not decoded.
    Unread(Wire, Coding),
}

type Wire = StreamReader<Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>, Bytes>;

impl ResponseBody {
    /// A body that has already arrived.
    pub fn whole(bytes: Bytes) -> Self {
        Self { announced: u64::try_from(bytes.len()).ok(), source: Source::Whole(bytes) }
    }

    /// A body whose pieces come from a stream: of a transport of tests, or of a body some of whose bytes were read.
    #[doc(hidden)]
    pub fn from_pieces(pieces: impl Stream<Item = Result<Bytes, Error>> + Send + 'static) -> Self {
        Self { announced: None, source: Source::Pieces(Box::pin(pieces)) }
    }

    pub(crate) fn from_incoming(head: &Parts, incoming: Incoming, coding: Option<Coding>) -> Self {
        let announced = incoming.size_hint().exact();
        // RFC 9113 §8.1: a service that refuses a request may end the stream by a reset after its response.
        let ends_by_flag = head.version == Version::HTTP_2 && head.status.is_success();
        let received = Received { incoming, ends_by_flag };
        let source = match coding {
            None => Source::Plain(received),
            Some(coding) => Source::Coded(Coded::new(received, coding)),
        };
        Self { announced, source }
    }

    /// The next bytes, as soon as some arrive; `None` at the end.
    ///
    /// # Errors
    /// [`ErrorKind::Receive`](crate::ErrorKind::Receive) if the body breaks off,
    /// [`ErrorKind::Coding`](crate::ErrorKind::Coding) if it does not follow its content coding,
    /// [`ErrorKind::Expanding`](crate::ErrorKind::Expanding) if it expands to more than [`MAX_EXPANSION`] times its size.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        match &mut self.source {
            Source::Coded(coded) => coded.next_decoded_chunk().await,
            Source::Pieces(pieces) => pieces.next().await.transpose(),
            Source::Plain(received) => received.next_data().await,
            Source::Whole(bytes) => Ok(Some(mem::take(bytes)).filter(|bytes| !bytes.is_empty())),
        }
    }

    /// The number of bytes to come, if the service announces it and uses no content coding.
    pub fn announced_length(&self) -> Option<u64> {
        if matches!(self.source, Source::Coded(_)) { None } else { self.announced }
    }

    /// The whole body, if it has at most `bound` bytes.
    ///
    /// # Errors
    /// The errors of [`chunk`](Self::chunk), and [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge).
    #[expect(
        clippy::manual_async_fn,
        reason = "a block holds the body once, and an `async fn` twice"
    )]
    pub fn collect(
        mut self,
        bound: usize,
    ) -> impl Future<Output = Result<Bytes, Error>> + Send + use<> {
        async move {
            let mut body = BoundedBody::new(bound, self.announced)?;
            while let Some(chunk) = self.chunk().await? {
                body.push(chunk)?;
            }
            Ok(body.into_bytes())
        }
    }
}

impl Received {
    /// The next bytes. Trailers are ignored.
    async fn next_data(&mut self) -> Result<Option<Bytes>, Error> {
        while let Some(frame) = self.incoming.frame().await {
            if let Ok(data) = frame.map_err(error::receiving_error)?.into_data() {
                return Ok(Some(data));
            }
        }
        // The HTTP client takes a reset with `NO_ERROR` or `CANCEL` for the end.
        if self.ends_by_flag && !self.incoming.is_end_stream() {
            return Err(error::reset_stream());
        }
        Ok(None)
    }
}

impl Coded {
    fn new(received: Received, coding: Coding) -> Self {
        let arrived = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&arrived);
        let chunks = stream::try_unfold(received, |mut received| async move {
            Ok(received.next_data().await?.map(|chunk| (chunk, received)))
        });
        let chunks = chunks.map(move |chunk: Result<Bytes, Error>| {
            let chunk = chunk.map_err(io::Error::other)?;
            counter.fetch_add(chunk.len() as u64, Ordering::Relaxed);
            Ok(chunk)
        });
        let wire: Wire = StreamReader::new(chunks.boxed());
        Self { reader: BodyDecoder::Unread(wire, coding), arrived, decoded: 0 }
    }

    async fn next_decoded_chunk(&mut self) -> Result<Option<Bytes>, Error> {
        self.start_decoder().await?;
        let BodyDecoder::Decoding(decoder) = &mut self.reader else { return Ok(None) };
        let mut chunk = BytesMut::with_capacity(CHUNK);
        let n_read = decoder.read_buf(&mut chunk).await.map_err(error::decoding_error)?;
        if n_read == 0 {
            self.reader = BodyDecoder::Ended;
            return Ok(None);
        }
        self.decoded = self.decoded.saturating_add(n_read as u64);
        let most = self.arrived.load(Ordering::Relaxed).saturating_mul(MAX_EXPANSION);
        if self.decoded > most.max(FREE) {
            return Err(error::expanding(MAX_EXPANSION));
        }
        Ok(Some(chunk.freeze()))
    }

    async fn start_decoder(&mut self) -> Result<(), Error> {
        if let BodyDecoder::Unread(wire, _) = &mut self.reader {
            let first = wire.fill_buf().await.map_err(error::decoding_error)?.first().copied();
            if let BodyDecoder::Unread(wire, coding) =
                mem::replace(&mut self.reader, BodyDecoder::Ended)
                && let Some(first) = first
            {
                self.reader = BodyDecoder::Decoding(coding.decoder(wire, first));
            }
        }
        Ok(())
    }
}

/// The bytes so far, never more than the limit. A single chunk, the usual case, is passed on without a copy.
struct BoundedBody {
    bound: usize,
    expected: usize,
    first: Bytes,
    joined: BytesMut,
}

impl BoundedBody {
    /// An empty body. `expected` is the length that the service announced; a length over the limit is refused at once.
    fn new(bound: usize, expected: Option<u64>) -> Result<Self, Error> {
        let expected = match expected.map(usize::try_from) {
            Some(Ok(length)) if length <= bound => length,
            Some(_) => return Err(error::too_large(bound)),
            None => 0,
        };
        Ok(Self { bound, expected, first: Bytes::new(), joined: BytesMut::new() })
    }

    fn push(&mut self, chunk: Bytes) -> Result<(), Error> {
        let length = self.first.len().max(self.joined.len()).saturating_add(chunk.len());
        if length > self.bound {
            return Err(error::too_large(self.bound));
        }
        if self.joined.is_empty() && self.first.is_empty() {
            self.first = chunk;
            return Ok(());
        }
        if self.joined.is_empty() {
            self.joined.reserve(self.expected.max(length));
            self.joined.extend_from_slice(&self.first);
            self.first = Bytes::new();
        }
        self.joined.extend_from_slice(&chunk);
        Ok(())
    }

    fn into_bytes(self) -> Bytes {
        if self.joined.is_empty() { self.first } else { self.joined.freeze() }
    }
}

callgate_secret::opaque!(ResponseBody { announced });

/// The number of bytes that are decoded at a time.
const CHUNK: usize = 16 * 1024;
/// The decoded bytes that any body may have: a short list of equal items expands further than any text.
const FREE: u64 = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[track_caller]
    fn check(bound: usize, chunks: &[&'static str], expected: Result<&str, ErrorKind>) {
        let mut body = BoundedBody::new(bound, None).unwrap();
        let pushed =
            chunks.iter().try_for_each(|chunk| body.push(Bytes::from_static(chunk.as_bytes())));
        let finished = pushed.map(|()| body.into_bytes()).map_err(|error| error.kind());
        assert_eq!(finished, expected.map(|text| Bytes::copy_from_slice(text.as_bytes())));
    }

    #[test]
    fn chunks_are_joined_up_to_the_bound() {
        check(4, &[], Ok(""));
        check(4, &["", "abcd", ""], Ok("abcd"));
        check(4, &["a", "b", "", "cd"], Ok("abcd"));
        check(4, &["abcde"], Err(ErrorKind::TooLarge));
        check(4, &["ab", "cde"], Err(ErrorKind::TooLarge));
        check(4, &["a", "bc", "de"], Err(ErrorKind::TooLarge));
        check(0, &[""], Ok(""));
        check(0, &["a"], Err(ErrorKind::TooLarge));
    }

    #[test]
    fn an_announced_length_over_the_bound_is_refused_before_a_chunk_is_read() {
        for (length, fits) in [(4, true), (5, false), (u64::MAX, false)] {
            assert_eq!(BoundedBody::new(4, Some(length)).is_ok(), fits, "{length}");
        }
    }

    #[test]
    fn one_chunk_is_not_copied() {
        let chunk = Bytes::from(vec![7; 100]);
        let mut body = BoundedBody::new(100, Some(100)).unwrap();
        body.push(chunk.clone()).unwrap();
        assert_eq!(body.into_bytes().as_ptr(), chunk.as_ptr());
    }
}
