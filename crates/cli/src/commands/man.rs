//! `callgate man [COMMAND]`: the manual page of a command for `man`, or the pages of all commands as files. Made from the
//! texts and the example of `--help`.

use std::{fs, path::Path};

use callgate_tool::nearest;
use clap::Command;
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};

use crate::{
    args::{self, ManArguments},
    effects,
    exit::{Failure, Verdict},
    output,
    partial_file::{Readers, write_below_refusing_links},
};

pub(crate) fn run(arguments: &ManArguments) -> Result<Verdict, Failure> {
    let mut root = args::command().disable_help_subcommand(true);
    root.build();
    if let Some(folder) = &arguments.out {
        write_man_pages(&root, folder)?;
        return Ok(Verdict::Fine);
    }
    let mut command = &root;
    for word in &arguments.command {
        command =
            command.find_subcommand(word).ok_or_else(|| unknown_command_failure(command, word))?;
    }
    output::print_bytes(&man_page(command)?);
    Ok(Verdict::Fine)
}

fn unknown_command_failure(command: &Command, word: &str) -> Failure {
    let command_names = visible_subcommands(command).map(Command::get_name);
    let help = match nearest(word, command_names) {
        Some(similar_name) => format!("did you mean `{similar_name}`?"),
        None => "`callgate --help` lists the commands".to_owned(),
    };
    Failure::with_help(&format!("expected a command of callgate, got: `{word}`"), &help)
}

fn write_man_pages(command: &Command, folder: &Path) -> Result<(), Failure> {
    let fault = |error: std::io::Error| {
        let message = format!("error: cannot write `{}`: {error}", folder.display());
        Failure(format!("{message}\nhelp: name a folder that you may write into"))
    };
    fs::create_dir_all(folder).map_err(fault)?;
    let file = format!("{}.1", page_name(command));
    write_below_refusing_links(folder, &file, &man_page(command)?, Readers::Anyone)
        .map_err(fault)?;
    visible_subcommands(command).try_for_each(|below| write_man_pages(below, folder))
}

fn visible_subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|below| !below.is_hide_set())
}

/// The name of a page: `callgate-audit-verify`.
fn page_name(command: &Command) -> String {
    command.get_bin_name().unwrap_or("callgate").replace(' ', "-")
}

fn man_page(command: &Command) -> Result<Vec<u8>, Failure> {
    let title = page_name(command);
    let man = Man::new(command.clone()).title(title.to_uppercase()).manual("callgate");
    let mut page = Vec::new();
    let made = man
        .render_title(&mut page)
        .and_then(|()| man.render_name_section(&mut page))
        .and_then(|()| man.render_synopsis_section(&mut page))
        .and_then(|()| man.render_description_section(&mut page))
        .and_then(|()| man.render_options_section(&mut page));
    let made = match visible_subcommands(command).next() {
        Some(_) if is_root(command) => {
            made.and_then(|()| commands_section(command).to_writer(&mut page))
        }
        Some(_) => made.and_then(|()| man.render_subcommands_section(&mut page)),
        None => made,
    };
    let made = made.and_then(|()| further_sections(command).to_writer(&mut page));
    made.map_err(|error| Failure(format!("error: cannot make the page `{title}`: {error}")))?;
    Ok(page)
}

fn is_root(command: &Command) -> bool {
    command.get_name() == "callgate"
}

fn commands_section(root: &Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["COMMANDS"]);
    for (purpose, commands) in args::commands_by_purpose(root) {
        roff.control("SS", [purpose]);
        for command in commands {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let page = format!("{}(1)", page_name(command));
            roff.control("TP", []).text([bold(page)]).text([roman(about)]);
        }
    }
    roff
}

/// The sections that clap does not have.
fn further_sections(command: &Command) -> Roff {
    let mut roff = Roff::new();
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    if let Some(example) = help.strip_prefix("Example:\n") {
        roff.control("SH", ["EXAMPLE"]).control("nf", []);
        for line in example.lines() {
            roff.text([bold(line.trim_start())]);
        }
        roff.control("fi", []);
    }
    let effects = effects::loading_help(command.get_name()).unwrap_or_default();
    if let Some(effects) = effects.strip_prefix("Loading:\n") {
        roff.control("SH", ["LOADING"]);
        for line in effects.lines() {
            roff.control("PP", []).text([roman(line.trim_start())]);
        }
    }
    roff.control("SH", ["EXIT STATUS"]);
    add_definitions(&mut roff, &EXIT_STATUS);
    if !is_root(command) {
        roff.control("SH", ["SEE ALSO"]).text([bold("callgate"), roman("(1)")]);
        return roff;
    }
    roff.control("SH", ["ENVIRONMENT"]);
    add_definitions(&mut roff, &ENVIRONMENT);
    roff.control("SH", ["FILES"]);
    add_definitions(&mut roff, &FILES);
    roff
}

fn add_definitions(roff: &mut Roff, rows: &[(&str, &str)]) {
    for (what, text) in rows {
        roff.control("TP", []).text([bold(*what)]).text([roman(*text)]);
    }
}

const EXIT_STATUS: [(&str, &str); 3] = [
    ("0", "All is well."),
    ("1", "There are findings, a call failed, a case differs, or nothing is offered."),
    ("2", "The command was used wrongly, or a file could not be read or written."),
];

const ENVIRONMENT: [(&str, &str); 2] = [
    ("NO_COLOR", "Any value turns colours off."),
    (
        "XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_STATE_HOME",
        "The folders below which profiles, what was fetched, and logins are kept.",
    ),
];

const FILES: [(&str, &str); 4] = [
    ("./callgate.yaml", "The configuration of a folder."),
    ("~/.config/callgate/NAME.yaml", "A profile, as `callgate init NAME` makes it."),
    ("~/.cache/callgate", "Descriptions that were fetched, and what is completed."),
    ("~/.local/state/callgate", "Logins of `callgate login`."),
];
