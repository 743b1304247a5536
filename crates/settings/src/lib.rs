//! Settings: how keys are declared, read and found wrong. A table of keys is declared once, and makes the structure, the reading
//! with the position of each fault, the suggestion for a misspelt key and the schema. Knows no key: crates declare their own.

mod code;
mod digest;
mod effects;
mod file;
mod finding;
mod form;
mod keys;
mod reader;
mod schema;
mod secret_reference;
mod section;
mod session_source;
mod tool_values;

pub use callgate_tool::pointer_segment;
pub use code::SettingCode;
pub use digest::{ConfigDigest, Texts};
pub use effects::{Asking, Fetching, LoadEffects};
pub use file::{
    MAX_FILE_BYTES, create_private_file, create_private_folder, file_beginning, read_error_remedy,
    read_file, write_and_remove_oldest,
};
pub use finding::{Finding, Severity};
pub use form::{Bytes, Count, Form, MapOf, Whole, Words};
pub use keys::{Key, Kind, Table, Takes};
pub use reader::{LookedUp, Mapping, Reader, member_pointer, nearest_help};
pub use schema::schema;
pub use secret_reference::{
    SecretOrName, note_secret, note_secret_and_warn, parse_secret_reference, read_required_secret,
    read_secrets, warn_of_short_literal,
};
pub use section::{Section, about};
pub use session_source::session_source;
pub use tool_values::Inputs;
