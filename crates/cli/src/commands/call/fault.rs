//! Words a failed call for the person who typed it: what happened, where, what was expected and what came, what to
//! do; each once. The words for a model name no host and no secret; here the journal's facts replace them.

use std::fmt::Write as _;

use callgate::{
    Fault, FaultCode, Next, Problem, Reached, Value, context::CallerToken, result::Event,
};
use callgate_tool::escape_invisible_in_line;

use super::place::Place;
use crate::remedy;

#[derive(Clone, Debug)]
pub(super) struct Hints {
    /// The description or configuration as the command line names it.
    pub(super) file: String,
    pub(super) place: Place,
    pub(super) may_download: bool,
    /// The source that names the credential: the flag with its reference, or the file.
    pub(super) credential: Option<String>,
    /// The server to name in place of the one whose path lacks what the description has.
    pub(super) server: Option<String>,
}

pub(super) fn explains_fault(event: &Event) -> bool {
    matches!(
        event,
        Event::Attempt { .. }
            | Event::CredentialAbsent { .. }
            | Event::CredentialRefused { .. }
            | Event::Redirected { .. }
            | Event::Refused { .. }
            | Event::SignInRequired { .. }
            | Event::Unanswered { .. }
    )
}

pub(super) fn fault_text(fault: &Fault, tool: &str, events: &[Event], hints: &Hints) -> String {
    let code = fault.code.as_str();
    let mut text = match &*distinct_problems(&fault.problems) {
        [] => {
            format!("error[{code}]: {}\n", escape_invisible_in_line(&fault_message(fault, events)))
        }
        [one] => format!("error[{code}]: {}\n", problem_text(one)),
        problems => {
            // A problem without a place says the number of those that are not all listed.
            let is_whole = problems.iter().all(|one| !one.at.is_empty());
            let n = if is_whole { format!("{} ", problems.len()) } else { String::new() };
            let mut text = if fault.code == FaultCode::MissingSessionValue {
                format!("error[{code}]: the session lacks {n}values that `{tool}` needs\n")
            } else {
                format!("error[{code}]: {n}arguments are not what `{tool}` takes\n")
            };
            for one in problems {
                let _infallible = writeln!(text, "  {}", problem_text(one));
            }
            text
        }
    };
    if let Some(body) = &fault.body {
        let _infallible = writeln!(text, "the service said: {body:#}");
    }
    let help = fault_help(fault, tool, events, hints);
    let _infallible = writeln!(text, "help: {}", escape_invisible_in_line(&help));
    text
}

/// The problems without duplicates: an argument that is missing under its name and present under another is one.
fn distinct_problems(problems: &[Problem]) -> Vec<&Problem> {
    let meant: Vec<String> = problems.iter().filter_map(intended_argument).collect();
    let is_news = |problem: &&Problem| problem.got != NOTHING || !meant.contains(&problem.at);
    problems.iter().filter(is_news).collect()
}

/// The argument that a wrong name was meant for.
fn intended_argument(problem: &Problem) -> Option<String> {
    let name = problem.suggestion.as_deref()?.strip_prefix('`')?.strip_suffix('`')?;
    let above = problem.at.rsplit_once('.').map(|(above, _)| format!("{above}."));
    Some(format!("{}{name}", above.unwrap_or_default()))
}

const NOTHING: &str = "nothing";

fn problem_text(problem: &Problem) -> String {
    let Problem { at, expected, got, suggestion } = problem;
    let place = if at.is_empty() { String::new() } else { format!("`{at}`: ") };
    let mut text = format!("{place}expected {expected}, got {got}");
    if let Some(suggestion) = suggestion {
        let words = if suggestion.starts_with('`') { ": did you mean " } else { "; " };
        let _infallible = write!(text, "{words}{suggestion}");
    }
    // Names of arguments and what came are a caller's.
    escape_invisible_in_line(&text).into_owned()
}

fn fault_message(fault: &Fault, events: &[Event]) -> String {
    let told = events.iter().rev().find_map(|event| match event {
        Event::CredentialAbsent { why } if fault.code == FaultCode::AuthFailed => {
            let sent = if fault.reached == Reached::No { ", nothing was sent" } else { "" };
            Some(format!("no credential for this tool{sent}: {why}"))
        }
        Event::Redirected { to, .. } => {
            let status = fault.status.unwrap_or_default();
            Some(format!(
                "the service answered {status} with a redirect to `{to}`, which is not followed"
            ))
        }
        Event::Unanswered { server, why } => Some(match (fault.reached, fault.code) {
            (Reached::No, _) => format!("`{server}` cannot be reached, nothing was sent: {why}"),
            (_, FaultCode::TimedOut) => {
                format!("no answer from `{server}`{}: {why}", elapsed_text(events))
            }
            _ => format!("no answer from `{server}`: {why}"),
        }),
        _ => None,
    });
    told.unwrap_or_else(|| fault.message.clone())
}

fn elapsed_text(events: &[Event]) -> String {
    let elapsed = events.iter().rev().find_map(|event| match event {
        Event::Attempt { elapsed, .. } => Some(elapsed.as_millis()),
        _ => None,
    });
    elapsed.map(|elapsed| format!(" after {elapsed} ms")).unwrap_or_default()
}

/// The remedy from the journal, which holds names that the words for a model leave out.
fn help_of_journal(events: &[Event], place: &Place) -> Option<String> {
    events.iter().rev().find_map(|event| match event {
        Event::Redirected { path: Some(path), .. } => Some(format!(
            "write the path as `{path}` in the description, or correct it with `overlays:` of the toolset"
        )),
        Event::Redirected { to, .. } if is_same_server_redirect(to) => Some(
            "`redirects: same_origin` of the toolset follows redirects of reads; for a call that changes something, correct the path in the description".to_owned(),
        ),
        Event::Redirected { is_other_host: true, .. } => Some(DECLARED_REDIRECT.to_owned()),
        Event::Redirected { to, .. } => {
            let server = "name the server that the redirect leads to";
            Some(place.setting_words(
                &format!("{server}: `--server {to}`"),
                &format!("{server}: `server: {to}`"),
            ))
        }
        Event::Refused { why, remedy: step } => {
            let step = place.setting_words(&remedy::remedy_by_flags(step), &step.to_string());
            Some(match why {
                Some(why) => format!("{why}; to call it all the same, {step}"),
                None => step,
            })
        }
        Event::SignInRequired { parameter } => Some(user_token_help(parameter)),
        _ => None,
    })
}

/// True if the address of a redirect is one of the same server, which is shown with its path.
fn is_same_server_redirect(to: &str) -> bool {
    to.split_once("://").is_some_and(|(_, rest)| rest.contains('/'))
}

fn fault_help(fault: &Fault, tool: &str, events: &[Event], hints: &Hints) -> String {
    let Hints { file, place, may_download, .. } = hints;
    let is_redirect = |event: &Event| matches!(event, Event::Redirected { .. });
    if fault.next == Next::AskUser && events.iter().any(is_redirect) {
        return format!("{MAYBE_EXECUTED}; {DECLARED_REDIRECT}");
    }
    if let Some(told) = help_of_journal(events, place) {
        return told;
    }
    match (fault.code, fault.next) {
        (FaultCode::AuthFailed, _) if events.iter().any(is_statement) => {
            let settings = place.setting_words("`url`", "`database: {url: …}`");
            format!("GRANT the right, as an owner of the database, to the login of {settings}; `callgate check {file}` names what it finds")
        }
        (FaultCode::AuthFailed, _) => credential_help(fault, events, hints),
        (FaultCode::InvalidArguments, _) => {
            format!("`callgate tools {file} {tool}` shows what it takes")
        }
        (FaultCode::MissingSessionValue, _) => {
            "`--session FILE` gives it: `{\"id\": …, \"parameters\": {…}, \"context\": {…}}`"
                .to_owned()
        }
        (FaultCode::NeedsApproval, Next::GiveUp) => {
            "`four_eyes` holds here, too: `callgate serve` makes the call once somebody else has approved it".to_owned()
        }
        (FaultCode::NeedsApproval, _) => {
            "`--yes` approves the call, `--dry-run` shows its request".to_owned()
        }
        (FaultCode::ResponseTooLarge, _) => {
            let download =
                if *may_download { "`-o FILE` takes an answer of any size; " } else { "" };
            let bound = place
                .overridable_setting_words("`--limits response_bytes=8MiB`", "`limits: {response_bytes: 8MiB}`");
            format!("{download}{bound} raises the bound")
        }
        (FaultCode::SignInRequired, _) => user_token_help("$session.credentials.NAME"),
        (FaultCode::TimedOut, _) => {
            let time = place.overridable_setting_words("`--timeout 60s`", "`limits: {timeout: 60s}`");
            format!("{time} waits longer")
        }
        (FaultCode::UnknownTool, _) => format!("`callgate tools {file}` lists the tools"),
        (FaultCode::Unreachable, _) => connection_help(fault, place),
        (FaultCode::ServiceError, _) if matches!(fault.status, Some(403)) => {
            credential_help(fault, events, hints)
        }
        (FaultCode::ServiceError, Next::GiveUp) if matches!(fault.status, Some(500..)) => {
            MAYBE_EXECUTED.to_owned()
        }
        (FaultCode::UnreadableResponse, _) => {
            let server = place.setting_words(SERVER_FLAG, SERVER_KEY);
            format!(
                "`--format raw` shows the answer as it came; where it is no answer of the service, name another server: {server}"
            )
        }
        _ => help_of_next_step(fault, tool, hints),
    }
}

/// True if a database was asked, whose login is in an address.
fn is_statement(event: &Event) -> bool {
    matches!(event, Event::StatementSent { .. })
}

fn connection_help(fault: &Fault, place: &Place) -> String {
    let server = place.setting_words(SERVER_FLAG, SERVER_KEY);
    match fault.next {
        Next::AskUser => MAYBE_EXECUTED.to_owned(),
        Next::GiveUp => {
            let both =
                place.setting_words("`--server URL` and `--ca FILE`", "`server:` and `tls:`");
            format!(
                "see that the URL of the server has the right scheme, name and port, or trust the authority of its certificate: {both}"
            )
        }
        _ if fault.reached == Reached::No => {
            format!("see that the service runs there, or name another server: {server}")
        }
        _ => {
            format!("see that it is this service that answers there, by this scheme: {server}")
        }
    }
}

/// The remedy if the session lacks the token of its user, which belongs into `parameter`, or the service refused it.
fn user_token_help(parameter: &str) -> String {
    if parameter == CallerToken::PLACE {
        return "a call of the command has no caller: call it through `callgate serve`, with a token (JWT) of an issuer that \
                `access.jwt` lists"
            .to_owned();
    }
    let quoted = |name: &str| Value::from(name).to_string();
    let (name, session) = if let Some(name) = parameter.strip_prefix("$session.credentials.") {
        ("credential", format!("{{\"credentials\": {{{}: \"env:TOKEN\"}}}}", quoted(name)))
    } else if let Some(name) = parameter.strip_prefix("$context.variables.") {
        ("token", format!("{{\"context\": {{\"variables\": {{{}: \"…\"}}}}}}", quoted(name)))
    } else {
        ("token", format!("{{\"parameters\": {{{}: \"…\"}}}}", quoted(parameter)))
    };
    format!("`--session FILE` gives the {name} of who is signed in: `{session}`")
}

fn credential_help(fault: &Fault, events: &[Event], hints: &Hints) -> String {
    let Hints { file, credential, place, .. } = hints;
    let doctor = format!("`callgate doctor {file}` tries every credential");
    let or_doctor = match place {
        Place::Fixture(_) | Place::Flags => String::new(),
        Place::Toolset { .. } => format!("; {doctor}"),
    };
    if fault.next == Next::TryLater {
        return format!("call again later{or_doctor}");
    }
    let refused = events.iter().rev().find_map(|event| match event {
        Event::CredentialRefused { credential } => Some(credential),
        _ => None,
    });
    if let (Some(refused), None) = (refused, credential) {
        return format!(
            "see that the credential is the right one, has not expired and may make this call: {refused}{or_doctor}"
        );
    }
    match (credential, fault.reached) {
        (Some(credential), Reached::Yes) => format!(
            "see that the credential of `{credential}` is the right one, has not expired and may make this call"
        ),
        (Some(credential), _) => {
            format!("see that there is a secret where `{credential}` says, or name another place")
        }
        (None, Reached::Yes) => {
            let bearer = if *place == Place::Flags { "`--bearer env:NAME` or " } else { "" };
            let given = place.overridable_setting_words("`-H 'NAME: env:NAME'`", CREDENTIAL_KEYS);
            format!(
                "see that the call has a credential, that it has not expired and that it may do this: {bearer}{given} gives one"
            )
        }
        (None, _) if *place == Place::Flags => {
            "see that there is a secret where the reference of `-H` says, or name another place"
                .to_owned()
        }
        (None, _) => {
            let settings = place.setting_words("the credential", CREDENTIAL_KEYS);
            format!("{doctor}; set what is missing, or correct {settings}")
        }
    }
}

/// The remedy if the code of a failure says no more.
fn help_of_next_step(fault: &Fault, tool: &str, hints: &Hints) -> String {
    let Hints { file, place, server, .. } = hints;
    if let (Some(404), Some(url)) = (fault.status, server) {
        let named = place.setting_words(&format!("`--server {url}`"), &format!("`server: {url}`"));
        return format!("name the server with the path that the description has: {named}");
    }
    match fault.next {
        Next::AskUser => "ask whoever knows before calling again".to_owned(),
        Next::CorrectArguments => {
            format!("correct the arguments: `callgate tools {file} {tool}` shows what it takes")
        }
        // A dry run may be what is not supported.
        Next::GiveUp if fault.code == FaultCode::NotSupported => {
            "the same call will fail again".to_owned()
        }
        Next::GiveUp => "the same call will fail again; `--dry-run` shows its request".to_owned(),
        Next::TryLater => match fault.retry_after {
            Some(wait) => format!("call again in {} s", wait.as_secs()),
            None => "call again later".to_owned(),
        },
    }
}

const SERVER_FLAG: &str = "`--server URL`";
const SERVER_KEY: &str = "`server:`";
const CREDENTIAL_KEYS: &str = "`auth:` or `credentials:`";
/// The remedy if a redirect is the answer of the service.
const DECLARED_REDIRECT: &str = "if the redirect is the answer, declare the status and the header `Location` under `responses` of the operation: then it is the result";
/// The remedy if nobody knows whether the call was executed.
const MAYBE_EXECUTED: &str = "the call may have been executed: look before you make it again";
