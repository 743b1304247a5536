//! Pages in a browser for a sidecar, at `/console`: its tools with their findings, a form to try each, the last calls, the calls
//! that wait for an approval, turns with agents, and drafts of descriptions.
//!
//! Every page is made on the server from the sidecar's documented paths, with the rights of its caller, and works without a
//! script. Texts of services and descriptions are written as texts, never as markup.
//!
//! ```no_run
//! use callgate_gateway::Routes;
//!
//! let routes = Routes::new().merge_routes(callgate_console::routes());
//! # drop(routes);
//! ```

mod approvals;
mod ask;
mod assets;
mod calls;
mod commands;
mod confirmation;
mod decision;
mod drafts;
mod fields;
mod files;
mod fixture;
mod inputs;
mod json_view;
mod layout;
mod outcome;
mod paths;
mod planned_request;
mod refused_form;
mod report;
mod results;
mod schema;
mod session;
mod sign_in;
mod tool;
mod tools;
mod trial;
mod tried_call;

use callgate_gateway::{PageRequest, PageResponse, Routes};

/// The pages as routes of a sidecar.
pub fn routes() -> Routes {
    Routes::new().pages(route_page)
}

async fn route_page(request: PageRequest) -> PageResponse {
    if let Some(asset) = assets::find(&request) {
        return asset;
    }
    if let Some(reason) = request.refusal() {
        return refused_form::page(&request, reason);
    }
    if request.needs_sign_in() {
        return sign_in::page(&request);
    }
    let segments = paths::decoded_segments(request.path_below_console());
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    if request.is_post() {
        return route_form(&request, &segments).await;
    }
    match &*segments {
        [] => tools::page(&request).await,
        ["agents"] => ask::page(&request).await,
        ["approvals"] => approvals::page(&request).await,
        ["approvals", id] => approvals::single_approval_page(&request, id).await,
        ["calls"] => calls::page(&request).await,
        ["calls", "events"] => calls::ended_calls_stream(&request).await,
        ["calls", number] => calls::single_call_page(&request, number).await,
        ["drafts"] => drafts::page(&request),
        ["results", id] => results::page(&request, id).await,
        ["tools", name] => tool::page(&request, name).await,
        ["toolsets", name] => report::toolset_page(&request, name).await,
        _ => layout::not_found_page(&request),
    }
}

async fn route_form(request: &PageRequest, segments: &[&str]) -> PageResponse {
    match segments {
        ["agents"] => ask::take_turn(request).await,
        ["approvals", id] => approvals::decide(request, id).await,
        ["drafts"] => drafts::draft_from_form(request).await,
        ["tools", name, wanted @ ..] => trial::answer_form(request, name, wanted).await,
        _ => layout::not_found_page(request),
    }
}
