//! Names of the forms in which dialects declare tools. `forms` lists the forms of each dialect.

use std::{error, fmt, str::FromStr};

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
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Form {
    /// Gemini: `parameters`, a `Schema` of Google's, for programs that cannot send JSON Schema.
    Schema,
    /// The provider allows only arguments that match its form of the schema: `strict: true`.
    Strict,
    /// The form that keeps most of a schema.
    #[default]
    Usual,
}

/// The error for an unknown form, or one that a dialect does not have.
///
/// ```
/// use callgate_dialect::{Dialect, Form};
///
/// let error = Dialect::Gemini.form(Form::Strict).unwrap_err();
/// let message = "expected a form of `gemini`, one of `usual`, `schema`, got: `strict`";
/// assert_eq!(error.to_string(), message);
/// assert!("strikt".parse::<Form>().is_err());
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownForm {
    known: &'static [Form],
    dialect: Option<&'static str>,
    name: String,
}

impl Form {
    /// Every form, in alphabetical order of their names.
    pub const ALL: &'static [Self] = &[Self::Schema, Self::Strict, Self::Usual];

    /// The name by which configurations and commands select the form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Strict => "strict",
            Self::Usual => "usual",
        }
    }
}

impl UnknownForm {
    pub(crate) fn of(dialect: &'static str, known: &'static [Form], form: Form) -> Self {
        Self { known, dialect: Some(dialect), name: form.as_str().to_owned() }
    }
}

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(name: &str) -> Result<Self, UnknownForm> {
        let known = Self::ALL.iter().copied().find(|form| form.as_str() == name);
        known.ok_or_else(|| UnknownForm { known: Self::ALL, dialect: None, name: name.to_owned() })
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for UnknownForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = self.known.iter().map(|form| form.as_str()).collect();
        let (known, name) = (known.join("`, `"), &self.name);
        match self.dialect {
            Some(dialect) => {
                write!(f, "expected a form of `{dialect}`, one of `{known}`, got: `{name}`")
            }
            None => write!(f, "expected a form, one of `{known}`, got: `{name}`"),
        }
    }
}

impl error::Error for UnknownForm {}
