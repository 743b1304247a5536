//! The file of a conversation, which only its user may read. A broken file is not overwritten.

use std::{
    io,
    path::{Path, PathBuf},
};

use callgate_agent::{Agent, Transcript};

use crate::{
    exit::Failure,
    open::read_file_bytes,
    output,
    partial_file::{Readers, write_file_atomically},
};

#[derive(Clone)]
pub(super) struct TranscriptFile(PathBuf);

impl TranscriptFile {
    /// The conversation in a file, or a new one. What is wrong in the file is made right, and said.
    pub(super) fn open_or_new(
        file: Option<&Path>,
        agent: &Agent,
    ) -> Result<(Transcript, Option<Self>), Failure> {
        let new =
            || Transcript::new(agent.dialect()).map_err(|error| Failure(format!("error: {error}")));
        let Some(file) = file else { return Ok((new()?, None)) };
        let kept = Some(Self(file.to_owned()));
        if !file.exists() {
            return Ok((new()?, kept));
        }
        let refused = |error: String| {
            let message = format!("in `{}`: {error}", file.display());
            Failure::with_help(&message, "name another file, or remove this one to begin anew")
        };
        let text = String::from_utf8(read_file_bytes(file)?)
            .map_err(|error| refused(error.to_string()))?;
        let opened = Transcript::from_text(&text, |name| agent.offered_tool(name));
        let (transcript, repair) = opened.map_err(|error| refused(error.to_string()))?;
        let converted = transcript.into_dialect(agent.dialect(), |name| agent.offered_tool(name));
        let (transcript, converted) = converted.map_err(|error| refused(error.to_string()))?;
        for repair in [repair, converted].iter().filter(|repair| !repair.is_nothing()) {
            output::print_message_line(&format!("note: in `{}`: {repair}", file.display()));
        }
        Ok((transcript, kept))
    }

    /// Writes the conversation beside the file, and then in its place.
    pub(super) fn save(&self, transcript: &Transcript) -> Result<(), Failure> {
        self.write_atomically(transcript).map_err(|error| {
            let message = format!("cannot write `{}`: {error}", self.0.display());
            Failure::with_help(&message, "name a file in a folder that you may write to")
        })
    }

    /// Also runs before each call, so that after a crash the file says which calls may have been made.
    pub(super) fn write_atomically(&self, transcript: &Transcript) -> io::Result<()> {
        write_file_atomically(&self.0, transcript.to_text().as_bytes(), Readers::Owner)
    }
}
