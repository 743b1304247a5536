//! A tool as it is declared to a model. Only `openapi` knows where its inputs go in the request.

use std::{
    fmt,
    sync::{Arc, LazyLock},
};

use serde::Deserialize;

use crate::{Schema, ToolName};

crate::named! {
    /// The effect of a call on the service.
    ///
    /// ```
    /// use callgate_tool::Effect;
    ///
    /// /// True where a person is asked before a call is made.
    /// fn is_asked_about(effect: Effect) -> bool {
    ///     match effect {
    ///         Effect::Read => false,
    ///         Effect::Idempotent | Effect::Write => true,
    ///     }
    /// }
    /// assert!(is_asked_about(Effect::Write));
    /// assert_eq!(Effect::Idempotent.as_str(), "idempotent");
    /// ```
    #[derive(Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
    pub enum Effect {
        /// Changes something; repeating the call changes nothing more (RFC 9110 §9.2.2).
        Idempotent = "idempotent",
        /// Changes nothing (RFC 9110 §9.2.1).
        Read = "read",
        /// Changes something each time it is called.
        Write = "write",
    }
}

/// The declaration of one tool.
///
/// ```
/// use callgate_tool::{Effect, Schema, Tool, ToolName, json};
///
/// let input = json!({"type": "object", "properties": {"id": {"type": "integer"}}});
/// let name = ToolName::new("getPet")?;
/// let tool = Tool::new(name, "Return a pet".to_owned(), Schema::new(input), Effect::Read);
/// assert_eq!((tool.name.as_str(), tool.effect), ("getPet", Effect::Read));
/// assert_eq!(tool.tokens(), 19);
/// let tool = tool.with_title(Some("Pet".to_owned()));
/// assert_eq!(tool.title.as_deref(), Some("Pet"));
/// # Ok::<(), callgate_tool::InvalidName>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tool {
    /// The name by which the model calls the tool.
    pub name: ToolName,
    /// The name that people see, if the description has a short one.
    pub title: Option<String>,
    /// The purpose of the tool, in the description's own words; never empty.
    pub description: String,
    /// The arguments of the tool: always an object schema.
    pub input_schema: Schema,
    /// The effect of a call on the service.
    pub effect: Effect,
    /// The token budget of a declaration for a model's provider. Beyond it, deep optional parts are described in words.
    pub most_tokens: usize,
    /// Values that MCP clients repeat in a header of the request, so that proxies can route by them: the path of names to
    /// each value, argument first, and the header's name after `Mcp-Param-` (MCP 2026-07-28, `x-mcp-header`).
    pub mcp_headers: Vec<(Vec<String>, String)>,
    output: Option<Output>,
}

/// The schema of the tool's output, which may be large and is seldom shown. It is built on first use, once for all clones
/// of a tool.
#[derive(Clone)]
struct Output(Arc<LazyLock<Option<Schema>, Build>>);

type Build = Box<dyn FnOnce() -> Option<Schema> + Send>;

impl Tool {
    /// The default token budget of a declaration.
    pub const MOST_TOKENS: usize = 8000;

    /// A tool that takes `input_schema` and has no output schema.
    pub fn new(name: ToolName, description: String, input_schema: Schema, effect: Effect) -> Self {
        let most_tokens = Self::MOST_TOKENS;
        let (title, mcp_headers, output) = (None, Vec::new(), None);
        Self { name, title, description, input_schema, effect, most_tokens, mcp_headers, output }
    }

    crate::setters! {
        /// Sets the name that people see.
        pub fn with_title(title: Option<String>) = title;
        /// Sets the token budget of the declaration, which is kept where possible.
        pub fn with_most_tokens(most_tokens: usize) = most_tokens;
    }

    /// Sets the arguments that MCP clients repeat in headers.
    #[must_use]
    pub fn with_mcp_headers(mut self, headers: Vec<(Vec<String>, String)>) -> Self {
        self.mcp_headers = headers;
        self
    }

    /// Sets the output schema.
    #[must_use]
    pub fn with_output_schema(mut self, schema: Option<Schema>) -> Self {
        self.output = schema.map(|schema| Output::new(Box::new(|| Some(schema))));
        self
    }

    /// Sets an output schema that is built on first use, since a declaration for a model has none.
    ///
    /// ```
    /// use callgate_tool::{Effect, Schema, Tool, ToolName, json};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let input = Schema::new(json!({"type": "object"}));
    /// let tool = Tool::new(ToolName::new("count")?, "Counts".into(), input, Effect::Read);
    /// let tool = tool.with_lazy_output_schema(|| Some(Schema::new(json!({"type": "integer"}))));
    /// assert_eq!(tool.output_schema(), Some(&Schema::new(json!({"type": "integer"}))));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_lazy_output_schema(
        mut self,
        build: impl FnOnce() -> Option<Schema> + Send + 'static,
    ) -> Self {
        self.output = Some(Output::new(Box::new(build)));
        self
    }

    /// The schema of the JSON that the tool answers with, if the description has one. Builds it on first use.
    pub fn output_schema(&self) -> Option<&Schema> {
        LazyLock::force(&self.output.as_ref()?.0).as_ref()
    }

    /// The estimated tokens that the declaration costs a model: name, description and input schema as compact JSON, four
    /// bytes per token, rounded up.
    pub fn tokens(&self) -> usize {
        let bytes = self.name.as_str().len() + self.description.len() + self.input_schema.n_bytes();
        bytes.div_ceil(4)
    }
}

impl Output {
    fn new(build: Build) -> Self {
        Self(Arc::new(LazyLock::new(build)))
    }
}

/// Shows the schema if it was already built; does not build it.
impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for Output {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self.0 == **other.0
    }
}
