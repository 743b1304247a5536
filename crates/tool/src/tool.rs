//! A tool as it is declared to a model. Where its inputs go on the wire is known to `openapi` alone.

use std::{
    fmt,
    sync::{Arc, LazyLock},
};

use crate::{Schema, ToolName};

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
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever decides by effect must handle a new one")]
pub enum Effect {
    /// Changes something; the same call again changes nothing more (RFC 9110 §9.2.2).
    Idempotent,
    /// Changes nothing (RFC 9110 §9.2.1).
    Read,
    /// Changes something each time it is called.
    Write,
}

/// One declaration.
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
    /// The name the model calls it by.
    pub name: ToolName,
    /// The name that people see, where the description has a short one.
    pub title: Option<String>,
    /// The purpose of the tool, in the description's own words; never empty.
    pub description: String,
    /// The arguments it takes: always an object schema.
    pub input_schema: Schema,
    /// The effect of a call on the service.
    pub effect: Effect,
    /// The number of tokens a declaration for a model's provider takes: what is deep and optional is shown in words beyond them.
    pub most_tokens: usize,
    /// Values that clients of MCP repeat in a header of the request, so that what stands between can route by them: the names that
    /// lead to each, argument first, and the header behind `Mcp-Param-` (MCP 2026-07-28, `x-mcp-header`).
    pub mcp_headers: Vec<(Vec<String>, String)>,
    output: Option<Output>,
}

/// The schema of what a tool answers, which may be large and is seldom shown: built when it is first asked for, once for all
/// clones of a tool.
#[derive(Clone)]
struct Output(Arc<LazyLock<Option<Schema>, Build>>);

type Build = Box<dyn FnOnce() -> Option<Schema> + Send>;

impl Tool {
    /// The number of tokens a declaration takes unless told otherwise.
    pub const MOST_TOKENS: usize = 8000;

    /// A tool that takes `input_schema` and answers nothing in particular.
    pub fn new(name: ToolName, description: String, input_schema: Schema, effect: Effect) -> Self {
        let most_tokens = Self::MOST_TOKENS;
        let (title, mcp_headers, output) = (None, Vec::new(), None);
        Self { name, title, description, input_schema, effect, most_tokens, mcp_headers, output }
    }

    /// The same tool with a name that people see.
    #[must_use]
    pub fn with_title(mut self, title: Option<String>) -> Self {
        self.title = title;
        self
    }

    /// The same tool with arguments that clients of MCP repeat in headers.
    #[must_use]
    pub fn with_mcp_headers(mut self, headers: Vec<(Vec<String>, String)>) -> Self {
        self.mcp_headers = headers;
        self
    }

    /// The same tool, declared in at most so many tokens where that can be.
    #[must_use]
    pub fn with_most_tokens(mut self, most_tokens: usize) -> Self {
        self.most_tokens = most_tokens;
        self
    }

    /// The same tool with an output schema.
    #[must_use]
    pub fn with_output_schema(mut self, schema: Option<Schema>) -> Self {
        self.output = schema.map(|schema| Output::of(Box::new(|| Some(schema))));
        self
    }

    /// The same tool with an output schema that is built when it is first asked for: a declaration for a model has none.
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
        self.output = Some(Output::of(Box::new(build)));
        self
    }

    /// The JSON it answers with, when the description says. Built here where it was not asked for before.
    pub fn output_schema(&self) -> Option<&Schema> {
        LazyLock::force(&self.output.as_ref()?.0).as_ref()
    }

    /// The tokens that the declaration costs a model, estimated: name, description and input schema as compact JSON,
    /// four bytes a token, rounded up.
    pub fn tokens(&self) -> usize {
        let bytes = self.name.as_str().len() + self.description.len() + self.input_schema.n_bytes();
        bytes.div_ceil(4)
    }
}

impl Output {
    fn of(build: Build) -> Self {
        Self(Arc::new(LazyLock::new(build)))
    }
}

/// Shows the schema if it was built, and builds nothing.
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

impl Effect {
    /// `read`, `idempotent` or `write`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idempotent => "idempotent",
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}
