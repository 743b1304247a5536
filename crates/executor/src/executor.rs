//! The executor: takes calls, answers results. Parallel calls are independent of each other and answered in the order
//! they were asked.

use std::sync::Arc;

use callgate_call::wording;
use callgate_tool::{Event, Handle, Journal, Outcome, Session, StoredResult, ToolCall, ToolResult};
use futures_util::{StreamExt, stream};
use tokio::runtime::Handle as Runtime;

use crate::{
    backend::{Backend, Opened},
    catalog::{Catalog, Entry},
    results::Results,
    stream::ToolStream,
};

/// How many calls of one batch run at the same time; as many as a model asks for in one turn, and a bound on the
/// connections one batch can open.
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
pub struct Executor(Arc<Parts>);

/// What the clones of an executor share.
#[derive(Debug)]
struct Parts {
    catalog: Catalog,
    results: Arc<Results>,
}

impl Executor {
    pub(crate) fn new(catalog: Catalog, results: Arc<Results>) -> Self {
        Self(Arc::new(Parts { catalog, results }))
    }

    /// The whole of a result that was cut, or a file, while it is kept: fifteen minutes, or less where many are. A later
    /// call sends it on where an argument stands for bytes: `{"handle": "result:…"}`.
    pub fn result(&self, handle: &Handle) -> Option<StoredResult> {
        self.0.results.get(handle)
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

    /// The tool a call means by `name`.
    pub fn find(&self, name: &str) -> Option<Entry<'_>> {
        self.0.catalog.find(name)
    }

    /// Runs one call. Every ending is an outcome. Dropping the future stops the call.
    pub async fn call(&self, call: &ToolCall, session: &Session) -> ToolResult {
        let mut journal = Journal::default();
        let (tool, backend) = match self.found_to_run(call, &mut journal) {
            Ok(found) => found,
            Err(outcome) => return ended(call, call.tool.clone(), outcome, journal),
        };
        let outcome = backend.run(&call.arguments, session, &mut journal).await;
        tracing::debug!(tool, id = call.id, ending = ending(&outcome), "call ended");
        ended(call, tool, outcome, journal)
    }

    /// Runs one call whose values are taken as they come: the events of a stream, JSON lines. Every ending is an outcome.
    ///
    /// ```
    /// # async fn run(executor: &callgate_executor::Executor, call: callgate_tool::ToolCall) {
    /// let mut stream = executor.stream(&call, &Default::default()).await;
    /// while let Some(event) = stream.next().await {
    ///     println!("{}", event.text());
    /// }
    /// let result = stream.into_result();
    /// # }
    /// ```
    pub async fn stream(&self, call: &ToolCall, session: &Session) -> ToolStream {
        let mut journal = Journal::default();
        let (tool, opened) = match self.found_to_run(call, &mut journal) {
            Ok((tool, backend)) => {
                (tool, backend.open(&call.arguments, session, &mut journal).await)
            }
            Err(outcome) => (call.tool.clone(), Opened::Ended(outcome)),
        };
        ToolStream::new(opened, |outcome| ended(call, tool, outcome, journal))
    }

    /// Runs calls in parallel and answers them in order.
    pub async fn call_all(&self, calls: &[ToolCall], session: &Session) -> Vec<ToolResult> {
        // Made before the first one runs: a closure in the type of the stream would keep the future on its thread.
        let calls: Vec<_> = calls.iter().map(|call| self.call(call, session)).collect();
        stream::iter(calls).buffered(PARALLEL_CALLS).collect().await
    }

    /// A dry run: what a call would send, built by the code that sends, with `****` for credentials.
    pub fn prepare(&self, call: &ToolCall, session: &Session) -> ToolResult {
        let mut journal = Journal::default();
        let (tool, backend) = match self.found(call, &mut journal) {
            Ok(found) => found,
            Err(outcome) => return ended(call, call.tool.clone(), outcome, journal),
        };
        let outcome = backend.prepare(&call.arguments, session, &mut journal);
        ended(call, tool, outcome, journal)
    }

    fn found(
        &self,
        call: &ToolCall,
        journal: &mut Journal,
    ) -> Result<(String, &dyn Backend), Outcome> {
        let catalog = &self.0.catalog;
        let Some(entry) = catalog.find(&call.tool) else {
            let nearest = catalog.nearest(&call.tool);
            return Err(Outcome::Failed(wording::unknown_tool(&call.tool, &nearest)));
        };
        let meant = entry.name().to_string();
        if meant != call.tool {
            journal.note(Event::ToolFolded { asked: call.tool.clone(), meant: meant.clone() });
        }
        Ok((meant, entry.backend()))
    }

    /// [`Self::found`] for a call that will wait: timers and sockets are the runtime's.
    fn found_to_run(
        &self,
        call: &ToolCall,
        journal: &mut Journal,
    ) -> Result<(String, &dyn Backend), Outcome> {
        match Runtime::try_current() {
            Ok(_) => self.found(call, journal),
            Err(_) => Err(Outcome::Failed(wording::no_runtime())),
        }
    }
}

fn ended(call: &ToolCall, tool: String, outcome: Outcome, journal: Journal) -> ToolResult {
    ToolResult { id: call.id.clone(), tool, outcome, journal }
}

fn ending(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Answered(_) => "answered",
        Outcome::Failed(fault) => fault.code.as_str(),
        Outcome::Planned(_) => "planned",
    }
}
