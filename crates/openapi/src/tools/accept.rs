//! The `Accept` that a description asks for: the default of a header parameter of that name. The parameter itself is no
//! argument (OpenAPI 3.0.3 §4.7.12.2), but its default says which version of a response the service should send.

use std::sync::Arc;

use callgate_tree::Node;

use crate::{cursor::Cursor, input::InputLocation, parameter::Parameter};

/// The default of the parameter `Accept`, if it has one that can be sent.
pub(super) fn declared(
    parameters: &[Parameter<'_>],
    operation: Cursor<'_, '_>,
) -> Option<Arc<str>> {
    let is_accept = |known: &&Parameter<'_>| {
        known.place() == InputLocation::Header && known.name.eq_ignore_ascii_case("accept")
    };
    let schema = parameters.iter().find(is_accept)?.schema.as_ref()?;
    let schema = operation.to(schema).target().ok()?;
    let default = schema.node.get("default").and_then(Node::as_str)?.trim();
    let is_written = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    (default.contains('/') && default.bytes().all(is_written)).then(|| default.into())
}
