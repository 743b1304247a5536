//! A turn as a fixture: the folder that `callgate test` replays, as a file that is kept for its caller. The requests to the
//! model show the instructions, so that only operators have turns recorded.

use std::{
    io::{Cursor, Write as _},
    path::PathBuf,
    time::SystemTime,
};

use callgate_agent::{Agent, End, EndReason, Input, TurnContext, TurnEvent, recording::Recording};
use callgate_executor::{Executor, KeptFile};
use callgate_tool::{Object, Principal, Session, StoredResult, Value, json, rfc_3339};
use tokio::task;
use zip::{ZipWriter, write::SimpleFileOptions};

use super::turn_session::TurnValues;
use crate::{
    problem::{Problem, ProblemKind},
    routes::RouteRequest,
    sessions::{header_and_claim_values, put_ignoring_case},
};

/// Records one turn.
pub(super) struct TurnRecorder {
    recording: Recording,
    input: Input,
    agent: String,
    executor: Executor,
    session: Session,
    principal: Option<Principal>,
}

impl TurnRecorder {
    /// Begins to record a turn, if it is to be recorded.
    pub(super) async fn begin_if_wanted(
        request: &RouteRequest,
        agent: &str,
        is_wanted: bool,
        input: &Input,
        values: &TurnValues,
    ) -> Result<Option<Self>, Problem> {
        if !is_wanted {
            return Ok(None);
        }
        check_may_record(request)?;
        let configuration = PathBuf::from("..").join(request.gateway().configuration_name());
        let mut recording = Recording::new(configuration, agent);
        let envelope = session_envelope(request, values).await?;
        recording.note_session(envelope, &request.served_build().session_secrets);
        Ok(Some(Self {
            recording,
            input: input.clone(),
            agent: agent.to_owned(),
            executor: request.served_build().executor.clone(),
            session: Session::new(values.session_id()),
            principal: request.principal().cloned(),
        }))
    }

    /// The agent, with a way to its model that is recorded.
    pub(super) fn agent_with_recorded_model(&self, agent: Agent) -> Agent {
        agent.with_model_transport(|transport| self.recording.model_recorder(transport))
    }

    /// The context, whose events go to `shown` as well.
    pub(super) fn context_with_recorded_events(
        &self,
        context: TurnContext,
        shown: impl Fn(&TurnEvent<'_>) + Send + Sync + 'static,
    ) -> TurnContext {
        self.recording.watched_context(context, shown)
    }

    /// The member `recording` of the answer: the handle of the fixture, or why there is none.
    pub(super) async fn kept_recording_member(mut self, end: &End) -> Value {
        match self.keep_fixture(end).await {
            Ok(member) => member,
            Err(problem) => json!({"problem": (problem.as_str())}),
        }
    }

    async fn keep_fixture(&mut self, end: &End) -> Result<Value, String> {
        if end.reason == EndReason::Cancelled {
            return Err("the turn was cancelled".to_owned());
        }
        let silent = self.recording.add_turn(self.input.clone(), end)?;
        let is_foreign = |tool: &&String| {
            let entry = self.executor.find(tool);
            entry.is_some_and(|entry| entry.operation().is_none())
        };
        if let Some(tool) = silent.iter().find(is_foreign) {
            return Err(format!(
                "`{tool}` answered without a request over HTTP, and a replay has nothing else to answer with"
            ));
        }
        let (agent, files) = (self.agent.clone(), self.recording.named_file_contents());
        // It takes the processor for a while.
        let packed = task::spawn_blocking(move || zip_archive(&agent, &files)).await;
        let bytes = packed
            .map_err(|error| error.to_string())
            .and_then(|packed| packed.map_err(|error| error.to_string()))
            .map_err(|error| format!("the fixture cannot be packed: {error}"))?;
        let size = bytes.len();
        let file = StoredResult::new(MEDIA_TYPE, bytes.into());
        let kept = self.executor.keep_file(file, &self.session, self.principal.as_ref()).await;
        let KeptFile { handle, .. } =
            kept.map_err(|error| format!("the fixture cannot be kept: {error}"))?;
        let expires = rfc_3339(SystemTime::now() + KeptFile::TIME);
        Ok(json!({"handle": (handle.as_str()), "size": size, "expires": expires}))
    }
}

/// Refuses callers who may not see what the model and the services are asked, and those for whom the model is asked otherwise
/// than in a replay.
fn check_may_record(request: &RouteRequest) -> Result<(), Problem> {
    let refusal = request.caller().recording_refusal(&request.served_build().serving);
    refusal.map_or(Ok(()), |detail| Err(Problem::new(ProblemKind::FORBIDDEN, detail)))
}

/// The session as a file of a fixture: its credentials are named, and it has none of their values.
async fn session_envelope(request: &RouteRequest, values: &TurnValues) -> Result<Value, Problem> {
    let sessions = request.gateway().sessions();
    let stored = sessions.get(request.principal(), values.session_id()).await?;
    let stored = stored.map(|(state, _)| state).unwrap_or_default();
    let mut credentials: Vec<String> = stored.credentials.names().map(str::to_owned).collect();
    let mut envelope = values.members().clone();
    envelope.insert("id", values.session_id().into());
    let mut parameters = stored.parameters;
    let own = envelope.remove("parameters");
    let own = own.iter().filter_map(Value::as_object).flat_map(Object::iter);
    let own = own.map(|(name, value)| (name.clone(), value.clone()));
    let built = request.served_build();
    let bound = header_and_claim_values(&built.sessions, request.caller(), request.headers())?;
    put_ignoring_case(&mut parameters, own.chain(bound));
    envelope.insert_unless_empty("parameters", parameters);
    if let Some(Value::Object(own)) = envelope.remove("credentials") {
        credentials.extend(own.keys().map(ToString::to_string));
    }
    if !credentials.is_empty() {
        let named = credentials.into_iter().map(|name| {
            let variable = name.chars().map(letter_of_variable).collect::<String>();
            (name, Value::from(format!("env:{variable}")))
        });
        envelope.insert("credentials", Value::Object(named.collect()));
    }
    Ok(envelope.into())
}

fn letter_of_variable(letter: char) -> char {
    if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' }
}

/// The files in one folder, whose name has no other characters than names of files have everywhere.
fn zip_archive(agent: &str, files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, zip::result::ZipError> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    let folder: String = agent.chars().map(|it| if is_plain(it) { it } else { '_' }).collect();
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = SimpleFileOptions::default().unix_permissions(OWNER_ONLY);
        zip.start_file(format!("{folder}-turn/{name}"), options)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

const MEDIA_TYPE: &str = "application/zip";
const OWNER_ONLY: u32 = 0o600;
