//! A call whose pieces are read as they arrive, for users of the library. It ends with an ordinary result.

use callgate_tool::{Answer, Outcome, ToolResult};

use crate::{
    around::LayeredCall,
    backend::{BodyHead, Opened, Piece, Pieces},
    stop::Stop,
};

/// A call whose response arrives piece by piece, or that has ended. It borrows nothing: any task can read it.
///
/// ```
/// # async fn example(executor: callgate_executor::Executor) {
/// use callgate_tool::{Arguments, Session, ToolCall};
///
/// let call = ToolCall::new("call-1", "watchPets", Arguments::new());
/// let mut stream = executor.stream(&call, &Session::default()).await;
/// while let Some(piece) = stream.next().await {
///     println!("{piece:?}");
/// }
/// let result = stream.into_result();
/// # drop(result);
/// # }
/// ```
#[derive(Debug)]
pub struct ToolStream {
    around: LayeredCall<'static>,
    outcome: Outcome,
    body: BodyHead,
    pieces: Option<Pieces>,
}

impl ToolStream {
    pub(crate) fn new(opened: Opened, around: LayeredCall<'static>) -> Self {
        let (outcome, pieces): (_, Option<Pieces>) = match opened {
            Opened::Ended(outcome) => (outcome, None),
            Opened::Pieces(pieces) => (pieces.head().clone().into(), Some(pieces)),
        };
        let body = pieces.as_ref().map(|pieces| pieces.body().clone()).unwrap_or_default();
        Self { around, outcome, body, pieces }
    }

    /// The facts about the response before its pieces; `None` if the call has ended otherwise.
    pub fn head(&self) -> Option<&Answer> {
        if let Outcome::Answered(answer) = &self.outcome { Some(answer) } else { None }
    }

    /// The media type of the bytes that follow, without parameters; empty if the service names none, and if the pieces
    /// are values.
    ///
    /// ```
    /// # async fn download(executor: &callgate_executor::Executor, call: callgate_executor::Call<'_>) {
    /// let mut stream = executor.stream_with(call.with_raw_response()).await;
    /// println!("{}, of {:?} bytes", stream.media_type(), stream.size());
    /// while let Some(piece) = stream.next().await {
    ///     println!("{piece:?}");
    /// }
    /// # }
    /// ```
    pub fn media_type(&self) -> &str {
        &self.body.media_type
    }

    /// The number of bytes that follow, if the service gives it.
    pub fn size(&self) -> Option<u64> {
        self.body.size
    }

    /// The next piece, as soon as the service has sent all of it. `None` when no more follow, and immediately if the
    /// response does not come in pieces.
    ///
    /// The toolset's time limit holds for each value, and so does the limit on a response's size. Dropping the future
    /// loses no piece; dropping the stream stops the call.
    pub async fn next(&mut self) -> Option<Piece> {
        let stop = self.around.call.stop_signal();
        match Stop::run_unless_stopped(stop, self.pieces.as_mut()?.next()).await {
            Some(Some(Ok(piece))) => return Some(piece),
            Some(Some(Err(fault))) => self.outcome = Outcome::Failed(fault),
            Some(None) => {}
            None => self.outcome = mark_still_sending(self.outcome.clone()),
        }
        if let Some(pieces) = self.pieces.take() {
            pieces.note_redactions(&mut self.around.journal);
        }
        self.around.run_middleware_after(&self.outcome).await;
        None
    }

    /// Ends the call and returns its result. The answer of a stream read to its end is empty; any other stream is
    /// stopped, and its answer says that the service was still sending.
    pub fn into_result(mut self) -> ToolResult {
        let left = self.pieces.take();
        if let Some(pieces) = &left {
            pieces.note_redactions(&mut self.around.journal);
        }
        let outcome = if left.is_some() { mark_still_sending(self.outcome) } else { self.outcome };
        self.around.into_result(outcome)
    }
}

fn mark_still_sending(mut outcome: Outcome) -> Outcome {
    if let Outcome::Answered(answer) = &mut outcome {
        answer.still_sending = true;
    }
    outcome
}
