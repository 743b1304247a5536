//! The parser: from a tree of nodes to operations to tools. Pure: no I/O, no clock, no environment. It never panics and
//! never stops at the first fault.

mod address;
mod budget;
mod worklist;

mod bindings;
mod blueprint;
mod body;
mod code;
mod cursor;
mod declaration;
mod document;
mod edit;
mod findings;
mod html_text;
mod input;
mod json_path;
mod keys;
mod layout;
mod limits;
mod meter;
mod names;
mod nested_inputs;
mod open_forms;
mod operation;
mod options;
mod outline;
mod output;
mod overlay;
mod parameter;
mod purpose;
mod reach;
mod reference;
mod repetition;
mod report;
#[cfg(test)]
mod sample;
mod sanitize;
mod schema;
mod security;
mod selection;
mod server;
mod session_input;
mod shared_patch;
mod template;
mod tools;
mod unusable_members;
mod unused_references;
mod xml_keys;

pub use bindings::{Alternative, Bindings, Fixed, SchemaNode};
pub use body::{
    Body, BodyKind, BodyLayout, BodyMedia, NamePattern, OpenFiles, PartHeader, PositionEncodings,
    PropertyEncoding, XmlName,
};
pub use budget::Budget;
pub use code::{Code, Example};
pub use document::{
    Document, Unavailable, UnavailableReason, Version, is_foreign, is_foreign_text, read,
};
pub use edit::{AppliedEdit, FaultyEdit, edited_tool_name};
pub use html_text::{PageText, main_content_text, page_lines};
pub use input::{
    Encoding, Input, InputEdit, InputLocation, NestedInput, Placement, Step, Style, Styled,
    ValueSource,
};
pub use json_path::{JsonPath, PathStep};
pub use keys::{KeyForm, KeyOwner, KeySpace, Writer};
pub use layout::body_arguments::NoBodyArguments;
pub use limits::Limits;
pub use operation::{Operation, PathPart};
pub use options::{Defaults, LoadOptions, SessionInputs, ToolNames};
pub use outline::{AnswerField, Outline};
pub use overlay::{Applied, Overlaid, Overlay, apply_overlays};
pub use report::{OperationReport, OperationStatus, Report};
pub use sanitize::is_hidden;
pub use security::argument_header::{ArgumentHeader, ArgumentHeaders, NotAnArgumentHeader};
pub use security::credential_places::CredentialKind;
pub use security::header::is_withheld_header;
pub use security::{
    OAuthFlow, OAuthFlowKind, RequiredScheme, Requirement, Security, SecurityScheme,
    SecuritySchemeKind,
};
pub use selection::{Effects, InvalidPattern, Pattern, Selection, Unmatched};
pub use server::{InvalidServer, Server, check_server};
pub use tools::{Loaded, load, tags_with_ancestors};
