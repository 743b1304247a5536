//! The parser: OpenAPI text to operations to tools. Pure: no I/O, no clock, no environment. It never panics and never
//! stops at the first fault.

mod body;
mod code;
mod diagnostic;
mod input;
mod limits;
mod node;
mod operation;
mod pointer;
mod server;
mod source;
mod text;

pub use body::{Body, BodyKind, BodyLayout, BodyMedia};
pub use code::Code;
pub use diagnostic::{Diagnostic, Position, Severity};
pub use input::{Encoding, Input, NestedInput, Place, Source, Step, Style};
pub use limits::Limits;
pub use node::{Node, Number, Object};
pub use operation::{Operation, PathPart};
pub use pointer::{Path, pointer_of_fragment};
pub use server::{NamedBy, Server};
pub use source::locate;
pub use text::{Parsed, read};
