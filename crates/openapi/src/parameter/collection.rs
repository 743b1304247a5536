//! Reads the style of a Swagger 2.0 parameter: the parameter itself contains `type`, `items` and `collectionFormat`
//! (2.0 §Parameter Object), and is its own schema; nested lists have their own format (2.0 §Items Object).

use callgate_tree::Node;

use crate::{
    code::Code,
    cursor::Cursor,
    input::{InputLocation, Style, Styled},
};

pub(crate) fn collection_style(object: Cursor<'_, '_>, place: InputLocation) -> Styled {
    let (style, explode) = list_style(object, Some(place));
    let items = nested_styles(object);
    if let Some(clash) = repeated_format(style, explode, &items) {
        let message =
            format!("expected another separator in each list of lists, got twice: `{clash}`");
        let help =
            "give `items` another `collectionFormat`; lists in the list may have one item each";
        object.warning(Code::AmbiguousList, message, help);
    }
    Styled { style, explode, allow_reserved: false, items }
}

/// The styles of nested lists, the outer ones first.
fn nested_styles(list: Cursor<'_, '_>) -> Box<[Style]> {
    let mut styles = Vec::new();
    let mut outer = list.located_node();
    while is_list(list.at_node(&outer)) && styles.len() < DEEPEST {
        let inner = list
            .at_node(&outer)
            .unresolved_member("items")
            .and_then(|items| items.target_without_report().ok());
        let Some(inner) = inner.filter(|inner| is_list(list.at_node(inner))) else { break };
        styles.push(list_style(list.at_node(&inner), None).0);
        outer = inner;
    }
    styles.into()
}

fn is_list(object: Cursor<'_, '_>) -> bool {
    object.text_without_report("type") == Some("array")
}

/// The style of one list, and true if each item is a separate parameter. `place` is the parameter's location; `None`
/// for a nested list.
fn list_style(object: Cursor<'_, '_>, place: Option<InputLocation>) -> (Style, bool) {
    let said = object
        .unresolved_member("collectionFormat")
        .filter(|said| !matches!(said.node, Node::Null));
    let declared_style =
        said.and_then(|said| said.node.as_str()).and_then(|name| style_by_format(name, place));
    if let (Some(said), None) = (said, declared_style) {
        let place = match place {
            None => "lists in a list",
            Some(InputLocation::Body) => "formData parameters",
            Some(place) => &format!("{} parameters", place.as_str()),
        };
        let got = said.node.as_str().unwrap_or_else(|| said.node.kind());
        let message = format!("expected a `collectionFormat` for {place}, got: `{got}`");
        said.warning(Code::InvalidStyle, message, "correct the format; `csv` is used");
    }
    declared_style.unwrap_or_else(|| (comma_style(place), false))
}

fn style_by_format(format: &str, place: Option<InputLocation>) -> Option<(Style, bool)> {
    match (format, place) {
        ("csv", _) => Some((comma_style(place), false)),
        ("multi", Some(InputLocation::Body | InputLocation::Query)) => Some((Style::Form, true)),
        ("pipes", _) => Some((Style::PipeDelimited, false)),
        ("ssv", _) => Some((Style::SpaceDelimited, false)),
        ("tsv", _) => Some((Style::TabDelimited, false)),
        _ => None,
    }
}

fn comma_style(place: Option<InputLocation>) -> Style {
    if matches!(place, Some(InputLocation::Body | InputLocation::Query)) {
        Style::Form
    } else {
        Style::Simple
    }
}

/// The format that a list shares with a list inside it; `None` if all formats differ.
fn repeated_format(style: Style, explode: bool, items: &[Style]) -> Option<&'static str> {
    let outer = Some(style).filter(|_| !explode);
    let mut formats: Vec<_> = outer.iter().chain(items).map(|style| format_name(*style)).collect();
    formats.sort_unstable();
    formats.windows(2).find_map(|pair| match pair {
        [one, other] if one == other => Some(*one),
        _ => None,
    })
}

fn format_name(style: Style) -> &'static str {
    match style {
        Style::PipeDelimited => "pipes",
        Style::SpaceDelimited => "ssv",
        Style::TabDelimited => "tsv",
        _ => "csv",
    }
}

/// The nesting limit: there are four separators.
const DEEPEST: usize = 8;
