//! A request for a page: its path, query and form, and the sidecar's own paths for its caller.

use axum::{Router, body::Body, response::Response};
use bytes::Bytes;
use callgate_config::Built;
use callgate_tool::{Principal, SessionName, Value, hexadecimal, json, mask_session};
use http::{HeaderMap, Method, Request, StatusCode, header, request::Parts};
use tokio::time::{Duration, Instant};
use tower_service::Service;

use super::form::{Form, FormFile};
use crate::{
    caller::Caller,
    json_body::{BodyLimit, collect_body},
    peer::Encrypted,
    problem::{Problem, ProblemKind},
    sign_ins::random_bytes,
};

/// A request for a page, from an identified caller or one who has to sign in first.
pub struct PageRequest {
    own: Router,
    caller: Caller,
    is_post: bool,
    refusal: Option<String>,
    path: String,
    query: Vec<(String, String)>,
    form: Form,
    form_token: String,
    is_encrypted: bool,
    headers: HeaderMap,
    may_record: bool,
    session_secrets: Vec<SessionName>,
}

/// The response of one of the sidecar's own paths.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The time until its head was there.
    pub elapsed: Duration,
    pub(super) response: Response,
}

// Shows neither headers nor forms, which may hold credentials.
callgate_secret::opaque!(PageRequest { path });

impl PageRequest {
    pub(super) fn new(
        own: Router,
        caller: Caller,
        parts: &Parts,
        form: Form,
        form_token: String,
    ) -> Self {
        let path = parts.uri.path();
        let path = path.strip_prefix(super::ROOT).unwrap_or(path).trim_matches('/').to_owned();
        let query = parts.uri.query().unwrap_or_default().as_bytes();
        let query = url::form_urlencoded::parse(query);
        let query = query.map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        let is_post = parts.method == Method::POST;
        let headers = parts.headers.clone();
        let is_encrypted = parts.extensions.get::<Encrypted>().is_some();
        let (may_record, session_secrets) = (false, Vec::new());
        Self {
            own,
            caller,
            is_post,
            refusal: None,
            path,
            query,
            form,
            form_token,
            is_encrypted,
            headers,
            may_record,
            session_secrets,
        }
    }

    /// The request with what a build allows its caller.
    pub(super) fn with_build_rights(mut self, built: &Built) -> Self {
        self.may_record = self.caller.recording_refusal(&built.serving).is_none();
        self.session_secrets.clone_from(&built.session_secrets);
        self
    }

    /// The request with a form that is refused, in the words for the person who sent it.
    pub(super) fn with_refusal(mut self, words: &str) -> Self {
        self.refusal = Some(words.to_owned());
        self
    }

    /// The reason why nothing is done by the form: it is of another process, of a sign-in that has ended or of a foreign page, or it
    /// is too large.
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// The path below `/console`, without slashes at its ends, still percent-encoded.
    pub fn path_below_console(&self) -> &str {
        &self.path
    }

    /// True if the request holds a form.
    pub fn is_post(&self) -> bool {
        self.is_post
    }

    /// True if the caller has to sign in first: nothing is answered to it.
    pub fn needs_sign_in(&self) -> bool {
        self.caller.is_signed_out
    }

    /// True if the caller signed in with a token, and can sign out.
    pub fn is_signed_in(&self) -> bool {
        self.caller.principal.is_some() && !self.headers.contains_key(header::AUTHORIZATION)
    }

    /// True if the caller may have turns recorded.
    pub fn may_record(&self) -> bool {
        self.may_record
    }

    /// Masks the values of a session that credentials read.
    pub fn mask_session(&self, session: &mut Value) {
        mask_session(session, &self.session_secrets);
    }

    /// The principal of the caller; `None` if everybody is served.
    pub fn principal(&self) -> Option<&str> {
        self.caller.principal.as_ref().map(Principal::id)
    }

    /// A parameter of the query; empty if there is none of this name.
    pub fn query_parameter(&self, name: &str) -> &str {
        first_value(&self.query, name)
    }

    /// A field of the form; empty if there is none of this name.
    pub fn field(&self, name: &str) -> &str {
        first_value(&self.form.fields, name)
    }

    /// Every field of the form, in its order.
    pub fn fields(&self) -> &[(String, String)] {
        &self.form.fields
    }

    /// The files of the form, in its order.
    pub fn files(&self) -> &[FormFile] {
        &self.form.files
    }

    /// The origin by which the browser reaches the sidecar, such as `https://callgate.internal`.
    pub fn origin(&self) -> String {
        // A browser names it in every form, also behind a proxy that ends TLS.
        match self.header("origin") {
            "" | "null" => {
                let scheme = if self.is_encrypted { "https" } else { "http" };
                format!("{scheme}://{}", self.header("host"))
            }
            origin => origin.to_owned(),
        }
    }

    /// A header of the request; empty if there is none, or if it is no text.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The token that every form holds in its field `csrf`.
    pub fn form_token(&self) -> &str {
        &self.form_token
    }

    /// A text that no other form has, such as an idempotency key.
    pub fn random_form_key() -> String {
        hexadecimal(&random_bytes())
    }

    /// The response of one of the sidecar's own paths to `GET` with these headers.
    pub async fn get_own_path(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.request_own_path(Method::GET, path, headers, Body::empty()).await
    }

    /// The response of one of the sidecar's own paths to `POST` with a JSON body.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_json_with_headers(path, &[], body).await
    }

    /// The response of one of the sidecar's own paths to `POST` with a JSON body and further headers.
    pub async fn post_json_with_headers(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> Answer {
        let headers = [&[("content-type", "application/json")], headers].concat();
        self.request_own_path(Method::POST, path, &headers, Body::from(body.to_string())).await
    }

    /// The response of one of the sidecar's own paths to `POST` with the bytes of a file.
    pub async fn post_file(&self, path: &str, media_type: &str, bytes: Bytes) -> Answer {
        self.request_own_path(
            Method::POST,
            path,
            &[("content-type", media_type)],
            Body::from(bytes),
        )
        .await
    }

    async fn request_own_path(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Body,
    ) -> Answer {
        let request = headers
            .iter()
            .fold(Request::builder().method(method).uri(path), |request, (name, value)| {
                request.header(*name, *value)
            })
            .body(body);
        let refused = if self.caller.is_signed_out {
            Some(Problem::new(ProblemKind::UNAUTHENTICATED, "expected a caller who is signed in"))
        } else if path.starts_with("/v1/admin/") && !self.may_see_admin(path) {
            let detail = "expected a principal with `admin: true`";
            Some(Problem::new(ProblemKind::FORBIDDEN, detail))
        } else {
            None
        };
        let (Ok(mut request), None) = (request, &refused) else {
            let detail = "expected names that a path can have";
            let problem =
                refused.unwrap_or_else(|| Problem::new(ProblemKind::MALFORMED_PATH, detail));
            return Answer::new(axum::response::IntoResponse::into_response(problem));
        };
        request.extensions_mut().insert(self.caller.clone());
        request.extensions_mut().insert(BodyLimit(MOST_ASKED));
        let start = Instant::now();
        let Ok(response) = self.own.clone().call(request).await;
        Answer { elapsed: start.elapsed(), ..Answer::new(response) }
    }

    /// True if the caller may read an operator's path, as `admission` decides for requests from outside.
    fn may_see_admin(&self, path: &str) -> bool {
        let is_read = ["/v1/admin/report", "/v1/admin/calls"].iter().any(|it| path.starts_with(it));
        self.caller.is_admin || (is_read && self.caller.principal.is_none())
    }
}

impl Answer {
    fn new(response: Response) -> Self {
        Self { status: response.status().as_u16(), elapsed: Duration::ZERO, response }
    }

    /// True if the path did what it was asked.
    pub fn is_success(&self) -> bool {
        StatusCode::from_u16(self.status).is_ok_and(|status| status.is_success())
    }

    /// A header of the response; empty if there is none, or if it is no text.
    pub fn header(&self, name: &str) -> &str {
        let value = self.response.headers().get(name);
        value.and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The bytes of the body; `None` if it breaks off or is larger than a page can show.
    pub async fn bytes(self) -> Option<Bytes> {
        collect_body(self.response.into_body(), MOST_ANSWERED).await.ok()
    }

    /// The body as JSON; in place of one that is not whole, the members of a problem.
    pub async fn json_or_problem(self) -> Value {
        let body = self.bytes().await.and_then(|bytes| Value::from_slice(&bytes).ok());
        body.unwrap_or_else(|| json!({"title": "There is no whole answer", "detail": NOT_WHOLE}))
    }
}

fn first_value<'p>(pairs: &'p [(String, String)], name: &str) -> &'p str {
    pairs.iter().find(|(entry, _)| entry == name).map_or("", |(_, value)| value)
}

/// The body of a form was bounded before.
const MOST_ASKED: usize = 64 << 20;
const MOST_ANSWERED: usize = 64 << 20;
const NOT_WHOLE: &str = "it broke off, or is larger than the 64 MiB of a page; ask the path itself";

#[cfg(test)]
mod tests {
    use std::io;

    use futures_util::stream;

    use super::*;

    #[tokio::test]
    async fn an_answer_that_broke_off_is_a_problem_and_no_empty_text() {
        let broken = || {
            let parts = [Ok(Bytes::from("{\"a\": 1")), Err(io::Error::other("it broke off"))];
            Answer::new(Response::new(Body::from_stream(stream::iter(parts))))
        };
        assert_eq!(broken().bytes().await, None);
        assert_eq!(broken().json_or_problem().await["title"], "There is no whole answer");
        let whole = Answer::new(Response::new(Body::from("[1]")));
        assert_eq!(whole.json_or_problem().await, json!([1]));
    }
}
