//! Responses about sessions in the form for `/openapi.json`.

use utoipa::{
    IntoResponses,
    openapi::{Content, HeaderBuilder, Ref, Response, ResponseBuilder, link::Link},
};

use crate::described::{Responses, collected};

/// The responses to reading a session.
#[derive(Debug)]
pub(super) struct Shown;

/// The responses to writing a session.
#[derive(Debug)]
pub(super) struct Written;

impl IntoResponses for Shown {
    fn responses() -> Responses {
        collected([("200", session("The session"))])
    }
}

impl IntoResponses for Written {
    fn responses() -> Responses {
        collected([
            ("200", session("The session as it is now")),
            ("201", session("The session is new")),
            ("400", Response::new("The body, the path or a header is malformed")),
            ("412", Response::new("The session is in another version")),
            ("413", Response::new("The body or the session is too large")),
            ("415", Response::new("The body is not JSON")),
        ])
    }
}

/// A session with its version, and the operations that take its id.
fn session(description: &str) -> Response {
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
