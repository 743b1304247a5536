//! The tools of a database or a connection that cannot be reached: they have their names and nothing else. Every call fails, and
//! says so.

use std::sync::Arc;

use async_trait::async_trait;
use callgate_call::wording;
use callgate_executor::{Backend, Call};
use callgate_tool::{Effect, Fault, Journal, Outcome, Preview, Schema, Tool, ToolName, json};

use super::{DatabaseTool, DatabaseToolKind};
use crate::toolset::ToolsetConfig;

/// The reason why nothing but the names of tools is known.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::build) enum Absence {
    /// An export names the connection, and the operator did not write that it may be asked.
    NamedByExport,
    /// The service did not answer.
    Unavailable,
    /// The load had no leave to ask the service.
    Unasked,
}

/// The tools by their names, as long as nothing else is known of them.
pub(in crate::build) fn stand_ins(
    toolset: &ToolsetConfig,
    tools: &[DatabaseTool<'_>],
    absence: Absence,
) -> Vec<Arc<dyn Backend>> {
    let name = toolset.name.as_ref().map(ToString::to_string).unwrap_or_default();
    let stand_in = |tool: &DatabaseTool<'_>| {
        let full = tool.former_name(toolset).ok()?;
        let fault = match tool.kind {
            _ if absence == Absence::Unasked => wording::own_tool::unasked,
            _ if absence == Absence::NamedByExport => wording::own_tool::named_by_export,
            DatabaseToolKind::Action(_) => wording::connector::undescribed,
            DatabaseToolKind::Documents | DatabaseToolKind::Vertex(_) => {
                wording::documents::unavailable
            }
            _ => wording::database::unavailable,
        };
        let stand_in = UnavailableTool::new(name.clone(), full, tool.effect(), absence, fault);
        Some(Arc::new(stand_in) as Arc<dyn Backend>)
    };
    tools.iter().filter_map(stand_in).collect()
}

/// A tool whose database or connection did not answer when the configuration was built.
#[derive(Debug)]
struct UnavailableTool {
    toolset: String,
    tool: Tool,
    /// Words the fault of every call.
    fault: fn() -> Box<Fault>,
}

impl UnavailableTool {
    fn new(
        toolset: String,
        name: ToolName,
        effect: Effect,
        absence: Absence,
        fault: fn() -> Box<Fault>,
    ) -> Self {
        let schema = Schema::new(json!({"type": "object"}));
        let description = match absence {
            Absence::Unavailable => DESCRIPTION,
            Absence::NamedByExport | Absence::Unasked => UNASKED,
        };
        let tool = Tool::new(name, description.to_owned(), schema, effect);
        Self { toolset, tool, fault }
    }
}

const DESCRIPTION: &str = "The service of this tool cannot be reached now: its arguments are not known. A call fails; it may succeed later, after the tools are listed again";

const UNASKED: &str = "The service of this tool was not asked when the tools were loaded: its arguments are not known. A call fails";

#[async_trait]
impl Backend for UnavailableTool {
    fn name(&self) -> &ToolName {
        &self.tool.name
    }

    fn toolset(&self) -> &str {
        &self.toolset
    }

    fn declaration(&self) -> Option<&Tool> {
        Some(&self.tool)
    }

    async fn preview(&self, _: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        Err((self.fault)())
    }

    async fn run(&self, _: &Call<'_>, _: &mut Journal) -> Outcome {
        Outcome::Failed((self.fault)())
    }
}
