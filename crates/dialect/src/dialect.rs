//! The closed set of wire formats. Each variant has a file of its own; this one only chooses between them.

use std::{error, fmt, str::FromStr};

use callgate_tool::{Tool, Value};

use crate::{json, openai};

/// A wire format in which tools are declared.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Dialect {
    /// callgate's own: name, description, input schema, output schema, annotations.
    #[default]
    Json,
    /// OpenAI Chat Completions: `{"type": "function", "function": {…}}`.
    OpenAi,
}

/// A dialect nobody knows.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownDialect(String);

impl Dialect {
    /// Every dialect, in alphabetical order of their names.
    pub const ALL: [Self; 2] = [Self::Json, Self::OpenAi];

    /// The name it is asked for by.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::OpenAi => "openai",
        }
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
        match self {
            Self::Json => json::declaration(tool),
            Self::OpenAi => openai::declaration(tool),
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
