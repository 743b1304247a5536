//! `GET /v1/agents`: the agents that the caller may take turns with. Their instructions are not shown.

use axum::extract::State;
use callgate_agent::Agent;
use callgate_config::BuiltAgent;
use callgate_executor::Entry;
use callgate_tool::{Object, Value, json};

use crate::{answer::JsonText, caller::Caller, gateway::Gateway, problem::Problem};

/// Lists the agents of the caller.
pub(crate) async fn list(
    State(gateway): State<Gateway>,
    caller: Caller,
) -> Result<JsonText, Problem> {
    let _permit = gateway.listing_permit(&caller).await?;
    let built = gateway.current_build();
    let shown = |agent: &BuiltAgent| {
        let model = &agent.model.config;
        let mut members = Object::from([
            ("name", agent.name.as_str().into()),
            ("model", model.model.as_str().into()),
            ("dialect", model.dialect.as_str().into()),
        ]);
        match Agent::from_configuration(&built, &agent.name) {
            Ok(agent) => {
                let tools = built.executor.entries().map(Entry::name);
                let offered = tools.filter(|name| agent.offered_tool(name.as_str()).is_some());
                members.insert("tools", json!(offered.count()))
            }
            Err(error) => members.insert("problem", error.to_string().into()),
        };
        Value::Object(members)
    };
    let agents = built.agents.iter().filter(|agent| caller.may_use_agent(&agent.name));
    let agents = Value::Array(agents.map(shown).collect());
    Ok(JsonText(json!({"agents": agents}).to_string()))
}
