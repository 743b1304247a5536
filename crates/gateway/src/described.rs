//! Parts of the sidecar's own description that several operations share.

use std::collections::BTreeMap;

use utoipa::{
    IntoParams, IntoResponses,
    openapi::{
        Ref, RefOr, Required, Response, ResponseBuilder,
        content::Content,
        path::{Parameter, ParameterBuilder, ParameterIn},
        schema::{Object, Type},
    },
};

/// The responses of an operation, by status.
pub(crate) type Responses = BTreeMap<String, RefOr<Response>>;

/// The responses to a turn of a session.
#[derive(Debug)]
pub(crate) struct Turn;

impl IntoResponses for Turn {
    fn responses() -> Responses {
        let ran = "What the calls answered, or the calls that the client is to run";
        let waits = "The session waits for its client, or the answer fits no call that waits";
        let paused = Content::new(Some(Ref::from_schema_name("PausedSession")));
        let paused = ResponseBuilder::new().content("application/problem+json", paused);
        let paused = paused.description(waits).build();
        collected([
            ("200", json(ran, "RunAnswer")),
            ("404", Response::new("The path has no such verb")),
            ("409", paused),
            ("422", Response::new("An answer is not what the tool's schema says")),
        ])
    }
}

/// The parameters of every path below an app of Customer Engagement Suite.
#[derive(Debug)]
pub(crate) struct OfApp;

impl IntoParams for OfApp {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let names = [("project", "project_id"), ("location", "location"), ("app", "app_id")];
        let parameters = names.into_iter().map(|(name, member)| {
            ParameterBuilder::new()
                .name(name)
                .parameter_in(ParameterIn::Path)
                .required(Required::True)
                .description(Some(format!("`$context.{member}` of calls")))
                .schema(Some(Object::with_type(Type::String)))
                .build()
        });
        parameters.collect()
    }
}

/// A JSON response with a schema of the description.
pub(crate) fn json(description: &str, schema: &str) -> Response {
    let content = Content::new(Some(Ref::from_schema_name(schema)));
    ResponseBuilder::new().description(description).content("application/json", content).build()
}

/// Collects the rows as responses by status.
pub(crate) fn collected<const N: usize>(rows: [(&str, Response); N]) -> Responses {
    rows.into_iter().map(|(status, response)| (status.to_owned(), RefOr::T(response))).collect()
}
