//! The helps that the sources of configurations can print: a new one that no configuration here makes is counted.

use std::fs;

use crate::root;

/// The crates that read and build configurations.
const CRATES: [&str; 7] =
    ["config", "connector", "database", "documents", "kind", "settings", "vertex"];

/// The words that a help begins with.
const BEGINNINGS: &str = "add |correct |did you mean|for example |give |its keys are|leave |name |one of |put it|quote it|remove |use letters|write ";

/// The helps in the sources, with `{…}` where a value is printed.
pub(crate) fn helps() -> Vec<String> {
    let mut helps = Vec::new();
    for name in CRATES {
        let mut folders = vec![root().join("crates").join(name).join("src")];
        while let Some(folder) = folders.pop() {
            let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let (inner, files): (Vec<_>, Vec<_>) = paths
                .filter(|path| path.file_stem().is_none_or(|stem| stem != "tests"))
                .partition(|path| path.is_dir());
            folders.extend(inner);
            helps
                .extend(files.iter().flat_map(|file| literals(&fs::read_to_string(file).unwrap())));
        }
    }
    helps.retain(|text| BEGINNINGS.split('|').any(|beginning| text.starts_with(beginning)));
    helps.sort();
    helps.dedup();
    helps
}

/// The texts between quotes in a source, without its tests and comments.
fn literals(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n").replace("\\\"", "\u{1}").replace("'\"'", "");
    let texts = code.split('"').skip(1).step_by(2);
    texts.map(|text| text.replace('\u{1}', "\"")).collect()
}

/// True if a help with values is the text of a source.
pub(crate) fn is_of(help: &str, text: &str) -> bool {
    if help == text {
        return true;
    }
    let text = text.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let mut rest = help;
    let mut parts = text.split('{').map(|part| part.split_once('}').map_or(part, |(_, part)| part));
    parts.all(|part| {
        let part = part.replace('\u{1}', "{").replace('\u{2}', "}");
        let found = rest.split_once(part.as_str());
        found.is_some_and(|(_, after)| {
            rest = after;
            true
        })
    })
}
