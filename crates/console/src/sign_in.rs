//! The page for a browser that showed no token.

use callgate_gateway::{PageRequest, PageResponse};
use maud::html;

use crate::layout::{self, Section};

pub(crate) fn page(request: &PageRequest) -> PageResponse {
    let refusal = match request.query_parameter("refused") {
        "issuer" => Some(
            "The issuer of this token does not answer, so that nobody can verify it. Try again in a moment.",
        ),
        "token" => Some("No principal has this token."),
        _ => None,
    };
    let is_refused = refusal.is_some();
    let content = html! {
        section.narrow {
            h1 { "Sign in" }
            p { "This sidecar asks its callers who they are. Sign in with the token of a principal of " code { "access" } "." }
            form method="post" action="/console/sign-in" {
                (layout::form_token(request))
                label for="token" { "Token" }
                input #token name="token" type="password" autocomplete="current-password" required
                    aria-describedby=[is_refused.then_some("refused")] aria-invalid=[is_refused.then_some("true")];
                @if let Some(refusal) = refusal { p.problem #refused role="alert" { (refusal) } }
                button type="submit" { "Sign in" }
            }
        }
    };
    layout::page_in_frame(request, Section::None, "Sign in", &content)
}
