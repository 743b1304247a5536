//! Reads how a parameter of Swagger 2.0 is written: `type`, `items` and `collectionFormat` stand on the parameter
//! itself (2.0 §Parameter Object), which is its own schema.

use crate::{
    code::Code,
    findings::Findings,
    input::{Encoding, Place, Style},
    node::Node,
    reference::Located,
};

/// How a parameter is written, from its `collectionFormat`.
pub(super) fn encoding(object: &Located<'_>, place: Place, findings: &mut Findings) -> Encoding {
    let said = object.node.get("collectionFormat").filter(|said| !matches!(said, Node::Null));
    let (style, explode) =
        said.and_then(Node::as_str).and_then(|name| style(name, place)).unwrap_or_else(|| {
            if let Some(said) = said {
                let place = if place == Place::Body { "formData" } else { place.as_str() };
                let got = said.as_str().unwrap_or_else(|| said.kind());
                let message =
                    format!("expected a `collectionFormat` for {place} parameters, got: `{got}`");
                let help = "correct the format; `csv` is used";
                findings.warning(
                    Code::InvalidStyle,
                    object.path().name("collectionFormat"),
                    message,
                    help,
                );
            }
            (comma(place), false)
        });
    let allows_empty = object.node.get("allowEmptyValue").and_then(Node::as_bool) == Some(true);
    Encoding::Styled {
        style,
        explode,
        allow_reserved: false,
        allow_empty: allows_empty && matches!(place, Place::Body | Place::Query),
    }
}

fn style(format: &str, place: Place) -> Option<(Style, bool)> {
    match (format, place) {
        ("csv", _) => Some((comma(place), false)),
        ("multi", Place::Body | Place::Query) => Some((Style::Form, true)),
        ("pipes", _) => Some((Style::PipeDelimited, false)),
        ("ssv", _) => Some((Style::SpaceDelimited, false)),
        ("tsv", _) => Some((Style::TabDelimited, false)),
        _ => None,
    }
}

/// The style that puts commas between items.
fn comma(place: Place) -> Style {
    if matches!(place, Place::Body | Place::Query) { Style::Form } else { Style::Simple }
}
