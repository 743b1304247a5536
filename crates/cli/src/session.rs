//! The session of a call from a file: its values are literal, its `credentials` are references to secrets, because the file
//! belongs to the operator. Values that a caller gives in another way are never references.

use std::path::Path;

use callgate::{Secret, Session, config::Built, dialect::read_session, secret::SecretReference};
use callgate_tool::{Object, Value};

use crate::exit::Failure;

#[derive(Default)]
pub(crate) struct ReadSession {
    envelope: Object,
    credentials: Vec<(String, Secret)>,
}

/// Reads the session in `file`, whose text was read as `envelope`; `built` gives the secrets.
pub(crate) async fn read_session_file(
    file: &Path,
    envelope: Value,
    built: &Built,
) -> Result<Session, Failure> {
    let file_session = read_envelope(file, envelope, built).await?;
    file_session
        .session_with_overrides(Object::new())
        .map_err(|message| file_failure(file, &message, "correct the session"))
}

pub(crate) async fn read_envelope(
    file: &Path,
    mut envelope: Value,
    built: &Built,
) -> Result<ReadSession, Failure> {
    let references = take_credentials(&mut envelope).map_err(|message| {
        file_failure(file, &message, "name a secret for each: `{\"token\": \"env:TOKEN\"}`")
    })?;
    let read = read_session(envelope.clone());
    read.map_err(|error| file_failure(file, &error.to_string(), HELP))?;
    let base = file.parent().unwrap_or(file);
    let mut credentials = Vec::new();
    for (name, reference) in references {
        let secret: Secret = built.secret(&reference, base).await.map_err(|error| {
            let message = format!("no credential `{name}`: {error}");
            file_failure(file, &message, "say where the secret is: `env:NAME`, `file:PATH`")
        })?;
        credentials.push((name, secret));
    }
    let envelope = match envelope {
        Value::Object(envelope) => envelope,
        _ => Object::new(),
    };
    Ok(ReadSession { envelope, credentials })
}

impl ReadSession {
    /// The session with the values of a request, which override it: single parameters and credentials, and any other member
    /// as a whole. The error describes an invalid value.
    pub(crate) fn session_with_overrides(&self, inline: Object) -> Result<Session, String> {
        let mut envelope = self.envelope.clone();
        for (name, value) in inline {
            match (envelope.get_mut(&name), value) {
                (Some(Value::Object(parameters)), Value::Object(added)) if name == "parameters" => {
                    parameters.extend(added);
                }
                (_, value) => drop(envelope.insert(name, value)),
            }
        }
        let said = read_session(Value::Object(envelope)).map_err(|error| error.to_string())?;
        Ok(self.credentials.iter().fold(said, |session, (name, secret)| {
            match session.credential(name) {
                Some(_) => session,
                None => session.with_credential(name, secret.clone()),
            }
        }))
    }
}

fn file_failure(file: &Path, message: &str, help: &str) -> Failure {
    Failure::with_help(&format!("in `{}`: {message}", file.display()), help)
}

/// Takes the references out of the envelope. A text that is not a reference may be a secret and is not shown.
fn take_credentials(envelope: &mut Value) -> Result<Vec<(String, SecretReference)>, String> {
    let members = match envelope.as_object_mut().and_then(|members| members.remove("credentials")) {
        None | Some(Value::Null) => Object::new(),
        Some(Value::Object(members)) => members,
        Some(_) => return Err("`credentials`: expected an object of secret references".to_owned()),
    };
    let reference = |(name, value): (String, Value)| match value.as_str().map(str::parse) {
        Some(Ok(reference)) => Ok((name, reference)),
        Some(Err(error)) => {
            let error: callgate::secret::Error = error;
            Err(format!("`credentials.{name}`: {error}"))
        }
        None => Err(format!("`credentials.{name}`: expected a secret reference")),
    };
    members.into_iter().map(reference).collect()
}

pub(crate) const HELP: &str =
    "a session is an object with any of `id`, `parameters`, `payload`, `context`, `credentials`";

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(mut envelope: Value, expected: Result<&[&str], &str>) {
        let got = take_credentials(&mut envelope);
        let got = got.map(|all| {
            let told =
                |(name, reference): &(String, SecretReference)| format!("{name} {reference}");
            all.iter().map(told).collect::<Vec<_>>()
        });
        let expected = expected.map(|all| all.iter().map(|&one| one.to_owned()).collect());
        assert_eq!(got, expected.map_err(str::to_owned));
        assert!(envelope.get("credentials").is_none(), "{envelope}");
    }

    #[test]
    fn the_credentials_of_a_session_file_are_references_to_secrets() {
        check(json!({"credentials": {"GitHub": "env:TOKEN"}}), Ok(&["GitHub env:TOKEN"]));
        check(json!({"credentials": null, "id": "s"}), Ok(&[]));
        check(json!({"id": "s"}), Ok(&[]));
    }

    #[test]
    fn a_text_that_is_no_reference_is_refused_and_not_shown() {
        let expected = Err("`credentials`: expected an object of secret references");
        check(json!({"credentials": ["canary"]}), expected);
        check(
            json!({"credentials": {"a": 7}}),
            Err("`credentials.a`: expected a secret reference"),
        );
        let mut envelope = json!({"credentials": {"a": "canary-token"}});
        assert!(!take_credentials(&mut envelope).unwrap_err().contains("canary"));
    }
}
