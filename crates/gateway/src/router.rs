//! The table of paths and their handlers.

use std::{
    future,
    sync::{Arc, LazyLock},
};

use axum::{
    Router,
    extract::{Request, State},
    middleware::map_request,
    response::Response,
    routing::{get, post},
};
use http::Uri;

#[cfg(feature = "agents")]
use crate::conversations;
use crate::{
    access, admin,
    answer::JsonText,
    approvals, calls, description, dialects, drafts,
    gateway::Gateway,
    health,
    observe::{Traced, prometheus},
    pages,
    path_problem::{method_not_allowed, unknown_path},
    problem::Problem,
    query::Query,
    results,
    routes::Routes,
    search, sessions, tools,
};

/// The paths of callers as a service, for programs that serve it themselves. It identifies no callers: everyone who reaches
/// it may use everything.
pub fn router(gateway: Gateway) -> Router {
    router_with(gateway, Routes::new())
}

/// The paths of callers and further routes as a service, for programs that serve it themselves. It identifies no callers:
/// everyone who reaches it may use everything.
pub fn router_with(gateway: Gateway, routes: Routes) -> Router {
    let further = routes.clone();
    let description =
        Arc::new(LazyLock::new(move || description::openapi_json(&further.description)));
    let description = move || future::ready(JsonText(String::clone(&description)));
    let router = routes.added_to(routes_without_query().route("/openapi.json", get(description)));
    let router = add_routes_with_query(router.route_layer(map_request(refuse_query)));
    let router = add_monitoring_routes(router);
    let router = match routes.page_handler() {
        Some(handler) => pages::add_pages(router, handler, &gateway),
        None => router,
    };
    let refused =
        move |uri: Uri| future::ready(method_not_allowed(uri.path(), routes.has_verb(uri.path())));
    router
        .fallback(async || unknown_path())
        .method_not_allowed_fallback(refused)
        .layer(Traced)
        .with_state(gateway)
}

/// The routes that read no query. A layer in front of them refuses one, so that no route can overlook what a caller asks there.
fn routes_without_query() -> Router<Gateway> {
    let router = Router::new()
        .route("/.well-known/oauth-protected-resource", get(show_oauth_metadata))
        .route("/.well-known/oauth-protected-resource/{*path}", get(show_oauth_metadata))
        .route("/v1/admin/calls/{number}", get(admin::show_call))
        .route("/v1/admin/changes", get(admin::changes))
        .route("/v1/admin/reload", post(admin::reload))
        .route("/v1/approvals/{id}", get(approvals::show).post(approvals::decide))
        .route("/v1/calls", post(calls::run))
        .route("/v1/dialects/{dialect}/calls", post(dialects::run))
        .route("/v1/drafts", post(drafts::run))
        .route(
            "/v1/sessions/{id}",
            get(sessions::show).put(sessions::put).patch(sessions::patch).delete(sessions::delete),
        )
        .route("/v1/tools/{name}", get(tools::show))
        .route("/v1/tools:search", post(search::run));
    #[cfg(feature = "agents")]
    let router = router
        .route("/v1/agents", get(crate::agents::list))
        .route("/v1/conversations/{agent}/{session}", axum::routing::delete(conversations::remove));
    #[cfg(feature = "mcp")]
    let router = router
        .route("/mcp", axum::routing::any(crate::mcp::serve))
        // Clients that know another server write a slash at the end.
        .route("/mcp/", axum::routing::any(crate::mcp::serve))
        .route("/mcp/{toolset}", axum::routing::any(crate::mcp::serve_toolset));
    router
}

/// Adds the routes that read parameters of the query. Each refuses those that are none of its own.
fn add_routes_with_query(router: Router<Gateway>) -> Router<Gateway> {
    let router = router
        .route("/v1/admin/calls", get(admin::list_calls))
        .route("/v1/admin/report", get(admin::show_report))
        .route("/v1/approvals", get(approvals::list))
        .route("/v1/results", post(results::store))
        .route("/v1/results/{id}", get(results::show))
        .route("/v1/tools", get(tools::list));
    #[cfg(feature = "agents")]
    let router = router.route("/v1/conversations", get(conversations::list));
    router
}

/// Adds the routes of monitoring, which may be asked with any query: probes write one against caches, and it can decide nothing.
fn add_monitoring_routes(router: Router<Gateway>) -> Router<Gateway> {
    router
        .route("/healthz", get(health::live))
        .route("/metrics", get(prometheus::show))
        .route("/readyz", get(health::ready))
}

async fn refuse_query(query: Query, request: Request) -> Result<Request, Problem> {
    query.refuse_remaining("no parameter")?;
    Ok(request)
}

/// The metadata of the sidecar as a resource of OAuth.
async fn show_oauth_metadata(
    State(gateway): State<Gateway>,
    request: Request,
) -> Result<Response, Problem> {
    let (head, _) = request.into_parts();
    access::answer_metadata(&gateway.current_build(), &head)
}
