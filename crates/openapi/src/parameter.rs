//! Reads the parameters of an operation: its own and those of its path item, with location, style and schema. `layout`
//! decides their names for the model, and which of them it sees.

mod cache;
pub(crate) mod collection;
mod identity;

use std::sync::Arc;

use callgate_tree::{Node, Severity};

use crate::{
    code::Code,
    cursor::Cursor,
    document::Document,
    input::{Encoding, InputLocation, Placement, Style, Styled},
    reference::LocatedNode,
    security::header::is_header_name,
};

pub(crate) use cache::ParameterCache;
use identity::{SeenParameters, replaced_positions};

#[derive(Clone, Debug)]
pub(crate) struct Parameter<'d> {
    /// The parameter object; null if only the template declares the variable.
    pub(crate) object: &'d Node,
    /// The place of the object; `None` if its schema is inside it, because the schema's place contains it.
    pub(crate) pointer: Option<Arc<str>>,
    pub(crate) name: Arc<str>,
    pub(crate) placement: Placement,
    pub(crate) required: bool,
    pub(crate) schema: Option<LocatedNode<'d>>,
    pub(crate) description: Option<Arc<str>>,
}

/// The parameters of an operation, which is the first level, and of its path items: the outermost first, each replaced
/// by a nearer one with an equal name and location (OpenAPI 3.0.3 §4.7.9.1).
pub(crate) fn operation_parameters<'d>(
    parameter_cache: &mut ParameterCache<'d>,
    cursor: Cursor<'d, '_>,
    levels: &[&LocatedNode<'d>],
) -> Vec<Parameter<'d>> {
    let mut lists = levels.iter().enumerate().rev().map(|(at, level)| match at {
        0 => read_parameter_list(parameter_cache, cursor.at_node(level)).parameters,
        _ => cache::path_item_parameters(parameter_cache, cursor, level),
    });
    let mut parameters = lists.next().unwrap_or_default();
    for own in lists.filter(|own| !own.is_empty()) {
        let places = replaced_positions(&parameters, &own);
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
    pub(crate) fn located_object(&self) -> LocatedNode<'d> {
        let pointer = self.pointer.as_ref().map_or_else(|| self.pointer().into(), Arc::clone);
        LocatedNode { node: self.object, pointer }
    }

    /// True if the parameter is the whole body of a Swagger 2.0 operation, and not a field of a form.
    pub(crate) fn is_whole_body(&self) -> bool {
        self.object.text("in") == Some("body")
    }

    /// The pointer of the parameter object; if the parameter is not declared, that of the operation.
    pub(crate) fn pointer(&self) -> &str {
        let of_schema = || self.schema.as_ref().map(|schema| &*schema.pointer).unwrap_or_default();
        match &self.pointer {
            Some(pointer) => pointer,
            None => of_schema().strip_suffix(BELOW_IT).unwrap_or_default(),
        }
    }

    pub(crate) fn location(&self) -> InputLocation {
        self.placement.place()
    }
}

#[derive(Clone, Debug, Default)]
struct List<'d> {
    parameters: Vec<Parameter<'d>>,
    /// The cost of each parameter, in steps.
    steps: usize,
}

fn read_parameter_list<'d>(
    parameter_cache: &mut ParameterCache<'d>,
    holder: Cursor<'d, '_>,
) -> List<'d> {
    let list =
        holder.unresolved_member("parameters").filter(|list| !matches!(list.node, Node::Null));
    let Some(list) = list else { return List::default() };
    if list.node.as_array().is_none() {
        let message = format!("expected `parameters` to be an array, got: {}", list.node.kind());
        list.warning(Code::MalformedNode, message, "write a list of parameters");
        return List::default();
    }
    let mut parameters: Vec<Parameter<'d>> = Vec::new();
    let mut seen = SeenParameters::default();
    for listed in list.affordable_items(PARAMETER) {
        let Some(parameter) =
            parameter_cache.cached_or_read_parameter(listed, read_listed_parameter)
        else {
            continue;
        };
        if !seen.is_new(&parameter, &parameters) {
            let message = format!(
                "expected each parameter once, got a second {} parameter: `{}`",
                parameter.location().as_str(),
                parameter.name
            );
            listed.warning(Code::DuplicateParameter, message, "remove it");
            continue;
        }
        parameters.push(parameter);
    }
    List { parameters, steps: list.steps_of_item(PARAMETER) }
}

fn read_listed_parameter<'d>(listed: Cursor<'d, '_>) -> Option<Parameter<'d>> {
    let target = listed.target_or_report()?;
    let object = listed.at_node(&target);
    let Some(name) = object.shared_text("name") else {
        let message = "expected a parameter with a `name`, got one without".to_owned();
        object.warning(Code::MalformedNode, message, "give it a `name`");
        return None;
    };
    let said = object.text_without_report("in");
    let Some(place) = said.and_then(|name| location_by_name(object.document, name)) else {
        let message = format!(
            "expected the parameter `{name}` to be `in` path, query, header or cookie, got: `{}`",
            said.unwrap_or("nothing")
        );
        object.warning(Code::MalformedNode, message, "correct its `in`");
        return None;
    };
    let required = is_required(object, place);
    if place == InputLocation::Header && !is_header_name(name) {
        let message = format!("expected a header whose name can be one, got: `{name}`");
        // Without a required header every call would violate the description.
        let severity = if required { Severity::Error } else { Severity::Warning };
        object.add_finding(Code::MalformedNode, severity, message, "correct its `name`");
        return None;
    }
    let (placement, schema) = placement_and_schema(object, place);
    let description = listed.text_beside_reference("description");
    let name = Arc::clone(name);
    let LocatedNode { node: object, pointer } = target;
    let pointer = Some(pointer);
    Some(Parameter { object, pointer, name, placement, required, schema, description })
}

fn is_required(object: Cursor<'_, '_>, place: InputLocation) -> bool {
    let required = object.flag("required").unwrap_or_default();
    if place == InputLocation::Path && !required {
        object.note(
            Code::OptionalPathParameter,
            "expected a path parameter to be `required: true`, got one that is not".to_owned(),
            "add `required: true`; it is treated as required",
        );
        return true;
    }
    required
}

fn location_by_name(document: &Document, name: &str) -> Option<InputLocation> {
    match name {
        "body" | "formData" if document.version().is_swagger() => Some(InputLocation::Body),
        "cookie" => Some(InputLocation::Cookie),
        "header" => Some(InputLocation::Header),
        "path" => Some(InputLocation::Path),
        "query" => Some(InputLocation::Query),
        "querystring" if document.version().is_at_least(3, 2) => Some(InputLocation::Querystring),
        _ => None,
    }
}

/// Reads the location of a parameter, its style there, and the schema of its value.
fn placement_and_schema<'d>(
    object: Cursor<'d, '_>,
    place: InputLocation,
) -> (Placement, Option<LocatedNode<'d>>) {
    let of_parameter = match place {
        InputLocation::Body => return (Placement::Body, Some(object.located_node())),
        InputLocation::Cookie => Placement::Cookie,
        InputLocation::Header => Placement::Header,
        InputLocation::Path => Placement::Path,
        InputLocation::Query => Placement::Query,
        InputLocation::Querystring => return querystring_placement(object),
    };
    if object.document.version().is_swagger() {
        let styled = collection::collection_style(object, place);
        return (of_parameter(Encoding::Styled(styled)), Some(object.located_node()));
    }
    if let Some((media_type, media)) = content_media(object) {
        return (of_parameter(Encoding::Content { media_type }), media.member("schema"));
    }
    (
        of_parameter(Encoding::Styled(parameter_style(object, place))),
        object.unresolved_member_node("schema"),
    )
}

/// The whole query string is written by its media type, by default as a form.
fn querystring_placement<'d>(object: Cursor<'d, '_>) -> (Placement, Option<LocatedNode<'d>>) {
    let Some((media_type, media)) = content_media(object) else {
        let (media_type, encodings) = (FORM.into(), Box::default());
        let schema = object.unresolved_member_node("schema");
        return (Placement::Querystring { media_type, encodings }, schema);
    };
    let is_form = *media_type == *FORM;
    let encodings = if is_form { member_encodings(object.at_node(&media)) } else { Box::default() };
    (Placement::Querystring { media_type, encodings }, media.member("schema"))
}

/// The encodings of members that a media type object states: as in a form, a style counts before a media type (OpenAPI
/// 3.2.0 §4.15.1.1).
fn member_encodings(media: Cursor<'_, '_>) -> Box<[(Arc<str>, Encoding)]> {
    let Some(map) = media.unresolved_member("encoding") else { return Box::default() };
    let encodings = map.affordable_members(PARAMETER).filter_map(|(name, at)| {
        let target = at.target_or_report()?;
        Some((Arc::clone(name), member_encoding(at.at_node(&target))?))
    });
    encodings.collect()
}

fn member_encoding(object: Cursor<'_, '_>) -> Option<Encoding> {
    let has_style =
        ["allowReserved", "explode", "style"].iter().any(|name| object.node.get(name).is_some());
    if has_style {
        return Some(Encoding::Styled(parameter_style(object, InputLocation::Query)));
    }
    let media_type = object.text_without_report("contentType")?.split([',', ';']).next()?;
    let media_type = media_type.trim().to_ascii_lowercase();
    // Under a range, the type of a value decides, as without a media type.
    (!media_type.ends_with('*')).then(|| Encoding::Content { media_type: media_type.into() })
}

/// The media type of a parameter with `content`, without parameters, and its media type object.
fn content_media<'d>(object: Cursor<'d, '_>) -> Option<(Arc<str>, LocatedNode<'d>)> {
    let target = object.unresolved_member("content")?.target_without_report().ok()?;
    let content = object.at_node(&target);
    let (media_type, media) = content.node.as_object()?.iter().next()?;
    let media = content.at_child(media_type, media).target_without_report().ok()?;
    let bare = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    Some((bare.into(), media))
}

fn parameter_style(object: Cursor<'_, '_>, place: InputLocation) -> Styled {
    let default = match place {
        InputLocation::Header | InputLocation::Path => Style::Simple,
        _ => Style::Form,
    };
    let said = object.unresolved_member("style");
    let declared_style =
        object.text_without_report("style").and_then(|name| allowed_style(name, place));
    if let (Some(said), None) = (said, declared_style) {
        let got = said.node.as_str().unwrap_or_else(|| said.node.kind());
        let message = format!("expected a style for {} parameters, got: `{got}`", place.as_str());
        let help = "correct the style; the default of the place is used";
        said.warning(Code::InvalidStyle, message, help);
    }
    let style = declared_style.unwrap_or(default);
    Styled {
        style,
        // OpenAPI 3.2.0 §4.12.2.2: the default is `true` for `form` and `cookie`, and `false` for every other style.
        explode: object.flag("explode").unwrap_or(matches!(style, Style::Cookie | Style::Form)),
        allow_reserved: can_allow_reserved(object, place)
            && object.flag("allowReserved").unwrap_or_default(),
        items: Box::default(),
    }
}

/// OpenAPI 3.0.3 §4.7.12.2: `allowReserved` applies to a query alone. 3.2.0 §4.12.2.2 applies it to a path, too.
fn can_allow_reserved(object: Cursor<'_, '_>, place: InputLocation) -> bool {
    match place {
        InputLocation::Path => object.document.version().is_at_least(3, 2),
        place => place == InputLocation::Query,
    }
}

/// The style with this name, if the location allows it (OpenAPI 3.0.3 §4.7.12.3).
fn allowed_style(name: &str, place: InputLocation) -> Option<Style> {
    match (name, place) {
        ("deepObject", InputLocation::Query) => Some(Style::DeepObject),
        ("cookie", InputLocation::Cookie) => Some(Style::Cookie),
        ("form", InputLocation::Cookie | InputLocation::Query) => Some(Style::Form),
        ("label", InputLocation::Path) => Some(Style::Label),
        ("matrix", InputLocation::Path) => Some(Style::Matrix),
        ("pipeDelimited", InputLocation::Query) => Some(Style::PipeDelimited),
        ("simple", InputLocation::Header | InputLocation::Path) => Some(Style::Simple),
        ("spaceDelimited", InputLocation::Query) => Some(Style::SpaceDelimited),
        _ => None,
    }
}

const BELOW_IT: &str = "/schema";

const FORM: &str = "application/x-www-form-urlencoded";

/// The cost to read a parameter, in steps.
const PARAMETER: usize = 4;

#[cfg(test)]
mod tests;
