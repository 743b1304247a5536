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
    /// The parameter object; the template variable's own place when nothing declares it.
    pub(crate) object: Located<'d>,
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
    let mut lists = levels.iter().rev().map(|level| list(known, document, level, findings));
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

impl Parameter<'_> {
    /// Whether it is the whole body of a Swagger 2.0 operation, and not a field of a form.
    pub(crate) fn is_whole_body(&self) -> bool {
        self.object.node.get("in").and_then(Node::as_str) == Some("body")
    }

    /// Where it goes.
    pub(crate) fn place(&self) -> Place {
        self.placement.place()
    }
}

/// The parameters of one list.
fn list<'d>(
    shared: &mut Known<'d>,
    document: &'d Document,
    holder: &Located<'d>,
    findings: &mut Findings,
) -> Vec<Parameter<'d>> {
    let Some(nodes) = holder.node.get("parameters") else { return Vec::new() };
    let above = holder.path();
    let path = above.name("parameters");
    if matches!(nodes, Node::Null) {
        return Vec::new();
    }
    let Some(nodes) = nodes.as_array() else {
        let message = format!("expected `parameters` to be an array, got: {}", nodes.kind());
        findings.warning(Code::MalformedNode, path, message, "write a list of parameters");
        return Vec::new();
    };
    let mut parameters: Vec<Parameter<'d>> = Vec::new();
    let mut known = Seen::default();
    for (index, node) in nodes.iter().enumerate() {
        let path = path.index(index);
        if !document.spend(PARAMETER + path.weight()) {
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
    parameters
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
    Some(Parameter { object, name, placement, required, schema, description })
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

const FORM: &str = "application/x-www-form-urlencoded";

/// What it takes to read a parameter, in steps.
const PARAMETER: usize = 4;

#[cfg(test)]
mod tests {
    use callgate_tool::{Value, json};

    use super::*;
    use crate::sample::document;

    /// One line a parameter, then the codes of the findings.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check(item: Value, operation: Value, expected: &[&str]) {
        let document = document(json!({"item": item, "operation": operation, "components": {
            "parameters": {"limit": {"name": "limit", "in": "query", "schema": {}}}}}));
        let level = |name: &str| Located {
            node: document.root().get(name).unwrap(),
            pointer: format!("/{name}").into(),
        };
        let mut findings = Findings::default();
        let mut known = Known::default();
        let parameters =
            read(&mut known, &document, &[&level("operation"), &level("item")], &mut findings);
        let lines = parameters.iter().map(|parameter| {
            let encoding = match &parameter.placement {
                Placement::Body => "body".to_owned(),
                Placement::Querystring { media_type } => media_type.to_string(),
                Placement::Cookie(encoding)
                | Placement::Header(encoding)
                | Placement::Path(encoding)
                | Placement::Query(encoding) => match encoding {
                    Encoding::Content { media_type } => media_type.to_string(),
                    Encoding::Styled(Styled { style, explode, .. }) => {
                        format!("{style:?} {explode}")
                    }
                },
            };
            let place = parameter.place().as_str();
            format!("{place} {} {} {encoding}", parameter.name, parameter.required)
        });
        let codes = findings.into_diagnostics();
        let codes = codes.iter().map(|finding| finding.code.as_str().to_owned());
        assert_eq!(
            lines.collect::<Vec<_>>().into_iter().chain(codes).collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn an_operation_overrides_its_path_item() {
        let item = json!({"parameters": [
            {"name": "id", "in": "path", "required": true, "schema": {}},
            {"name": "limit", "in": "query", "required": true, "schema": {}}]});
        let operation = json!({"parameters": [{"$ref": "#/components/parameters/limit"}]});
        check(item, operation, &["path id true Simple false", "query limit false Form true"]);
    }

    #[test]
    fn styles_have_defaults_by_place() {
        let parameters = ["path", "query", "header", "cookie"]
            .map(|place| json!({"name": "a", "in": place, "required": true, "schema": {}}));
        check(
            json!({}),
            json!({"parameters": parameters}),
            &[
                "path a true Simple false",
                "query a true Form true",
                "header a true Simple false",
                "cookie a true Form true",
            ],
        );
    }

    #[test]
    fn styles_are_taken_where_their_place_allows_them() {
        let row = |place: &str, style: &str| json!({"name": style, "in": place, "required": true, "style": style});
        check(
            json!({}),
            json!({"parameters": [row("query", "deepObject"), row("path", "matrix"), row("query", "label"), row("cookie", "cookie")]}),
            &[
                "query deepObject true DeepObject false",
                "path matrix true Matrix false",
                "query label true Form true",
                "cookie cookie true Cookie true",
                "invalid-style",
            ],
        );
    }

    #[test]
    fn a_parameter_with_content_is_written_by_its_media_type() {
        let content = json!({"Application/JSON; charset=utf-8": {"schema": {"type": "object"}}});
        let parameter = json!({"name": "filter", "in": "query", "content": content});
        check(
            json!({}),
            json!({"parameters": [parameter]}),
            &["query filter false application/json"],
        );
    }

    #[test]
    fn a_bad_parameter_does_not_hide_the_others() {
        let parameters = json!([
            {"in": "query"}, 7, {"name": "a", "in": "body"}, {"$ref": "#/nothing"},
            {"name": "good", "in": "query"}, {"name": "good", "in": "query"},
            {"name": "id", "in": "path"}]);
        check(
            json!({"parameters": null}),
            json!({"parameters": parameters}),
            &[
                "query good false Form true",
                "path id true Simple false",
                "malformed-node",
                "malformed-node",
                "malformed-node",
                "missing-reference",
                "duplicate-parameter",
                "optional-path-parameter",
            ],
        );
        check(json!({"parameters": {}}), json!({}), &["malformed-node"]);
    }
}
