//! The parser: OpenAPI text to operations to tools. Pure: no I/O, no clock, no environment. It never panics and never
//! stops at the first fault.

mod address;
mod allowance;
mod aside;
mod blueprint;
mod body;
mod code;
mod declaration;
mod diagnostic;
mod document;
mod effort;
mod findings;
mod input;
mod layout;
mod limits;
mod names;
mod nested;
mod node;
mod operation;
mod options;
mod overlay;
mod parameter;
mod pointer;
mod reach;
mod reference;
mod report;
#[cfg(test)]
mod sample;
mod schema;
mod security;
mod selection;
mod server;
mod session_input;
mod source;
mod template;
mod text;
mod tools;

pub use allowance::Allowance;
pub use body::{
    Body, BodyKind, BodyLayout, BodyMedia, PartHeader, PositionEncodings, PropertyEncoding, XmlName,
};
pub use code::Code;
pub use diagnostic::{Diagnostic, Position, Severity};
pub use document::{Document, Unavailable, UnavailableReason, Version};
pub use input::{Encoding, Input, NestedInput, Place, Placement, Source, Step, Style, Styled};
pub use limits::Limits;
pub use node::{Node, Number, Object};
pub use operation::{Operation, PathPart};
pub use options::{LoadOptions, SessionInputs};
pub use overlay::{Applied, Overlaid, Overlay, apply_overlays};
pub use pointer::{Path, pointer_of_fragment};
pub use report::{OperationReport, OperationStatus, Report};
pub use security::argument_header::{ArgumentHeader, ArgumentHeaders, NotAnArgumentHeader};
pub use security::header::is_withheld_header;
pub use security::{
    OAuthFlow, OAuthFlowKind, RequiredScheme, Requirement, Security, SecurityScheme,
    SecuritySchemeKind,
};
pub use selection::{Effects, InvalidPattern, Pattern, Selection, Unmatched};
pub use server::Server;
pub use source::{locate, locate_file, positions};
pub use text::{Parsed, read};
pub use tools::{Loaded, load};
