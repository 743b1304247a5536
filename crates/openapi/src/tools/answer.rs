//! Reads the answers of an operation, as far as a call needs them: the media types of success and the schema of the
//! first success that is JSON. Reading a response itself is the business of `call`.

use std::sync::Arc;

use crate::{
    body::{BodyKind, media},
    document::Document,
    findings::Findings,
    node::Node,
    reference::{Located, follow},
};

/// What is known of an operation's successful answers.
#[derive(Debug)]
pub(super) struct Answers<'d> {
    pub(super) accept: Box<[Arc<str>]>,
    pub(super) output: Option<Located<'d>>,
}

/// The successful answers (2xx), in the order of the description.
pub(super) fn read<'d>(
    document: &'d Document,
    operation: &Located<'d>,
    findings: &mut Findings,
) -> Answers<'d> {
    let mut accept: Vec<Arc<str>> = Vec::new();
    let mut output = None;
    let responses = operation.member("responses");
    let entries =
        responses.iter().filter_map(|responses| Some((responses, responses.node.as_object()?)));
    for (responses, entries) in entries {
        let path = responses.path();
        for (status, node) in entries.iter().filter(|(status, _)| status.starts_with('2')) {
            let Ok(response) = follow(document, node, &path.name(status))
                .map_err(|bad| bad.as_lost().report(findings))
            else {
                continue;
            };
            for media in media::media(document, &response, findings) {
                let schema = media.schema.filter(|_| media.kind == BodyKind::Json);
                output = output.or(schema.filter(|schema| !matches!(schema.node, Node::Null)));
                if !accept.contains(&media.media_type) {
                    accept.push(media.media_type);
                }
            }
        }
    }
    Answers { accept: accept.into(), output }
}
