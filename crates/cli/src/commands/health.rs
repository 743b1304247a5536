//! `callgate health`: whether a sidecar on this machine lives, or is ready for calls, by its exit code. A container without a shell
//! is asked this way.

use callgate_config::Kinds;
use callgate_tool::Value;

use super::call::block_on;
use crate::{
    args::HealthArguments,
    exit::{Failure, Verdict},
    output,
    sidecar::Sidecar,
};

pub(crate) fn run(arguments: &HealthArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    let path = if arguments.ready { "/readyz" } else { "/healthz" };
    let answer = block_on(async {
        let sidecar = Sidecar::connect_on_this_machine(&arguments.sidecar, kinds).await?;
        let answer = sidecar.get(path).await?;
        if answer.value == Value::Null {
            Err(sidecar.foreign_response_failure())
        } else {
            Ok(answer)
        }
    })??;
    output::print_result(&format!("{}\n", answer.value));
    Ok(Verdict::findings_if(!answer.status.is_success()))
}
