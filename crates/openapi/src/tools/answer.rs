//! Reads the answers of an operation, as far as a call needs them: the media types of success and the schema of the
//! first success that is JSON. Reading a response itself is the business of `call`.

use std::sync::Arc;

use callgate_tree::Node;
use indexmap::IndexSet;

use crate::{
    body::{
        BodyKind,
        media::{self, DescribedMedia},
        swagger,
    },
    document::Document,
    findings::Findings,
    reference::{Located, follow},
};

/// What is known of an operation's successful answers.
#[derive(Debug)]
pub(super) struct Answers<'d> {
    pub(super) accept: Box<[Arc<str>]>,
    /// The names of the headers they are declared to have.
    pub(super) headers: Box<[Arc<str>]>,
    pub(super) output: Option<Located<'d>>,
}

/// The successful answers (2xx), in the order of the description.
pub(super) fn read<'d>(
    document: &'d Document,
    operation: &Located<'d>,
    findings: &mut Findings,
) -> Answers<'d> {
    let mut accept: IndexSet<Arc<str>> = IndexSet::new();
    let mut output = None;
    let (media, headers) = successes(document, operation, findings);
    for media in media {
        let schema = media.schema.filter(|schema| !matches!(schema.node, Node::Null));
        if output.is_none() && media.kind == BodyKind::Json {
            output = schema;
        }
        accept.insert(media.media_type);
    }
    let headers = headers.into_iter().collect();
    Answers { accept: accept.into_iter().collect(), headers, output }
}

/// The media types of the successful answers, and the names of their headers.
fn successes<'d>(
    document: &'d Document,
    operation: &Located<'d>,
    findings: &mut Findings,
) -> (Vec<DescribedMedia<'d>>, IndexSet<Arc<str>>) {
    let (mut found, mut headers) = (Vec::new(), IndexSet::new());
    let Some(responses) = operation.member("responses") else { return (found, headers) };
    let path = responses.path();
    let Some(entries) = responses.node.as_object() else { return (found, headers) };
    for (status, node) in entries.iter() {
        let is_success = status.starts_with('2');
        // OpenAPI 3.1.1 §4.8.16: the default is of every status that is not declared, of a success too.
        if !is_success && **status != *"default" {
            continue;
        }
        if !document.spend(ANSWER + path.name(status).weight()) {
            break;
        }
        let response = follow(document, node, &path.name(status));
        if let Ok(response) = &response
            && let Some(declared) = response.node.get("headers").and_then(Node::as_object)
            && document.spend(ANSWER * declared.len())
        {
            headers.extend(declared.iter().map(|(name, _)| Arc::clone(name)));
        }
        match response {
            _ if !is_success => {}
            Ok(response) if document.version().is_swagger() => {
                found.extend(swagger::types(document, operation, "produces", &response, findings));
            }
            Ok(response) => found.extend(media::media(document, &response, findings)),
            // Nothing that is sent depends on an answer.
            Err(bad) => bad.as_lost().report(findings),
        }
    }
    (found, headers)
}

/// What it takes to look at an answer, in steps.
const ANSWER: usize = 4;
