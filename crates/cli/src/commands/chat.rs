//! `callgate chat [CONFIG] AGENT`: a conversation with a model that calls tools, on a terminal or as one turn.

mod dry_run;
mod first_input;
mod recording;
mod transcript_file;
mod turn_output;

use std::{
    io::{self, IsTerminal as _},
    path::Path,
    sync::Arc,
};

use callgate::{Session, config::Environment};
use callgate_agent::{
    Agent, Answer, End, EndReason, Error, ErrorKind, Given, Input, PendingCall, Transcript,
    TurnContext, TurnEvent, recording::end_json,
};
use callgate_config::{DescriptionOptions, Kinds};
use callgate_executor::{Decision, Stop};
use callgate_policy::approval_text;
use callgate_tool::{Value, escape_invisible_in_line};

use self::{
    dry_run::PlannedTurn, first_input::first_input, recording::Recording,
    transcript_file::TranscriptFile, turn_output::TurnOutput,
};
use super::call::{block_on, read_json_file};
use crate::{
    args::ChatArguments,
    effects,
    exit::{Failure, Verdict},
    file_argument::{named_or_usual_file, resolve_file},
    open::{loader_with_effects, open_for_calls},
    output, question, session,
};

pub(crate) fn run(arguments: &ChatArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    let (file, name) = match &*arguments.named {
        [file, name] => (Path::new(file), name),
        [name] => (named_or_usual_file(None, "callgate chat CONFIG AGENT")?, name),
        _ => return Err(Failure::with_help("expected an agent", "callgate chat CONFIG AGENT")),
    };
    let once = arguments.once.as_deref().map(|text| first_input(text, &arguments.files));
    let once = once.transpose()?;
    let environment = if arguments.dry_run {
        // Nothing happens that an audit would have to say.
        Environment::new().with_secret_stand_ins().without_audit()
    } else {
        Environment::new()
    };
    let effects = if arguments.dry_run { effects::DRY_RUN } else { effects::CHAT };
    let options = DescriptionOptions::default();
    let loader = loader_with_effects(kinds, effects);
    let mut built = open_for_calls(file, &options, &loader, &environment)?;
    let mut recording = match &arguments.record {
        Some(folder) => {
            let file = resolve_file(file);
            Some(Recording::begin_recording(folder, &file, name, &mut built)?)
        }
        None => None,
    };
    let first =
        if arguments.dry_run { dry_run::intercept_model_requests(&mut built, name) } else { None };
    let agent = Agent::from_configuration(&built, name).map_err(|error| agent_failure(&error))?;
    if agent.settings().budget.is_some() {
        output::print_message_line(
            "note: the `budget` of the agent is counted at the sidecar; this chat has none",
        );
    }
    let session = match &arguments.session {
        Some(file) => {
            let envelope = read_json_file(file, session::HELP)?;
            if let Some(recording) = &mut recording {
                recording.note_session(envelope.clone(), &built.session_secrets);
            }
            block_on(session::read_session_file(file, envelope, &built))??
        }
        None => Session::default(),
    };
    let (transcript, file) = TranscriptFile::open_or_new(arguments.transcript.as_deref(), &agent)?;
    if let (Some(first), Some(input)) = (first, &once) {
        let planned = PlannedTurn { input, session };
        return dry_run::print_first_request(planned, &agent, transcript, &first, &built);
    }
    if let Some(recording) = &mut recording {
        recording.note_transcript_before(&transcript);
    }
    let output =
        if once.is_some() { TurnOutput::for_one_turn() } else { TurnOutput::for_conversation() };
    let mut chat = Chat { agent, session, transcript, file, recording, output: Arc::new(output) };
    let verdict = match once {
        Some(input) => block_on(chat.run_one_turn(input, arguments.json))?,
        None => block_on(chat.run_conversation())?,
    };
    if let Some(recording) = chat.recording {
        recording.replay_recording(kinds)?;
    }
    verdict
}

struct Chat {
    agent: Agent,
    session: Session,
    transcript: Transcript,
    file: Option<TranscriptFile>,
    recording: Option<Recording>,
    output: Arc<TurnOutput>,
}

impl Chat {
    /// One turn, whose end is the verdict.
    async fn run_one_turn(&mut self, input: Input, is_json: bool) -> Result<Verdict, Failure> {
        let end = self.run_turn_with_questions(input).await?;
        if is_json {
            output::print_result(&format!("{}\n", end_json(&end)));
        } else {
            self.output.print_unprinted_answer(&end.text);
        }
        self.explain_end(&end);
        Ok(Verdict::findings_if(end.reason != EndReason::Answered))
    }

    async fn run_conversation(&mut self) -> Result<Verdict, Failure> {
        let asked: Vec<_> =
            self.transcript.pending_calls().iter().filter_map(ask_for_answer).collect();
        if !asked.is_empty() {
            let end = self.run_turn_with_questions(Input::Answers(asked)).await?;
            self.print_end(&end);
        }
        loop {
            if io::stdin().is_terminal() {
                output::print_message("> ");
            }
            let Some(line) = question::read_input_line() else { return Ok(Verdict::Fine) };
            if line.trim().is_empty() {
                continue;
            }
            let end = self.run_turn_with_questions(Input::text(line.trim())).await?;
            self.print_end(&end);
        }
    }

    fn print_end(&self, end: &End) {
        self.output.print_unprinted_answer(&end.text);
        self.explain_end(end);
    }

    /// A turn with all questions to the person at the terminal.
    async fn run_turn_with_questions(&mut self, input: Input) -> Result<End, Failure> {
        let mut end = self.run_cancellable_turn(input).await?;
        while end.reason == EndReason::Waiting {
            let asked: Vec<_> = end.pending.iter().filter_map(ask_for_answer).collect();
            if asked.is_empty() {
                return Ok(end);
            }
            end = self.run_cancellable_turn(Input::Answers(asked)).await?;
        }
        Ok(end)
    }

    /// A turn that Ctrl-C cancels. The conversation is kept however it ends.
    async fn run_cancellable_turn(&mut self, input: Input) -> Result<End, Failure> {
        let stop = Stop::default();
        let context = TurnContext::new(self.session.clone()).with_stop(stop.clone());
        let output = Arc::clone(&self.output);
        let shown = move |event: &TurnEvent<'_>| output.show_event(event);
        let context = match &self.recording {
            Some(recording) => recording.watched_context(context, shown),
            None => context.with_events(shown),
        };
        let context = match self.file.clone() {
            Some(file) => context.with_keeping(move |transcript| file.write_atomically(transcript)),
            None => context,
        };
        let turn = self.agent.turn(&mut self.transcript, input.clone(), &context);
        let mut turn = Box::pin(turn);
        let ended = tokio::select! {
            ended = &mut turn => ended,
            _ = tokio::signal::ctrl_c() => {
                stop.stop();
                turn.as_mut().await
            }
        };
        drop(turn);
        if let Some(file) = &self.file {
            file.save(&self.transcript)?;
        }
        let end = ended.map_err(|error| agent_failure(&error))?;
        if let Some(recording) = &mut self.recording {
            recording.add_turn(input, &end)?;
        }
        Ok(end)
    }

    fn explain_end(&self, end: &End) {
        let detail = end.detail.clone().unwrap_or_default();
        match end.reason {
            EndReason::Answered if detail.is_empty() => {}
            EndReason::Waiting => {
                for pending in &end.pending {
                    output::print_message_line(&format!(
                        "waiting: `{}` waits for an {}",
                        pending.tool,
                        awaited_answer_words(pending.kind)
                    ));
                }
                output::print_message_line(match self.file {
                    Some(_) => {
                        "help: run it again with the file on a terminal, where the calls can be approved"
                    }
                    None => {
                        "help: run it on a terminal, where calls can be approved, or set `confirm` of the agent"
                    }
                });
            }
            reason => output::print_message_line(&format!("{}: {detail}", reason.as_str())),
        }
    }
}

fn awaited_answer_words(kind: &str) -> &str {
    match kind {
        "approval" => "approval",
        "client" => "answer of the client",
        _ => "answer of its caller",
    }
}

/// The answer to a call that waits: of a person at a terminal. `None` if nobody can be asked.
fn ask_for_answer(pending: &PendingCall) -> Option<Answer> {
    if !question::can_ask_person() {
        return None;
    }
    if pending.kind != "approval" {
        output::print_message_line(&format!(
            "`{}` asks for {}",
            pending.tool,
            Value::Object(pending.arguments.clone())
        ));
        let line = question::ask_line("Its result, as JSON or words: ")?;
        let value = Value::parse(line.trim()).unwrap_or_else(|_| line.trim().into());
        return Some(Answer::new(&*pending.id, Given::Output(value)));
    }
    output::print_message(&format!(
        "{} wants to send:\n\n{}\n",
        escape_invisible_in_line(&pending.tool),
        approval_text(&pending.request)
    ));
    let is_approved = question::ask_for_confirmation("Send this? [y/N] ");
    let decision = if is_approved { Decision::Approve } else { Decision::Reject };
    Some(Answer::new(&*pending.id, Given::Decision(decision)))
}

fn agent_failure(error: &Error) -> Failure {
    let help = match error.kind() {
        ErrorKind::Input => "name other words or files: `--once` and `--file`",
        _ => "`callgate check CONFIG` reads the configuration; `agents` names its agents",
    };
    Failure::with_help(&error.to_string(), help)
}
