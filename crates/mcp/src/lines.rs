//! Messages on lines: each input line holds one message, or several in an array; each output line holds one. An input line
//! without a message gets an error.

use std::{collections::VecDeque, io, sync::Arc};

use bytes::Bytes;
use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ClientRequest, GetExtensions, JsonRpcMessage},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::Mutex,
    task::JoinSet,
};

use crate::{
    batch,
    message::{ExactCall, Refusal},
};

/// The two ends of a client that writes lines.
#[derive(Debug)]
pub(crate) struct Lines<R, W> {
    input: BufReader<R>,
    /// The part of a line received so far: dropping a pending read loses nothing.
    line: Vec<u8>,
    is_passed_over: bool,
    /// The remaining messages of a line that held several (revision 2025-03-26).
    waiting: VecDeque<Bytes>,
    output: Arc<Mutex<W>>,
    /// Responses to lines that are not messages.
    refusals: JoinSet<io::Result<()>>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    pub(crate) fn new(input: R, output: W) -> Self {
        let (input, output) = (BufReader::new(input), Arc::new(Mutex::new(output)));
        let (line, waiting, refusals) = (Vec::new(), VecDeque::new(), JoinSet::new());
        Self { input, line, is_passed_over: false, waiting, output, refusals }
    }

    /// The next line within the limit; `None` at the end. Dropping the future loses nothing.
    async fn next_line(&mut self) -> Option<Result<Vec<u8>, Refusal>> {
        loop {
            // A client that reads no output ends here.
            let piece = self.input.fill_buf().await.ok()?;
            if piece.is_empty() {
                let last = std::mem::take(&mut self.line);
                return (!last.is_empty()).then_some(Ok(last));
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let part = piece.get(..end.unwrap_or(piece.len())).unwrap_or_default();
            let (was_passed_over, length) = (self.is_passed_over, self.line.len() + part.len());
            if !was_passed_over && length <= MOST_BYTES {
                self.line.extend_from_slice(part);
            } else {
                self.is_passed_over = true;
                self.line = Vec::new();
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_none() {
                continue;
            }
            if std::mem::take(&mut self.is_passed_over) {
                return Some(Err(Refusal::too_long(MOST_BYTES)));
            }
            return Some(Ok(std::mem::take(&mut self.line)));
        }
    }

    fn write_refusal(&mut self, refusal: &Refusal) {
        while self.refusals.try_join_next().is_some() {}
        self.refusals.spawn(write_line(Arc::clone(&self.output), refusal.json_rpc_error_text()));
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (text, output) = (serde_json::to_string(&message), Arc::clone(&self.output));
        async move { write_line(output, text.map_err(io::Error::other)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            while let Some(message) = self.waiting.pop_front() {
                match read_message(&message) {
                    Ok(message) => return Some(message),
                    Err(refusal) => self.write_refusal(&refusal),
                }
            }
            let messages = self.next_line().await?.and_then(|line| match line.trim_ascii_start() {
                [] => Ok(Vec::new()),
                [b'[', ..] => batch::split_batch(&line),
                _ => Ok(vec![line.into()]),
            });
            match messages {
                Ok(messages) => self.waiting.extend(messages),
                Err(refusal) => self.write_refusal(&refusal),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        while self.refusals.join_next().await.is_some() {}
        self.output.lock().await.flush().await
    }
}

fn read_message(line: &[u8]) -> Result<ClientJsonRpcMessage, Refusal> {
    let exact = ExactCall::from_text(line)?;
    let mut message: ClientJsonRpcMessage =
        serde_json::from_slice(line).map_err(|_| Refusal::not_mcp_message(line))?;
    if let JsonRpcMessage::Request(request) = &mut message
        && let ClientRequest::CallToolRequest(call) = &mut request.request
    {
        call.extensions_mut().insert(Arc::new(exact));
    }
    Ok(message)
}

async fn write_line<W: AsyncWrite + Unpin>(
    output: Arc<Mutex<W>>,
    mut text: String,
) -> io::Result<()> {
    text.push('\n');
    let mut output = output.lock().await;
    output.write_all(text.as_bytes()).await?;
    output.flush().await
}

/// A host that puts files into arguments needs room; a host that never ends a line must not use up the memory.
const MOST_BYTES: usize = 16 << 20;

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, duplex};

    use super::*;

    #[tokio::test]
    async fn each_line_that_is_no_message_is_answered_with_an_error() {
        let (mut input, theirs) = duplex(64);
        let (answers, mut told) = duplex(1 << 16);
        let mut lines = Lines::new(theirs, answers);
        let sent = tokio::spawn(async move {
            let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
            let long = "x".repeat(MOST_BYTES + 1);
            let text = format!("\n{{\"id\":1,\n[]\n{long}\n[{ping}, [], {ping}]\n{ping}");
            input.write_all(text.as_bytes()).await.unwrap();
        });
        for _ in 0..3 {
            let message = lines.receive().await;
            assert!(matches!(message, Some(JsonRpcMessage::Request(_))), "{message:?}");
        }
        assert!(lines.receive().await.is_none());
        sent.await.unwrap();
        lines.close().await.unwrap();
        drop(lines);
        let mut text = String::new();
        told.read_to_string(&mut text).await.unwrap();
        let codes: Vec<i64> = text
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .map(|answer| answer["error"]["code"].as_i64().unwrap())
            .collect();
        assert_eq!(codes, [-32700, -32600, -32600, -32600], "{text}");
    }
}
