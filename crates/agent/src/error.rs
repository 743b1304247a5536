//! The reason why a turn cannot begin. Every ending of a turn that began is an [`End`](crate::End).

use callgate_dialect::Dialect;

callgate_secret::error! {
    /// The refusal of a turn, a model or a transcript.
    ///
    /// ```
    /// use callgate_agent::{ErrorKind, Transcript};
    /// use callgate_dialect::Dialect;
    ///
    /// let error = Transcript::new(Dialect::Mcp).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Dialect);
    /// ```
    pub struct Error {}

    pub(crate) fn new;
    pub(crate) fn with_source;
}

/// The class of an [`Error`].
///
/// ```
/// use callgate_agent::ErrorKind;
///
/// let status = |kind| if kind == ErrorKind::Busy { 409 } else { 400 };
/// assert_eq!(status(ErrorKind::Busy), 409);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An answer to a call that does not wait, or an answer of the wrong form.
    Answer,
    /// Another turn of the transcript runs.
    Busy,
    /// A dialect that no provider of models speaks, or the dialect of another transcript.
    Dialect,
    /// Words or files of a user that the agent's model cannot get; nothing was sent.
    Input,
    /// A value of the session that the instructions need, and the session lacks.
    Session,
    /// Settings of a model that cannot be sent.
    Settings,
    /// The store of transcripts and budgets failed.
    Store,
    /// A transcript that cannot be read.
    Transcript,
    /// A name that no agent of the configuration has.
    UnknownAgent,
}

callgate_secret::errors! {
    fn no_words() = Input: "`input`: expected words, got none";
    fn no_parts(got: &str) = Input: "`input`: expected words, or a list of parts that is not empty, got: {got}";
    fn no_part(at: &str, got: &str) = Input: "`{at}`: expected an object with `text`, `handle` or `data`, got: {got}";
    fn unknown_member(at: &str, name: &str) = Input:
        "`{at}`: expected `text`, `handle`, `data`, `content_type` or `filename`, got: `{name}`";
    fn unusable_part(problem: &str) = Input: "{problem}";
    fn unfit_file(at: usize, problem: &str) = Input: "`input.{at}`: {problem}";
    fn too_many_files(most: usize) = Input: "`input`: expected at most {most} files";
    fn too_large_files(most: usize) = Input: "`input`: expected files of at most {most} bytes together";
    fn lone_document(dialect: &str) = Input:
        "`input`: expected words beside a document, which `{dialect}` does not take alone";
    fn other_dialect(expected: &str, got: &str) = Dialect:
        "expected a transcript of `{expected}`, the dialect of the agent's model, got one of `{got}`";
    fn reserved_setting(name: &str) = Settings:
        "the setting `{name}` is a member that the turn itself writes; leave it out";
    fn no_session_value(source: &str) = Session:
        "the instructions of the agent need `{source}`, which the session does not have; nothing was sent";
    fn malformed_url(problem: &str) = Settings: "the URL of the model cannot be called: {problem}";
    fn foreign_message(at: usize, expected: &str) = Transcript:
        "message {at} of the transcript: expected {expected}";
    fn no_such_call(id: &str) = Answer: "no call of this transcript waits for an answer under this id: `{id}`";
    fn wrong_answer(id: &str, problem: &str) = Answer: "the answer to the call `{id}`: {problem}";
    fn nothing_waits() = Answer: "no call of this transcript waits; send an input";
    fn unknown_agent(name: &str, agent_names: &str) = UnknownAgent:
        "expected the name of an agent of the configuration, {agent_names}, got: `{name}`";
    /// Calls of the turn may have been made, so it is not taken again as one that never began.
    fn changed_transcript() = Store:
        "the transcript is not kept: it was removed, or changed by another turn, while this one ran";
    fn busy() = Busy: "another turn of this transcript runs; send this one when that has ended";
}

pub(crate) fn no_model_dialect(dialect: &str) -> Error {
    let names = Dialect::NAMES_OF_MODELS.join("`, `");
    let (others, last) = names.rsplit_once(", ").unwrap_or_default();
    let message =
        format!("expected the dialect of a model: `{others} or {last}`, got: `{dialect}`");
    Error::new(ErrorKind::Dialect, message)
}

pub(crate) fn store_error(source: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(ErrorKind::Store, format!("the transcript is not kept: {source}"))
        .with_source(source)
}

pub(crate) fn budget_error(source: callgate_session::Error) -> Error {
    Error::new(ErrorKind::Store, format!("the budget cannot be read: {source}")).with_source(source)
}

pub(crate) fn unreadable_transcript(problem: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Transcript, format!("the transcript cannot be read: {problem}"))
}
