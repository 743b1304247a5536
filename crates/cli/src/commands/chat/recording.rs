//! `--record`: writes a conversation into a folder, turn by turn, and replays it at the end to see that it can be.

use std::{
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use callgate::config::Built;
use callgate_agent::{End, EndReason, Input, Transcript, TurnContext, TurnEvent};
use callgate_config::Kinds;
use callgate_secret::MASK;
use callgate_tool::{SessionName, Value};

use crate::{
    commands::turns::{
        CallRecorders, CallResults, Exchange, ModelRecorder, RecordingTrust, ReplayedTurn, TURN,
        TurnFiles, TurnForm, end_of, first_difference, over_model, replay_turns, without_texts,
    },
    exit::Failure,
    output,
};

pub(super) struct Recording {
    folder: PathBuf,
    files: TurnFiles,
    model: Arc<ModelRecorder>,
    calls: CallRecorders,
    results: Arc<CallResults>,
    ends: Vec<Value>,
    /// The texts that differ each time.
    random: Vec<String>,
    /// The reason for which the rest of the conversation is not recorded.
    stopped: Option<String>,
}

impl Recording {
    /// Begins a recording in a folder that has none. `file` is the configuration.
    pub(super) fn begin_recording(
        folder: &Path,
        file: &Path,
        agent: &str,
        built: &mut Built,
    ) -> Result<Self, Failure> {
        if folder.join(TURN).exists() {
            let message = format!("`{}` has a recording", folder.display());
            return Err(Failure::with_help(&message, "name another folder, or remove this one"));
        }
        let cannot = |error: std::io::Error| {
            let message = format!("cannot record into `{}`: {error}", folder.display());
            Failure::with_help(
                &message,
                "name a folder that you may write to, and a file as CONFIG",
            )
        };
        std::fs::create_dir_all(folder).map_err(cannot)?;
        let [from, to] = [folder, file].map(Path::canonicalize);
        let configuration = relative_path(&from.map_err(cannot)?, &to.map_err(cannot)?);
        let form = TurnForm { configuration, agent: agent.to_owned(), inputs: Vec::new() };
        let model =
            over_model(built, agent, |real| Arc::new(ModelRecorder::around_transport(real)));
        let model = model.ok_or_else(|| {
            let message = format!("no agent of the configuration has the name: `{agent}`");
            Failure::with_help(&message, "`agents` of the configuration names them")
        })?;
        let (session, transcript) = (None, None);
        let files =
            TurnFiles { form, session, transcript, model: Vec::new(), services: Vec::new() };
        Ok(Self {
            folder: folder.to_owned(),
            files,
            model,
            calls: CallRecorders::default(),
            results: Arc::default(),
            ends: Vec::new(),
            random: Vec::new(),
            stopped: None,
        })
    }

    /// Notes the session of the conversation, without the values that credentials read.
    pub(super) fn note_session(&mut self, mut envelope: Value, secrets: &[SessionName]) {
        if let Some(parameters) = envelope.get_mut("parameters") {
            for name in secrets {
                mask_parameter(parameters, name);
            }
        }
        self.files.session = Some(envelope);
    }

    /// Notes the conversation before.
    pub(super) fn note_transcript_before(&mut self, transcript: &Transcript) {
        if !transcript.messages().is_empty() {
            self.files.transcript = Some(transcript.to_text());
        }
    }

    /// The context of a turn, watched.
    pub(super) fn watched_context(
        &self,
        context: TurnContext,
        shown: impl Fn(&TurnEvent<'_>) + Send + Sync + 'static,
    ) -> TurnContext {
        let (results, calls) = (Arc::clone(&self.results), self.calls.clone());
        let context = context.with_events(move |event| {
            results.note_event(event);
            shown(event);
        });
        context.with_watchers(move |call| calls.watcher(call))
    }

    /// Adds a turn that has ended, and writes what is recorded.
    pub(super) fn add_turn(&mut self, input: Input, end: &End) -> Result<(), Failure> {
        let (end_value, random) = end_of(end, self.results.take_results());
        if self.stopped.is_some() {
            return Ok(());
        }
        if end.reason == EndReason::Cancelled {
            self.stopped = Some("a turn was cancelled".to_owned());
            return Ok(());
        }
        match self.calls.exchanges() {
            Ok(services) => self.files.services = services,
            Err(why) => {
                self.stopped = Some(why);
                return Ok(());
            }
        }
        self.random.extend(random);
        let steady = |Exchange { request, response }| Exchange {
            request: without_random_texts(request, &self.random),
            response: without_random_texts(response, &self.random),
        };
        self.files.model = self.model.exchanges().into_iter().map(steady).collect();
        self.files.form.inputs.push(input);
        self.ends.push(end_value);
        self.files.write(&self.folder, &Value::Array(self.ends.clone()))
    }

    /// Replays the recording.
    pub(super) fn replay_recording(self, kinds: &Kinds) -> Result<(), Failure> {
        let shown = self.folder.display();
        if let Some(why) = self.stopped {
            let message = format!("not all of the conversation is recorded: {why}");
            let help = format!("`{shown}` has the turns before; record it again to have all");
            return Err(Failure::with_help(&message, &help));
        }
        if self.ends.is_empty() {
            return Ok(());
        }
        let files = TurnFiles::read(&self.folder)?;
        let trust = RecordingTrust::Own;
        let ReplayedTurn { asked, ends, .. } = replay_turns(&self.folder, &files, trust, kinds)?;
        let recorded = files.model.iter().map(|exchange| Value::from_slice(&exchange.request));
        let recorded = recorded.map(Result::unwrap_or_default).collect();
        let differs = first_difference(&Value::Array(recorded), &Value::Array(asked))
            .or_else(|| first_difference(&Value::Array(self.ends), &ends));
        if let Some(differs) = differs {
            let message =
                format!("the recording in `{shown}` runs another way again, at {differs}");
            let help = "only what services answer over HTTP can be recorded: no database, no document, no kept result";
            return Err(Failure::with_help(&message, help));
        }
        output::print_message_line(&format!(
            "recorded in `{shown}`; `callgate test {shown}` replays it"
        ));
        Ok(())
    }
}

/// Bytes with a fixed text in place of those that differ each time.
fn without_random_texts(bytes: Vec<u8>, random: &[String]) -> Vec<u8> {
    match String::from_utf8(bytes) {
        Ok(text) => without_texts(random, text).into_bytes(),
        Err(binary) => binary.into_bytes(),
    }
}

/// The path to a file from a folder, both of them absolute.
fn relative_path(folder: &Path, file: &Path) -> PathBuf {
    let shared = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}

/// Masks a value that a credential reads: a parameter, or a member inside one.
fn mask_parameter(value: &mut Value, name: &SessionName) {
    let Value::Object(members) = value else { return };
    for (member_name, value) in members.iter_mut() {
        let session_name = SessionName::new(member_name);
        if *name == session_name {
            *value = MASK.into();
        } else if session_name.holds(name)
            && let Some(rest) = name.as_str().get(session_name.as_str().len().saturating_add(1)..)
        {
            mask_parameter(value, &SessionName::new(rest));
        }
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_path_from_a_folder_goes_up_as_far_as_it_must() {
        let check = |folder: &str, file: &str, expected: &str| {
            assert_eq!(relative_path(folder.as_ref(), file.as_ref()), Path::new(expected));
        };
        check("/a/b/c", "/a/config/x.yaml", "../../config/x.yaml");
        check("/a/b", "/a/b/x.yaml", "x.yaml");
        check("/", "/x.yaml", "x.yaml");
    }

    #[test]
    fn values_that_credentials_read_are_masked() {
        let mut parameters = json!({"Token": "s3cr3t", "user": {"key": "s3cr3t", "id": 7}});
        for name in ["token", "user.key"] {
            mask_parameter(&mut parameters, &SessionName::new(name));
        }
        assert_eq!(parameters, json!({"Token": "****", "user": {"key": "****", "id": 7}}));
    }
}
