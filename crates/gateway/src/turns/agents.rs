//! The agents of the configuration in use, made when they are asked for first: the declarations of their tools are made once
//! for all turns.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use callgate_agent::{Agent, Error};
use callgate_config::Built;
use callgate_executor::CallRights;

use crate::{access, routes::RouteRequest};

/// The agents of one configuration. A reload replaces them.
#[derive(Debug, Default)]
pub(super) struct Agents(Mutex<OfConfiguration>);

#[derive(Debug, Default)]
struct OfConfiguration {
    built: Weak<Built>,
    agents: BTreeMap<String, Agent>,
}

impl Agents {
    /// The agent of a configuration, by its name.
    pub(super) fn get(&self, built: &Arc<Built>, name: &str) -> Result<Agent, Error> {
        let mut of_configuration = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::ptr::eq(of_configuration.built.as_ptr(), Arc::as_ptr(built)) {
            let (built, agents) = (Arc::downgrade(built), BTreeMap::new());
            *of_configuration = OfConfiguration { built, agents };
        }
        if let Some(agent) = of_configuration.agents.get(name) {
            return Ok(agent.clone());
        }
        let agent = Agent::from_configuration(built, name)?;
        of_configuration.agents.insert(name.to_owned(), agent.clone());
        Ok(agent)
    }

    /// The rights of a turn's calls: those of its caller, for the tools that the agent has when a call is made.
    pub(super) fn turn_rights(self: &Arc<Self>, request: &RouteRequest, name: &str) -> CallRights {
        let (agents, gateway) = (Arc::clone(self), request.gateway().clone());
        let (began, name) = (Arc::clone(request.shared_build()), name.to_owned());
        let caller = request.caller().clone();
        request.rights().with_call_condition(move |_, tool| {
            let built = gateway.current_build();
            let agent = || agents.get(&built, &name).ok();
            let is_offered = |agent: Agent| agent.offered_tool(tool).is_some();
            Arc::ptr_eq(&built, &began)
                || (access::may_still_use_agent(&built, &caller, &name)
                    && agent().is_some_and(is_offered))
        })
    }
}
