//! Pages for a browser at `/console`: who asks for them, and the checks that only a browser needs. A browser shows the cookie of a
//! sign-in; every form holds a token that only a page of this sidecar can know; no page may be framed or run foreign code.
//! Another crate makes the pages.

mod form;
mod request;
mod response;
mod sign_in;

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
    routing::any,
};
use callgate_config::Built;
use futures_util::future::BoxFuture;
use http::{Method, request::Parts};

use self::form::{Form, FormKind};
pub use self::{
    form::FormFile,
    request::{Answer, PageRequest},
    response::PageResponse,
};
use crate::{
    caller::Caller,
    gateway::Gateway,
    json_body::{BodyLimit, collect_body},
    path_problem::{method_not_allowed, unknown_path},
    problem::{Problem, ProblemKind},
    query::Query,
    sign_ins::SignIns,
};

/// Makes the page of a request.
pub(crate) type PageHandler =
    Arc<dyn Fn(PageRequest) -> BoxFuture<'static, PageResponse> + Send + Sync>;

/// The path below which all pages are.
pub(crate) const ROOT: &str = "/console";

/// True for the path of a page.
pub(crate) fn is_console_path(path: &str) -> bool {
    path.strip_prefix(ROOT).is_some_and(|rest| matches!(rest.as_bytes(), [] | [b'/', ..]))
}

/// The caller whose token a browser exchanged for its cookie; one who may do nothing if there is none. The token is verified
/// each time.
pub(crate) async fn caller_from_cookie(
    gateway: &Gateway,
    built: &Built,
    head: &Parts,
) -> Result<Caller, Problem> {
    let token = gateway.sign_ins().token_for_cookie(&head.headers);
    let (Some(token), Some(access)) = (token, &built.access) else {
        return Ok(Caller::signed_out());
    };
    match gateway.access().caller_of_token(access, built, &token).await {
        Err(problem) if problem.needs_other_token() => Ok(Caller::signed_out()),
        caller => Ok(Caller { sign_in: SignIns::cookie_digest(&head.headers), ..caller? }),
    }
}

/// Adds the pages to a router of the sidecar's own paths, which pages ask.
pub(crate) fn add_pages(
    router: Router<Gateway>,
    handler: PageHandler,
    gateway: &Gateway,
) -> Router<Gateway> {
    let own: Router = router.clone().with_state(gateway.clone());
    let answer = move |State(gateway): State<Gateway>, request: Request| {
        let (handler, own) = (Arc::clone(&handler), own.clone());
        async move {
            let response = answer_page(handler, own, gateway, request).await;
            let mut response = response.unwrap_or_else(IntoResponse::into_response);
            response::put_security_headers(response.headers_mut());
            response
        }
    };
    router.route(ROOT, any(answer.clone())).route(&format!("{ROOT}/{{*path}}"), any(answer))
}

async fn answer_page(
    handler: PageHandler,
    own: Router,
    gateway: Gateway,
    request: Request,
) -> Result<Response, Problem> {
    if !gateway.has_pages() {
        return Err(unknown_path());
    }
    let (parts, body) = request.into_parts();
    let method = parts.method.clone();
    if ![Method::GET, Method::HEAD, Method::POST].contains(&method) {
        return Ok(method_not_allowed(parts.uri.path(), false));
    }
    let caller = parts.extensions.get::<Caller>().cloned().unwrap_or_default();
    let form_token = gateway.sign_ins().form_token(&parts.headers);
    let is_post = method == Method::POST;
    let form = if is_post { read_form(&parts, body).await } else { Ok(Form::default()) };
    let (form, problem) = match form {
        Ok(form) if is_post && !has_token(&form, &form_token) => {
            (form, Some(Problem::new(ProblemKind::FORBIDDEN, FOREIGN_FORM)))
        }
        Ok(form) => (form, None),
        Err(problem) => (Form::default(), Some(problem)),
    };
    if let Some(problem) = problem {
        // A page says so, and asks nothing: it is nobody's.
        let page = PageRequest::new(own, Caller::signed_out(), &parts, form, String::new());
        let mut response = handler(page.with_refusal(problem.detail())).await.into_response();
        *response.status_mut() = problem.into_response().status();
        return Ok(response);
    }
    let page = PageRequest::new(own, caller, &parts, form, form_token)
        .with_build_rights(&gateway.current_build());
    if is_post {
        match page.path_below_console() {
            SIGN_IN => return Ok(sign_in::sign_in(&gateway, &page).await),
            SIGN_OUT => return Ok(sign_in::sign_out(&gateway, &parts.headers)),
            _ => {}
        }
    }
    Ok(handler(page).await.into_response())
}

async fn read_form(parts: &Parts, body: Body) -> Result<Form, Problem> {
    // A form has its fields in its body. The query of a page that is only shown is the page's own.
    Query::from_uri(&parts.uri).refuse_remaining("no parameter")?;
    let kind = FormKind::from_headers(&parts.headers)?;
    let BodyLimit(most) = parts.extensions.get().copied().unwrap_or_default();
    let body =
        collect_body(body, most).await.map_err(|problem| form_too_large_problem(problem, most))?;
    kind.read(body).await
}

fn has_token(form: &Form, token: &str) -> bool {
    form.fields.iter().any(|(name, value)| name == FORM_TOKEN && value == token)
}

fn form_too_large_problem(problem: Problem, most: usize) -> Problem {
    if !problem.is_too_large() {
        return problem;
    }
    let detail = format!(
        "expected a form of at most {most} bytes with its files; `limits.body_bytes` sets the bound"
    );
    Problem::new(ProblemKind::TOO_LARGE, detail)
}

/// The field of the token that every form holds.
const FORM_TOKEN: &str = "csrf";
const FOREIGN_FORM: &str = "the form is of a page that this sidecar does not know: the sign-in has ended, the sidecar was started again, or the form came from elsewhere";
const SIGN_IN: &str = "sign-in";
const SIGN_OUT: &str = "sign-out";
