//! The tools of a database that cannot be reached when it is loaded. Their names come from the settings alone; every call says
//! that the database cannot be reached now. `load` makes them, until a later load succeeds.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use callgate_call::wording::database as wording;
use callgate_executor::{Backend, Call};
use callgate_tool::{Fault, Journal, Outcome, Preview, Schema, Tool, ToolName, json};

use crate::{
    declaration,
    settings::{DatabaseSettings, Operation},
};

/// One tool of a database that cannot be reached.
#[derive(Debug)]
struct UnavailableTool {
    tool: Tool,
    toolset: String,
}

/// The tools that the settings name. A name that is not legal is a finding of the load that succeeds.
pub(crate) fn tools(settings: &DatabaseSettings) -> Vec<Arc<dyn Backend>> {
    let entities = settings.entities.iter().flat_map(|entity| {
        let operations = Operation::ALL.into_iter().filter(|it| entity.operations.contains(it));
        operations.map(|operation| {
            let name = format!("{}-{}", entity.name, operation.as_str());
            (name, entity.description.as_str(), declaration::effect(operation))
        })
    });
    let statements = settings.statements.iter();
    let statements = statements.map(|it| (it.name.clone(), it.description.as_str(), it.effect));
    let mut names = BTreeSet::new();
    let mut tools: Vec<Arc<dyn Backend>> = Vec::new();
    for (name, description, effect) in entities.chain(statements) {
        let Ok(name) = declaration::name(settings.prefix.as_ref(), &name) else { continue };
        if !names.insert(name.clone()) {
            continue;
        }
        let description = format!("The database cannot be reached now. {description}");
        let schema = Schema::new(json!({"type": "object"}));
        let tool = Tool::new(name, description.trim_end().to_owned(), schema, effect);
        tools.push(Arc::new(UnavailableTool { tool, toolset: settings.toolset.clone() }));
    }
    tools
}

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
        Err(wording::unavailable())
    }

    async fn run(&self, _: &Call<'_>, _: &mut Journal) -> Outcome {
        Outcome::Failed(wording::unavailable())
    }
}
