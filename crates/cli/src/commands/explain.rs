//! `callgate explain CODE`: explains a diagnostic's code and its remedy.

use callgate::FaultCode;
use callgate_tool::nearest;

use crate::{
    args::ExplainArguments,
    codes::{codes, example, explanation, is_known},
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
        if is_known(asked) {
            let help = "the finding says itself what to do; `callgate explain` lists the codes of findings about descriptions";
            return Err(Failure(format!(
                "error: `{asked}` is the code of a finding about a configuration, expected one about a description\nhelp: {help}"
            )));
        }
        let known = codes();
        let of_calls = FaultCode::ALL.map(FaultCode::as_str);
        let of_a_call = nearest(asked, of_calls).filter(|_| !is_like_a_finding(asked));
        if let Some(code) = of_a_call {
            let help = "a failed call says itself what to do; `callgate explain` lists the codes of findings";
            return Err(Failure(format!(
                "error: `{code}` is the code of a failed call, not of a finding, got: `{asked}`\nhelp: {help}"
            )));
        }
        let help = match nearest(asked, known.iter().map(|(name, _)| *name)) {
            Some(known) => format!("did you mean `{known}`? `callgate explain` lists all codes"),
            None => "`callgate explain` lists the codes of findings".to_owned(),
        };
        return Err(Failure(format!("error: there is no code `{asked}`\nhelp: {help}")));
    };
    output::result(&format!("{explanation}\n"));
    if let Some((wrong, mended)) = example(asked) {
        output::result(&format!(
            "\nFound in:\n\n{}\nMended:\n\n{}",
            indented(wrong),
            indented(mended)
        ));
    }
    Ok(Verdict::Fine)
}

/// Returns true if a text looks like the code of a finding: with dashes.
fn is_like_a_finding(text: &str) -> bool {
    text.contains('-')
}

/// Indents the lines of a text, to set it off from the text around it.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}
