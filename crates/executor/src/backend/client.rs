//! Tools that the client runs: a call waits for the client, once `argument_check` has checked its arguments. It checks the
//! client's answer against the output schema, too.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use callgate_call::wording;
use callgate_tool::{
    Effect, Fault, Journal, Outcome, Pending, PendingKind, Preview, Schema, Tool, ToolName, Value,
};

use super::Backend;
use crate::{
    call::Call,
    error::{self, Error},
    execution::CLIENT_TIME,
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

    /// Makes the function a part of a toolset.
    #[must_use]
    pub fn of_toolset(mut self, toolset: impl Into<String>) -> Self {
        self.toolset = toolset.into();
        self
    }

    /// Sets the schema that the function's results match.
    #[must_use]
    pub fn with_output_schema(mut self, schema: impl Into<Value>) -> Self {
        self.tool = self.tool.with_output_schema(Some(Schema::new(schema.into())));
        self
    }

    /// Sets the time that the client has for a call.
    #[must_use]
    pub fn with_time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }
}

#[async_trait]
impl Backend for ClientFunction {
    fn name(&self) -> &ToolName {
        &self.tool.name
    }

    fn toolset(&self) -> &str {
        &self.toolset
    }

    fn declaration(&self) -> Option<&Tool> {
        Some(&self.tool)
    }

    async fn preview(&self, call: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        Ok(asked(&self.tool.name, &Value::Object(call.arguments().clone())))
    }

    async fn run(&self, call: &Call<'_>, _: &mut Journal) -> Outcome {
        deferred(Value::Object(call.arguments().clone()), self.time)
    }
}

pub(super) fn deferred(request: Value, time: Duration) -> Outcome {
    let mut random = [0; 16];
    if getrandom::fill(&mut random).is_err() {
        return Outcome::Failed(wording::not_supported("no name can be drawn for a pending call"));
    }
    let id = format!("call_{:032x}", u128::from_ne_bytes(random));
    let mut pending = Pending::new(PendingKind::Client, id, request);
    pending.expires = SystemTime::now().checked_add(time);
    Outcome::Pending(Box::new(pending))
}

pub(super) fn asked(name: &ToolName, request: &Value) -> Preview {
    Preview::Text(format!("asks the client to run `{name}` with {request}"))
}
