//! Findings about programs as a tool.

use callgate_settings::SettingCode;
use callgate_tool::codes;
use callgate_tree::SettingFinding;

use crate::unavailable::Unavailable;

codes! {
    /// The kinds of findings about programs as a tool.
    pub enum CodeFinding {
        /// This build, this machine or this program runs no code of the engine.
        CodeUnavailable = "code-unavailable":
            "Choose the other engine, use a build with it, or name the program that runs code: `callgate_code::set_worker_program`.";
    }
}

/// The engine runs no code here.
pub(crate) fn unavailable(
    pointer: String,
    engine: &str,
    unavailable: &Unavailable,
) -> SettingFinding {
    let message = format!("expected an engine that runs code here, got `{engine}`: {unavailable}");
    let help = unavailable.remedy();
    SettingFinding::error(CodeFinding::CodeUnavailable.as_str(), pointer, message, help)
}

/// The model that should write programs cannot.
pub(crate) fn unusable_model(pointer: String, message: String, help: String) -> SettingFinding {
    SettingFinding::error(SettingCode::WrongValue.as_str(), pointer, message, help)
}
