//! Tools that only the client runs: a call waits for the client (`side`), once `argument_check` has checked its arguments. It
//! checks the client's answer against the output schema, too.

use std::time::Duration;

use async_trait::async_trait;
use callgate_call::wording;
use callgate_tool::{Effect, Fault, Journal, Outcome, Preview, Schema, Tool, ToolName, Value};

use super::Backend;
use crate::{
    call::Call,
    error::{self, Error},
    execution::{CLIENT_TIME, Execution},
};

/// A tool that is a function of the client. Arguments must match the schema exactly: they are not converted.
///
/// ```
/// use callgate_executor::{ClientFunction, Executor};
/// use callgate_tool::{ToolName, json};
///
/// let schema = json!({"type": "object", "properties": {"page": {"type": "string"}}});
/// let name = ToolName::new("app-open_page")?;
/// let function = ClientFunction::new(name, "Opens a page of the app", schema)?;
/// let executor = Executor::builder().backend(function.of_toolset("app")).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ClientFunction {
    tool: Tool,
    toolset: String,
    time: Duration,
}

impl ClientFunction {
    /// Makes a function of no toolset, whose arguments match `schema`. It is assumed to change something, and the
    /// client has [`CLIENT_TIME`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidSchema`](crate::ErrorKind::InvalidSchema) if the schema is not an object schema.
    pub fn new(
        name: ToolName,
        description: impl Into<String>,
        schema: impl Into<Value>,
    ) -> Result<Self, Error> {
        let schema = schema.into();
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(error::not_of_objects(&name));
        }
        let tool = Tool::new(name, description.into(), Schema::new(schema), Effect::Write);
        Ok(Self { tool, toolset: String::new(), time: CLIENT_TIME })
    }

    callgate_tool::setters! {
        /// Makes the function a part of a toolset.
        pub fn of_toolset(toolset: impl Into<String>) = toolset.into();
        /// Sets the time that the client has for a call.
        pub fn with_time(time: Duration) = time;
    }

    /// Sets the schema that the function's results match.
    #[must_use]
    pub fn with_output_schema(mut self, schema: impl Into<Value>) -> Self {
        self.tool = self.tool.with_output_schema(Some(Schema::new(schema.into())));
        self
    }
}

#[async_trait]
impl Backend for ClientFunction {
    crate::of_tool!(tool, toolset);

    fn execution(&self) -> Execution {
        Execution::Client
    }

    fn client_time_limit(&self) -> Duration {
        self.time
    }

    async fn client_request(&self, call: &Call<'_>, _: &mut Journal) -> Result<Value, Box<Fault>> {
        Ok(Value::Object(call.arguments().clone()))
    }

    async fn preview(&self, _: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        Err(client_only_fault())
    }

    async fn run(&self, _: &Call<'_>, _: &mut Journal) -> Outcome {
        Outcome::Failed(client_only_fault())
    }
}

/// The fault of a run on this side, which the executor does not begin.
fn client_only_fault() -> Box<Fault> {
    wording::not_supported("only the client can run this tool")
}
