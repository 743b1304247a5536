//! The table of paths and their handlers.

use axum::{
    Router,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use http::{HeaderValue, Uri, header};

use crate::{
    access, admin, approvals, calls, ces_paths, description, dialects,
    gateway::Gateway,
    health,
    observe::{Traced, numbers},
    problem::{Problem, ProblemKind},
    results, search, sessions, tool_service, tools,
};

/// The paths of callers as a service, for programs that serve it themselves. It identifies no callers: everyone who reaches
/// it may use everything.
pub fn router(gateway: Gateway) -> Router {
    let router = Router::new()
        .route("/.well-known/oauth-protected-resource", get(access::metadata))
        .route("/.well-known/oauth-protected-resource/{*path}", get(access::metadata))
        .route("/openapi.json", get(description::show))
        .route("/healthz", get(health::live))
        .route("/metrics", get(numbers::show))
        .route("/readyz", get(health::ready))
        .route("/v1/admin/changes", get(admin::changes))
        .route("/v1/admin/reload", post(admin::reload))
        .route("/v1/approvals/{id}", post(approvals::decide))
        .route("/v1/calls", post(calls::run))
        .route("/v1/dialects/{dialect}/calls", post(dialects::run))
        .route("/v1/results/{id}", get(results::show))
        .route(
            "/v1/sessions/{id}",
            get(sessions::show)
                .put(sessions::put)
                .patch(sessions::patch)
                .delete(sessions::delete)
                .post(ces_paths::run),
        )
        .route("/v1/projects/{project}/locations/{location}/apps/{app}", post(tool_service::of_app))
        .route(
            "/v1/projects/{project}/locations/{location}/apps/{app}/toolsets/{toolset}",
            post(tool_service::of_toolset),
        )
        .route(
            "/v1/projects/{project}/locations/{location}/apps/{app}/sessions/{session}",
            post(ces_paths::run_of_app),
        )
        .route(
            "/v3/projects/{project}/locations/{location}/agents/{agent}/sessions/{session}",
            post(ces_paths::detect_intent),
        )
        .route(
            "/v3/projects/{project}/locations/{location}/agents/{agent}/environments/{environment}/sessions/{session}",
            post(ces_paths::detect_intent),
        )
        .route("/v1/tools", get(tools::list))
        .route("/v1/tools/{name}", get(tools::show))
        .route("/v1/tools:search", post(search::run));
    #[cfg(feature = "mcp")]
    let router = router
        .route("/mcp", axum::routing::any(crate::mcp::serve))
        // Clients that know another server write a slash at the end.
        .route("/mcp/", axum::routing::any(crate::mcp::serve))
        .route("/mcp/{toolset}", axum::routing::any(crate::mcp::serve_toolset));
    router
        .fallback(unknown_path)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(Traced)
        .with_state(gateway)
}

async fn unknown_path() -> Problem {
    let detail = "`GET /openapi.json` lists the paths there are";
    Problem::new(ProblemKind::UNKNOWN_PATH, detail)
}

/// Responds to a method that a path does not take (RFC 9110 §15.5.6). If one path of the router stands for two of the
/// description, each has its own methods.
async fn method_not_allowed(uri: Uri) -> Response {
    let detail = "the header `Allow` lists the methods of this path";
    let mut response = Problem::new(ProblemKind::METHOD_NOT_ALLOWED, detail).into_response();
    let allowed = match uri.path().strip_prefix("/v1/sessions/") {
        Some(id) if id.ends_with(":run") => "POST",
        Some(_) => "GET,HEAD,PUT,PATCH,DELETE",
        None => return response,
    };
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}
