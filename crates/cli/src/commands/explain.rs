//! `callgate explain CODE`: what a diagnostic's code means and what to do about it.

use crate::{
    args::ExplainArguments,
    codes::{codes, explanation},
    exit::{Failure, Verdict},
    output,
};

/// Explains one code, or lists them all.
pub(crate) fn run(arguments: &ExplainArguments) -> Result<Verdict, Failure> {
    let Some(asked) = &arguments.code else {
        for (name, _) in codes() {
            output::result(&format!("{name}\n"));
        }
        return Ok(Verdict::Fine);
    };
    let Some(explanation) = explanation(asked) else {
        let message =
            format!("error: there is no code `{asked}`\nhelp: `callgate explain` lists them");
        return Err(Failure(message));
    };
    output::result(&format!("{explanation}\n"));
    Ok(Verdict::Fine)
}
