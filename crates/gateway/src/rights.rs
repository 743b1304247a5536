//! The rights of the calls of a request: those of its caller when it came, as long as the configuration lets the caller have them.

use std::sync::Arc;

use callgate_config::Built;
use callgate_executor::CallRights;

use crate::{access, caller::Caller, gateway::Gateway};

/// The rights of calls that are made on `built`, which the request began with.
pub(crate) fn call_rights(gateway: &Gateway, built: &Arc<Built>, caller: &Caller) -> CallRights {
    let (gateway, began, caller) = (gateway.clone(), Arc::clone(built), caller.clone());
    CallRights::of_toolsets(caller.toolsets.clone()).while_true(move |toolset, tool| {
        let built = gateway.current_build();
        Arc::ptr_eq(&built, &began)
            || (is_served(&built, toolset, tool) && access::may_still_use(&built, &caller, toolset))
    })
}

fn is_served(built: &Built, toolset: &str, tool: &str) -> bool {
    let entry = built.executor.find(tool);
    entry.is_some_and(|entry| entry.name().as_str() == tool && entry.toolset() == toolset)
}
