//! Runs a case once, with the response from its recording or from the service. The request, the response and the result are
//! captured without credentials.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate::{
    Call, Executor, Outcome, Session, ToolCall, ToolResult,
    client::ClientAnswer,
    config::{Built, Environment},
    dialect::{json_result, read_call},
    result::Journal,
    transport::{Recording, Replay},
};
use callgate_config::{Kinds, Location, Upstream};
use callgate_executor::{CallRecorder, RecordedAnswer, result_without_random_values};
use callgate_tool::Value;

use super::fixtures::{ANSWER, CALL, SESSION, TOOLSET, read_optional, read_required};
use crate::{
    commands::call::block_on,
    effects,
    exit::Failure,
    grants,
    open::{confined_loader, loader_with_effects, with_cache_and_extractor},
    session,
};

#[derive(Clone, Copy, Debug)]
pub(super) enum Answering<'a> {
    /// A recording: its request gets its response, any other request gets none.
    Recording(Option<(&'a [u8], &'a [u8])>),
    Service,
}

pub(super) struct CaseRun {
    /// The text of the first request, if one was sent.
    pub(super) request: Option<Vec<u8>>,
    pub(super) answer: Option<RecordedAnswer>,
    pub(super) result: ToolResult,
    pub(super) description: String,
    pub(super) settings: PathBuf,
}

pub(super) fn run_case(
    api: &Path,
    folder: &Path,
    by: Answering<'_>,
    kinds: &Kinds,
) -> Result<CaseRun, Failure> {
    let call = read_call_file(folder)?;
    let built = build_case_toolset(api, folder, by, kinds)?;
    let session = read_session(folder, &built)?;
    let recorder = Arc::<CallRecorder>::default();
    let watched = Call::new(&call, &session).with_watcher(Arc::<CallRecorder>::clone(&recorder));
    let mut result = block_on(built.executor.call_with(watched))?;
    if let (Outcome::Pending(_), Some(answer)) = (&result.outcome, read_optional(folder, ANSWER)?) {
        let answer = parse_json(&folder.join(ANSWER), &answer)?;
        result = resume_call(&built.executor, &call, &session, answer)?;
    }
    let description = built.toolsets.first().map(|toolset| toolset.file.display().to_string());
    let description = description.unwrap_or_default();
    // Closes the connections before anything that they depend on.
    drop::<Built>(built);
    let exchanges = recorder.exchanges();
    Ok(CaseRun {
        request: exchanges.first().map(|exchange| exchange.request.clone()),
        answer: exchanges.into_iter().rev().find_map(|exchange| exchange.answer),
        result: result_without_random_values(result),
        description,
        settings: api.join(TOOLSET),
    })
}

impl CaseRun {
    pub(super) fn result_text(&self) -> String {
        format!("{:#}\n", json_result(&self.result).into_value())
    }
}

fn build_case_toolset(
    api: &Path,
    folder: &Path,
    by: Answering<'_>,
    kinds: &Kinds,
) -> Result<Built, Failure> {
    let file = api.join(TOOLSET);
    let loader = match by {
        Answering::Recording(_) => confined_loader(kinds, effects::TEST, api)?,
        Answering::Service => loader_with_effects(kinds, effects::TEST_RECORD),
    };
    let mut config = loader.load_toolset_settings_file(&file)?;
    let environment = match by {
        Answering::Recording(recorded) => {
            let recording = recorded.map(|(request, response)| Recording {
                name: folder.display().to_string(),
                request: request.to_owned(),
                response: response.to_owned(),
            });
            let replay = Replay::new(recording)
                .map_err(|error| Failure(format!("error: in `{}`: {error}", folder.display())))?;
            Environment::new().with_transport(Arc::new(replay)).with_secret_stand_ins()
        }
        Answering::Service => {
            config.toolsets.iter_mut().for_each(|toolset| toolset.upstream = Upstream::Http);
            let grants = grants::grant_store(&Location::File(file.clone()), &file).into_iter();
            grants.fold(with_cache_and_extractor(Environment::new()), Environment::with_grants)
        }
    };
    Ok(config.build_blocking(&environment, None)?)
}

/// The ending of a call that the client answers.
fn resume_call(
    executor: &Executor,
    call: &ToolCall,
    session: &Session,
    answer: Value,
) -> Result<ToolResult, Failure> {
    let settled = executor.resume(Call::new(call, session), ClientAnswer::Output(answer));
    Ok(block_on(settled)?.unwrap_or_else(|fault| ToolResult {
        id: call.id.clone(),
        tool: call.tool.clone(),
        outcome: Outcome::Failed(fault),
        journal: Journal::default(),
    }))
}

fn read_call_file(folder: &Path) -> Result<ToolCall, Failure> {
    let file = folder.join(CALL);
    let call = parse_json(&file, &read_required(folder, CALL)?)?;
    read_call(call).map_err(|error| file_failure(&file, &error))
}

fn read_session(folder: &Path, built: &Built) -> Result<Session, Failure> {
    let file = folder.join(SESSION);
    let Some(text) = read_optional(folder, SESSION)? else { return Ok(Session::default()) };
    let envelope = parse_json(&file, &text)?;
    block_on(session::read_session_file(&file, envelope, built))?
}

fn parse_json(file: &Path, text: &[u8]) -> Result<Value, Failure> {
    Value::from_slice(text).map_err(|error| file_failure(file, &error))
}

fn file_failure(file: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure(format!("error: in `{}`: {error}", file.display()))
}
