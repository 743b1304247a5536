//! `--record`: writes a conversation into a folder, turn by turn, and replays it at the end to see that it can be.

use std::path::{Component, Path, PathBuf};

use callgate::config::Built;
use callgate_agent::{
    End, EndReason, Input, Transcript, TurnContext, TurnEvent, recording, recording::TURN,
};
use callgate_config::Kinds;
use callgate_tool::{SessionName, Value};

use crate::{
    commands::turns::{
        RecordingTrust, ReplayedTurn, first_difference, read_turn_files, replay_turns,
        wrap_model_transport, write_turn_files,
    },
    exit::Failure,
    output,
};

pub(super) struct Recording {
    folder: PathBuf,
    recorded: recording::Recording,
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
        let recorded = recording::Recording::new(configuration, agent);
        let model = wrap_model_transport(built, agent, |real| recorded.model_recorder(real));
        model.ok_or_else(|| {
            let message = format!("no agent of the configuration has the name: `{agent}`");
            Failure::with_help(&message, "`agents` of the configuration names them")
        })?;
        Ok(Self { folder: folder.to_owned(), recorded, stopped: None })
    }

    /// Notes the session of the conversation, without the values that credentials read.
    pub(super) fn note_session(&mut self, envelope: Value, secrets: &[SessionName]) {
        self.recorded.note_session(envelope, secrets);
    }

    /// Notes the conversation before.
    pub(super) fn note_transcript_before(&self, transcript: &Transcript) {
        self.recorded.note_transcript_before(transcript);
    }

    /// The context of a turn, watched.
    pub(super) fn watched_context(
        &self,
        context: TurnContext,
        shown: impl Fn(&TurnEvent<'_>) + Send + Sync + 'static,
    ) -> TurnContext {
        self.recorded.watched_context(context, shown)
    }

    /// Adds a turn that has ended, and writes what is recorded.
    pub(super) fn add_turn(&mut self, input: Input, end: &End) -> Result<(), Failure> {
        if self.stopped.is_some() {
            return Ok(());
        }
        if end.reason == EndReason::Cancelled {
            self.stopped = Some("a turn was cancelled".to_owned());
            return Ok(());
        }
        if let Err(why) = self.recorded.add_turn(input, end) {
            self.stopped = Some(why);
            return Ok(());
        }
        write_turn_files(&self.folder, &self.recorded.named_file_contents())
    }

    /// Replays the recording.
    pub(super) fn replay_recording(self, kinds: &Kinds) -> Result<(), Failure> {
        let shown = self.folder.display();
        if let Some(why) = self.stopped {
            let message = format!("not all of the conversation is recorded: {why}");
            let help = format!("`{shown}` has the turns before; record it again to have all");
            return Err(Failure::with_help(&message, &help));
        }
        if self.recorded.ends() == Value::Array(Vec::new()) {
            return Ok(());
        }
        let files = read_turn_files(&self.folder)?;
        let trust = RecordingTrust::Own;
        let ReplayedTurn { asked, ends, .. } = replay_turns(&self.folder, &files, trust, kinds)?;
        let recorded = files.model.iter().map(|exchange| Value::from_slice(&exchange.request));
        let recorded = recorded.map(Result::unwrap_or_default).collect();
        let differs = first_difference(&Value::Array(recorded), &Value::Array(asked))
            .or_else(|| first_difference(&self.recorded.ends(), &ends));
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

/// The path to a file from a folder, both of them absolute.
fn relative_path(folder: &Path, file: &Path) -> PathBuf {
    let shared = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}

#[cfg(test)]
mod tests {
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
}
