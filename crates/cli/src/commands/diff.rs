//! `callgate diff`: shows what a new description or configuration changes for agents that know the old one.

use std::path::Path;

use callgate::{Executor, config::Environment};
use callgate_config::{DescriptionOptions, Kinds};
use callgate_executor::Changes;
use callgate_tool::json;

use crate::{
    args::DiffArguments,
    effects,
    exit::{Failure, Verdict},
    open, output,
};

pub(crate) fn run(arguments: &DiffArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    let (old, new) = (load_executor(&arguments.old, kinds)?, load_executor(&arguments.new, kinds)?);
    let changes = Changes::between(&old, &new);
    if arguments.json {
        let json = json!({"breaking": changes.is_breaking(), "changes": changes.to_value()});
        output::print_result(&format!("{json}\n"));
    } else {
        output::print_result(&changes_text(&changes));
        if changes.is_breaking() {
            output::print_message(HELP);
        }
    }
    Ok(Verdict::findings_if(changes.is_breaking()))
}

fn load_executor(file: &Path, kinds: &Kinds) -> Result<Executor, Failure> {
    let environment = Environment::new().without_audit();
    let options = DescriptionOptions::default();
    let loader = open::loader_with_effects(kinds, effects::DIFF);
    Ok(open::open_for_calls(file, &options, &loader, &environment)?.executor)
}

const HELP: &str = "help: keep what agents know, by an overlay (`overlays:`) or under another `prefix:`, or tell whoever runs them: \
                    what they know of the old one no longer works\n";

fn changes_text(changes: &Changes) -> String {
    let mut text = String::new();
    for change in changes.list() {
        let weight = if change.is_breaking() { "breaking" } else { "        " };
        text.push_str(&format!("{weight}  {change}\n"));
    }
    let n_breaking = changes.list().iter().filter(|change| change.is_breaking()).count();
    let n_changes = match changes.list().len() {
        1 => "1 change".to_owned(),
        n => format!("{n} changes"),
    };
    text.push_str(&format!("{n_changes}, {n_breaking} of them breaking\n"));
    text
}
