//! The rights of the calls of a request, and of streams that outlive it: those of its caller when it came, as long as the configuration
//! lets the caller have them.

use std::{sync::Arc, time::SystemTime};

use callgate_config::Built;
use callgate_executor::CallRights;

use crate::{access, caller::Caller, gateway::Gateway};

/// The rights of calls that are made on `built`, which the request began with.
pub(crate) fn call_rights(gateway: &Gateway, built: &Arc<Built>, caller: &Caller) -> CallRights {
    let (gateway, began, caller) = (gateway.clone(), Arc::clone(built), caller.clone());
    CallRights::of_toolsets(caller.toolsets.clone()).with_access_condition(move |toolset, tool| {
        let built = gateway.current_build();
        Arc::ptr_eq(&built, &began)
            || (is_tool_in_toolset(&built, toolset, tool)
                && access::may_still_use_toolset(&built, &caller, toolset))
    })
}

/// True if a caller who began to watch the calls of others may still see them: the sign-in, the token and an operator's rights to the
/// same toolsets are there.
pub(crate) fn may_still_see_calls(gateway: &Gateway, caller: &Caller) -> bool {
    let is_signed_in =
        caller.sign_in.as_ref().is_none_or(|digest| gateway.sign_ins().is_signed_in(digest));
    let is_valid = caller.token.as_ref().is_none_or(|token| token.expires() > SystemTime::now());
    is_signed_in && is_valid && access::may_still_see_calls(&gateway.current_build(), caller)
}

fn is_tool_in_toolset(built: &Built, toolset: &str, tool: &str) -> bool {
    let entry = built.executor.find(tool);
    entry.is_some_and(|entry| entry.name().as_str() == tool && entry.toolset() == toolset)
}
