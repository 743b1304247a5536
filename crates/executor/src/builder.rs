//! Puts an executor together. What it is made of comes from `config`, or from the program callgate is a part of.

use std::sync::Arc;

use crate::{
    Executor, Toolset,
    backend::{Backend, Connection, OpenApi},
    catalog::{Catalog, Slot},
    error::Error,
    results::Results,
};

/// An executor in the making: [`Executor::builder`].
#[derive(Debug, Default)]
#[must_use]
pub struct Builder {
    slots: Vec<Slot>,
    results: Arc<Results>,
}

impl Executor {
    /// An executor in the making.
    pub fn builder() -> Builder {
        Builder::default()
    }
}

impl Builder {
    /// Adds the operations of a toolset.
    pub fn toolset(mut self, toolset: Toolset) -> Self {
        let Toolset { transport, limits, redirects, session_values, shape, .. } = toolset;
        let results = Arc::clone(&self.results);
        let connection = Connection { transport, limits, redirects, session_values, results };
        let connection = Arc::new(connection);
        let shape = Arc::new(shape);
        let mut own = toolset.tool_shapes;
        for callable in toolset.operations {
            let operation = Arc::clone(&callable.operation);
            let name = operation.tool_name.clone();
            let shape = own.remove(&name).map_or_else(|| Arc::clone(&shape), Arc::new);
            let backend = OpenApi::new(callable, Arc::clone(&connection), shape);
            let backend: Arc<dyn Backend> = Arc::new(backend);
            self.slots.push(Slot { name, backend, operation: Some(operation) });
        }
        self
    }

    /// The executor.
    ///
    /// # Errors
    /// [`ErrorKind::DuplicateTool`](crate::ErrorKind::DuplicateTool) where two tools have the same name.
    pub fn build(self) -> Result<Executor, Error> {
        let mut catalog = Catalog::default();
        for slot in self.slots {
            catalog.add(slot)?;
        }
        Ok(Executor::new(catalog, self.results))
    }
}
