//! Runs a recorded conversation again: the model and the services answer from the recording, and nothing is sent.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate::{
    Session,
    config::{Built, Environment},
    transport::{Recording, Replay},
};
use callgate_agent::{
    Agent, Answer, Given, Input, Transcript, TurnContext,
    recording::{
        CallResults, SESSION, TRANSCRIPT, TURN, TurnFiles, end_and_random_texts,
        service_request_filename, with_fixed_handles,
    },
};
use callgate_config::{DescriptionOptions, Kinds, Loader, Location, Upstream};
use callgate_tool::{Value, json};
use callgate_transport::parse_response;

use super::{
    folder::file_failure,
    model::{ModelReplay, wrap_model_transport},
};
use crate::{
    commands::call::block_on,
    effects,
    exit::Failure,
    open::{confined_loader, loader_with_effects},
    session,
};

/// The requests and ends of a conversation that ran again.
pub(crate) struct ReplayedTurn {
    /// The bodies of the requests to the model.
    pub(crate) asked: Vec<Value>,
    /// The texts of the requests to services.
    pub(crate) sent: Vec<Vec<u8>>,
    /// The content of `ends.json`.
    pub(crate) ends: Value,
}

/// The trust in the recording that is replayed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum RecordingTrust {
    /// One that may come from others: its configuration and what that names lie in its repository,
    /// in the current folder, or in its own.
    Foreign,
    /// One of this process, whose configuration the person named.
    Own,
}

pub(crate) fn replay_turns(
    folder: &Path,
    files: &TurnFiles,
    reading: RecordingTrust,
    kinds: &Kinds,
) -> Result<ReplayedTurn, Failure> {
    let recordings = (1..).zip(&files.services).map(|(number, exchange)| Recording {
        name: service_request_filename(number),
        request: exchange.request.clone(),
        response: exchange.response.clone(),
    });
    let services = Replay::new(recordings).map_err(|error| file_failure(folder, &error))?;
    let services = Arc::new(services);
    let loader = match reading {
        RecordingTrust::Foreign => confined_loader(kinds, effects::TEST, &readable_root(folder))?,
        RecordingTrust::Own => loader_with_effects(kinds, effects::DRY_RUN),
    };
    let mut built = build_replay(folder, files, &services, &loader)?;
    let replies = files.model.iter().map(|exchange| parse_response(&exchange.response));
    let replies =
        replies.collect::<Result<_, _>>().map_err(|error| file_failure(folder, &error))?;
    let model = wrap_model_transport(&mut built, &files.form.agent, |_| {
        Arc::new(ModelReplay::new(replies))
    });
    let refused = |error: callgate_agent::Error| file_failure(&folder.join(TURN), &error);
    let agent = Agent::from_configuration(&built, &files.form.agent).map_err(refused)?;
    let transcript = match &files.transcript {
        None => Transcript::new(agent.dialect()),
        Some(text) => Transcript::from_text(text, |name| agent.offered_tool(name))
            .map(|(transcript, _)| transcript),
    };
    let transcript = transcript.map_err(|error| file_failure(&folder.join(TRANSCRIPT), &error))?;
    let session = match &files.session {
        Some(envelope) => {
            block_on(session::read_session_file(&folder.join(SESSION), envelope.clone(), &built))??
        }
        None => Session::default(),
    };
    let (ends, random) = block_on(run_turns(&agent, transcript, session, files))?;
    let asked = model.map(|model| model.requests()).unwrap_or_default();
    let asked = asked.iter().map(|body| body_without_random_texts(&random, body)).collect();
    Ok(ReplayedTurn { asked, sent: services.requests(), ends })
}

fn build_replay(
    folder: &Path,
    files: &TurnFiles,
    services: &Arc<Replay>,
    loader: &Loader,
) -> Result<Built, Failure> {
    let file = folder.join(&files.form.configuration);
    let mut config = loader.open(Location::File(file), &DescriptionOptions::default())?;
    config.toolsets.iter_mut().for_each(|toolset| toolset.upstream = Upstream::Http);
    // Nobody else decides in a replay: the recording has what others decided as the decisions of its turns.
    if let Some(access) = &mut config.serving.access {
        access.four_eyes = false;
    }
    // Nothing of a replay outlives it.
    config.state = None;
    let environment = Environment::new()
        .with_transport(Arc::<Replay>::clone(services))
        .with_secret_stand_ins()
        .without_audit();
    Ok(config.build_blocking(&environment, None)?)
}

/// The folder that holds all that a foreign recording may name: its repository, else the current folder if the recording is in it,
/// else its own.
fn readable_root(folder: &Path) -> PathBuf {
    let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let current = env::current_dir().and_then(fs::canonicalize).ok();
    let repository = real.ancestors().find(|above| above.join(".git").exists());
    let repository = repository.map(Path::to_owned);
    let current = current.filter(|current| real.starts_with(current));
    repository.or(current).unwrap_or(real)
}

/// The ends of the turns, and the texts in them that differ each time.
async fn run_turns(
    agent: &Agent,
    mut transcript: Transcript,
    session: Session,
    files: &TurnFiles,
) -> (Value, Vec<String>) {
    let (mut ends, mut random) = (Vec::new(), Vec::new());
    restore_waiting_calls(agent, &mut transcript, &session, &files.form.inputs).await;
    for input in &files.form.inputs {
        let results = Arc::new(CallResults::default());
        let seen = Arc::clone(&results);
        let context =
            TurnContext::new(session.clone()).with_events(move |event| seen.note_event(event));
        let end = match agent.turn(&mut transcript, input.clone(), &context).await {
            Ok(end) => end,
            // After another reply, the answers of the recording may fit no call.
            Err(error) => {
                ends.push(json!({"error": error.to_string()}));
                break;
            }
        };
        let (end, more) = end_and_random_texts(&end, results.take_results());
        ends.push(end);
        random.extend(more);
    }
    (Value::Array(ends), random)
}

/// Lets calls that waited for an approval in another process wait in this one, under approvals of its own: a decision about an
/// approval that nobody knows is not followed, and sends nothing.
async fn restore_waiting_calls(
    agent: &Agent,
    transcript: &mut Transcript,
    session: &Session,
    inputs: &[Input],
) {
    let Some(Input::Answers(answers)) = inputs.first().filter(|_| transcript.is_waiting()) else {
        return;
    };
    let is_decision = |answer: &&Answer| matches!(answer.given, Given::Decision(_));
    let decided: Vec<_> = answers.iter().filter(is_decision).cloned().collect();
    if !decided.is_empty() {
        let context = TurnContext::new(session.clone());
        // What is wrong is wrong once more when the turn is replayed.
        agent.turn(transcript, Input::Answers(decided), &context).await.ok();
    }
}

/// A body with a fixed text in place of those that differ each time.
pub(crate) fn body_without_random_texts(random: &[String], body: &Value) -> Value {
    if random.is_empty() {
        return body.clone();
    }
    let text = with_fixed_handles(random, body.to_string());
    Value::parse(&text).unwrap_or_default()
}
