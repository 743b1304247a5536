//! From settings to the tool of an engine.

use std::sync::Arc;

use callgate_executor::Backend;
use callgate_session::Store;
use callgate_tool::ToolName;

use crate::{
    programs::Programs,
    python_tool::PythonTool,
    settings::{CodeSettings, Engine},
    tool::CodeTool,
    unavailable::Unavailable,
    worker::{Workers, worker_program},
};

/// The tool that runs programs, for an executor.
///
/// # Errors
/// [`Unavailable`] if no code runs here.
pub fn load(settings: CodeSettings) -> Result<Arc<dyn Backend>, Unavailable> {
    load_with_programs(settings, Programs::new(None))
}

/// [`load`] with a store, in which programs wait for a person: another process that has the store goes on with them.
///
/// # Errors
/// Those of [`load`].
pub fn load_with_store(
    settings: CodeSettings,
    state: &Arc<dyn Store>,
) -> Result<Arc<dyn Backend>, Unavailable> {
    load_with_programs(settings, Programs::new(Some(state)))
}

fn load_with_programs(
    settings: CodeSettings,
    programs: Programs,
) -> Result<Arc<dyn Backend>, Unavailable> {
    let name = match &settings.prefix {
        Some(prefix) => ToolName::new(&format!("{prefix}-{TOOL}")),
        None => ToolName::new(TOOL),
    };
    let name = name.map_err(|_| Unavailable::Name)?;
    Ok(engine_tool(name, settings, None, programs)?.tool)
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
    programs: Programs,
) -> Result<EngineTool, Unavailable> {
    match settings.engine {
        Engine::Monty if cfg!(all(feature = "monty", unix)) => {
            let program = worker_program().ok_or(Unavailable::Worker)?;
            let workers = earlier.cloned().unwrap_or_else(|| Arc::new(Workers::new(program)));
            let tool = Arc::new(CodeTool::new(name, settings, Arc::clone(&workers), programs));
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
