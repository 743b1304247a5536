//! Reads YAML into nodes from the events of `saphyr-parser`, which owns the grammar; here are the meaning of scalars,
//! sharing, aliases, merge keys and limits. Nothing here recurses: a level of the text is a frame on a stack.

mod alias;
mod builder;
mod scalar;

use saphyr_parser::{Event, Marker, Parser, ScanError};

use super::Parsed;
use super::fault::{self, Fault};
use crate::diagnostic::Position;
use crate::limits::Limits;
use crate::node::Node;
use builder::Builder;

pub(crate) use scalar::Scalar;

pub(super) fn read(text: &str, limits: &Limits) -> Result<Parsed<Node>, Fault> {
    let mut builder = Builder::new(text.len(), limits);
    let mut parser = Parser::new_from_str(text);
    let mut last = Marker::default();
    while let Some(next) = parser.next_event() {
        let (event, span) = next.map_err(|error| unreadable(&error, limits))?;
        last = span.start;
        if matches!(event, Event::StreamEnd) {
            break;
        }
        builder.take(event, span.start)?;
    }
    let (root, diagnostics) = builder.finish();
    match root {
        Some(value) => Ok(Parsed { value, diagnostics }),
        None => Err(fault::unreadable(position(last), "the text is empty", "give a description")),
    }
}

/// The parser counts lines from 1 and columns from 0.
pub(crate) fn position(marker: Marker) -> Position {
    Position { line: marker.line().max(1), column: marker.col() + 1 }
}

fn unreadable(error: &ScanError, limits: &Limits) -> Fault {
    let at = position(*error.marker());
    match error.info() {
        // The parser's own limit of nested brackets, 255, which it may meet before it tells of the first.
        "recursion limit exceeded" => fault::too_deep(Some(at), limits.depth),
        reason => fault::not_yaml(at, reason),
    }
}
