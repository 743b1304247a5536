//! `callgate explain CODE`: explains the code of a finding or of a failed call, and its remedy.

use callgate_config::Kinds;
use callgate_tool::nearest;

use crate::{
    args::ExplainArguments,
    codes::{Explained, call_codes, code_explanation, description_codes, wrong_and_mended_example},
    exit::{Failure, Verdict},
    output,
};

pub(crate) fn run(arguments: &ExplainArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    let Some(asked) = &arguments.code else {
        for (heading, codes) in code_groups(kinds) {
            // The list on standard output has nothing but codes, for programs that read it.
            output::print_message_line(&format!("{heading}:"));
            for (name, _) in codes {
                output::print_result(&format!("{name}\n"));
            }
        }
        return Ok(Verdict::Fine);
    };
    let Some(explanation) = code_explanation(asked, kinds) else {
        return Err(unknown_code_failure(asked, kinds));
    };
    output::print_result(&format!("{explanation}\n"));
    if let Some((wrong, mended)) = wrong_and_mended_example(asked) {
        output::print_result(&format!(
            "\nFound in:\n\n{}\nMended:\n\n{}",
            indented_text(wrong),
            indented_text(mended)
        ));
    }
    Ok(Verdict::Fine)
}

fn code_groups(kinds: &Kinds) -> [(&'static str, Vec<Explained>); 3] {
    [
        ("findings about descriptions", description_codes()),
        ("findings about configurations and exports", callgate_config::codes(kinds)),
        ("failed calls", call_codes()),
    ]
}

fn unknown_code_failure(asked: &str, kinds: &Kinds) -> Failure {
    let groups = code_groups(kinds);
    let code_names = groups.iter().flat_map(|(_, codes)| codes).map(|(name, _)| *name);
    let all = "`callgate explain` lists all codes";
    let help = match nearest(asked, code_names) {
        Some(similar_code) => format!("did you mean `{similar_code}`? {all}"),
        None => all.to_owned(),
    };
    Failure::with_help(&format!("there is no code `{asked}`"), &help)
}

fn indented_text(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}
