//! Sentences about programs as a tool.

use std::time::Duration;

use callgate_tool::{Fault, FaultCode, Next};

use super::{around::waiting, fault};

/// No process can be started that runs the program.
pub fn no_worker() -> Box<Fault> {
    let message = "no process can be started that runs code; nothing was run; try again later";
    waiting(FaultCode::Overloaded, message, Duration::from_secs(5))
}

/// The sandbox that runs programs does not start: the same call fails again until the operator has mended it.
pub fn no_sandbox() -> Box<Fault> {
    let message = "the sandbox that runs code does not start on this machine; nothing was run, and the operator's log says why";
    fault(FaultCode::NotSupported, message, Next::GiveUp)
}

/// The caller has too many programs that run or wait.
pub fn too_many_programs() -> Box<Fault> {
    let message = "too many programs run now; nothing was run; try again later";
    waiting(FaultCode::Overloaded, message, Duration::from_secs(1))
}

/// The program is not run by an executor.
pub fn code_outside_executor() -> Box<Fault> {
    fault(FaultCode::NotSupported, "code runs in calls of an executor alone", Next::GiveUp)
}
