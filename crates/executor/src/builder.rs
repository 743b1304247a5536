//! Builds an executor. Its parts come from `config`, or from the program that embeds callgate.

use std::sync::Arc;

use callgate_search::Synonyms;
use callgate_session::Store;
use callgate_tool::{Outcome, Value};

use crate::{
    Executor, Toolset,
    backend::{Backend, CheckedBackend, Connection, EditedTool, Function, OpenApi},
    call::Call,
    catalog::{Catalog, Slot},
    error::Error,
    middleware::Middleware,
    results::Results,
    retry::RetryBudget,
    search::Finder,
};

/// The builder of an executor: [`Executor::builder`]. Problems of its parts are reported when it is built.
///
/// ```
/// use callgate_executor::Executor;
/// use callgate_tool::json;
///
/// let schema = json!({"type": "object", "description": "The time of day"});
/// let executor = Executor::builder()
///     .function("clock", "get_time", schema, |_| async { json!("12:00") })
///     .build()?;
/// assert!(executor.find("clock-get_time").is_some());
/// # Ok::<(), callgate_executor::Error>(())
/// ```
#[derive(Debug, Default)]
#[must_use]
pub struct Builder {
    toolsets: Vec<Toolset>,
    own: Vec<Result<CheckedBackend, Error>>,
    middleware: Vec<Arc<dyn Middleware>>,
    results: Arc<Results>,
    synonyms: Synonyms,
}

impl Executor {
    /// Starts building an executor.
    pub fn builder() -> Builder {
        Builder::default()
    }
}

impl Builder {
    /// Adds the operations of a toolset.
    #[doc(hidden)]
    pub fn toolset(mut self, toolset: Toolset) -> Self {
        self.toolsets.push(toolset);
        self
    }

    /// Adds a tool of any kind. It comes after the operations of all toolsets, and is checked against its declaration
    /// ([`Backend`]).
    pub fn backend(mut self, backend: impl Backend + 'static) -> Self {
        self.own.push(CheckedBackend::new(Arc::new(backend)));
        self
    }

    /// Adds a tool that another executor may share.
    pub fn shared_backend(mut self, backend: Arc<dyn Backend>) -> Self {
        self.own.push(CheckedBackend::new(backend));
        self
    }

    /// Adds a tool as an operator's edit declares it.
    #[doc(hidden)]
    pub fn edited_backend(mut self, backend: impl Backend + 'static, edit: EditedTool) -> Self {
        self.own.push(Ok(CheckedBackend::for_edited_tool(Arc::new(backend), edit)));
        self
    }

    /// Adds a tool of any kind as an operator's edit declares it.
    #[doc(hidden)]
    pub fn edited_shared_backend(mut self, backend: Arc<dyn Backend>, edit: EditedTool) -> Self {
        self.own.push(Ok(CheckedBackend::for_edited_tool(backend, edit)));
        self
    }

    /// Adds a function as a tool: [`Function::new`].
    pub fn function<F, R, O>(
        mut self,
        toolset: &str,
        name: &str,
        schema: impl Into<Value>,
        body: F,
    ) -> Self
    where
        F: Fn(Call<'static>) -> R + Send + Sync + 'static,
        R: Future<Output = O> + Send + 'static,
        O: Into<Outcome>,
    {
        let function = Function::new(toolset, name, schema, body);
        self.own.push(function.and_then(|function| CheckedBackend::new(Arc::new(function))));
        self
    }

    /// Adds middleware around every call, at its stage of the fixed order.
    pub fn middleware(mut self, middleware: impl Middleware + 'static) -> Self {
        self.middleware.push(Arc::new(middleware));
        self
    }

    /// Adds middleware around every call, shared with code that reads it afterwards or with another executor.
    pub fn shared_middleware(mut self, middleware: Arc<dyn Middleware>) -> Self {
        self.middleware.push(middleware);
        self
    }

    /// Keeps whole results in the given store. By default an executor keeps them in memory; so it does while the store does not
    /// take them, and a note in the result of the call says so.
    pub fn results(mut self, store: Arc<dyn Store>) -> Self {
        self.results = Arc::new(Results::new(store));
        self
    }

    /// Shares the kept results of an executor whose place the new one takes.
    #[doc(hidden)]
    pub fn results_of(mut self, earlier: &Executor) -> Self {
        self.results = Arc::new(earlier.results().for_another_executor());
        self
    }

    /// Sets what else the words of searches for tools may mean. By default a word means only itself.
    pub fn synonyms<'a>(
        mut self,
        words: impl IntoIterator<Item = (&'a str, &'a [String])>,
    ) -> Self {
        self.synonyms = Synonyms::new(words);
        self
    }

    /// Builds the executor.
    ///
    /// # Errors
    /// Returns [`ErrorKind::DuplicateTool`](crate::ErrorKind::DuplicateTool) if two tools have the same name, and
    /// otherwise the error of the first function or backend that contradicts its declaration.
    pub fn build(mut self) -> Result<Executor, Error> {
        let mut catalog = Catalog::default();
        let results = self.results;
        for mut toolset in self.toolsets {
            catalog.add_refused_tools(&toolset.name, std::mem::take(&mut toolset.refused));
            for slot in toolset_slots(toolset, &results) {
                catalog.add(slot)?;
            }
        }
        for backend in declare_among_all_tools(&catalog, self.own)? {
            let backend = Arc::new(backend);
            let (name, edit) = (backend.name().clone(), backend.edit().cloned());
            catalog.add(Slot::new(name, backend, None, edit))?;
        }
        self.middleware.sort_by_key(|middleware| middleware.stage());
        let finder = Finder::new(self.synonyms);
        Ok(Executor::new(catalog, finder, results, self.middleware.into()))
    }
}

/// Tools of any kind, each declared among all tools of the executor.
fn declare_among_all_tools(
    operations: &Catalog,
    own: Vec<Result<CheckedBackend, Error>>,
) -> Result<Vec<CheckedBackend>, Error> {
    let mut own = own.into_iter().collect::<Result<Vec<_>, _>>()?;
    let all = own.iter().map(|backend| -> &dyn Backend { backend });
    let all: Vec<_> = operations.backends().chain(all).collect();
    let declared: Vec<_> =
        own.iter().map(|backend| backend.declaration_listing_other_tools(&all)).collect();
    for (backend, tool) in own.iter_mut().zip(declared) {
        if let Some(tool) = tool {
            backend.set_declaration_among_tools(tool);
        }
    }
    Ok(own)
}

/// The operations of a toolset as backends, in their order: for a kind of tool whose calls are requests of its own
/// description. Results are kept in memory.
#[doc(hidden)]
pub fn toolset_backends(toolset: Toolset) -> Vec<Arc<dyn Backend>> {
    toolset_slots(toolset, &Arc::default()).map(|slot| slot.backend).collect()
}

fn toolset_slots(toolset: Toolset, results: &Arc<Results>) -> impl Iterator<Item = Slot> {
    let Toolset { operations, .. } = toolset;
    let connection = Arc::new(Connection {
        toolset: toolset.name,
        transport: toolset.transport,
        settings: toolset.call,
        session_values: toolset.session_values,
        secret_arguments: toolset.secret_arguments,
        results: Arc::clone(results),
        retry_budget: RetryBudget::default(),
    });
    let (mut shapes, client) = (toolset.tool_shapes, toolset.client);
    operations.into_iter().map(move |callable| {
        let operation = Arc::clone(&callable.operation);
        let name = operation.tool_name.clone();
        let (shape, runner) = (shapes.remove(&name), client.tool_runner(&name));
        let backend = OpenApi::new(callable, Arc::clone(&connection), shape, runner);
        let edit = operation.edit.clone();
        Slot::new(name, Arc::new(backend), Some(operation), edit)
    })
}
