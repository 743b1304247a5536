//! The text of a request's body. Messages are put in as the texts that they are, so that nothing in them changes.

use std::fmt::{Display, Write as _};

use callgate_tool::{Json, Object, Value};

use super::Ask;

/// An object in JSON, written member by member.
#[derive(Debug)]
pub(crate) struct Body(String);

impl Body {
    /// An empty body, with space for the conversation, which is copied once.
    pub(crate) fn new(ask: &Ask<'_>) -> Self {
        let texts =
            ask.messages.iter().chain(ask.tools.iter().copied()).map(|json| json.text().len() + 1);
        let n_bytes = texts.fold(ask.instructions.len(), usize::saturating_add);
        let mut text = String::with_capacity(n_bytes.saturating_add(REST));
        text.push('{');
        Self(text)
    }

    /// A body with the name of the model, and whether the reply is a stream.
    pub(crate) fn with_model_name(ask: &Ask<'_>) -> Self {
        let body = Self::new(ask).with_member("model", Value::from(ask.model));
        if ask.is_streamed { body.with_member("stream", true) } else { body }
    }

    /// Adds a member whose value is written as it is shown.
    pub(crate) fn with_member(mut self, name: &str, value: impl Display) -> Self {
        self.begin_member(name);
        self.push(value);
        self
    }

    /// Adds a list of texts of JSON.
    pub(crate) fn with_list<T: Display>(
        mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
    ) -> Self {
        self.begin_member(name);
        self.0.push('[');
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                self.0.push(',');
            }
            self.push(item);
        }
        self.0.push(']');
        self
    }

    /// Adds the tools and the choice of calls, if there are tools.
    pub(crate) fn with_tools(self, ask: &Ask<'_>, choice: Value) -> Self {
        if ask.tools.is_empty() {
            return self;
        }
        self.with_list("tools", ask.tools.iter().map(|tool| tool.text()))
            .with_member("tool_choice", choice)
    }

    fn begin_member(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.push(Value::from(name));
        self.0.push(':');
    }

    fn push(&mut self, value: impl Display) {
        // Writing to a text does not fail.
        _ = write!(self.0, "{value}");
    }

    /// The whole body, with the settings of the model.
    pub(crate) fn into_text(self, settings: &Object) -> String {
        let body = settings.iter().fold(self, |body, (name, value)| body.with_member(name, value));
        body.0 + "}"
    }
}

/// The texts of JSON values, as the items of a list.
pub(crate) fn joined_json_items(values: &[&Json]) -> String {
    values.iter().map(|value| value.text()).collect::<Vec<_>>().join(",")
}

/// The bytes of what is neither a message nor a tool: the name of the model, the choice, the settings.
const REST: usize = 1024;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn texts_of_json_are_written_as_they_are() {
        let settings = Object::from([("temperature", json!(0.5))]);
        let ask = Ask {
            model: "m\"",
            instructions: "",
            messages: &[],
            tools: &[],
            choice: &crate::choice::Choice::Auto,
            settings: &settings,
            is_streamed: false,
        };
        let body = Body::with_model_name(&ask).with_list("messages", ["{ \"a\": 1.10 }"]);
        assert_eq!(
            body.into_text(&settings),
            r#"{"model":"m\"","messages":[{ "a": 1.10 }],"temperature":0.5}"#
        );
    }
}
