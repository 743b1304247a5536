//! Names of the forms in which dialects declare tools. `forms` lists the forms of each dialect.

callgate_tool::named! {
    /// A form in which a dialect declares tools.
    ///
    /// ```
    /// use callgate_dialect::{Dialect, Form};
    /// use callgate_tool::{Effect, Schema, Tool, ToolName, json};
    ///
    /// let schema = Schema::new(json!({"type": "object", "properties": {"id": {"type": "integer"}}}));
    /// let tool = Tool::new(ToolName::new("getPet")?, "Return a pet".into(), schema, Effect::Read);
    /// let usual = Dialect::Gemini.declaration_in(Form::Usual, &tool);
    /// assert_eq!(usual["parametersJsonSchema"]["properties"]["id"]["type"], "integer");
    /// let schema = Dialect::Gemini.declaration_in(Form::Schema, &tool);
    /// assert_eq!(schema["parameters"]["properties"]["id"]["type"], "INTEGER");
    /// # Ok::<(), callgate_tool::InvalidName>(())
    /// ```
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Form {
        /// Gemini: `parameters`, a `Schema` of Google's, for programs that cannot send JSON Schema.
        Schema = "schema",
        /// The provider allows only arguments that match its form of the schema: `strict: true`.
        Strict = "strict",
        /// The form that keeps most of a schema.
        #[default]
        Usual = "usual",
    }
}

/// The error for an unknown form, or one that a dialect does not have.
///
/// ```
/// use callgate_dialect::{Dialect, Form};
///
/// let error = Dialect::Gemini.supported_form(Form::Strict).unwrap_err();
/// let message = "expected a form of `gemini`, one of `usual`, `schema`, got: `strict`";
/// assert_eq!(error.to_string(), message);
/// assert!("strikt".parse::<Form>().is_err());
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownForm(String);

/// Reads an enum by its names; another name is an error that lists them.
macro_rules! by_name {
    ($Names:ident, $Unknown:ident, $what:literal) => {
        impl $Unknown {
            pub(crate) fn new(what: &str, choices: &[$Names], name: &str) -> Self {
                let choices: Vec<_> = choices.iter().map(|choice| choice.as_str()).collect();
                Self(format!("expected {what}, one of `{}`, got: `{name}`", choices.join("`, `")))
            }
        }

        impl std::str::FromStr for $Names {
            type Err = $Unknown;

            fn from_str(name: &str) -> Result<Self, $Unknown> {
                Self::from_name(name).ok_or_else(|| $Unknown::new($what, Self::ALL, name))
            }
        }

        impl std::fmt::Display for $Names {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        callgate_secret::text!(error $Unknown: Self(message) => "{message}");
    };
}
pub(crate) use by_name;

by_name!(Form, UnknownForm, "a form");
