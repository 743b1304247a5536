//! A call whose pieces are taken as they come, for users of the library. What it ends with is a result like any other.

use callgate_tool::{Answer, Outcome, ToolResult};

use crate::{
    around::Around,
    backend::{BodyHead, Opened, Piece, Pieces},
    stop::Stop,
};

/// A call whose answer comes piece by piece, or that has ended. It borrows nothing: any task reads it.
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
    around: Around<'static>,
    outcome: Outcome,
    body: BodyHead,
    pieces: Option<Pieces>,
}

impl ToolStream {
    /// A stream of the `opened` answer of a call.
    pub(crate) fn new(opened: Opened, around: Around<'static>) -> Self {
        let (outcome, pieces): (_, Option<Pieces>) = match opened {
            Opened::Ended(outcome) => (outcome, None),
            Opened::Pieces(pieces) => (pieces.head().clone().into(), Some(pieces)),
        };
        let body = pieces.as_ref().map(|pieces| pieces.body().clone()).unwrap_or_default();
        Self { around, outcome, body, pieces }
    }

    /// The facts about the answer before its pieces; none where the call has ended otherwise.
    pub fn head(&self) -> Option<&Answer> {
        match &self.outcome {
            Outcome::Answered(answer) => Some(answer),
            _ => None,
        }
    }

    /// The facts about the bytes before they come; empty for an answer whose pieces are values.
    pub fn body(&self) -> &BodyHead {
        &self.body
    }

    /// The next piece, as soon as the service has sent all of it. `None` when no more come, and at once where the answer is
    /// not one that comes in pieces.
    ///
    /// The time limit of the toolset holds for each value, and so does the bound on an answer's size. Dropping the future
    /// loses nothing; dropping the stream stops the call.
    pub async fn next(&mut self) -> Option<Piece> {
        let stop = self.around.call.stop();
        match Stop::unless(stop, self.pieces.as_mut()?.next()).await {
            Some(Some(Ok(piece))) => return Some(piece),
            Some(Some(Err(fault))) => self.outcome = Outcome::Failed(fault),
            Some(None) => {}
            None => self.outcome = still_sending(self.outcome.clone()),
        }
        if let Some(pieces) = self.pieces.take() {
            pieces.note(&mut self.around.journal);
        }
        self.around.end(&self.outcome).await;
        None
    }

    /// The result of the call at its end. An answer whose pieces were taken is empty; a stream that is not at its end
    /// is stopped, and its answer says that the service was still sending.
    pub fn into_result(mut self) -> ToolResult {
        let left = self.pieces.take();
        if let Some(pieces) = &left {
            pieces.note(&mut self.around.journal);
        }
        let outcome = if left.is_some() { still_sending(self.outcome) } else { self.outcome };
        self.around.into_result(outcome)
    }
}

/// The end of a stream that was not read to its end.
fn still_sending(mut outcome: Outcome) -> Outcome {
    if let Outcome::Answered(answer) = &mut outcome {
        answer.still_sending = true;
    }
    outcome
}
