//! Reads the parameters of an operation: those of its path item and its own, with place, style and schema. Which name
//! the model sees, and which of them it sees, is decided in `layout`.

pub(crate) mod collection;
mod known;
mod same;

use std::sync::Arc;

use callgate_tree::{Node, Path};

use crate::{
    code::Code,
    document::Document,
    findings::Findings,
    input::{Encoding, Place, Placement, Style, Styled},
    reference::{Located, beside, follow},
    security::header::is_header_name,
};

pub(crate) use known::Known;
use same::{Seen, places};

/// One parameter as it is described.
#[derive(Clone, Debug)]
pub(crate) struct Parameter<'d> {
    /// The parameter object; nothing where only the template has the variable.
    pub(crate) object: &'d Node,
    /// Where it is; none where its schema stands in it, whose place says it too.
    pub(crate) pointer: Option<Arc<str>>,
    pub(crate) name: Arc<str>,
    pub(crate) placement: Placement,
    pub(crate) required: bool,
    /// Its schema; none when the description gives none.
    pub(crate) schema: Option<Located<'d>>,
    /// What is said of it beside the reference to it, instead of what it says itself.
    pub(crate) description: Option<Arc<str>>,
}

/// The parameters of an operation, which is the first level, and of its path items: the outermost first, each replaced
/// by a nearer one of the same name and place (OpenAPI 3.0.3 §4.7.9.1).
pub(crate) fn read<'d>(
    known: &mut Known<'d>,
    document: &'d Document,
    levels: &[&Located<'d>],
    findings: &mut Findings,
) -> Vec<Parameter<'d>> {
    let mut lists = levels.iter().enumerate().rev().map(|(at, level)| match at {
        0 => list(known, document, level, findings).parameters,
        _ => known::of_item(known, document, level, findings),
    });
    let mut parameters = lists.next().unwrap_or_default();
    for own in lists.filter(|own| !own.is_empty()) {
        let places = places(&parameters, &own);
        for (own, place) in own.into_iter().zip(places) {
            match place.and_then(|place| parameters.get_mut(place)) {
                Some(shared) => *shared = own,
                None => parameters.push(own),
            }
        }
    }
    parameters
}

impl<'d> Parameter<'d> {
    /// The parameter object where it is.
    pub(crate) fn located(&self) -> Located<'d> {
        let pointer = self.pointer.as_ref().map_or_else(|| self.pointer().into(), Arc::clone);
        Located { node: self.object, pointer }
    }
}

impl Parameter<'_> {
    /// Whether it is the whole body of a Swagger 2.0 operation, and not a field of a form.
    pub(crate) fn is_whole_body(&self) -> bool {
        self.object.get("in").and_then(Node::as_str) == Some("body")
    }

    /// The pointer of the parameter object; where nothing declares it, of the operation.
    pub(crate) fn pointer(&self) -> &str {
        let of_schema = || self.schema.as_ref().map(|schema| &*schema.pointer).unwrap_or_default();
        match &self.pointer {
            Some(pointer) => pointer,
            None => of_schema().strip_suffix(BELOW_IT).unwrap_or_default(),
        }
    }

    /// Where it goes.
    pub(crate) fn place(&self) -> Place {
        self.placement.place()
    }
}

/// The parameters of one list.
#[derive(Clone, Debug, Default)]
struct List<'d> {
    parameters: Vec<Parameter<'d>>,
    /// The steps that each of them takes.
    steps: usize,
}

fn list<'d>(
    shared: &mut Known<'d>,
    document: &'d Document,
    holder: &Located<'d>,
    findings: &mut Findings,
) -> List<'d> {
    let Some(nodes) = holder.node.get("parameters") else { return List::default() };
    let above = holder.path();
    let path = above.name("parameters");
    if matches!(nodes, Node::Null) {
        return List::default();
    }
    let Some(nodes) = nodes.as_array() else {
        let message = format!("expected `parameters` to be an array, got: {}", nodes.kind());
        findings.warning(Code::MalformedNode, path, message, "write a list of parameters");
        return List::default();
    };
    let steps = PARAMETER + path.index(0).weight();
    let mut parameters: Vec<Parameter<'d>> = Vec::new();
    let mut known = Seen::default();
    for (index, node) in nodes.iter().enumerate() {
        let path = path.index(index);
        if !document.spend(steps) {
            break;
        }
        let parameter = shared.read(node, (document, &path), findings, one);
        let Some(parameter) = parameter else { continue };
        if !known.is_new(&parameter, &parameters) {
            let message = format!(
                "expected each parameter once, got a second {} parameter: `{}`",
                parameter.place().as_str(),
                parameter.name
            );
            findings.warning(Code::DuplicateParameter, path, message, "remove it");
            continue;
        }
        parameters.push(parameter);
    }
    List { parameters, steps }
}

fn one<'d>(
    document: &'d Document,
    node: &'d Node,
    path: &Path<'_>,
    findings: &mut Findings,
) -> Option<Parameter<'d>> {
    let object = follow(document, node, path).map_err(|bad| bad.report(findings)).ok()?;
    let Some(name) = object.node.get("name").and_then(Node::as_shared_str) else {
        let message = "expected a parameter with a `name`, got one without".to_owned();
        findings.warning(Code::MalformedNode, &object.pointer, message, "give it a `name`");
        return None;
    };
    let said = object.node.get("in").and_then(Node::as_str);
    let Some(place) = said.and_then(|name| place(document, name)) else {
        let message = format!(
            "expected the parameter `{name}` to be `in` path, query, header or cookie, got: `{}`",
            said.unwrap_or("nothing")
        );
        findings.warning(Code::MalformedNode, &object.pointer, message, "correct its `in`");
        return None;
    };
    let required = is_required(&object, place, findings);
    if place == Place::Header && !is_header_name(name) {
        let message = format!("expected a header whose name can be one, got: `{name}`");
        // Without a header that must be there no call would be what the description asks for.
        let report = if required { Findings::error } else { Findings::warning };
        report(findings, Code::MalformedNode, &object.pointer, message, "correct its `name`");
        return None;
    }
    let (placement, schema) = placement(document, &object, place, findings);
    let name = Arc::clone(name);
    let description = beside(document, node, path, "description").cloned();
    let Located { node: object, pointer } = object;
    let pointer = Some(pointer);
    Some(Parameter { object, pointer, name, placement, required, schema, description })
}

fn is_required(object: &Located<'_>, place: Place, findings: &mut Findings) -> bool {
    let required = object.node.get("required").and_then(Node::as_bool).unwrap_or_default();
    if place == Place::Path && !required {
        findings.note(
            Code::OptionalPathParameter,
            &object.pointer,
            "expected a path parameter to be `required: true`, got one that is not".to_owned(),
            "add `required: true`; it is treated as required",
        );
        return true;
    }
    required
}

fn place(document: &Document, name: &str) -> Option<Place> {
    match name {
        "body" | "formData" if document.version().is_swagger() => Some(Place::Body),
        "cookie" => Some(Place::Cookie),
        "header" => Some(Place::Header),
        "path" => Some(Place::Path),
        "query" => Some(Place::Query),
        "querystring" if document.version().is_at_least(3, 2) => Some(Place::Querystring),
        _ => None,
    }
}

/// Where a parameter goes and how it is written there, and the schema of what is written.
fn placement<'d>(
    document: &'d Document,
    object: &Located<'d>,
    place: Place,
    findings: &mut Findings,
) -> (Placement, Option<Located<'d>>) {
    let of_parameter = match place {
        Place::Body => return (Placement::Body, Some(object.clone())),
        Place::Cookie => Placement::Cookie,
        Place::Header => Placement::Header,
        Place::Path => Placement::Path,
        Place::Query => Placement::Query,
        Place::Querystring => return querystring(document, object),
    };
    if document.version().is_swagger() {
        let styled = collection::styled(document, object, place, findings);
        return (of_parameter(Encoding::Styled(styled)), Some(object.clone()));
    }
    if let Some((media_type, schema)) = content(document, object) {
        return (of_parameter(Encoding::Content { media_type }), schema);
    }
    (of_parameter(Encoding::Styled(styled(object, place, findings))), object.member("schema"))
}

/// The whole query string is written by its media type; a form unless another is named.
fn querystring<'d>(
    document: &'d Document,
    object: &Located<'d>,
) -> (Placement, Option<Located<'d>>) {
    let (media_type, schema) =
        content(document, object).unwrap_or_else(|| (FORM.into(), object.member("schema")));
    (Placement::Querystring { media_type }, schema)
}

/// The first media type under `content`, and its schema.
fn content<'d>(
    document: &'d Document,
    object: &Located<'d>,
) -> Option<(Arc<str>, Option<Located<'d>>)> {
    let content = object.member("content");
    let content =
        content.and_then(|content| follow(document, content.node, &content.path()).ok())?;
    let (media_type, media) = content.node.as_object()?.iter().next()?;
    let above = content.path();
    let schema = Located::new(media, &above.name(media_type)).member("schema");
    let bare = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    Some((bare.into(), schema))
}

fn styled(object: &Located<'_>, place: Place, findings: &mut Findings) -> Styled {
    let default = match place {
        Place::Header | Place::Path => Style::Simple,
        _ => Style::Form,
    };
    let said = object.node.get("style");
    let known = said.and_then(Node::as_str).and_then(|name| style(name, place));
    if let (Some(said), None) = (said, known) {
        findings.warning(
            Code::InvalidStyle,
            object.path().name("style"),
            format!(
                "expected a style for {} parameters, got: `{}`",
                place.as_str(),
                said.as_str().unwrap_or_else(|| said.kind())
            ),
            "correct the style; the default of the place is used",
        );
    }
    let style = known.unwrap_or(default);
    let flag = |name: &str| object.node.get(name).and_then(Node::as_bool);
    Styled {
        style,
        // OpenAPI 3.2.0 §4.12.2.2: the default is `true` for `form` and `cookie`, and `false` for every other style.
        explode: flag("explode").unwrap_or(matches!(style, Style::Cookie | Style::Form)),
        allow_reserved: place == Place::Query && flag("allowReserved").unwrap_or_default(),
        items: Box::default(),
    }
}

/// A style by its name, where the place allows it (OpenAPI 3.0.3 §4.7.12.3).
fn style(name: &str, place: Place) -> Option<Style> {
    match (name, place) {
        ("deepObject", Place::Query) => Some(Style::DeepObject),
        ("cookie", Place::Cookie) => Some(Style::Cookie),
        ("form", Place::Cookie | Place::Query) => Some(Style::Form),
        ("label", Place::Path) => Some(Style::Label),
        ("matrix", Place::Path) => Some(Style::Matrix),
        ("pipeDelimited", Place::Query) => Some(Style::PipeDelimited),
        ("simple", Place::Header | Place::Path) => Some(Style::Simple),
        ("spaceDelimited", Place::Query) => Some(Style::SpaceDelimited),
        _ => None,
    }
}

/// Where the schema of a parameter stands below it.
const BELOW_IT: &str = "/schema";

const FORM: &str = "application/x-www-form-urlencoded";

/// What it takes to read a parameter, in steps.
const PARAMETER: usize = 4;

#[cfg(test)]
mod tests;
