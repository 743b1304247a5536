//! `callgate explain CODE`: what a diagnostic's code means and what to do about it.

use callgate_tool::nearest;

use crate::{
    args::ExplainArguments,
    codes::{codes, example, explanation},
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
        let known = codes();
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

/// The lines of a text, set off from what is said about it.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}
