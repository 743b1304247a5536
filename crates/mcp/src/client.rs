//! The client of a call, for tools of the program: they can ask it for values, and show more than an answer. `rounds` and
//! `abilities` define how it is asked.

mod attachment;
mod question;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use callgate_call::wording::values as wording;
use callgate_executor::Call;
use callgate_policy::APPROVAL_TIME;
use callgate_tool::{Fault, Value};
use rmcp::{Peer, RoleServer};

pub use self::{
    attachment::Attachment,
    question::{Question, Reply},
};
use crate::abilities::{Abilities, Channel};

/// The client of MCP that made a call.
///
/// A tool asks as if the answers were there. If the client answers with a further call (MCP 2026-07-28), the tool runs
/// again from its beginning with the answers so far: it must not change anything before its last question. A tool that
/// needs a person's approval is approved each time. A call from another front door has nobody to ask.
///
/// ```
/// use callgate_executor::Executor;
/// use callgate_mcp::{Client, Question, Reply};
/// use callgate_tool::{Outcome, Value, json};
///
/// let executor = Executor::builder().function("desk", "greet", json!({"type": "object"}), |call| async move {
///     let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
///     let question = Question::of_person("user_name", "What is your name?", schema);
///     match Client::from_call(&call).ask(&question).await {
///         Ok(Reply::Given(values)) => json!({"greeting": values.get("name").cloned()}).into(),
///         Ok(_) => json!({"greeting": "stranger"}).into(),
///         Err(fault) => Outcome::Failed(fault),
///     }
/// });
/// # let executor = executor.build()?;
/// # Ok::<(), callgate_executor::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Client(Option<Arc<Shared>>);

/// The state that clones of a client share, for one call of one tool.
struct Shared {
    peer: Option<Peer<RoleServer>>,
    abilities: Abilities,
    answers: BTreeMap<String, Value>,
    told: Mutex<Messages>,
}

#[derive(Default)]
pub(crate) struct Messages {
    pub(crate) asked: Vec<Question>,
    /// The answers that were used; they stay valid in the next round.
    pub(crate) used: BTreeMap<String, Value>,
    pub(crate) lacking: Vec<Question>,
    pub(crate) attached: Vec<Attachment>,
}

impl Client {
    /// The client of a call.
    pub fn from_call(call: &Call<'_>) -> Self {
        call.extensions().get().cloned().unwrap_or_default()
    }

    pub(crate) fn new(
        peer: Option<Peer<RoleServer>>,
        abilities: Abilities,
        answers: BTreeMap<String, Value>,
    ) -> Self {
        Self(Some(Arc::new(Shared { peer, abilities, answers, told: Mutex::default() })))
    }

    /// Asks for values.
    ///
    /// # Errors
    /// Returns the fault that the call must end with: the client asks and calls again, or there is nobody to ask.
    pub async fn ask(&self, question: &Question) -> Result<Reply, Box<Fault>> {
        let Some(shared) = &self.0 else { return Err(wording::nobody_asked()) };
        let Abilities { channel, has_forms, has_model } = shared.abilities;
        let is_possible = if question.is_of_person() { has_forms } else { has_model };
        match (channel, is_possible) {
            (Channel::Live, true) => {
                let peer = shared.peer.as_ref().ok_or_else(wording::nobody_asked)?;
                let reply = question.ask_over_connection(peer);
                let reply = tokio::time::timeout(APPROVAL_TIME, reply).await.ok().flatten();
                reply.ok_or_else(wording::nobody_asked)
            }
            (Channel::Rounds, true) => {
                let answer = shared.answers.get(question.name());
                let reply =
                    answer.and_then(|answer| Some((answer, question.checked_reply(answer)?)));
                let mut told = shared.told.lock().unwrap_or_else(PoisonError::into_inner);
                let Some((answer, reply)) = reply else {
                    told.asked.push(question.clone());
                    return Err(wording::requested_values());
                };
                told.used.insert(question.name().to_owned(), answer.clone());
                Ok(reply)
            }
            (Channel::Rounds, false) => {
                let mut told = shared.told.lock().unwrap_or_else(PoisonError::into_inner);
                told.lacking.push(question.clone());
                Err(wording::nobody_asked())
            }
            (Channel::Live, false) | (Channel::Nobody, _) => Err(wording::nobody_asked()),
        }
    }

    /// Shows content beside the tool's answer. Other front doors show only the answer.
    pub fn attach(&self, attachment: Attachment) {
        let Some(shared) = &self.0 else { return };
        shared.told.lock().unwrap_or_else(PoisonError::into_inner).attached.push(attachment);
    }

    /// Takes the tool's messages out of the client.
    pub(crate) fn take_tool_messages(&self) -> Messages {
        let Some(shared) = &self.0 else { return Messages::default() };
        std::mem::take(&mut shared.told.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

// Leaves out the answers.
callgate_secret::opaque!(Client = "Client");
