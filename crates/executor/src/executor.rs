//! The executor: takes calls, answers results. Parallel calls are independent of each other and answered in the order
//! they were asked.

use std::sync::Arc;

use callgate_call::wording;
use callgate_openapi::Operation;
use callgate_tool::{
    Event, Handle, Journal, Outcome, Session, StoredResult, Tool, ToolCall, ToolResult,
};
use futures_util::{StreamExt, stream};

use crate::{
    Toolset,
    backend::{Backend, Connection, OpenApi, Opened},
    catalog::Catalog,
    results::Results,
    stream::ToolStream,
};

/// How many calls of one batch run at the same time; as many as a model asks for in one turn, and a bound on the
/// connections one batch can open.
const PARALLEL_CALLS: usize = 64;

/// Runs the tools of its toolsets.
///
/// ```
/// use callgate_executor::Executor;
/// use callgate_tool::{Arguments, Outcome, Session, ToolCall};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let executor = Executor::new(Vec::new());
/// let call = ToolCall::new("1", "getPet", Arguments::new());
/// let result = executor.call(&call, &Session::default()).await;
/// assert!(matches!(result.outcome, Outcome::Failed(_)));
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Executor {
    catalog: Catalog,
    results: Arc<Results>,
}

impl Executor {
    /// An executor of these toolsets. Of two tools of the same name the first is kept; toolset names keep them apart.
    pub fn new(toolsets: Vec<Toolset>) -> Self {
        let mut catalog = Catalog::default();
        let results = Arc::new(Results::default());
        for toolset in toolsets {
            let Toolset { transport, limits, redirects, shape, .. } = toolset;
            let results = Arc::clone(&results);
            let connection = Arc::new(Connection { transport, limits, redirects, results });
            let shape = Arc::new(shape);
            let mut own = toolset.tool_shapes;
            for callable in toolset.operations {
                let name = callable.operation.tool_name.clone();
                let shape = own.remove(&name).map_or_else(|| Arc::clone(&shape), Arc::new);
                let backend = OpenApi::new(callable, Arc::clone(&connection), shape);
                catalog.add(&name, Arc::new(backend));
            }
        }
        Self { catalog, results }
    }

    /// The whole of a result that was cut, or a file, while it is kept: fifteen minutes, or less where many are. A later
    /// call sends it on where an argument stands for bytes: `{"handle": "result:…"}`.
    pub fn result(&self, handle: &Handle) -> Option<StoredResult> {
        self.results.get(handle)
    }

    /// Every tool as it is declared, in a fixed order. A declaration is built when first asked for and kept; one that
    /// takes more than it may is left out, and `callgate check` says so.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.catalog.iter().filter_map(|found| found.backend.declaration())
    }

    /// The operations behind the tools, in the same order; a tool of another kind has none.
    pub fn operations(&self) -> impl Iterator<Item = &Arc<Operation>> {
        self.catalog.iter().filter_map(|found| found.backend.operation())
    }

    /// The tool a call means by `name`.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.catalog.find(name).and_then(|found| found.backend.declaration())
    }

    /// Runs one call. Every ending is an outcome. Dropping the future stops the call.
    pub async fn call(&self, call: &ToolCall, session: &Session) -> ToolResult {
        let mut journal = Journal::default();
        let (tool, backend) = match self.found(call, &mut journal) {
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
        let (tool, opened) = match self.found(call, &mut journal) {
            Ok((tool, backend)) => {
                (tool, backend.open(&call.arguments, session, &mut journal).await)
            }
            Err(outcome) => (call.tool.clone(), Opened::Ended(outcome)),
        };
        ToolStream::new(opened, |outcome| ended(call, tool, outcome, journal))
    }

    /// Runs calls in parallel and answers them in order.
    pub async fn call_all(&self, calls: &[ToolCall], session: &Session) -> Vec<ToolResult> {
        let running = calls.iter().map(|call| self.call(call, session));
        stream::iter(running).buffered(PARALLEL_CALLS).collect().await
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
    ) -> Result<(String, &Arc<dyn Backend>), Outcome> {
        let Some(found) = self.catalog.find(&call.tool) else {
            let nearest = self.catalog.nearest(&call.tool);
            return Err(Outcome::Failed(wording::unknown_tool(&call.tool, &nearest)));
        };
        let meant = found.name.to_string();
        if meant != call.tool {
            journal.note(Event::ToolFolded { asked: call.tool.clone(), meant: meant.clone() });
        }
        Ok((meant, found.backend))
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
