//! Tools that are functions of the program that embeds callgate. `argument_check` checks their arguments before the function
//! sees them, and a time limit ends the function.

use std::{pin::Pin, time::Duration};

use async_trait::async_trait;
use callgate_call::wording;
use callgate_tool::{
    Effect, Fault, Journal, Outcome, Preview, Schema, Tool, ToolName, ToolsetName, Value,
};
use callgate_transport::DEFAULT_TIMEOUT;
use tokio::time::timeout_at;

use super::Backend;
use crate::{
    call::Call,
    error::{self, Error},
};

/// A tool that is a function.
///
/// ```
/// use std::time::Duration;
///
/// use callgate_executor::{Executor, Function};
/// use callgate_tool::{Effect, Fault};
/// use callgate_tool::json;
///
/// let schema = json!({
///     "type": "object",
///     "description": "The time in a zone",
///     "properties": {"zone": {"type": "string"}},
///     "required": ["zone"],
/// });
/// let function = Function::new("clock", "get_time", schema, |call| async move {
///     let zone = &call.arguments()["zone"];
///     Ok::<_, Fault>(json!({"zone": zone, "time": "12:00"}))
/// })?;
/// let function = function.with_effect(Effect::Read).with_limit(Duration::from_secs(1));
/// let executor = Executor::builder().backend(function).build()?;
/// # Ok::<(), callgate_executor::Error>(())
/// ```
pub struct Function {
    tool: Tool,
    toolset: String,
    body: Box<Body>,
    limit: Duration,
}

type Body = dyn Fn(Call<'static>) -> Pin<Box<dyn Future<Output = Outcome> + Send>> + Send + Sync;

impl Function {
    /// Makes the function `name` of a toolset, or of none if `toolset` is empty. `schema` is an object schema for its
    /// arguments; the schema's description says what the function is for. The function is assumed to change something,
    /// and has thirty seconds.
    ///
    /// # Errors
    /// Returns [`ErrorKind::IllegalName`](crate::ErrorKind::IllegalName) if the names do not form a tool name, and
    /// [`ErrorKind::InvalidSchema`](crate::ErrorKind::InvalidSchema) if the schema is not an object schema.
    pub fn new<F, R, O>(
        toolset: &str,
        name: &str,
        schema: impl Into<Value>,
        body: F,
    ) -> Result<Self, Error>
    where
        F: Fn(Call<'static>) -> R + Send + Sync + 'static,
        R: Future<Output = O> + Send + 'static,
        O: Into<Outcome>,
    {
        let (name, toolset) = (tool_name(toolset, name)?, toolset.to_owned());
        let schema = schema.into();
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(error::not_of_objects(&name));
        }
        let description = schema.get("description").and_then(Value::as_str);
        let description = description.unwrap_or(name.as_str()).to_owned();
        let tool = Tool::new(name, description, Schema::new(schema), Effect::Write);
        let body = Box::new(move |call: Call<'static>| {
            let running = body(call);
            let outcome: Pin<Box<dyn Future<Output = Outcome> + Send>> =
                Box::pin(async move { running.await.into() });
            outcome
        });
        Ok(Self { tool, toolset, body, limit: DEFAULT_TIMEOUT })
    }

    /// Sets the effect of a call.
    #[must_use]
    pub fn with_effect(mut self, effect: Effect) -> Self {
        self.tool.effect = effect;
        self
    }

    /// Sets the whole name: that of a tool whose toolset has another prefix than its own name.
    #[must_use]
    pub fn with_name(mut self, name: ToolName) -> Self {
        self.tool.name = name;
        self
    }

    /// Sets the schema that the function's results match. A result that does not match becomes a fault.
    #[must_use]
    pub fn with_output_schema(mut self, schema: impl Into<Value>) -> Self {
        self.tool = self.tool.with_output_schema(Some(Schema::new(schema.into())));
        self
    }

    /// Sets the time limit of a call.
    #[must_use]
    pub fn with_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }
}

#[async_trait]
impl Backend for Function {
    crate::of_tool!(tool, toolset);

    async fn preview(&self, call: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        let arguments = Value::Object(call.arguments().clone());
        Ok(Preview::Text(format!("calls `{}` with {arguments}", self.tool.name)))
    }

    async fn run(&self, call: &Call<'_>, _: &mut Journal) -> Outcome {
        let deadline = call.deadline_within(self.limit);
        let running = (self.body)(call.to_static());
        let ended = timeout_at(deadline, running).await;
        ended.unwrap_or_else(|_| {
            let time = call.duration_within(self.limit);
            Outcome::Failed(wording::timed_out(time, self.tool.effect))
        })
    }
}

callgate_secret::opaque!(Function { tool });

fn tool_name(toolset: &str, name: &str) -> Result<ToolName, Error> {
    if toolset.is_empty() {
        return ToolName::new(name).map_err(|source| error::illegal_name(&source));
    }
    let toolset = ToolsetName::new(toolset).map_err(|source| error::illegal_name(&source))?;
    ToolName::new(&format!("{toolset}-{name}")).map_err(|source| error::illegal_name(&source))
}
