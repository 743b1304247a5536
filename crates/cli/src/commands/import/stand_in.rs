//! The settings of a fixture: those of the toolset, with a stand-in in the place of each credential. A fixture gets
//! its responses from recordings: it connects to nothing and requests no tokens.

use callgate_tool::{Object, Value, json};

/// The settings, and the session that their credentials read.
pub(super) fn of(settings: &Object, variables: &Object) -> (Object, Object) {
    let mut settings = settings.clone();
    for connected in ["tls", "service_directory", "limits"] {
        settings.remove(connected);
    }
    let mut session = Session { parameters: Object::new(), variables: variables.clone() };
    if let Some(auth) = settings.get("auth") {
        let auth = session.auth(auth);
        settings.insert("auth", auth);
    }
    (settings, session.into_envelope())
}

struct Session {
    parameters: Object,
    variables: Object,
}

impl Session {
    /// A stand-in for a credential, put into the session if the credential comes from the session.
    fn auth(&mut self, auth: &Value) -> Value {
        let stand_in = Value::from(format!("literal:{STAND_IN}"));
        let Some((kind, settings)) = auth.as_object().and_then(|auth| auth.iter().next()) else {
            return auth.clone();
        };
        match &**kind {
            "api_key" => {
                let part = |name: &str| settings.get(name).cloned().unwrap_or_default();
                json!({"api_key": {"in": part("in"), "name": part("name"), "value": stand_in}})
            }
            "bearer" => {
                let token = settings.get("token").and_then(Value::as_str).unwrap_or_default();
                if let Some(name) = token.strip_prefix("$session.params.") {
                    self.parameters.insert(name, Value::from(STAND_IN));
                } else if let Some(name) = token.strip_prefix("$context.variables.") {
                    self.variables.insert(name, Value::from(STAND_IN));
                } else {
                    return json!({"bearer": {"token": stand_in}});
                }
                auth.clone()
            }
            // Tokens from an authorization server go where any bearer token goes.
            _ => json!({"bearer": {"token": stand_in}}),
        }
    }

    fn into_envelope(self) -> Object {
        let mut envelope = Object::new();
        envelope.insert("id", Value::from("session-1"));
        if !self.parameters.is_empty() {
            envelope.insert("parameters", Value::Object(self.parameters));
        }
        if !self.variables.is_empty() {
            envelope.insert("context", json!({"variables": self.variables}));
        }
        envelope
    }
}

/// The value of every credential: no output shows it.
const STAND_IN: &str = "stand-in-of-a-fixture";
