//! `callgate explain CODE`: what a diagnostic's code means and what to do about it.

use callgate::openapi::Code;

use crate::{
    args::ExplainArguments,
    exit::{Failure, Verdict},
    output,
};

/// Explains one code, or lists them all.
pub(crate) fn run(arguments: &ExplainArguments) -> Result<Verdict, Failure> {
    let Some(asked) = &arguments.code else {
        for code in Code::ALL {
            output::result(&format!("{}\n", code.as_str()));
        }
        return Ok(Verdict::Fine);
    };
    let Some(code) = Code::ALL.into_iter().find(|code| code.as_str() == asked) else {
        let message =
            format!("error: there is no code `{asked}`\nhelp: `callgate explain` lists them");
        return Err(Failure(message));
    };
    output::result(&format!("{}\n", code.explanation()));
    Ok(Verdict::Fine)
}
