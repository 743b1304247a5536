//! Google's formats: tools and whole exports of Dialogflow CX and of Customer Engagement Suite. The formats of messages are in
//! `callgate-dialect`, as those of other providers.
//!
//! [`Exports`] reads what the keys `dialogflow_tool` and `ces_toolset` of a toolset name:
//!
//! ```no_run
//! use callgate_ces::Exports;
//! use callgate_config::{Environment, Kinds, Loader};
//!
//! # async fn example() -> Result<(), callgate_config::Error> {
//! let kinds = Kinds::new().with_source(Exports);
//! let config = Loader::new().with_kinds(kinds).file("callgate.yaml")?;
//! let built = config.build(&Environment::new(), None).await?;
//! # drop(built);
//! # Ok(())
//! # }
//! ```
//!
//! With the feature `sidecar`, `routes` are the paths of both products for a sidecar.

mod export;
mod import;
#[cfg(feature = "sidecar")]
mod members;
mod package;
#[cfg(feature = "sidecar")]
mod routes;
#[cfg(feature = "sidecar")]
mod runs;
#[cfg(feature = "sidecar")]
mod tool_service;
mod whole;

pub use export::Exports;
pub use import::{Imported, Remark, RemarkKind, import_ces, import_cx, import_cx_agent};
#[cfg(feature = "sidecar")]
pub use routes::routes;
pub use whole::{
    ExportCode, ExportKind, ImportedExample, ImportedToolset, WholeExport, import_export,
};
