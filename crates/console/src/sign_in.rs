//! The page for a browser that showed no token.

use callgate_gateway::{PageRequest, PageResponse};
use maud::html;

use crate::layout::{self, Section};

pub(crate) fn page(request: &PageRequest) -> PageResponse {
    let is_refused = request.query("refused") == "token";
    let content = html! {
        section.narrow {
            h1 { "Sign in" }
            p { "This sidecar asks its callers who they are. Sign in with the token of a principal of " code { "access" } "." }
            form method="post" action="/console/sign-in" {
                (layout::form_token(request))
                label for="token" { "Token" }
                input #token name="token" type="password" autocomplete="current-password" required
                    aria-describedby=[is_refused.then_some("refused")] aria-invalid=[is_refused.then_some("true")];
                @if is_refused { p.problem #refused role="alert" { "No principal has this token." } }
                button type="submit" { "Sign in" }
            }
        }
    };
    layout::show(request, Section::None, "Sign in", &content)
}
