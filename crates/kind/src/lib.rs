//! The seam for kinds of toolsets. A kind brings its keys, its codes, its settings and its tools; what all kinds share stands here
//! once: names, selection, edits, stand-ins while a source is away, and the opening with what an earlier build left.

mod argument_form;
mod code;
mod edit_faults;
mod edits;
mod flow;
mod kind;
mod named_tool;
mod opened_toolset;
mod selection;
mod settings;
mod stand_ins;
mod tool_rule;

pub use argument_form::ArgumentForm;
pub use code::KindCode;
pub use edit_faults::{complain_of_edit, unknown_tool};
pub use edits::{EditedBackend, apply_edits};
pub use flow::{Opening, SharedSurroundings, open_toolsets};
pub use kind::{Beside, KindKeys, ToolsetKind};
pub use named_tool::{CommonSettings, NamedTool};
pub use opened_toolset::{Absence, Counts, Followed, Kept, Opened, OpenedToolset, Siblings};
pub use selection::select_tools;
pub use settings::{GivenLimits, KindSettings, ServiceCalls, Surroundings};
pub use stand_ins::stand_ins;
pub use tool_rule::{EditRule, ToolRule};
