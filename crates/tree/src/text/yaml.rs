//! Reads YAML into nodes from the events of `granit-parser`, which owns the grammar. This module adds the meaning of
//! scalars, sharing, aliases, merge keys and limits. It does not recurse: each level of the text is a frame on a stack.

mod alias;
mod builder;
mod scalar;

use granit_parser::{ErrorKind, Event, Marker, Options, Parser, ScanError, StrInput};

use super::Parsed;
use super::fault::{self, Fault};
use crate::diagnostic::Position;
use crate::limits::Limits;
use crate::node::Node;
use builder::Builder;

pub(crate) use scalar::Scalar;

pub(super) fn read(text: &str, limits: &Limits) -> Result<Parsed<Node>, Fault> {
    let mut builder = Builder::new(text.len(), limits);
    let mut parser = depth_limited_parser(text, limits);
    let mut last = Marker::default();
    while let Some(next) = parser.next_event() {
        let (event, span) = next.map_err(|error| yaml_fault(&error, text, limits))?;
        last = span.start;
        if matches!(event, Event::StreamEnd) {
            break;
        }
        builder.take_event(event, span.start)?;
    }
    let (root, diagnostics) = builder.finish();
    match root {
        Some(value) => Ok(Parsed { value, diagnostics }),
        None => {
            Err(fault::unreadable_fault(position(last), "the text is empty", "give a description"))
        }
    }
}

/// The parser counts lines from 1 and columns from 0.
pub(crate) fn position(marker: Marker) -> Position {
    Position { line: marker.line().max(1), column: marker.col() + 1 }
}

/// A parser that refuses nesting deeper than the limits allow before it looks ahead to the end of the brackets.
pub(crate) fn depth_limited_parser<'t>(text: &'t str, limits: &Limits) -> Parser<'t, StrInput<'t>> {
    let mut options = Options::default();
    options.block_nesting_limit = limits.depth.saturating_add(1);
    options.flow_nesting_limit = limits.depth.saturating_add(1);
    Parser::new_from_str_with_options(text, options)
}

fn yaml_fault(error: &ScanError, text: &str, limits: &Limits) -> Fault {
    let at = position(*error.marker());
    match error.kind() {
        ErrorKind::RecursionLimitExceeded => fault::too_deep(at, limits.depth),
        _ if is_indented_by_a_tab(text, at.line) => fault::tab_fault(at),
        _ => fault::not_yaml(at, &error.info()),
    }
}

fn is_indented_by_a_tab(text: &str, line: usize) -> bool {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    line.chars().take_while(|c| c.is_whitespace()).any(|c| c == '\t')
}
