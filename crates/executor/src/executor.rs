//! The executor: takes calls and returns results. Parallel calls are independent of each other; their results are in the order
//! of the calls.

mod searches;

use std::{mem, sync::Arc};

use callgate_call::wording;
use callgate_session::{Error as StoreError, Owner};
use callgate_tool::{
    Effect, Event, Fault, Fingerprint, Handle, Journal, Outcome, Principal, Reached, Session,
    StoredResult, ToolCall, ToolResult,
};
use futures_util::{StreamExt, stream};
use tokio::runtime::Handle as Runtime;
use tracing::Instrument;

use crate::{
    around::{LayeredCall, Layers},
    backend::{Backend, Opened, stop_fault},
    call::Call,
    catalog::{Catalog, Entry, Permit},
    dispatch::{open_permitted_call, run_permitted_call},
    execution::ClientAnswer,
    extensions::MeantToolset,
    fingerprint,
    middleware::{Ending, Stage},
    results::{KeptFile, Results},
    rights::CallRights,
    search::Finder,
    side,
    stop::Stop,
    stream::ToolStream,
};

/// The calls of one batch that run at the same time: more than a model asks for in one turn.
const PARALLEL_CALLS: usize = 64;

/// Runs tools. Clones share everything and cost next to nothing, so that an executor is kept by whoever calls it and
/// another is put in its place while calls run.
///
/// ```
/// use callgate_executor::Executor;
/// use callgate_tool::{Arguments, Outcome, Session, ToolCall};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let executor = Executor::builder().build()?;
/// let call = ToolCall::new("1", "getPet", Arguments::new());
/// let result = executor.call(&call, &Session::default()).await;
/// assert!(matches!(result.outcome, Outcome::Failed(_)));
/// # Ok::<(), callgate_executor::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Executor(Arc<ExecutorParts>);

#[derive(Debug)]
struct ExecutorParts {
    catalog: Catalog,
    finder: Finder,
    results: Arc<Results>,
    layers: Layers,
}

impl Executor {
    pub(crate) fn new(
        catalog: Catalog,
        finder: Finder,
        results: Arc<Results>,
        layers: Layers,
    ) -> Self {
        let parts = Arc::new(ExecutorParts { catalog, finder, results, layers });
        let weak = Arc::downgrade(&parts);
        parts.results.set_served_tools(move |toolset, tool| {
            weak.upgrade().is_some_and(|parts| parts.catalog.has_tool(toolset, tool))
        });
        Self(parts)
    }

    /// The whole of a result that was cut, or a file, while it is kept: fifteen minutes, or less where many are. Only the
    /// principal and the session whose call made it find it, and only while the executor has the tool of the call. A later call
    /// of theirs sends it on where an argument stands for bytes: `{"handle": "result:…"}`.
    ///
    /// # Errors
    /// The store of results cannot be reached, or holds something else there.
    pub async fn result(
        &self,
        handle: &Handle,
        session: &Session,
        principal: Option<&Principal>,
    ) -> Result<Option<StoredResult>, StoreError> {
        self.readable_result(handle, Owner::new(principal, session), &CallRights::default()).await
    }

    /// [`Executor::result`] for a caller who has these rights.
    ///
    /// # Errors
    /// Those of [`Executor::result`].
    #[doc(hidden)]
    pub async fn readable_result(
        &self,
        handle: &Handle,
        owner: Owner<'_>,
        rights: &CallRights,
    ) -> Result<Option<StoredResult>, StoreError> {
        self.0.results.get(handle, owner, rights).await
    }

    /// Keeps a file for later calls of a principal in a session, like a result of one of them.
    ///
    /// # Errors
    /// The store takes no bytes now, or none so large.
    #[doc(hidden)]
    pub async fn keep_file(
        &self,
        file: StoredResult,
        session: &Session,
        principal: Option<&Principal>,
    ) -> Result<KeptFile, StoreError> {
        self.0.results.store_file(file, Owner::new(principal, session)).await
    }

    pub(crate) fn results(&self) -> &Arc<Results> {
        &self.0.results
    }

    /// Every tool in a fixed order.
    ///
    /// ```
    /// # fn list(executor: &callgate_executor::Executor) {
    /// for entry in executor.entries() {
    ///     let path = entry.operation().map(|operation| &*operation.path);
    ///     println!("{} {path:?} {:?}", entry.name(), entry.declaration());
    /// }
    /// # }
    /// ```
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.0.catalog.entries()
    }

    /// The tool that a call names.
    pub fn find(&self, name: &str) -> Option<Entry<'_>> {
        self.0.catalog.find(name)
    }

    /// The names most similar to `asked`, the most similar first, of the tools that `sees` takes.
    #[doc(hidden)]
    pub fn nearest_names<'e>(
        &'e self,
        asked: &str,
        sees: impl Fn(Entry<'e>) -> bool,
    ) -> Vec<&'e str> {
        self.0.catalog.nearest_names(asked, sees)
    }

    /// The fault of a call of a tool that is not offered, for a caller who may use the toolsets that `sees` takes: the
    /// reason if the load of a description refused its operation, else the nearest names.
    #[doc(hidden)]
    pub fn unknown_tool_fault(&self, asked: &str, sees: impl Fn(&str) -> bool) -> Box<Fault> {
        let catalog = &self.0.catalog;
        if let Some(reason) = catalog.refusal_reason(asked, &sees) {
            return wording::refused_tool(asked, reason);
        }
        wording::unknown_tool(asked, &catalog.nearest_names(asked, |entry| sees(entry.toolset())))
    }

    /// The reason why a tool of a toolset that `sees` takes is not offered; `None` if it is offered or unknown.
    #[doc(hidden)]
    pub fn refusal_reason(&self, asked: &str, sees: impl Fn(&str) -> bool) -> Option<&str> {
        self.0.catalog.refusal_reason(asked, sees)
    }

    /// Returns true if middleware of this stage runs around the calls.
    #[doc(hidden)]
    pub fn has_stage(&self, stage: Stage) -> bool {
        self.0.layers.iter().any(|layer| layer.stage() == stage)
    }

    /// The fingerprint of a call of the tool it means ([`fingerprint`](crate::fingerprint)); `None` if its caller may not make it
    /// now.
    #[doc(hidden)]
    pub fn fingerprint(&self, call: &Call<'_>) -> Option<Fingerprint> {
        let permit = self.0.catalog.permit(call.tool(), call.rights())?;
        Some(fingerprint(call, Some(permit.backend())))
    }

    /// Runs one call. Every ending is an outcome. Dropping the future stops the call.
    pub async fn call(&self, call: &ToolCall, session: &Session) -> ToolResult {
        self.call_with(Call::new(call, session)).await
    }

    /// Runs calls in parallel and answers them in order.
    pub async fn call_all(&self, calls: &[ToolCall], session: &Session) -> Vec<ToolResult> {
        // Made before the first one runs: a closure in the type of the stream would keep the future on its thread.
        let calls: Vec<_> = calls.iter().map(|call| self.call(call, session)).collect();
        stream::iter(calls).buffered(PARALLEL_CALLS).collect().await
    }

    /// [`Executor::call`] with a caller, a deadline, a trace and more. A call that ended with [`Outcome::Pending`] and waits for
    /// an approval runs again with [`Call::with_decision`].
    pub fn call_with<'c>(&'c self, call: Call<'c>) -> impl Future<Output = ToolResult> + Send + 'c {
        // A block holds the call once, and an `async fn` twice.
        let mut around = LayeredCall::new(&self.0.layers, call, Journal::default());
        async move {
            let permit = self.admit_call(&mut around.call, &mut around.journal);
            let outcome = if self.0.layers.is_empty() {
                run_permitted_call(permit, &around.call, &mut around.journal).await
            } else {
                let permit = self.run_before_then_recheck(&mut around, permit).await;
                let span = around.span();
                let running = run_permitted_call(permit, &around.call, &mut around.journal);
                let outcome = running.instrument(span).await;
                around.run_middleware_after(&outcome).await;
                outcome
            };
            let (tool, id, ending) =
                (around.call.tool(), around.call.id(), Ending::Outcome(&outcome));
            tracing::debug!(tool, id, ending = ending.as_str(), "call ended");
            around.into_result(outcome)
        }
    }

    /// Runs one call whose pieces are taken as they come: the events of a stream, JSON lines. Every ending is an outcome.
    ///
    /// ```
    /// # async fn run(executor: &callgate_executor::Executor, call: callgate_tool::ToolCall) {
    /// let mut stream = executor.stream(&call, &Default::default()).await;
    /// while let Some(piece) = stream.next().await {
    ///     println!("{:?}", piece.text());
    /// }
    /// let result = stream.into_result();
    /// # }
    /// ```
    pub async fn stream(&self, call: &ToolCall, session: &Session) -> ToolStream {
        self.stream_with(Call::new(call, session)).await
    }

    /// [`Executor::stream`] with a caller, a deadline, a trace and more.
    pub async fn stream_with(&self, mut call: Call<'_>) -> ToolStream {
        let mut journal = Journal::default();
        let permit = self.admit_call(&mut call, &mut journal);
        let layers = &self.0.layers;
        if layers.is_empty() {
            let opened = open_permitted_call(permit, &call, &mut journal).await;
            return ToolStream::new(opened, LayeredCall::new(layers, call, journal).into_static());
        }
        // What sees a stream end outlives whoever opened it.
        let mut around = LayeredCall::new(layers, call, journal).into_static();
        let permit = self.run_before_then_recheck(&mut around, permit).await;
        let span = around.span();
        let opened =
            open_permitted_call(permit, &around.call, &mut around.journal).instrument(span).await;
        if let Opened::Ended(outcome) = &opened {
            around.run_middleware_after(outcome).await;
        }
        ToolStream::new(opened, around)
    }

    /// A dry run: the request that a call would send, made by the code that sends it, with `****` for credentials. Middleware
    /// does not run.
    pub async fn dry_run(&self, call: &ToolCall, session: &Session) -> ToolResult {
        self.dry_run_with(Call::new(call, session)).await
    }

    /// [`Executor::dry_run`] with a caller, a deadline, a trace and more.
    pub async fn dry_run_with(&self, mut call: Call<'_>) -> ToolResult {
        let mut journal = Journal::default();
        let outcome = match self.look_up_permitted_tool(&mut call, &mut journal) {
            Err(outcome) => outcome,
            Ok(permit) => match side::preview_call(permit.backend(), &call, &mut journal).await {
                Ok(preview) => Outcome::Planned(Box::new(preview)),
                Err(fault) => Outcome::Failed(fault),
            },
        };
        LayeredCall::new(&self.0.layers, call, journal).into_result(outcome)
    }

    /// Notifies middleware of a call that is refused before it runs: a call of a model's message that cannot be read, or that
    /// names a tool which is not provided.
    pub async fn report_refused(&self, mut call: Call<'_>, outcome: &Outcome) {
        if let Some(entry) = self.0.catalog.find(call.tool()) {
            call = call.with_extension(MeantToolset(entry.toolset().into()));
        }
        let mut around = LayeredCall::new(&self.0.layers, call, Journal::default());
        around.run_middleware_before(None).await;
        around.run_middleware_after(outcome).await;
    }

    /// Ends a call that waits for its client, with the client's answer. `call` is the call as it was made. Middleware saw its
    /// end when it began to wait, and does not run again.
    ///
    /// # Errors
    /// A fault that names what is wrong with the answer; the call keeps waiting.
    pub async fn resume(
        &self,
        call: Call<'_>,
        answer: ClientAnswer,
    ) -> Result<ToolResult, Box<Fault>> {
        let mut journal = Journal::default();
        let outcome = match (self.0.catalog.permit(call.tool(), call.rights()), answer) {
            (None, _) => Outcome::Failed(wording::client::tool_removed(call.tool())),
            (Some(_), ClientAnswer::Failed(said)) => {
                Outcome::Failed(wording::client::failed_call(said))
            }
            (Some(permit), ClientAnswer::Output(output)) => {
                permit.backend().outcome_from_answer(&call, output, &mut journal).await?
            }
        };
        let (tool, id) = (call.tool(), call.id());
        tracing::debug!(
            tool,
            id,
            ending = Ending::Outcome(&outcome).as_str(),
            "the client answered a call"
        );
        Ok(LayeredCall::new(&self.0.layers, call, journal).into_result(outcome))
    }

    /// The permission to make a call, or the outcome that says why there is none: without a runtime there are no timers and sockets.
    fn admit_call(
        &self,
        call: &mut Call<'_>,
        journal: &mut Journal,
    ) -> Result<Permit<'_>, Outcome> {
        match Runtime::try_current() {
            Ok(_) => self.look_up_permitted_tool(call, journal),
            Err(_) => Err(Outcome::Failed(wording::no_runtime())),
        }
    }

    fn look_up_permitted_tool(
        &self,
        call: &mut Call<'_>,
        journal: &mut Journal,
    ) -> Result<Permit<'_>, Outcome> {
        let Some(permit) = self.0.catalog.permit(&call.tool, call.rights()) else {
            return Err(self.refuse_unpermitted_call(call));
        };
        call.add_extension_if(permit.backend().can_call_tools(), self);
        let meant = permit.entry().name().as_str();
        if *meant != *call.tool {
            let asked = mem::replace(&mut call.tool, meant.to_owned().into()).into_owned();
            journal.note(Event::ToolFolded { asked, meant: meant.to_owned() });
        }
        Ok(permit)
    }

    /// The outcome of a call that its caller may not make: as if there were no such tool. What goes round the call sees neither
    /// its arguments nor their secrets.
    fn refuse_unpermitted_call(&self, call: &mut Call<'_>) -> Outcome {
        let (catalog, rights) = (&self.0.catalog, call.rights());
        let reason = catalog.refusal_reason(&call.tool, |toolset| rights.may_call(toolset));
        let fault = reason.map(|reason| wording::refused_tool(&call.tool, reason));
        let unknown = || {
            let nearest = catalog.nearest_names(&call.tool, |entry| entry.is_permitted(rights));
            wording::unknown_tool(&call.tool, &nearest)
        };
        let fault = fault.unwrap_or_else(unknown);
        if let Some(entry) = catalog.find(&call.tool) {
            call.extensions_mut().insert(MeantToolset(entry.toolset().into()));
            call.clear_arguments();
        }
        Outcome::Failed(fault)
    }

    /// Runs `before` of all middleware, and decides again. Returns the permission, or the outcome that ended the call.
    async fn run_before_then_recheck<'e>(
        &'e self,
        around: &mut LayeredCall<'_>,
        permit: Result<Permit<'e>, Outcome>,
    ) -> Result<Permit<'e>, Outcome> {
        let stop = around.call.stop_signal().cloned();
        let backend = permit.as_ref().ok().map(|permit| permit.backend());
        let effect = backend.map_or(Effect::Read, Backend::retry_effect);
        match Stop::run_unless_stopped(stop.as_ref(), around.run_middleware_before(backend)).await {
            Some(Some(outcome)) => Err(outcome),
            Some(None) => {
                let renewed = permit?.rechecked_permit(around.call.rights());
                renewed.ok_or_else(|| self.refuse_unpermitted_call(&mut around.call))
            }
            None => Err(Outcome::Failed(stop_fault(Reached::No, effect, &around.journal))),
        }
    }
}
