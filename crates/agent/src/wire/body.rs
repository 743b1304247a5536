//! The text of a request's body. Messages are put in as the texts that they are, so that nothing in them changes.

use std::fmt::{Display, Write as _};

use callgate_tool::{Object, Value};

use super::Ask;

/// An object in JSON, written member by member.
#[derive(Debug)]
pub(crate) struct Body(String);

impl Body {
    pub(crate) fn new() -> Self {
        Self("{".to_owned())
    }

    /// A body with the name of the model, and whether the reply is a stream.
    pub(crate) fn of(ask: &Ask<'_>) -> Self {
        let body = Self::new().with("model", Value::from(ask.model));
        if ask.is_streamed { body.with("stream", true) } else { body }
    }

    /// Adds a member whose value is written as it is shown.
    pub(crate) fn with(mut self, name: &str, value: impl Display) -> Self {
        let separator = if self.0.len() > 1 { "," } else { "" };
        // Writing to a text does not fail.
        _ = write!(self.0, "{separator}{}:{value}", Value::from(name));
        self
    }

    /// Adds a list of texts of JSON.
    pub(crate) fn list<T: Display>(self, name: &str, items: impl IntoIterator<Item = T>) -> Self {
        self.with(name, List(&items.into_iter().collect::<Vec<_>>()))
    }

    /// The whole body, with the settings of the model.
    pub(crate) fn finished(self, settings: &Object) -> String {
        let body = settings.iter().fold(self, |body, (name, value)| body.with(name, value));
        body.0 + "}"
    }
}

struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[")?;
        for (at, item) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(",")?;
            }
            item.fmt(f)?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn texts_of_json_are_written_as_they_are() {
        let settings = Object::from([("temperature", json!(0.5))]);
        let body = Body::new().with("model", json!("m\"")).list("messages", ["{ \"a\": 1.10 }"]);
        assert_eq!(
            body.finished(&settings),
            r#"{"model":"m\"","messages":[{ "a": 1.10 }],"temperature":0.5}"#
        );
    }
}
