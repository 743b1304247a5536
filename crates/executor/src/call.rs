//! One call as backends and middleware see it: the model's request, the session it runs in, and its surroundings.

use std::{borrow::Cow, sync::Arc, time::Duration};

use callgate_call::{Selection, Shape};
use callgate_tool::{Arguments, Principal, Session, ToolCall};
use tokio::time::Instant;

use crate::{
    decision::{Decided, Decision},
    execution::Execution,
    extensions::{Extensions, OuterCall},
    rights::CallRights,
    stop::Stop,
    trace::TraceContext,
    watcher::{CallWatcher, Watcher},
};

/// One call on its way to a backend. It borrows from its maker; [`Call::to_static`] makes one that borrows nothing.
///
/// ```
/// use callgate_executor::{Call, Executor};
/// use callgate_tool::{Principal, Session, ToolCall};
///
/// # async fn run(executor: &Executor, asked: &ToolCall, session: &Session) {
/// let call = Call::new(asked, session).with_principal(Principal::new("kim"));
/// let result = executor.call_with(call).await;
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Call<'a> {
    pub(crate) id: Cow<'a, str>,
    pub(crate) tool: Cow<'a, str>,
    arguments: Cow<'a, Arguments>,
    session: Cow<'a, Session>,
    principal: Option<Principal>,
    rights: CallRights,
    started: Instant,
    deadline: Option<Instant>,
    timeout: Option<Duration>,
    trace: Option<TraceContext>,
    extensions: Extensions,
    stop: Option<Stop>,
    execution: Execution,
    decided: Option<Decided>,
    approval: Option<String>,
}

impl<'a> Call<'a> {
    /// A call of a program itself, which begins now and may use every tool.
    pub fn new(asked: &'a ToolCall, session: &'a Session) -> Self {
        Self::of_caller(asked, session, CallRights::default())
    }

    /// A call that begins now, for a caller who has these rights.
    #[doc(hidden)]
    pub fn of_caller(asked: &'a ToolCall, session: &'a Session, rights: CallRights) -> Self {
        Self {
            id: Cow::Borrowed(&asked.id),
            tool: Cow::Borrowed(&asked.tool),
            arguments: Cow::Borrowed(&asked.arguments),
            session: Cow::Borrowed(session),
            principal: None,
            rights,
            started: Instant::now(),
            deadline: None,
            timeout: None,
            trace: None,
            extensions: Extensions::default(),
            stop: None,
            execution: Execution::Server,
            decided: None,
            approval: None,
        }
    }

    /// A call that this one makes: for its caller, with its session, its rights and its end. Nobody can be asked about it.
    #[doc(hidden)]
    pub fn inner_call(&self, asked: ToolCall) -> Call<'_> {
        let mut extensions = Extensions::default();
        extensions.insert(OuterCall(self.extensions.clone()));
        Call {
            id: Cow::Owned(asked.id),
            tool: Cow::Owned(asked.tool),
            arguments: Cow::Owned(asked.arguments),
            started: Instant::now(),
            timeout: None,
            extensions,
            execution: Execution::Server,
            decided: None,
            approval: None,
            ..self.reborrow()
        }
    }

    /// A copy that borrows from this call.
    #[doc(hidden)]
    pub fn reborrow(&self) -> Call<'_> {
        let (id, tool) = (Cow::Borrowed(self.id()), Cow::Borrowed(self.tool()));
        let arguments = Cow::Borrowed(self.arguments());
        self.copy_with(id, tool, arguments, Cow::Borrowed(self.session()))
    }

    fn copy_with<'b>(
        &self,
        id: Cow<'b, str>,
        tool: Cow<'b, str>,
        arguments: Cow<'b, Arguments>,
        session: Cow<'b, Session>,
    ) -> Call<'b> {
        Call {
            id,
            tool,
            arguments,
            session,
            principal: self.principal.clone(),
            rights: self.rights.clone(),
            started: self.started,
            deadline: self.deadline,
            timeout: self.timeout,
            trace: self.trace.clone(),
            extensions: self.extensions.clone(),
            stop: self.stop.clone(),
            execution: self.execution,
            decided: self.decided.clone(),
            approval: self.approval.clone(),
        }
    }

    callgate_tool::setters! {
        /// Sets the caller.
        pub fn with_principal(principal: Principal) = Some(principal);
        /// Ends the call at `deadline` at the latest, whatever the tool's own limit is.
        pub fn with_deadline(deadline: Instant) = Some(deadline);
        /// Makes the call a part of a trace.
        pub fn with_trace(trace: TraceContext) = Some(trace);
        /// Ends the call with what is known of it when its program stops.
        pub fn with_stop(stop: Stop) = Some(stop);
        /// Adds a decision that says who decided: [`Decided::by`].
        pub fn with_decided(decided: Decided) = Some(decided);
        /// Makes the call under the approval that it waits for, once somebody else has decided. Until then it stays pending.
        pub fn with_approval(approval: impl Into<String>) = Some(approval.into());
        /// The call with other arguments: those of the model, filled or translated.
        #[doc(hidden)]
        pub fn with_arguments(arguments: Arguments) = Cow::Owned(arguments);
    }

    /// Gives everything selected of the response, not only what fits a model's budget. The limit on the bytes
    /// read of a response (`limits.response_bytes`) stays.
    #[must_use]
    pub fn with_whole(self, selection: Selection) -> Self {
        let choice = ResponseChoice { whole: Some(Arc::new(selection)), ..self.response_choice() };
        self.with_extension(choice)
    }

    /// Hands the response on as it arrives, byte for byte and of any size, if the call is opened
    /// ([`Executor::stream_with`](crate::Executor::stream_with)) and the service responds with success. Credentials are masked as in all
    /// output.
    #[must_use]
    pub fn with_raw_response(self) -> Self {
        let choice = ResponseChoice { is_raw: true, ..self.response_choice() };
        self.with_extension(choice)
    }

    /// Shows the call's requests and responses to `watcher`.
    #[doc(hidden)]
    #[must_use]
    pub fn with_watcher(self, watcher: Arc<dyn Watcher>) -> Self {
        self.with_extension(CallWatcher(watcher))
    }

    /// Ends the call this long after its beginning at the latest, whatever the tool's own limit is. A client that runs the call
    /// has no more time than this, either.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        let deadline = self.deadline_within(timeout);
        self.with_deadline(deadline)
    }

    /// Adds a value for middleware or a backend.
    #[must_use]
    pub fn with_extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }

    /// Lets the client run the call, whatever the tool's own execution is.
    #[must_use]
    pub fn run_by_client(mut self) -> Self {
        self.execution = Execution::Client;
        self
    }

    /// Adds a person's decision about the call, which waited for an approval under this id:
    /// [`Pending::id`](callgate_tool::Pending::id).
    #[must_use]
    pub fn with_decision(self, approval: impl Into<String>, decision: Decision) -> Self {
        self.with_decided(Decided::new(approval, decision))
    }

    /// Removes the call from its trace, so that its request is identical every time.
    #[must_use]
    pub fn without_trace(mut self) -> Self {
        self.trace = None;
        self
    }

    /// A copy of the call that borrows nothing.
    pub fn to_static(&self) -> Call<'static> {
        let (id, tool) = (self.id().to_owned(), self.tool().to_owned());
        let arguments = Cow::Owned(self.arguments().clone());
        self.copy_with(id.into(), tool.into(), arguments, Cow::Owned(self.session().clone()))
    }

    /// The caller's own id of the call.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The tool that the call means: its full name if there is such a tool, else the name in the call.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The arguments as the model filled them in.
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    pub(crate) fn clear_arguments(&mut self) {
        self.arguments = Cow::Owned(Arguments::new());
    }

    /// The session: values that the runtime knows and the model must not choose.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The caller, if verified.
    pub fn principal(&self) -> Option<&Principal> {
        self.principal.as_ref()
    }

    /// The rights of the caller.
    #[doc(hidden)]
    pub fn rights(&self) -> &CallRights {
        &self.rights
    }

    /// Adds a copy of a value to the extensions, if it is wanted.
    pub(crate) fn add_extension_if<T: Clone + Send + Sync + 'static>(
        &mut self,
        wanted: bool,
        value: &T,
    ) {
        if wanted {
            self.extensions.insert(value.clone());
        }
    }

    /// The moment when the call was made.
    pub fn start_time(&self) -> Instant {
        self.started
    }

    /// The moment when the caller stops waiting, if the caller set one.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The side that runs the call, as its maker asked.
    pub fn execution(&self) -> Execution {
        self.execution
    }

    /// The decision that came with the call, until middleware takes it.
    pub fn decision(&self) -> Option<&Decided> {
        self.decided.as_ref()
    }

    /// Takes the decision out of the call. A call whose decision nobody takes is not made.
    pub fn take_decision(&mut self) -> Option<Decided> {
        self.decided.take()
    }

    /// The id of the approval that came with the call, until middleware takes it.
    pub fn approval(&self) -> Option<&str> {
        self.approval.as_deref()
    }

    /// Takes the approval's id out of the call. A call whose approval nobody takes is not made.
    pub fn take_approval(&mut self) -> Option<String> {
        self.approval.take()
    }

    pub(crate) fn has_decision_or_approval(&self) -> bool {
        self.decided.is_some() || self.approval.is_some()
    }

    pub(crate) fn response_choice(&self) -> ResponseChoice {
        self.extensions.get().cloned().unwrap_or_default()
    }

    /// The part of the result that the call's maker selected; `None` for all of it.
    pub(crate) fn selection(&self) -> Option<Arc<Selection>> {
        self.response_choice().whole.filter(|selection| !matches!(**selection, Selection::All))
    }

    /// The stop that ends the call with its program.
    pub(crate) fn stop_signal(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// The moment when the call must have ended under the tool's own limit, which counts from the beginning of the call.
    pub fn deadline_within(&self, limit: Duration) -> Instant {
        let own = self.started.checked_add(limit).unwrap_or(self.started + LONGEST);
        self.deadline.map_or(own, |callers| callers.min(own))
    }

    /// The time of the call under the tool's own limit: what it has had when [`Call::deadline_within`] comes.
    #[doc(hidden)]
    pub fn duration_within(&self, limit: Duration) -> Duration {
        self.deadline_within(limit).saturating_duration_since(self.started)
    }

    /// The time that a client has for the call, which a deadline of the program does not shorten.
    pub(crate) fn client_time_within(&self, limit: Duration) -> Duration {
        self.timeout.map_or(limit, |timeout| timeout.min(limit))
    }

    /// The trace of the call. Requests of operations carry it on.
    pub fn trace(&self) -> Option<&TraceContext> {
        self.trace.as_ref()
    }

    /// Values of middleware and of the call's maker.
    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// The extensions of the call, to add values to them. A `tracing::Span` among them is the span that the call runs in.
    pub fn extensions_mut(&mut self) -> &mut Extensions {
        &mut self.extensions
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ResponseChoice {
    /// The selection of the response that is shown, without a budget; `None` for a model's part.
    pub(crate) whole: Option<Arc<Selection>>,
    pub(crate) is_raw: bool,
}

impl ResponseChoice {
    /// The wanted shape, made from the shape `own` that a model would get.
    pub(crate) fn chosen_shape<'s>(&self, own: &'s Shape) -> Cow<'s, Shape> {
        let Some(selection) = &self.whole else { return Cow::Borrowed(own) };
        let mut shape = own.clone();
        shape.selection = Selection::clone(selection);
        shape.result_bytes = usize::MAX;
        shape.media_bytes = usize::MAX;
        Cow::Owned(shape)
    }
}

/// A time longer than any call.
const LONGEST: Duration = Duration::from_hours(24 * 365);
