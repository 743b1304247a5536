//! The packets of a connection: each command begins a numbering of its own, and a payload of 16 MiB or more goes on in the
//! next packet. What the payloads mean is the affair of `handshake` and `command`.

use std::io;

use futures_util::FutureExt as _;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};

use crate::meter::Bytes;

/// A connection as packets.
pub(super) struct Wire {
    stream: BufReader<Box<dyn Bytes>>,
    /// The number of the next packet.
    sequence: u8,
    /// Packets that are written and not yet sent.
    out: Vec<u8>,
}

impl Wire {
    pub(super) fn new(stream: impl Bytes + 'static) -> Self {
        Self { stream: BufReader::new(Box::new(stream)), sequence: 0, out: Vec::new() }
    }

    /// The stream, for TLS; `None` if the server has said something that TLS would not cover.
    pub(super) fn into_stream_if_drained(self) -> Option<Box<dyn Bytes>> {
        self.stream.buffer().is_empty().then(|| self.stream.into_inner())
    }

    /// Goes on over another stream, within the same exchange.
    pub(super) fn with_sequence(stream: impl Bytes + 'static, sequence: u8) -> Self {
        Self { sequence, ..Self::new(stream) }
    }

    pub(super) fn sequence(&self) -> u8 {
        self.sequence
    }

    /// Writes a command.
    pub(super) fn write_command(&mut self, payload: &[u8]) {
        self.sequence = 0;
        self.write_packet(payload);
    }

    /// Writes a packet of the exchange that is under way.
    pub(super) fn write_packet(&mut self, payload: &[u8]) {
        let mut rest = payload;
        loop {
            let (part, after) = rest.split_at(rest.len().min(MOST_PART));
            let [low, middle, high, _] = u32::try_from(part.len()).unwrap_or(0).to_le_bytes();
            self.out.extend([low, middle, high, self.sequence]);
            self.out.extend(part);
            self.sequence = self.sequence.wrapping_add(1);
            rest = after;
            // A part of the full length says that another one follows, be it empty.
            if part.len() < MOST_PART {
                return;
            }
        }
    }

    pub(super) async fn send(&mut self) -> io::Result<()> {
        let out = std::mem::take(&mut self.out);
        self.stream.write_all(&out).await?;
        self.stream.flush().await
    }

    /// The payload of the next packet.
    pub(super) async fn receive(&mut self) -> io::Result<Vec<u8>> {
        let mut payload = Vec::new();
        loop {
            let mut header = [0; 4];
            self.stream.read_exact(&mut header).await?;
            let [low, middle, high, sequence] = header;
            let length = u32::from_le_bytes([low, middle, high, 0]);
            self.sequence = sequence.wrapping_add(1);
            // It grows with the bytes that come, not with those that are announced.
            let part = (&mut self.stream).take(length.into()).read_to_end(&mut payload).await?;
            if part as u64 != u64::from(length) {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if part < MOST_PART {
                return Ok(payload);
            }
        }
    }

    /// True if the server closed the connection, or said something that nobody asked for.
    pub(super) fn is_closed(&mut self) -> bool {
        self.stream.fill_buf().now_or_never().is_some()
    }
}

callgate_secret::opaque!(Wire {});

/// The bytes that one packet has at most.
const MOST_PART: usize = 0xff_ffff;
