//! The tools of a source that cannot be reached: they have their names and nothing else. Every call fails, and
//! says so.

use std::sync::Arc;

use async_trait::async_trait;
use callgate_call::wording;
use callgate_executor::{Backend, Call};
use callgate_tool::{Fault, Journal, Outcome, Preview, Schema, Tool, json};

use crate::{
    named_tool::{CommonSettings, NamedTool},
    opened_toolset::Absence,
};

/// The tools by their names, as long as nothing else is known of them. `unavailable` is the fault of calls while the source is away.
pub(crate) fn stand_in_tools(
    toolset: &CommonSettings<'_>,
    tools: &[NamedTool],
    absence: &Absence,
    unavailable: &Fault,
) -> Vec<Arc<dyn Backend>> {
    let (fault, description) = match absence {
        Absence::NamedByExport => (*wording::own_tool::named_by_export(), UNASKED),
        Absence::Unasked => (*wording::own_tool::unasked_service(), UNASKED),
        Absence::Unavailable(_) => (unavailable.clone(), DESCRIPTION),
    };
    let stand_in = |tool: &NamedTool| {
        let schema = Schema::new(json!({"type": "object"}));
        let name = tool.unedited_name(toolset).ok()?;
        let tool = Tool::new(name, description.to_owned(), schema, tool.effect);
        let (toolset, fault) = (toolset.name.clone(), fault.clone());
        Some(Arc::new(UnavailableTool { toolset, tool, fault }) as Arc<dyn Backend>)
    };
    tools.iter().filter_map(stand_in).collect()
}

/// A tool whose source did not answer when the configuration was built.
#[derive(Debug)]
struct UnavailableTool {
    toolset: String,
    tool: Tool,
    /// The fault of every call.
    fault: Fault,
}

const DESCRIPTION: &str = "The service of this tool cannot be reached now: its arguments are not known. A call fails; it may succeed later, after the tools are listed again";

const UNASKED: &str = "The service of this tool was not asked when the tools were loaded: its arguments are not known. A call fails";

#[async_trait]
impl Backend for UnavailableTool {
    callgate_executor::of_tool!(tool, toolset);

    async fn preview(&self, _: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        Err(Box::new(self.fault.clone()))
    }

    async fn run(&self, _: &Call<'_>, _: &mut Journal) -> Outcome {
        Outcome::Failed(Box::new(self.fault.clone()))
    }
}
