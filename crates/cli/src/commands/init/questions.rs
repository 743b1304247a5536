//! Questions to a person on a terminal. The terminal shows the typed text, so the questions ask for references, never for
//! secrets.

use callgate_openapi::{SecurityScheme, SecuritySchemeKind, check_server};
use callgate_tool::Value;

use super::credential;
use crate::{output, question};

pub(super) struct Questions(());

impl Questions {
    /// The person at the terminal, if standard input and standard error are one.
    pub(super) fn new_if_terminal() -> Option<Self> {
        question::can_ask_person().then_some(Self(()))
    }

    /// The credential of a scheme; `None` if the person has none.
    pub(super) fn ask_credential(&self, scheme: &SecurityScheme, profile: &str) -> Option<Value> {
        let form = credential::suggested_form(scheme)?;
        let variable = usual_variable(profile, &scheme.name);
        let usual = form.replace("NAME", &variable);
        output::print_message_line(&format!("`{}` is {}.", scheme.name, scheme_words(scheme)));
        let asked = credential::expectation_words(scheme);
        // A form with a user in it has no default answer.
        let usual = (form == "env:NAME").then_some(usual.as_str());
        for _ in 0..TRIES {
            let hint = usual.unwrap_or(form);
            let text = self.ask_line(&format!("  {asked} [{hint}; `-` for none]: "))?;
            let text = if text.is_empty() { usual.unwrap_or("-").to_owned() } else { text };
            if text == "-" {
                return None;
            }
            match credential::credential_value(scheme, &text) {
                Ok(value) => return Some(value),
                Err(why) => {
                    output::print_message_line(&format!(
                        "  {why}; write where it is, not what it is: `{form}`"
                    ));
                }
            }
        }
        None
    }

    pub(super) fn ask_server(&self) -> Option<String> {
        output::print_message("The description names no server that calls can go to.\n");
        for _ in 0..TRIES {
            let text = self.ask_line("  its address (https://HOST/PATH): ")?;
            match check_server(&text) {
                Ok(()) => return Some(text),
                Err(wrong) => output::print_message_line(&format!("  {wrong}")),
            }
        }
        None
    }

    /// Reads a line; `None` if nobody answers any more.
    fn ask_line(&self, question: &str) -> Option<String> {
        let Self(()) = self;
        Some(question::ask_line(question)?.trim().to_owned())
    }
}

fn scheme_words(scheme: &SecurityScheme) -> String {
    match &scheme.kind {
        SecuritySchemeKind::ApiKey { place, name } => {
            format!("an API key, sent in the {} `{name}`", format!("{place:?}").to_lowercase())
        }
        SecuritySchemeKind::Http { scheme, .. } if &**scheme == "basic" => {
            "a user name and a password".to_owned()
        }
        SecuritySchemeKind::OAuth2 { .. } => {
            "a token of an authorization server (OAuth 2.0)".to_owned()
        }
        SecuritySchemeKind::OpenIdConnect { .. } => "a token (OpenID Connect)".to_owned(),
        _ => "a bearer token".to_owned(),
    }
}

/// The usual environment variable for the credential: `PETS_KEY`.
fn usual_variable(profile: &str, scheme: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("{profile}_{scheme}").chars().map(letter).collect()
}

const TRIES: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_named_after_profile_and_scheme() {
        assert_eq!(usual_variable("my-api", "api key"), "MY_API_API_KEY");
    }
}
