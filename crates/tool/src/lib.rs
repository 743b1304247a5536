//! The words that every crate of callgate shares: tools, calls, results, faults and sessions. Plain data: no I/O, no clock,
//! no environment. `dialect` writes them in foreign wire formats.

mod answer;
mod call;
mod caller_token;
mod codes;
mod edit;
mod fault;
mod fingerprint;
mod foreign_time;
mod header;
mod journal;
mod json_forms;
mod json_text;
mod likeness;
mod name;
mod named_by;
mod number;
mod outcome_bytes;
mod principal;
mod reader;
mod remedy;
mod schema;
mod serial;
mod session;
mod setters;
mod spelling;
mod tool;
mod tool_call;
mod value;
mod visible;

pub use answer::{Answer, Content, Cut, Handle, Part, StoredResult, Truncated, Unit};
pub use call::{
    Approvers, InvalidAnswer, Outcome, Pending, PendingKind, PlannedRequest, Preview, ToolResult,
};
pub use caller_token::CallerToken;
pub use edit::{EditFault, EditFaultKind, ToolEdit};
pub use fault::{Fault, FaultCode, Next, Problem, Reached};
pub use fingerprint::{Fingerprint, FingerprintHasher};
pub use foreign_time::clamped_duration;
pub use header::is_framing_header;
pub use journal::{Audience, Event, Journal, JournalEntry};
pub use json_forms::rfc_3339;
pub use json_text::Json;
pub use likeness::{misspells, nearest, nearest_first, shows_all_letters};
pub use name::{
    ArgumentName, InvalidName, MAX_ARGUMENT_NAME, MAX_TOOL_NAME, ToolName, ToolsetName,
};
pub use named_by::NamedBy;
pub use number::{Digits, InvalidNumber, Number, NumberText};
pub use principal::Principal;
pub use reader::{DEPTH, InvalidJson, JsonReader, JsonToken};
pub use remedy::Remedy;
pub use schema::{Definition, DefinitionGroup, Definitions, Schema};
pub use session::{Session, SessionName, SessionSource, StatementInput, mask_session};
pub use spelling::{hexadecimal, name_from_pointer_segment, pointer_segment, shortened_text};
pub use tool::{Effect, Tool};
pub use tool_call::{Arguments, ToolCall, deserialize_call_id};
pub use value::{
    Entry, ForeignNumber, Index, IntoIter, InvalidValue, Object, ToValue, Value, from_value,
    write_string,
};
pub use visible::{
    escape_and_quote_lines, escape_invisible, escape_invisible_in_line, is_invisible_or_control,
};
