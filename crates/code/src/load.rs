//! From settings to the tool of an engine.

use std::{error, fmt, sync::Arc};

use callgate_executor::Backend;
use callgate_tool::ToolName;

use crate::{
    python_tool::PythonTool,
    settings::{CodeSettings, Engine},
    tool::CodeTool,
    worker::{Workers, worker_program},
};

/// The reason why no code runs here.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Unavailable {
    /// The engine is not in this build.
    Engine,
    /// The name of the toolset and the tool's are no name together.
    Name,
    /// The machine lacks this program of the engine `python`.
    Program(String),
    /// No program is named that runs code: [`use_worker`](crate::use_worker).
    Worker,
}

impl Unavailable {
    /// The step that mends it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Engine => "choose `python`, or use a build with the feature `monty`",
            Self::Name => "choose another name or `prefix`",
            Self::Program(_) => {
                "install it, as by `apt install bubblewrap python3`, or choose `monty`"
            }
            Self::Worker => {
                "name a program that answers the argument `code-worker`, such as `callgate`: `callgate_code::use_worker`"
            }
        }
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine => f.write_str("it is not in this build"),
            Self::Name => f.write_str("the name of the toolset makes no name of a tool"),
            Self::Program(program) => write!(f, "the machine has no `{program}`"),
            Self::Worker => f.write_str("no program is named that runs code"),
        }
    }
}

impl error::Error for Unavailable {}

/// The tool that runs programs, for an executor.
///
/// # Errors
/// [`Unavailable`] if no code runs here.
pub fn load(settings: CodeSettings) -> Result<Arc<dyn Backend>, Unavailable> {
    let name = match &settings.prefix {
        Some(prefix) => ToolName::new(&format!("{prefix}-{TOOL}")),
        None => ToolName::new(TOOL),
    };
    let name = name.map_err(|_| Unavailable::Name)?;
    Ok(engine_tool(name, settings, None)?.tool)
}

/// A tool with the part that a later build uses again.
pub(crate) struct EngineTool {
    pub(crate) tool: Arc<dyn Backend>,
    pub(crate) workers: Option<Arc<Workers>>,
}

/// The tool of an engine; processes of an earlier one are used again.
pub(crate) fn engine_tool(
    name: ToolName,
    settings: CodeSettings,
    earlier: Option<&Arc<Workers>>,
) -> Result<EngineTool, Unavailable> {
    match settings.engine {
        Engine::Monty if cfg!(all(feature = "monty", unix)) => {
            let program = worker_program().ok_or(Unavailable::Worker)?;
            let workers = earlier.cloned().unwrap_or_else(|| Arc::new(Workers::new(program)));
            let tool = Arc::new(CodeTool::new(name, settings, Arc::clone(&workers)));
            Ok(EngineTool { tool, workers: Some(workers) })
        }
        Engine::Monty => Err(Unavailable::Engine),
        Engine::Python => {
            let tool = Arc::new(PythonTool::new(name, settings)?);
            Ok(EngineTool { tool, workers: None })
        }
    }
}

/// The name of the tool, behind the toolset's: that of CX.
pub(crate) const TOOL: &str = "generate_and_execute";
