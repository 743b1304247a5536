//! Drafts an OpenAPI description from recorded requests and responses: what differs between them becomes an input, what is
//! the same stays, and each guess is reported with its evidence. Credentials become security schemes; their values stand neither
//! in the description nor in a case. The same exchanges give the same bytes. Pure: no I/O, no clock.
//!
//! ```
//! use callgate_draft::{DraftOptions, Exchange, Given, draft};
//! use callgate_tool::json;
//!
//! let exchange = Exchange::from_given(Given {
//!     method: "GET",
//!     url: "https://api.pets.example/pets/7?key=secret-of-a-caller",
//!     output: Some(r#"{"id": 7, "name": "Rex"}"#),
//!     ..Given::default()
//! })?;
//! let draft = draft(vec![exchange], &DraftOptions::default())?;
//! let operation = draft.description.pointer("/paths/~1pets~1{petId}/get").unwrap();
//! assert_eq!(operation["operationId"], "getPet");
//! assert_eq!(operation["parameters"][0]["schema"], json!({"type": "integer"}));
//! assert!(!draft.description.to_string().contains("secret-of-a-caller"));
//! # Ok::<(), callgate_draft::Error>(())
//! ```

mod body;
mod case;
mod component;
mod describe;
mod description;
mod error;
mod exchange;
mod guess;
mod header;
mod merge;
mod name;
mod operation;
mod parameter;
mod path;
mod redact;
mod schema;
mod security;
mod shape;
mod source;
mod text;

pub use case::Case;
pub use describe::{
    Change, DESCRIBE_INSTRUCTIONS, apply_described_overlay, describe_request, overlay_text,
};
pub use description::{Draft, DraftOptions, draft};
pub use error::{Error, ErrorKind};
pub use exchange::{Exchange, Given};
pub use guess::Guess;
pub use source::{
    Source, read_curl_commands, read_har, read_http_messages, read_postman_collection,
};
