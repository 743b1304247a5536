//! Records a conversation, so that it can be replayed: its inputs, the replies of the model, the responses of services, the ends
//! of its turns. Credentials are masked. `callgate chat --record` and the sidecar write what is recorded.

mod calls;
mod decisions;
mod ends;
mod files;
mod form;
mod model;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use callgate_tool::{Handle, Outcome, SessionName, ToolCall, ToolResult, Value, mask_session};
use callgate_transport::Transport;

use self::calls::CallRecorders;
#[doc(hidden)]
pub use self::{
    ends::{CallResults, end_and_random_texts, end_json},
    files::{
        ENDS, Exchange, SESSION, TRANSCRIPT, TURN, TurnFiles, model_request_filename,
        model_response_filename, service_request_filename, service_response_filename,
    },
    form::TurnForm,
    model::{ModelExchanges, ModelRecorder},
};
use crate::{
    context::{TurnContext, TurnEvent},
    end::End,
    input::Input,
    transcript::Transcript,
};

/// Records the turns of a conversation.
#[derive(Debug)]
pub struct Recording {
    files: TurnFiles,
    model: ModelExchanges,
    calls: CallRecorders,
    results: Arc<CallResults>,
    before: TranscriptBefore,
    ends: Vec<Value>,
    /// The texts that differ each time.
    random: Vec<String>,
}

/// The transcript before the first turn, if there was one. Clones share it.
#[derive(Clone, Debug, Default)]
struct TranscriptBefore(Arc<Mutex<Option<String>>>);

impl TranscriptBefore {
    fn note_transcript(&self, transcript: &Transcript) {
        let text = (!transcript.messages_with_results().is_empty()).then(|| transcript.to_text());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    fn text(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Recording {
    /// A recording without turns. `configuration` is a path from its folder.
    pub fn new(configuration: PathBuf, agent: &str) -> Self {
        let form = TurnForm { configuration, agent: agent.to_owned(), inputs: Vec::new() };
        let (session, transcript) = (None, None);
        let files =
            TurnFiles { form, session, transcript, model: Vec::new(), services: Vec::new() };
        Self {
            files,
            model: ModelExchanges::default(),
            calls: CallRecorders::default(),
            results: Arc::default(),
            before: TranscriptBefore::default(),
            ends: Vec::new(),
            random: Vec::new(),
        }
    }

    /// Records the way to the model.
    pub fn model_recorder(&self, transport: Arc<dyn Transport>) -> Arc<ModelRecorder> {
        Arc::new(ModelRecorder::new(transport, self.model.clone()))
    }

    /// Notes the session of the conversation, without the values that credentials read.
    pub fn note_session(&mut self, mut envelope: Value, secrets: &[SessionName]) {
        mask_session(&mut envelope, secrets);
        self.files.session = Some(envelope);
    }

    /// Notes the conversation before.
    pub fn note_transcript_before(&self, transcript: &Transcript) {
        self.before.note_transcript(transcript);
    }

    /// The context of a turn whose calls are recorded, and the kept transcript before it. Its events go to `shown` and to the
    /// recording.
    pub fn watched_context(
        &self,
        context: TurnContext,
        shown: impl Fn(&TurnEvent<'_>) + Send + Sync + 'static,
    ) -> TurnContext {
        let (results, calls) = (Arc::clone(&self.results), self.calls.clone());
        let context = context.with_events(move |event| {
            results.note_event(event);
            shown(event);
        });
        let before = self.before.clone();
        let context = context.with_beginning(move |transcript| before.note_transcript(transcript));
        context.with_watchers(move |call: &ToolCall| calls.add_watcher(call))
    }

    /// Adds a turn that has ended. Returns the tools of its calls that answered without a request over HTTP.
    ///
    /// # Errors
    /// The error says why the turn cannot be recorded.
    pub fn add_turn(&mut self, input: Input, end: &End) -> Result<Vec<String>, String> {
        let results = self.results.take_results();
        let input = decisions::decided_input(input, end, &results)?;
        let is_answered = |result: &&ToolResult| matches!(result.outcome, Outcome::Answered(_));
        let answered: Vec<_> =
            results.iter().filter(is_answered).map(|result| result.id.clone()).collect();
        let silent = self.calls.tools_without_exchange(&answered);
        let (end, random) = end_and_random_texts(end, results);
        self.files.services = self.calls.exchanges()?;
        self.files.transcript = self.before.text();
        self.random.extend(random);
        let steady = |Exchange { request, response }| Exchange {
            request: bytes_with_fixed_handles(request, &self.random),
            response: bytes_with_fixed_handles(response, &self.random),
        };
        self.files.model = self.model.exchanges().into_iter().map(steady).collect();
        self.files.form.inputs.push(input);
        self.ends.push(end);
        Ok(silent)
    }

    /// The ends of the turns.
    pub fn ends(&self) -> Value {
        Value::Array(self.ends.clone())
    }

    /// The name and the content of each file.
    pub fn named_file_contents(&self) -> Vec<(String, Vec<u8>)> {
        self.files.named_file_contents(&self.ends())
    }
}

/// A text with a fixed handle in place of those that differ each time.
pub fn with_fixed_handles(random: &[String], text: String) -> String {
    let fixed = Handle::from_random(0);
    random.iter().fold(text, |text, handle| text.replace(handle, fixed.as_str()))
}

/// Bytes with a fixed text in place of those that differ each time.
fn bytes_with_fixed_handles(bytes: Vec<u8>, random: &[String]) -> Vec<u8> {
    match String::from_utf8(bytes) {
        Ok(text) => with_fixed_handles(random, text).into_bytes(),
        Err(binary) => binary.into_bytes(),
    }
}
