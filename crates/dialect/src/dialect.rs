//! The closed set of wire formats. Each variant has a file of its own with its row; this file only selects one.

mod anthropic;
mod bedrock;
mod ces;
mod dialogflow;
mod gemini;
mod json;
mod mcp;
mod openai;
mod responses;
mod semantic_kernel;

use callgate_tool::{Tool, ToolResult, Value};

use crate::{
    EnvelopeError, Form, envelope,
    form::by_name,
    format::Format,
    message::{self, ReadMessage},
    projection::{Projection, project, restore},
};

pub use self::json::json_result;
pub(crate) use self::openai::LONGEST_DESCRIPTION;

callgate_tool::named! {
    /// A wire format for declarations of tools, calls and results.
    ///
    /// ```
    /// use callgate_dialect::Dialect;
    /// use callgate_tool::{Effect, Schema, Tool, ToolName, json};
    ///
    /// let schema = Schema::new(json!({"type": "object", "properties": {}}));
    /// let tool = Tool::new(ToolName::new("listPets")?, "List pets".into(), schema, Effect::Read);
    /// let dialect: Dialect = "anthropic".parse()?;
    /// assert_eq!(dialect.declaration(&tool)["input_schema"]["type"], "object");
    /// assert_eq!(Dialect::Mcp.declaration(&tool)["inputSchema"]["type"], "object");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Dialect {
        /// Anthropic Messages: `tool_use` and `tool_result` blocks.
        Anthropic = "anthropic",
        /// Amazon Bedrock Converse: `toolUse` and `toolResult` blocks.
        Bedrock = "bedrock",
        /// Customer Engagement Suite: `toolCalls` and `toolResponses` of a session.
        Ces = "ces",
        /// Dialogflow CX: `toolCall` and `toolCallResult`.
        Dialogflow = "dialogflow",
        /// Gemini and Vertex AI: `functionCall` and `functionResponse` parts.
        Gemini = "gemini",
        /// callgate's own format: name, description, input schema, output schema, annotations.
        #[default]
        Json = "json",
        /// The Model Context Protocol: `tools/call` and content blocks.
        Mcp = "mcp",
        /// OpenAI Chat Completions: `{"type": "function", "function": {…}}`.
        OpenAi = "openai",
        /// OpenAI Responses: `function_call` and `function_call_output` items.
        Responses = "responses",
        /// Semantic Kernel: functions of plugins.
        SemanticKernel = "semantic_kernel",
    }
}

macro_rules! dialects_of_models {
    ($($dialect:ident),+) => {
        impl Dialect {
            /// The dialects that providers of models speak: those of a model for an agent.
            pub const OF_MODELS: &'static [Self] = &[$(Self::$dialect),+];

            /// The names of these dialects.
            #[doc(hidden)]
            pub const NAMES_OF_MODELS: &'static [&'static str] = &[$(Self::$dialect.as_str()),+];
        }
    };
}

dialects_of_models!(Anthropic, Bedrock, Gemini, OpenAi, Responses);

/// The error for an unknown dialect.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownDialect(String);

impl Dialect {
    /// The projection of schemas for the dialect; `None` if schemas stay unchanged.
    #[doc(hidden)]
    pub fn projection(self) -> Option<Projection> {
        self.projection_in(Form::Usual)
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
        self.declaration_in(Form::Usual, tool)
    }

    /// The declaration of one tool in a form; in the usual form if the dialect does not have the requested one
    /// ([`Dialect::forms`]).
    ///
    /// ```
    /// use callgate_dialect::{Dialect, Form};
    /// use callgate_tool::{Effect, Schema, Tool, ToolName, json};
    ///
    /// let schema = Schema::new(json!({"type": "object", "properties": {"id": {"type": "integer"}}}));
    /// let tool = Tool::new(ToolName::new("getPet")?, "Return a pet".into(), schema, Effect::Read);
    /// let function = &Dialect::OpenAi.declaration_in(Form::Strict, &tool)["function"];
    /// assert_eq!(function["strict"], true);
    /// assert_eq!(function["parameters"]["properties"]["id"]["type"], json!(["integer", "null"]));
    /// # Ok::<(), callgate_tool::InvalidName>(())
    /// ```
    pub fn declaration_in(self, form: Form, tool: &Tool) -> Value {
        let Some(projection) = self.projection_in(form) else { return json::declaration(tool) };
        self.format().declaration_in(form, tool, &project(tool, projection))
    }

    /// The calls of a model's message, as the program received it. Calls that cannot be made are included, each with a
    /// fault that the model can act on. `declared` finds a tool by a name that a model uses.
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
    /// [`EnvelopeError`] if the message does not have this format.
    pub fn read<'t>(
        self,
        message: Value,
        declared: impl Fn(&str) -> Option<&'t Tool>,
    ) -> Result<ReadMessage, EnvelopeError> {
        self.read_in(Form::Usual, message, declared)
    }

    /// The calls of a model's message for tools that were declared in a form. Arguments are converted to those of the tool:
    /// members get their own names, and if the form makes all members required, `null` for an optional one means that it is
    /// absent.
    ///
    /// # Errors
    /// [`EnvelopeError`] if the message does not have this format.
    pub fn read_in<'t>(
        self,
        form: Form,
        message: Value,
        declared: impl Fn(&str) -> Option<&'t Tool>,
    ) -> Result<ReadMessage, EnvelopeError> {
        let foreign = self.foreign_call_format(&message);
        let format = self.format();
        let asked = (format.read)(message)?;
        if let Some(foreign) = foreign.filter(|_| asked.is_empty()) {
            return Err(envelope::foreign_format_error(self.as_str(), foreign));
        }
        let projection = self.projection_in(form).filter(|projection| projection.needs_restore());
        let fit = projection.map(|projection| {
            move |given, tool: &Tool| restore(tool, projection, (format.arguments)(given, tool))
        });
        Ok(message::checked_calls(asked, declared, fit.as_ref()))
    }

    /// The messages to append to the conversation: one answer for every call that was read, in order. `results` are the
    /// results of the calls that can be made, in the order of [`ReadMessage::to_make`].
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
    pub fn write(self, read: &ReadMessage, results: &[ToolResult]) -> Vec<Value> {
        self.format().answer_messages(&read.answered_calls(results))
    }

    /// True if a runtime of this format may have read the description itself and may use the service's names of arguments:
    /// `X-Customer`, `filter[state]`.
    pub fn has_wire_names(self) -> bool {
        self.format().has_wire_names
    }

    pub(crate) fn format(self) -> &'static Format {
        match self {
            Self::Anthropic => &anthropic::FORMAT,
            Self::Bedrock => &bedrock::FORMAT,
            Self::Ces => &ces::FORMAT,
            Self::Dialogflow => &dialogflow::FORMAT,
            Self::Gemini => &gemini::FORMAT,
            Self::Json => &json::FORMAT,
            Self::Mcp => &mcp::FORMAT,
            Self::OpenAi => &openai::FORMAT,
            Self::Responses => &responses::FORMAT,
            Self::SemanticKernel => &semantic_kernel::FORMAT,
        }
    }
}

by_name!(Dialect, UnknownDialect, "a dialect");
