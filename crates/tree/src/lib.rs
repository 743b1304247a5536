//! Reads YAML or JSON text into one tree of nodes, within limits and with every digit of every number. The crate knows
//! nothing of OpenAPI: descriptions, overlays and configurations are read by this code. It is pure: no I/O, no clock,
//! no environment.

mod code;
mod diagnostic;
mod limits;
mod locate;
mod node;
pub mod pointer;
mod setting_finding;
mod text;

pub use code::{CodeName, TextCode};
pub use diagnostic::{Diagnostic, Position, Severity};
pub use limits::Limits;
pub use locate::{fill_file_positions, fill_positions, nearest_positions};
pub use node::{Node, Object};
pub use pointer::Path;
pub use setting_finding::{SettingFinding, quoted_name_list};
pub use text::{Interner, Parsed, read};
