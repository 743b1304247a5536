//! Further forms in which a dialect declares tools: a schema of another kind, and the strict modes of providers. A form selects
//! the projection and the flag of a declaration.

use crate::{
    dialect::Dialect,
    form::{Form, UnknownForm},
    format::FurtherForm,
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
        match self.format().further_form.as_ref().map(FurtherForm::form) {
            Some(Form::Schema) => &[Form::Usual, Form::Schema],
            Some(Form::Strict) => &[Form::Usual, Form::Strict],
            Some(Form::Usual) | None => &[Form::Usual],
        }
    }

    /// The form, if this dialect has it.
    ///
    /// # Errors
    /// [`UnknownForm`], which lists the forms that the dialect has.
    #[doc(hidden)]
    pub fn supported_form(self, form: Form) -> Result<Form, UnknownForm> {
        if self.forms().contains(&form) {
            return Ok(form);
        }
        Err(UnknownForm::new(&format!("a form of `{self}`"), self.forms(), form.as_str()))
    }

    /// The projection of schemas in a form; the usual form's if the dialect does not have the requested one.
    #[doc(hidden)]
    pub fn projection_in(self, form: Form) -> Option<Projection> {
        self.format().projection_in(form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsupported_form_of_a_dialect_is_refused_with_the_supported_ones() {
        for &dialect in Dialect::ALL {
            for &form in Form::ALL {
                assert_eq!(dialect.supported_form(form).is_ok(), dialect.forms().contains(&form));
            }
        }
        let refused = Dialect::Gemini.supported_form(Form::Strict).unwrap_err().to_string();
        assert_eq!(refused, "expected a form of `gemini`, one of `usual`, `schema`, got: `strict`");
        let refused = "strikt".parse::<Form>().unwrap_err().to_string();
        assert_eq!(refused, "expected a form, one of `schema`, `strict`, `usual`, got: `strikt`");
    }
}
