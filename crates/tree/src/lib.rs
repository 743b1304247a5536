//! Text to one tree of nodes that know where they stand: YAML or JSON, within limits, every number with its digits. It
//! knows nothing of OpenAPI, so that descriptions, overlays and configurations are read by the same code. Pure: no I/O,
//! no clock, no environment.

mod code;
mod diagnostic;
mod limits;
mod node;
pub mod pointer;
mod source;
mod text;

pub use code::{CodeName, TextCode};
pub use diagnostic::{Diagnostic, Position, Severity};
pub use limits::Limits;
pub use node::{Node, Object};
pub use pointer::Path;
pub use source::{locate, locate_file, positions};
pub use text::{Interner, Parsed, read};
