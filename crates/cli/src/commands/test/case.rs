//! One case: `call.json` with `session.json` is run against `response.http`; the request that comes of it must be
//! `request.http` to the byte (nothing may be sent where there is none), the result `result.json`. A tool that the client
//! runs is answered with `answer.json` where there is one.

use std::{fs, path::Path, sync::Arc};

use callgate::{
    Call, ClientAnswer, Executor, Handle, Journal, Outcome, Session, ToolCall, ToolResult,
    config::{Built, Config, Environment},
    dialect::{json_result, read_call},
    transport::{Recording, Replay},
};
use callgate_tool::Value;
use callgate_transport::canonical_request;

use super::{Check, Mode, TOOLSET, difference};
use crate::{
    commands::call::block_on,
    exit::Failure,
    open::{failure, read},
    session,
};

/// The file that makes a folder a case.
pub(super) const CALL: &str = "call.json";
const SESSION: &str = "session.json";
const REQUEST: &str = "request.http";
const RESPONSE: &str = "response.http";
const RESULT: &str = "result.json";

const ANSWER: &str = "answer.json";

/// The outcome of running a case once.
#[derive(Debug)]
struct Ended {
    request: Option<Vec<u8>>,
    result: Value,
}

/// Runs the case in `folder` of the fixture `api`.
pub(super) fn run(api: &Path, folder: &Path, mode: Mode) -> Result<(String, Vec<Check>), Failure> {
    let expected = optional(&folder.join(REQUEST))?.map(|text| canonical_request(&text));
    let mut ended = ended(api, folder, expected.as_deref())?;
    let mut checks = Vec::new();
    if ended.request == expected {
        checks.push(Check::Held);
    } else if mode == Mode::Compare {
        checks.push(Check::Broken(requests_differ(expected.as_deref(), ended.request.as_deref())));
    } else {
        checks.push(rewritten(folder, ended.request.as_deref())?);
        let request = ended.request.clone();
        ended = self::ended(api, folder, request.as_deref())?;
    }
    let result = format!("{:#}\n", ended.result);
    checks.push(Check::of(folder.join(RESULT), &result, mode)?);
    Ok((folder.display().to_string(), checks))
}

fn ended(api: &Path, folder: &Path, request: Option<&[u8]>) -> Result<Ended, Failure> {
    let call = called(folder)?;
    let response = optional(&folder.join(RESPONSE))?;
    let recording = request.zip(response).map(|(request, response)| Recording {
        name: folder.display().to_string(),
        request: request.to_owned(),
        response,
    });
    let replay = Replay::new(recording)
        .map_err(|error| Failure(format!("error: in `{}`: {error}", folder.display())))?;
    let replay = Arc::new(replay);
    let environment = Environment::new().with_transport(Arc::<Replay>::clone(&replay));
    let built = Config::from_toolset_file(api.join(TOOLSET))
        .and_then(|config| config.build_blocking(&environment, None))
        .map_err(|error| failure(&error))?;
    let session = session(folder, &built)?;
    let mut result = block_on(built.executor.call(&call, &session))?;
    if let (Outcome::Pending(_), Some(answer)) = (&result.outcome, optional(&folder.join(ANSWER))?)
    {
        let answer = json(&folder.join(ANSWER), &answer)?;
        result = settled(&built.executor, (&call, &session), answer)?;
    }
    // What is drawn at random, or says when it was.
    match &mut result.outcome {
        Outcome::Answered(answer) => {
            answer.handle = answer.handle.take().map(|_| Handle::from_random(0));
        }
        Outcome::Pending(pending) => {
            "call_0".clone_into(&mut pending.id);
            pending.expires = None;
        }
        _ => {}
    }
    let request = replay.requests().into_iter().next();
    Ok(Ended { request, result: json_result(&result).into_value() })
}

/// The ending of a call that the client answers.
fn settled(
    executor: &Executor,
    (call, session): (&ToolCall, &Session),
    answer: Value,
) -> Result<ToolResult, Failure> {
    let settled = executor.settle(Call::new(call, session), ClientAnswer::Output(answer));
    Ok(block_on(settled)?.unwrap_or_else(|fault| ToolResult {
        id: call.id.clone(),
        tool: call.tool.clone(),
        outcome: Outcome::Failed(fault),
        journal: Journal::default(),
    }))
}

fn called(folder: &Path) -> Result<ToolCall, Failure> {
    let file = folder.join(CALL);
    let call = json(&file, &read(&file)?)?;
    read_call(call).map_err(|error| told(&file, &error))
}

fn session(folder: &Path, built: &Built) -> Result<Session, Failure> {
    let file = folder.join(SESSION);
    let Some(text) = optional(&file)? else { return Ok(Session::default()) };
    let envelope = json(&file, &text)?;
    block_on(session::read(&file, envelope, built))?
}

fn json(file: &Path, text: &[u8]) -> Result<Value, Failure> {
    Value::from_slice(text).map_err(|error| told(file, &error))
}

fn told(file: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure(format!("error: in `{}`: {error}", file.display()))
}

fn optional(file: &Path) -> Result<Option<Vec<u8>>, Failure> {
    if file.is_file() { read(file).map(Some) } else { Ok(None) }
}

fn requests_differ(expected: Option<&[u8]>, got: Option<&[u8]>) -> String {
    match (expected, got) {
        (None, Some(got)) => {
            format!("nothing may be sent, yet this was:\n{}", String::from_utf8_lossy(got))
        }
        (Some(_), None) => format!("`{REQUEST}` was not sent: nothing was"),
        (expected, got) => {
            let text = |bytes: Option<&[u8]>| {
                String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
            };
            format!("`{REQUEST}` differs\n{}", difference::of(&text(expected), &text(got)))
        }
    }
}

fn rewritten(folder: &Path, request: Option<&[u8]>) -> Result<Check, Failure> {
    let file = folder.join(REQUEST);
    let Some(request) = request else {
        fs::remove_file(&file).map_err(|error| {
            Failure(format!("error: cannot remove `{}`: {error}", file.display()))
        })?;
        return Ok(Check::Written(file));
    };
    Check::written(file, request)
}
