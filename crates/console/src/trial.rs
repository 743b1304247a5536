//! A form for a tool that was sent: a dry run, a call, or another state of the form. What a person chose, the fields or the text, is
//! what is sent; a side that is no JSON is never replaced by an older one.

use callgate_gateway::{PageRequest, PageResponse};
use callgate_tool::{Value, json};
use maud::{Markup, html};

use crate::{
    confirmation,
    fields::Fields,
    files::{KeptFiles, keep_uploaded_files},
    fixture,
    inputs::{Arguments, ReadForm, read_form},
    json_view,
    layout::{self, member_text},
    outcome, session,
    tool::{self, Trial},
    tried_call::TriedCall,
};

/// The page of a form that was sent, or the file that it asks for.
pub(crate) async fn answer_form(
    request: &PageRequest,
    name: &str,
    wanted: &[&str],
) -> PageResponse {
    let tool = match tool::fetch_tool(request, name).await {
        Ok(tool) => tool,
        Err(page) => return page,
    };
    match wanted {
        [] => page_after_trial(request, &tool).await,
        ["arguments"] => arguments_json(request, &tool),
        ["fixture"] => fixture_json(request, &tool).await,
        ["session"] => session_json(request, &tool),
        _ => layout::not_found_page(request),
    }
}

async fn page_after_trial(request: &PageRequest, tool: &Value) -> PageResponse {
    let kept = keep_uploaded_files(request, &session_id(request)).await;
    let mut trial = read_trial(request, tool, &kept);
    let wanted = request.field("do");
    let is_sent =
        matches!(wanted, "call" | "confirmed" | "dry") && request.field("open").is_empty();
    let (Some(arguments), true) = (&trial.arguments, is_sent && trial.faults.is_empty()) else {
        if !is_sent {
            trial.faults.retain(|_| matches!(wanted, "fill" | "session" | "upload" | "write"));
        }
        return tool::page_with_trial(request, tool, &trial);
    };
    let session = read_session(request).unwrap_or_default();
    let sent = TriedCall { request, tool, arguments, session: &session };
    trial.outcome = run_or_ask_confirmation(&sent, &trial).await;
    tool::page_with_trial(request, tool, &trial)
}

/// The dry run or the call that a form asks for. What changes something is sent once its very request was confirmed.
async fn run_or_ask_confirmation(sent: &TriedCall<'_>, trial: &Trial<'_>) -> Markup {
    let (request, name) = (sent.request, member_text(sent.tool, "name"));
    let planned = outcome::first_result(request.post("/v1/calls", &sent.body(true)).await).await;
    let planned = match planned {
        Ok(planned) => planned,
        Err(problem) => return problem,
    };
    let wanted = request.field("do");
    let is_confirmed =
        wanted == "confirmed" && confirmation::is_confirmed_request(request, name, &planned);
    let is_read = member_text(sent.tool, "effect") == "read";
    let may_be_sent = is_confirmed || is_read;
    // Where a dry run cannot tell the request, a call may still be made.
    let error = planned.get("error");
    let is_wrong = error.is_some_and(|error| member_text(error, "next") == "correct_arguments");
    if wanted == "dry" || (!may_be_sent && is_wrong) {
        return outcome::dry_run_section(sent, &planned, &html! {});
    }
    if !may_be_sent {
        let confirm = confirmation::confirmation_form(request, name, &planned, trial);
        return outcome::dry_run_section(sent, &planned, &confirm);
    }
    let answer = request.post("/v1/calls", &sent.body(false)).await;
    outcome::called_section(sent, &planned, answer, trial).await
}

/// The JSON of the fields, for a script that writes it beside them.
fn arguments_json(request: &PageRequest, tool: &Value) -> PageResponse {
    match read_fields(request.fields(), tool).into_arguments() {
        Ok(arguments) => PageResponse::text(200, json_view::indented_json(&arguments)),
        Err(faults) => PageResponse::text(422, faults.join("; ")),
    }
}

/// The call as `call.json` of a case below `fixtures`.
async fn fixture_json(request: &PageRequest, tool: &Value) -> PageResponse {
    let session = session_id(request);
    let kept = keep_uploaded_files(request, &session).await;
    let mut trial = read_trial(request, tool, &kept);
    let (Some(arguments), true) = (&trial.arguments, trial.faults.is_empty()) else {
        return tool::page_with_trial(request, tool, &trial);
    };
    match fixture::call_json_file(request, tool, arguments.clone(), &session).await {
        Ok(file) => file,
        Err(fault) => {
            trial.faults.push(fault);
            tool::page_with_trial(request, tool, &trial)
        }
    }
}

/// The session as `session.json` of a case.
fn session_json(request: &PageRequest, tool: &Value) -> PageResponse {
    if let Ok(session) = read_session(request) {
        return fixture::session_json_file(request, session);
    }
    let kept = KeptFiles { fields: request.fields().to_vec(), ..KeptFiles::default() };
    tool::page_with_trial(request, tool, &read_trial(request, tool, &kept))
}

fn read_fields(fields: &[(String, String)], tool: &Value) -> ReadForm {
    let schema = tool.get("inputSchema").unwrap_or(&Value::Null);
    read_form(schema, &Fields::new(fields))
}

/// The state of a form that was sent.
fn read_trial<'k>(request: &PageRequest, tool: &Value, kept: &'k KeptFiles) -> Trial<'k> {
    let mut trial = Trial {
        fields: Fields::new(&kept.fields),
        files: &kept.files,
        faults: kept.faults.clone(),
        session: request.field("session").to_owned(),
        json: request.field("json").replace("\r\n", "\n"),
        ..Trial::default()
    };
    let wanted = request.field("do");
    match read_session(request) {
        Ok(session) if wanted == "session" => {
            trial.session = session::session_with_names(session, tool);
        }
        Ok(_) => {}
        Err(fault) => trial.faults.push(fault),
    }
    let is_opening = !request.field("open").is_empty();
    trial.is_json =
        wanted == "fill" || (request.field("source") == "json" && wanted != "write" && !is_opening);
    let read = if trial.is_json {
        parse_arguments_object(&trial.json)
    } else {
        let ReadForm { value, faults } = read_fields(&kept.fields, tool);
        // What can be read stays in the form; with a fault, nothing is sent.
        trial.arguments = Some(value.clone());
        if faults.is_empty() { Ok(value) } else { Err(faults) }
    };
    match read {
        Ok(arguments) => {
            trial.json = json_view::indented_json(&arguments);
            trial.arguments = Some(arguments);
        }
        Err(faults) => trial.faults.extend(faults),
    }
    if wanted == "fill" && trial.faults.is_empty() {
        (trial.fields, trial.is_json) = (Fields::default(), false);
    }
    trial
}

fn parse_arguments_object(text: &str) -> Arguments {
    match Value::parse(text) {
        Ok(value) if value.is_object() => Ok(value),
        Ok(other) => {
            Err(vec![format!("the arguments as JSON: expected an object, got: {}", other.kind())])
        }
        Err(error) => Err(vec![format!("the arguments as JSON: {error}")]),
    }
}

/// The id of the session of a form; empty if it has none.
fn session_id(request: &PageRequest) -> String {
    let session = read_session(request).unwrap_or_default();
    member_text(&session, "id").to_owned()
}

fn read_session(request: &PageRequest) -> Result<Value, String> {
    let text = request.field("session").trim();
    if text.is_empty() {
        return Ok(json!({}));
    }
    match Value::parse(text) {
        Ok(value) if value.is_object() => Ok(value),
        Ok(_) => Err("the session: expected an object".to_owned()),
        Err(error) => Err(format!("the session: expected JSON: {error}")),
    }
}
