//! Parameters of requests and responses about sessions in the form for `/openapi.json`.

use std::collections::BTreeMap;

use utoipa::{
    IntoParams, IntoResponses,
    openapi::{Content, HeaderBuilder, Ref, RefOr, Response, ResponseBuilder, link::Link},
};

#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "the type exists for its description")]
pub(super) struct SessionPath {
    /// The session's id, of this caller alone
    id: String,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "the type exists for its description")]
pub(super) struct Conditions {
    /// The entity tags of which the session must have one, or `*`
    #[param(rename = "If-Match", pattern = r#"^(\*|(W/)?"[!#-~]*"(,(W/)?"[!#-~]*")*)$"#)]
    if_match: Option<String>,
    /// `*`: there must be none
    #[param(rename = "If-None-Match")]
    if_none_match: Option<String>,
}

/// The responses to reading a session.
#[derive(Debug)]
pub(super) struct ReadResponses;

/// The responses to writing a session.
#[derive(Debug)]
pub(super) struct WriteResponses;

impl IntoResponses for ReadResponses {
    fn responses() -> Responses {
        responses_by_status([("200", session_response_schema("The session"))])
    }
}

impl IntoResponses for WriteResponses {
    fn responses() -> Responses {
        responses_by_status([
            ("200", session_response_schema("The session as it is now")),
            ("201", session_response_schema("The session is new")),
            ("412", Response::new("The session is in another version")),
            ("413", Response::new("The body or the session is too large")),
        ])
    }
}

/// A session with its version, and the operations that take its id.
fn session_response_schema(description: &str) -> Response {
    let version = HeaderBuilder::new().description(Some("The version of the session")).build();
    let content = Content::new(Some(Ref::from_schema_name("Session")));
    let response = ResponseBuilder::new().description(description);
    let response = response.content("application/json", content).header("ETag", version);
    let links = [
        ("ShowSession", "showSession"),
        ("ChangeSession", "changeSession"),
        ("DeleteSession", "deleteSession"),
    ];
    let linked = links.into_iter().fold(response, |response, (name, operation)| {
        let link = Link::builder().operation_id(operation).parameter("id", "$response.body#/id");
        response.link(name, link.build())
    });
    linked.build()
}

type Responses = BTreeMap<String, RefOr<Response>>;

fn responses_by_status<const N: usize>(rows: [(&str, Response); N]) -> Responses {
    rows.into_iter().map(|(status, response)| (status.to_owned(), RefOr::T(response))).collect()
}
