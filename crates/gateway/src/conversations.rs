//! `/v1/conversations`: the conversations with agents that are kept for the caller. They are listed, and removed one by one; with
//! its session, all of a session are. No words are shown: a turn has them.

use std::time::Duration;

use axum::extract::{Path, State, rejection::PathRejection};
use callgate_agent::{Conversation, Error};
use callgate_tool::{Object, Principal, Value, json};
use http::StatusCode;
use url::form_urlencoded;

use crate::{
    answer::JsonText,
    caller::Caller,
    gateway::Gateway,
    problem::{Problem, ProblemKind},
    query::{Query, malformed_query},
};

/// Lists the caller's conversations.
pub(crate) async fn list(
    State(gateway): State<Gateway>,
    caller: Caller,
    mut query: Query,
) -> Result<JsonText, Problem> {
    let after = query.take_parameter("cursor")?.map(|cursor| {
        parse_cursor(&cursor).ok_or_else(|| {
            malformed_query("`cursor`: expected the `nextCursor` of the page before")
        })
    });
    let after = after.transpose()?;
    let expected = format!("a whole number from 1 to {MOST}");
    let limit = query.take_parsed("limit", &expected)?.unwrap_or(USUAL);
    if !(1..=MOST).contains(&limit) {
        return Err(malformed_query(format!("`limit`: expected {expected}, got: {limit}")));
    }
    query.refuse_remaining("`cursor` and `limit`")?;
    let _permit = gateway.listing_permit(&caller).await?;
    let listed = gateway.transcripts().list(caller.principal.as_ref(), after.as_ref(), limit);
    let listed = listed.await.map_err(|error| store_problem(&error))?;
    let shown = |it: &Conversation| json!({"agent": &*it.agent, "session": &*it.session});
    let conversations = Value::Array(listed.iter().map(shown).collect());
    let mut body = Object::from([("conversations", conversations)]);
    let last = listed.last().filter(|_| listed.len() == limit);
    body.insert_if_some("nextCursor", last.map(page_cursor));
    Ok(JsonText(Value::Object(body).to_string()))
}

/// Removes one of the caller's conversations.
pub(crate) async fn remove(
    State(gateway): State<Gateway>,
    caller: Caller,
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<StatusCode, Problem> {
    let Path((agent, session)) = path.map_err(|_| {
        Problem::new(ProblemKind::MALFORMED_PATH, "expected names in percent-encoded UTF-8")
    })?;
    let (principal, nothing) = (caller.principal.as_ref(), Object::new());
    let values = gateway.sessions().keep_turn_values(principal, &session, &agent, &nothing);
    values.await?;
    let conversation = Conversation { agent, session };
    let was_there = gateway.transcripts().remove(principal, &conversation).await;
    if was_there.map_err(|error| store_problem(&error))? {
        return Ok(StatusCode::NO_CONTENT);
    }
    let detail = "`GET /v1/conversations` lists those that are kept for the caller";
    Err(Problem::new(ProblemKind::ABSENT_RESOURCE, detail))
}

/// Removes the conversations of a session. Returns true if there were any.
pub(crate) async fn remove_session(
    gateway: &Gateway,
    principal: Option<&Principal>,
    session: &str,
) -> Result<bool, Problem> {
    let n_removed = gateway.transcripts().remove_session(principal, session).await;
    Ok(n_removed.map_err(|error| store_problem(&error))? > 0)
}

fn store_problem(error: &Error) -> Problem {
    Problem::new(ProblemKind::UNAVAILABLE, error.to_string()).with_retry_after(SOON)
}

/// The place of a conversation in the list, as text.
fn page_cursor(last: &Conversation) -> String {
    let mut text = form_urlencoded::Serializer::new(String::new());
    text.append_pair("agent", &last.agent).append_pair("session", &last.session).finish()
}

fn parse_cursor(cursor: &str) -> Option<Conversation> {
    let mut pairs = form_urlencoded::parse(cursor.as_bytes());
    let mut value = |name: &str| {
        let (given, value) = pairs.next()?;
        (given == name).then(|| value.into_owned())
    };
    let (agent, session) = (value("agent")?, value("session")?);
    Some(Conversation { agent, session })
}

/// The wait before a request to a store that failed is repeated.
const SOON: Duration = Duration::from_secs(1);
const USUAL: usize = 100;
const MOST: usize = 1000;
