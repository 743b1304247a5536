//! The seam for kinds of toolsets. A kind brings its keys, its codes, its settings and its tools; what all kinds share stands here
//! once: names, selection, edits, stand-ins while a source is away, and the opening with what an earlier build left.

mod argument_form;
mod code;
mod condition;
mod edit_faults;
mod edits;
mod flow;
mod google_code;
mod innermost;
mod kept_toolset;
mod kept_value;
mod kind;
mod named_tool;
mod opened_toolset;
mod operation;
mod selection;
mod settings;
mod source;
mod stand_ins;
mod surroundings;
mod text_model;
mod tool_rule;

pub use argument_form::ArgumentForm;
pub use code::KindCode;
pub use condition::{
    MOST_CONDITIONS, MOST_VALUES, Operator, conditions, conditions_schema, tests_schema,
};
pub use edit_faults::{report_edit_fault, unknown_tool_fault};
pub use edits::EditedBackend;
pub use flow::{Opening, open_toolsets};
pub use google_code::google_error_status;
pub use innermost::message_with_root_cause;
pub use kept_toolset::KeptToolset;
pub use kept_value::Kept;
pub use kind::{
    Beside, KindKeys, LIMITS_OF_CALLS, SELECTION_BY_NAME, ToolsetKind, warn_of_replaced_limits,
};
pub use named_tool::{CommonSettings, NamedTool};
pub use opened_toolset::{Absence, Opened, OpenedToolset, Siblings};
pub use operation::Operation;
pub use settings::{GivenLimits, KindSettings, ServiceCalls, are_equal_settings};
pub use source::{Counts, Followed, OpenedSource};
pub use surroundings::{Missing, SharedSurroundings, Surroundings, Ways};
pub use text_model::{TextModel, TextModels, TextReply, TextRequest};
pub use tool_rule::{EditRule, ToolRule};
