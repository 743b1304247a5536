//! The configuration: text to a checked model to a ready executor. All faults are reported at once, each with its
//! place in the file; nothing is built from a configuration with a fault.

mod argument_headers;
mod authorization;
mod aws;
mod body_media;
mod build;
mod checked;
mod connect;
mod credential;
mod exported;
mod finding;
mod import;
mod keys;
mod load;
mod output;
mod overlays;
mod raw;
mod reader;
mod recordings;
mod references;
mod scheme_credentials;
mod secrets;
mod selection;
mod service_directory;
mod session_values;
mod tls;

pub use build::{Built, BuiltToolset};
pub use finding::{Finding, Severity};
pub use import::{Imported, Remark, RemarkKind, import_ces, import_cx, import_cx_agent};
pub use keys::{TABLES, Table};
pub use load::{DescriptionOptions, Error, load, load_description, load_toolset, open};
