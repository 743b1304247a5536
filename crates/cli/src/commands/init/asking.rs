//! Questions to a person on a terminal. What is typed is shown by the terminal, so references are asked for, never secrets.

use std::io::{self, BufRead as _, IsTerminal as _};

use callgate_openapi::{SecurityScheme, SecuritySchemeKind, check_server};
use callgate_tool::Value;

use super::credential;
use crate::output;

/// Somebody who answers.
#[derive(Debug)]
pub(super) struct Asking(());

impl Asking {
    /// A person, where standard input and standard error are one's terminal.
    pub(super) fn of_a_person() -> Option<Self> {
        (io::stdin().is_terminal() && output::is_watched()).then_some(Self(()))
    }

    /// The credential of a scheme; none where the person has none.
    pub(super) fn credential(&self, scheme: &SecurityScheme, profile: &str) -> Option<Value> {
        let form = credential::form(scheme)?;
        let variable = variable(profile, &scheme.name);
        let usual = form.replace("NAME", &variable);
        output::talk(&format!("`{}` is {}.\n", scheme.name, about(scheme)));
        let asked = credential::words(scheme);
        // What has a user in it has no usual answer.
        let usual = (form == "env:NAME").then_some(usual.as_str());
        for _ in 0..TRIES {
            let hint = usual.unwrap_or(form);
            let text = self.line(&format!("  {asked} [{hint}; `-` for none]: "))?;
            let text = if text.is_empty() { usual.unwrap_or("-").to_owned() } else { text };
            if text == "-" {
                return None;
            }
            match credential::value(scheme, &text) {
                Ok(value) => return Some(value),
                Err(why) => {
                    output::talk(&format!(
                        "  {why}; write where it is, not what it is: `{form}`\n"
                    ));
                }
            }
        }
        None
    }

    /// The server that calls go to.
    pub(super) fn server(&self) -> Option<String> {
        output::talk("The description names no server that calls can go to.\n");
        for _ in 0..TRIES {
            let text = self.line("  its address (https://HOST/PATH): ")?;
            match check_server(&text) {
                Ok(()) => return Some(text),
                Err(wrong) => output::talk(&format!("  {wrong}\n")),
            }
        }
        None
    }

    /// A line; none where nobody answers any more.
    fn line(&self, question: &str) -> Option<String> {
        let Self(()) = self;
        output::talk(question);
        let mut line = String::new();
        let n_read = io::stdin().lock().read_line(&mut line).ok()?;
        (n_read > 0).then(|| line.trim().to_owned())
    }
}

/// A scheme in words.
fn about(scheme: &SecurityScheme) -> String {
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

/// The variable that usually holds the credential: `PETS_KEY`.
fn variable(profile: &str, scheme: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("{profile}_{scheme}").chars().map(letter).collect()
}

/// The number of times a question is asked.
const TRIES: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_named_after_profile_and_scheme() {
        assert_eq!(variable("my-api", "api key"), "MY_API_API_KEY");
    }
}
