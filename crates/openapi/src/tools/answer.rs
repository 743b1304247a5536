//! Reads the parts of an operation's responses that a call needs: the media types of success and the schema of the
//! first success that is JSON. `call` reads the response itself.

use std::sync::Arc;

use callgate_tree::{Node, Object};
use hashbrown::HashMap;
use indexmap::IndexSet;

use crate::{
    body::{
        BodyKind,
        media::{self, DescribedMedia},
        swagger,
    },
    cursor::Cursor,
    input::InputLocation,
    parameter::Parameter,
    reference::{LocatedNode, reference_of},
};

#[derive(Debug)]
pub(super) struct Answers<'d> {
    pub(super) accept: Box<[Arc<str>]>,
    pub(super) headers: Box<[Arc<str>]>,
    pub(super) redirects: Box<[Arc<str>]>,
    pub(super) output: Option<LocatedNode<'d>>,
}

/// The `content` objects that were read without a finding, by their addresses: many operations have equal responses.
#[derive(Debug, Default)]
pub(super) struct AnswerCache<'d> {
    contents: HashMap<usize, Arc<DeclaredContent<'d>>>,
}

#[derive(Debug)]
struct DeclaredContent<'d> {
    types: Box<[Arc<str>]>,
    output: Option<([&'d str; 2], &'d Node)>,
}

#[derive(Debug, Default)]
struct GatheredAnswers<'d> {
    types: Vec<Arc<str>>,
    headers: IndexSet<Arc<str>>,
    redirects: Vec<Arc<str>>,
    output: Option<LocatedNode<'d>>,
}

/// The successful responses (2xx) and redirects (3xx), in the order of the description.
pub(super) fn read_answers<'d>(
    answer_cache: &mut AnswerCache<'d>,
    operation: Cursor<'d, '_>,
) -> Answers<'d> {
    let mut gathered = GatheredAnswers::default();
    let document = operation.document;
    let responses =
        operation.at_child("responses", operation.node.get("responses").unwrap_or(&Node::Null));
    // OpenAPI 3.1.1 §4.8.16: the default applies to every undeclared status, including success.
    let is_read = |status: &str| is_success(status) || is_redirect(status) || status == "default";
    for (status, at) in responses.affordable_named_members(is_read, ANSWER) {
        if is_redirect(status) {
            gathered.redirects.push(Arc::clone(status));
        }
        let followed = reference_of(at.node).map(|_| at.target_without_report());
        let response = match &followed {
            None => at,
            Some(Ok(response)) => at.at_node(response),
            // No request depends on a response.
            Some(Err(bad)) if is_success(status) => {
                at.report(&bad.as_missing_part());
                continue;
            }
            Some(Err(_)) => continue,
        };
        if let Some(declared) = response.unresolved_member("headers") {
            let names = declared.members_at_flat_cost(ANSWER).map(|(name, _)| Arc::clone(name));
            gathered.headers.extend(names);
        }
        if !is_success(status) {
            continue;
        }
        if document.version().is_swagger() {
            let types = swagger::listed_media(operation, "produces", &response.located_node());
            gathered.add_media(types);
            continue;
        }
        answer_cache.gather_response(response, &mut gathered);
    }
    Answers {
        accept: distinct_types(gathered.types),
        headers: gathered.headers.into_iter().collect(),
        redirects: gathered.redirects.into(),
        output: gathered.output,
    }
}

/// The `Accept` that a description asks for: the default of a header parameter of that name, if it can be sent. The
/// parameter itself is no argument (OpenAPI 3.0.3 §4.7.12.2), but its default says which version of a response the service
/// should send.
pub(super) fn default_accept_header(
    parameters: &[Parameter<'_>],
    operation: Cursor<'_, '_>,
) -> Option<Arc<str>> {
    let is_accept = |parameter: &&Parameter<'_>| {
        parameter.location() == InputLocation::Header
            && parameter.name.eq_ignore_ascii_case("accept")
    };
    let schema = parameters.iter().find(is_accept)?.schema.as_ref()?;
    let schema = operation.at_node(schema).target_without_report().ok()?;
    let default = schema.node.text("default")?.trim();
    let is_written = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    (default.contains('/') && default.bytes().all(is_written)).then(|| default.into())
}

fn is_success(status: &str) -> bool {
    status.starts_with('2')
}

fn is_redirect(status: &str) -> bool {
    status.starts_with('3')
}

impl<'d> AnswerCache<'d> {
    fn gather_response(&mut self, response: Cursor<'d, '_>, gathered: &mut GatheredAnswers<'d>) {
        let content = response.node.get("content").and_then(Node::as_object);
        let cached_content = content.and_then(|content| self.contents.get(&content.address()));
        if let Some(cached_content) = cached_content {
            return gathered.add_cached_content(cached_content, response);
        }
        let (media, own) = response.with_own_findings(media::content_media);
        if let Some(content) =
            content.filter(|content| own.is_empty() && has_no_references(content, &media))
        {
            let declared_content = Arc::new(DeclaredContent::from_media(content, &media));
            self.contents.insert(content.address(), declared_content);
        }
        response.absorb_findings(&own);
        gathered.add_media(media);
    }
}

impl<'d> DeclaredContent<'d> {
    fn from_media(content: &'d Object, media: &[DescribedMedia<'d>]) -> Self {
        let mut pairs = content.iter().zip(media);
        let output = pairs.find_map(|((name, _), media)| {
            let schema = media.schema.as_ref().filter(|_| media.kind == BodyKind::Json)?;
            let keyword = if media.is_item { "itemSchema" } else { "schema" };
            is_not_null(schema).then_some(([&**name, keyword], schema.node))
        });
        Self { types: media.iter().map(|media| Arc::clone(&media.media_type)).collect(), output }
    }
}

impl<'d> GatheredAnswers<'d> {
    fn add_media(&mut self, media: Vec<DescribedMedia<'d>>) {
        for media in media {
            if self.output.is_none() && media.kind == BodyKind::Json {
                self.output = media.schema.filter(is_not_null);
            }
            self.types.push(media.media_type);
        }
    }

    fn add_cached_content(&mut self, content: &DeclaredContent<'d>, response: Cursor<'d, '_>) {
        if let (None, Some(([media_type, keyword], node))) = (&self.output, content.output) {
            let path = response.path().name("content");
            self.output = Some(LocatedNode::new(node, &path.name(media_type).name(keyword)));
        }
        // Every operation pays for a shared response.
        let types = response.document.while_affordable(&content.types, media::MEDIA);
        self.types.extend(types.map(Arc::clone));
    }
}

fn is_not_null(schema: &LocatedNode<'_>) -> bool {
    !matches!(schema.node, Node::Null)
}

/// True if each member of a `content` object is one of these media types, and none of them is a reference.
fn has_no_references(content: &Object, media: &[DescribedMedia<'_>]) -> bool {
    content.len() == media.len()
        && !content.contains("$ref")
        && !content.contains("$dynamicRef")
        && content.iter().all(|(_, node)| reference_of(node).is_none())
}

fn distinct_types(types: Vec<Arc<str>>) -> Box<[Arc<str>]> {
    if types.len() > COMPARED_TYPES {
        return types.into_iter().collect::<IndexSet<_>>().into_iter().collect();
    }
    let mut kept: Vec<Arc<str>> = Vec::new();
    for media_type in types {
        if !kept.contains(&media_type) {
            kept.push(media_type);
        }
    }
    kept.into()
}

/// Up to this many media types are compared pair by pair.
const COMPARED_TYPES: usize = 12;

/// The cost to read a response, in steps.
const ANSWER: usize = 4;
