//! The closed set of wire formats. Each variant has a file of its own; this one only chooses between them.

use std::{error, fmt, str::FromStr};

use callgate_tool::{Tool, ToolResult, Value};

use crate::{
    EnvelopeError, anthropic, bedrock, ces, dialogflow, gemini, json, mcp,
    message::{self, Fit, Read},
    openai,
    projection::{Projection, project, restore},
    responses, semantic_kernel,
};

/// A wire format in which tools are declared, calls read and results written.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Dialect {
    /// Anthropic Messages: `tool_use` and `tool_result` blocks.
    Anthropic,
    /// Amazon Bedrock Converse: `toolUse` and `toolResult` blocks.
    Bedrock,
    /// Customer Engagement Suite: `toolCalls` and `toolResponses` of a session.
    Ces,
    /// Dialogflow CX: `toolCall` and `toolCallResult`.
    Dialogflow,
    /// Gemini and Vertex AI: `functionCall` and `functionResponse` parts.
    Gemini,
    /// callgate's own: name, description, input schema, output schema, annotations.
    #[default]
    Json,
    /// The Model Context Protocol: `tools/call` and content blocks.
    Mcp,
    /// OpenAI Chat Completions: `{"type": "function", "function": {…}}`.
    OpenAi,
    /// OpenAI Responses: `function_call` and `function_call_output` items.
    Responses,
    /// Semantic Kernel: functions of plugins.
    SemanticKernel,
}

/// A dialect nobody knows.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownDialect(String);

impl Dialect {
    /// Every dialect, in alphabetical order of their names.
    pub const ALL: [Self; 10] = [
        Self::Anthropic,
        Self::Bedrock,
        Self::Ces,
        Self::Dialogflow,
        Self::Gemini,
        Self::Json,
        Self::Mcp,
        Self::OpenAi,
        Self::Responses,
        Self::SemanticKernel,
    ];

    /// The name it is asked for by.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Bedrock => "bedrock",
            Self::Ces => "ces",
            Self::Dialogflow => "dialogflow",
            Self::Gemini => "gemini",
            Self::Json => "json",
            Self::Mcp => "mcp",
            Self::OpenAi => "openai",
            Self::Responses => "responses",
            Self::SemanticKernel => "semantic_kernel",
        }
    }

    /// The projection of schemas for it; `None` where they stay as they are.
    pub fn projection(self) -> Option<Projection> {
        Some(match self {
            Self::Anthropic => Projection::Anthropic,
            Self::Bedrock => Projection::Bedrock,
            Self::Ces => Projection::Ces,
            Self::Dialogflow | Self::Mcp => Projection::Portable,
            Self::Gemini => Projection::GeminiJson,
            Self::Json => return None,
            Self::OpenAi | Self::Responses | Self::SemanticKernel => Projection::OpenAi,
        })
    }

    /// The declaration of one tool.
    ///
    /// ```
    /// use callgate_dialect::Dialect;
    /// use callgate_tool::{Effect, Schema, Tool, ToolName};
    ///
    /// let schema = Schema::new(callgate_tool::json!({"type": "object", "properties": {}}));
    /// let tool = Tool::new(ToolName::new("listPets")?, "List pets".into(), schema, Effect::Read);
    /// assert_eq!(Dialect::OpenAi.declaration(&tool)["function"]["name"], "listPets");
    /// # Ok::<(), callgate_tool::InvalidName>(())
    /// ```
    pub fn declaration(self, tool: &Tool) -> Value {
        let Some(projection) = self.projection() else { return json::declaration(tool) };
        let projected = project(tool, projection);
        match self {
            Self::Anthropic => anthropic::declaration(tool, &projected),
            Self::Bedrock => bedrock::declaration(tool, &projected),
            Self::Ces => ces::declaration(tool, &projected),
            Self::Dialogflow => dialogflow::declaration(tool, &projected),
            Self::Gemini => gemini::declaration(tool, &projected),
            Self::Json => json::declaration(tool),
            Self::Mcp => mcp::declaration(tool, &projected),
            Self::OpenAi => openai::declaration(tool, &projected),
            Self::Responses => responses::declaration(tool, &projected),
            Self::SemanticKernel => semantic_kernel::declaration(tool, &projected),
        }
    }

    /// The calls of a model's message, as the program got it. Calls that cannot be made as they are asked for are among them,
    /// each with a fault that the model can act on. `declared` finds a tool by a name that a model uses.
    ///
    /// ```
    /// use callgate_dialect::Dialect;
    /// use callgate_tool::json;
    ///
    /// let message = json!({"role": "assistant", "content": [
    ///     {"type": "tool_use", "id": "toolu_1", "name": "getPet", "input": {"petId": 7}},
    /// ]});
    /// let read = Dialect::Anthropic.read(message, |_| None)?;
    /// assert_eq!(read.to_make()[0].tool, "getPet");
    /// # Ok::<(), callgate_dialect::EnvelopeError>(())
    /// ```
    ///
    /// # Errors
    /// [`EnvelopeError`] where the message is none of this format.
    pub fn read<'t>(
        self,
        message: Value,
        declared: impl Fn(&str) -> Option<&'t Tool>,
    ) -> Result<Read, EnvelopeError> {
        let asked = match self {
            Self::Anthropic => anthropic::read(message),
            Self::Bedrock => bedrock::read(message),
            Self::Ces => ces::read(message),
            Self::Dialogflow => dialogflow::read(message),
            Self::Gemini => gemini::read(message),
            Self::Json => json::read(message),
            Self::Mcp => mcp::read(message),
            Self::OpenAi => openai::read(message),
            Self::Responses => responses::read(message),
            Self::SemanticKernel => semantic_kernel::read(message),
        }?;
        Ok(message::read(asked, declared, self.fit()))
    }

    /// The messages to append to the conversation: one answer for every call that was read, in their order. `results` are
    /// those of the calls to make, in the order of [`Read::to_make`].
    ///
    /// ```
    /// use callgate_dialect::Dialect;
    /// use callgate_tool::{Answer, Content, Journal, ToolResult, json};
    ///
    /// let message = json!({"role": "assistant", "tool_calls": [
    ///     {"id": "call_1", "type": "function", "function": {"name": "getPet", "arguments": ""}},
    /// ]});
    /// let read = Dialect::OpenAi.read(message, |_| None)?;
    /// let (id, tool, journal) = ("call_1".to_owned(), "getPet".to_owned(), Journal::default());
    /// let outcome = Answer::new(200, Content::Json(json!({"id": 7}).into())).into();
    /// let messages = Dialect::OpenAi.write(&read, &[ToolResult { id, tool, outcome, journal }]);
    /// assert_eq!(messages, [json!({"role": "tool", "tool_call_id": "call_1", "content": "{\"id\":7}"})]);
    /// # Ok::<(), callgate_dialect::EnvelopeError>(())
    /// ```
    pub fn write(self, read: &Read, results: &[ToolResult]) -> Vec<Value> {
        let answers = read.answered(results);
        match self {
            Self::Anthropic => anthropic::write(&answers),
            Self::Bedrock => bedrock::write(&answers),
            Self::Ces => ces::write(&answers),
            Self::Dialogflow => dialogflow::write(&answers),
            Self::Gemini => gemini::write(&answers),
            Self::Json => json::write(&answers),
            Self::Mcp => mcp::write(&answers),
            Self::OpenAi => openai::write(&answers),
            Self::Responses => responses::write(&answers),
            Self::SemanticKernel => semantic_kernel::write(&answers),
        }
    }

    /// True where a runtime of this format may have read the description itself, and names arguments as the service does:
    /// `X-Customer`, `filter[state]`.
    pub fn has_wire_names(self) -> bool {
        matches!(self, Self::Ces | Self::Dialogflow)
    }

    /// Makes a tool's arguments of what a message of this format has in their place.
    fn fit(self) -> Option<Fit> {
        // The other projections have members under their own names.
        match self {
            Self::Anthropic => Some(|given, tool| restore(tool, Projection::Anthropic, given)),
            Self::Ces => Some(|given, tool| restore(tool, Projection::Ces, given)),
            Self::Dialogflow => Some(|given, tool| {
                restore(tool, Projection::Portable, dialogflow::fitted(given, tool))
            }),
            Self::Gemini => Some(|given, tool| restore(tool, Projection::GeminiJson, given)),
            Self::Mcp => Some(|given, tool| restore(tool, Projection::Portable, given)),
            Self::Bedrock | Self::Json | Self::OpenAi | Self::Responses | Self::SemanticKernel => {
                None
            }
        }
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        let known = Self::ALL.into_iter().find(|dialect| dialect.as_str() == name);
        known.ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Dialect::ALL.map(Dialect::as_str).join("`, `");
        write!(f, "expected a dialect, one of `{known}`, got: `{}`", self.0)
    }
}

impl error::Error for UnknownDialect {}
