//! Further forms in which a dialect declares tools: Gemini's `parameters` in place of `parametersJsonSchema`, and the
//! strict modes of `OpenAI`, Anthropic and Bedrock. A form selects the projection and the flag of a declaration.

use callgate_tool::Value;

use crate::{
    dialect::Dialect,
    form::{Form, UnknownForm},
    projection::Projection,
};

impl Dialect {
    /// The forms in which the dialect declares tools.
    ///
    /// ```
    /// use callgate_dialect::{Dialect, Form};
    ///
    /// assert_eq!(Dialect::Gemini.forms(), [Form::Usual, Form::Schema]);
    /// assert_eq!(Dialect::Mcp.forms(), [Form::Usual]);
    /// ```
    pub fn forms(self) -> &'static [Form] {
        match self {
            Self::Gemini => &[Form::Usual, Form::Schema],
            Self::Anthropic
            | Self::Bedrock
            | Self::OpenAi
            | Self::Responses
            | Self::SemanticKernel => &[Form::Usual, Form::Strict],
            Self::Ces | Self::Dialogflow | Self::Json | Self::Mcp => &[Form::Usual],
        }
    }

    /// The form, if this dialect has it.
    ///
    /// # Errors
    /// [`UnknownForm`], which lists the forms that the dialect has.
    #[doc(hidden)]
    pub fn form(self, form: Form) -> Result<Form, UnknownForm> {
        if self.forms().contains(&form) {
            return Ok(form);
        }
        Err(UnknownForm::new(&format!("a form of `{self}`"), self.forms(), form.as_str()))
    }

    /// The projection of schemas in a form; the usual form's if the dialect does not have the requested one.
    #[doc(hidden)]
    pub fn projection_in(self, form: Form) -> Option<Projection> {
        Some(match (self, form) {
            (Self::Anthropic, Form::Strict) => Projection::AnthropicStrict,
            (Self::Anthropic, _) => Projection::Anthropic,
            (Self::Bedrock, Form::Strict) => Projection::BedrockStrict,
            (Self::Bedrock, _) => Projection::Bedrock,
            (Self::Ces, _) => Projection::Ces,
            (Self::Dialogflow | Self::Mcp, _) => Projection::Portable,
            (Self::Gemini, Form::Schema) => Projection::GeminiSchema,
            (Self::Gemini, _) => Projection::GeminiJson,
            (Self::Json, _) => return None,
            (Self::OpenAi | Self::Responses | Self::SemanticKernel, Form::Strict) => {
                Projection::OpenAiStrict
            }
            (Self::OpenAi | Self::Responses | Self::SemanticKernel, _) => Projection::OpenAi,
        })
    }

    pub(crate) fn with_strict(self, mut declaration: Value) -> Value {
        let flagged = match self {
            Self::Anthropic | Self::Responses => Some(&mut declaration),
            Self::Bedrock => declaration.get_mut("toolSpec"),
            Self::OpenAi | Self::SemanticKernel => declaration.get_mut("function"),
            Self::Ces | Self::Dialogflow | Self::Gemini | Self::Json | Self::Mcp => None,
        };
        if let Some(members) = flagged.and_then(Value::as_object_mut) {
            members.insert("strict", true.into());
        }
        declaration
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsupported_form_of_a_dialect_is_refused_with_the_supported_ones() {
        for &dialect in Dialect::ALL {
            for &form in Form::ALL {
                assert_eq!(dialect.form(form).is_ok(), dialect.forms().contains(&form));
            }
        }
        let refused = Dialect::Gemini.form(Form::Strict).unwrap_err().to_string();
        assert_eq!(refused, "expected a form of `gemini`, one of `usual`, `schema`, got: `strict`");
        let refused = "strikt".parse::<Form>().unwrap_err().to_string();
        assert_eq!(refused, "expected a form, one of `schema`, `strict`, `usual`, got: `strikt`");
    }
}
