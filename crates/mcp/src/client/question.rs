//! Questions of tools, in the form of a message, and the answers to them.

use std::sync::Arc;

use callgate_call::ArgumentCheck;
use callgate_tool::{Object, Value, json};
use rmcp::{
    Peer, RoleServer,
    model::{ClientResult, InputRequest, ServerRequest},
};

/// A question of a tool.
#[derive(Clone, Debug)]
pub struct Question {
    name: String,
    params: Value,
    /// The check of a person's values; `None` for a question to a model, whose answer has its own form.
    values: Option<Arc<ArgumentCheck>>,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a tool must handle each")]
pub enum Reply {
    /// The person closed the form.
    Cancelled,
    /// The person declined to answer.
    Declined,
    /// The requested values, or the message of a model (`role`, `content`, `model`).
    Given(Object),
}

impl Question {
    /// A question to a person. `schema` describes an object whose members are texts, numbers, truth values or choices; clients
    /// show it as a form. An answer that does not match is asked for again. The name distinguishes the questions of a tool.
    pub fn of_person(name: &str, message: &str, schema: impl Into<Value>) -> Self {
        let schema = schema.into();
        let values = Some(Arc::new(ArgumentCheck::new(schema.clone())));
        let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
        Self { name: name.to_owned(), params, values }
    }

    /// A question to the client's model, which answers in at most `most_tokens` tokens. Revisions since 2026-07-28 advise
    /// against such questions, and few clients accept them.
    pub fn of_model(name: &str, prompt: &str, most_tokens: u32) -> Self {
        let message = json!({"role": "user", "content": {"type": "text", "text": prompt}});
        let params = json!({"messages": [message], "maxTokens": u64::from(most_tokens)});
        Self { name: name.to_owned(), params, values: None }
    }

    /// The name of the question.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn is_of_person(&self) -> bool {
        self.values.is_some()
    }

    pub(crate) fn checked_reply(&self, answer: &Value) -> Option<Reply> {
        let Some(values) = &self.values else {
            let message = answer.as_object()?;
            let is_message = message.contains_key("role") && message.contains_key("content");
            return is_message.then(|| Reply::Given(message.clone()));
        };
        match answer.get("action")?.as_str()? {
            "accept" => {
                let given = answer.get("content")?.as_object()?;
                values.check(given).is_ok().then(|| Reply::Given(given.clone()))
            }
            "cancel" => Some(Reply::Cancelled),
            "decline" => Some(Reply::Declined),
            _ => None,
        }
    }

    pub(crate) fn input_request(&self) -> Option<InputRequest> {
        let text = self.request_json();
        Some(if self.is_of_person() {
            InputRequest::Elicitation(serde_json::from_str(&text).ok()?)
        } else {
            InputRequest::CreateMessage(serde_json::from_str(&text).ok()?)
        })
    }

    /// Asks now, over a connection that carries the server's requests. `None` if the answer is not valid.
    pub(crate) async fn ask_over_connection(&self, peer: &Peer<RoleServer>) -> Option<Reply> {
        let text = self.request_json();
        let request = if self.is_of_person() {
            ServerRequest::ElicitRequest(serde_json::from_str(&text).ok()?)
        } else {
            ServerRequest::CreateMessageRequest(serde_json::from_str(&text).ok()?)
        };
        let answer = match peer.send_request(request).await.ok()? {
            ClientResult::CreateMessageResult(answer) => serde_json::to_vec(&answer),
            ClientResult::ElicitResult(answer) => serde_json::to_vec(&answer),
            _ => return None,
        };
        self.checked_reply(&Value::from_slice(&answer.ok()?).ok()?)
    }

    fn request_json(&self) -> String {
        let method =
            if self.is_of_person() { "elicitation/create" } else { "sampling/createMessage" };
        json!({"method": method, "params": self.params.clone()}).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(answer: &Value, expected: Option<&Reply>) {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
        let question = Question::of_person("user_name", "What is your name?", schema);
        assert_eq!(question.checked_reply(answer).as_ref(), expected, "{answer}");
    }

    #[test]
    fn a_reply_must_fit_the_form_of_its_question() {
        let name = json!({"name": "Alice"});
        let given = Reply::Given(name.as_object().unwrap().clone());
        check(&json!({"action": "accept", "content": name}), Some(&given));
        check(&json!({"action": "accept", "content": {"name": 7}}), None);
        check(&json!({"action": "accept", "content": {}}), None);
        check(&json!({"action": "accept"}), None);
        check(&json!({"action": "cancel"}), Some(&Reply::Cancelled));
        check(&json!({"action": "decline"}), Some(&Reply::Declined));
        check(&json!({"action": "else"}), None);
        check(&json!(12345), None);
    }

    #[test]
    fn the_reply_to_a_sampling_question_is_a_message() {
        let question = Question::of_model("capital", "What is the capital of France?", 100);
        let message = json!({"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "m"});
        assert!(matches!(question.checked_reply(&message), Some(Reply::Given(_))));
        assert_eq!(question.checked_reply(&json!({"action": "accept", "content": {}})), None);
        assert!(matches!(question.input_request(), Some(InputRequest::CreateMessage(_))));
    }
}
