//! The forms by which a browser signs in and out.

use axum::response::{IntoResponse, Response};
use http::HeaderMap;

use super::{PageRequest, PageResponse, ROOT};
use crate::{caller::Caller, gateway::Gateway, sign_ins::COOKIE};

/// Exchanges the token of a form for a cookie, if it is one of a caller.
pub(super) async fn sign_in(gateway: &Gateway, page: &PageRequest) -> Response {
    let token = page.field("token").trim();
    let built = gateway.current_build();
    let caller = match &built.access {
        Some(access) if !token.is_empty() => {
            Some(gateway.access().caller_of_token(access, &built, token).await)
        }
        Some(_) | None => None,
    };
    let principal = match caller {
        Some(Ok(Caller { principal: Some(principal), .. })) => principal,
        Some(Err(problem)) if !problem.needs_other_token() => return refuse_sign_in("issuer"),
        Some(_) | None => return refuse_sign_in("token"),
    };
    let cookie = gateway.sign_ins().keep_under_new_cookie(principal.id(), token.to_owned());
    let cookie = format!("{COOKIE}={cookie}; {ATTRIBUTES}");
    PageResponse::redirect(ROOT).with_header("set-cookie", &cookie).into_response()
}

/// The page of the sign-in again, with the word for what is wrong.
fn refuse_sign_in(word: &str) -> Response {
    PageResponse::redirect(&format!("{ROOT}?refused={word}")).into_response()
}

/// Forgets the token, and the cookie.
pub(super) fn sign_out(gateway: &Gateway, headers: &HeaderMap) -> Response {
    gateway.sign_ins().remove(headers);
    let cookie = format!("{COOKIE}=; Max-Age=0; {ATTRIBUTES}");
    PageResponse::redirect(ROOT).with_header("set-cookie", &cookie).into_response()
}

const ATTRIBUTES: &str = "Path=/; Secure; HttpOnly; SameSite=Strict";
