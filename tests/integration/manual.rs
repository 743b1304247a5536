//! The manual's reference chapters are written from the tables they describe, its links lead somewhere, and the book, the
//! crate and the folder have the same chapters.

use crate::prelude::*;
use std::fmt::Write;

use callgate::openapi::TextCode;
use callgate_config::{Key, Table, Takes};
use callgate_transport::{AttemptEnd, Repeat, RequestKind, repetition_after};

use crate::root;

fn chapter(name: &str) -> String {
    fs::read_to_string(root().join("crates/callgate/manual").join(name)).unwrap()
}

/// The chapter is this text; where it is not, the right one lies beside the build.
#[track_caller]
fn check(name: &str, expected: &str) {
    if chapter(name) == expected {
        return;
    }
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&made, expected).unwrap();
    panic!("copy `{}` to crates/callgate/manual/{name}", made.display());
}

#[test]
fn the_chapter_about_the_configuration_equals_the_table_of_keys() {
    let mut page = CONFIGURATION.to_owned();
    for table in tables(&kinds()) {
        write!(page, "\n## {}\n\n", heading(&table)).unwrap();
        if table.takes == Takes::One {
            page.push_str("One of these keys:\n\n");
        }
        page.push_str("| key | value | |\n|---|---|---|\n");
        for key in table.keys() {
            page.push_str(&row(key));
        }
    }
    check("configuration.md", &page);
}

fn heading(table: &Table<'_>) -> String {
    table.name.trim_start_matches("the ").to_owned()
}

fn row(key: &Key) -> String {
    let required = if key.is_required { " (required)" } else { "" };
    format!("| `{}` | {}{required} | {} |\n", key.name, value(key.kind), cell(key.about))
}

/// A text of a cell: no bar ends it early.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn value(kind: Kind) -> String {
    match kind {
        Kind::Address => "a URL".to_owned(),
        Kind::AnyOf(kinds) => {
            kinds.iter().map(|kind| value(*kind)).collect::<Vec<_>>().join(", or ")
        }
        Kind::Boolean => "`true`, `false`".to_owned(),
        Kind::Bytes => "bytes: `64KiB`".to_owned(),
        Kind::Choice(words) => {
            words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        }
        Kind::Count(usize::MAX) => "a number from 1".to_owned(),
        Kind::Count(most) => format!("a number from 1 to {most}"),
        Kind::Duration => "a time: `30s`".to_owned(),
        Kind::List(kind) => format!("a list: {}", value(*kind)),
        Kind::Map(kind) => format!("names, each with {}", value(*kind)),
        Kind::Number => "a number".to_owned(),
        Kind::Schema => "a JSON Schema".to_owned(),
        Kind::Secret => "a secret: `env:NAME`".to_owned(),
        Kind::SecretOrCaller => {
            "a secret, `$session.credentials.NAME`, or `$caller.token`".to_owned()
        }
        Kind::SecretOrSession => "a secret, or `$session.credentials.NAME`".to_owned(),
        Kind::Setting => "a URL, or `env:NAME`".to_owned(),
        Kind::Table(table) => format!("keys: {}", heading(table)),
        Kind::Text => "a text".to_owned(),
        Kind::Value => "any value".to_owned(),
        Kind::Whole => "a number from 0".to_owned(),
    }
}

const CONFIGURATION: &str = "\
# Configuration

Every key, table by table, as the reader knows it. A configuration is YAML or JSON; an unknown key is an error that names the
nearest one, and all errors are reported at once, each with its line. `callgate schema` prints the JSON Schema for editors:

```yaml
# yaml-language-server: $schema=schema.json
toolsets:
  pets:
    openapi: fixtures/pets/spec.yaml
```

`server` of a toolset is the whole base address, with its path, in place of the description's. In `include` and `exclude` of
`tools`, `*` stands for any characters and `?` for one; in `paths`, `*` stays within a segment and `**` spans segments.

`config/full.yaml` in the sources shows every key with an example. This page is generated; a test compares it with the table.
";

#[test]
fn the_chapter_about_codes_equals_the_tables_of_codes() {
    let mut page = CODES.to_owned();
    page.push_str("\n## Faults of calls\n");
    for &code in FaultCode::ALL {
        write!(page, "\n### `{}`\n\n{}\n", code.as_str(), code.explanation()).unwrap();
    }
    page.push_str("\n## Findings about configurations and exports\n");
    for (code, explanation) in callgate_config::codes(&kinds()) {
        write!(page, "\n### `{code}`\n\n{explanation}\n").unwrap();
    }
    page.push_str("\n## Findings about descriptions\n");
    let mut findings: Vec<_> =
        TextCode::ALL.iter().map(|code| (code.as_str(), code.explanation())).collect();
    findings.extend(Code::ALL.iter().map(|code| (code.as_str(), code.explanation())));
    findings.sort_unstable();
    for (code, explanation) in findings {
        write!(page, "\n### `{code}`\n\n{explanation}\n").unwrap();
        for (form, file) in [("Found in", "wrong.yaml"), ("Mended", "mended.yaml")] {
            if let Some(text) = example(code, file) {
                write!(page, "\n{form}:\n\n```text\n{text}```\n").unwrap();
            }
        }
    }
    check("codes.md", &page);
}

#[test]
fn the_table_of_repeated_requests_equals_the_rule() {
    let mut table = "| the attempt ended | a read | another request | a request that a person approved |\n|---|---|---|---|\n".to_owned();
    for &end in AttemptEnd::ALL {
        let kinds = [RequestKind::Read, RequestKind::Change, RequestKind::Approved];
        let cells = kinds.map(|kind| match repetition_after(end, kind) {
            Repeat::AtOnce => "again at once",
            Repeat::ByPolicy => "by `retry`",
            Repeat::Never => "never",
        });
        writeln!(table, "| {} | {} |", end.as_str(), cells.join(" | ")).unwrap();
    }
    assert!(chapter("limits.md").contains(&table), "write this into limits.md:\n{table}");
}

/// A form of a code's example; none of a code that has none.
fn example(code: &str, file: &str) -> Option<String> {
    let mut folders = ["crates/openapi/src/code", "crates/cli/src/codes"].into_iter();
    folders.find_map(|folder| fs::read_to_string(root().join(folder).join(code).join(file)).ok())
}

const CODES: &str = "\
# Codes

A failed call has a `code` for programs and a `message` for the model. A finding about a description or a configuration has a code
that `check --deny` makes an error and `--allow` leaves out. `callgate explain CODE` explains a code of either; without a code it
lists all. This page is generated; a test compares it with the tables.
";

/// The chapters' files in the order of the book.
fn listed() -> Vec<String> {
    let summary = chapter("SUMMARY.md");
    let files = summary.lines().filter_map(|line| line.trim_end_matches(')').split_once("]("));
    files.map(|(_, file)| file.to_owned()).collect()
}

#[test]
fn the_book_the_crate_and_the_folder_have_the_same_chapters() {
    let listed = listed();
    let folder = fs::read_dir(root().join("crates/callgate/manual")).unwrap();
    let names = folder.map(|file| file.unwrap().file_name().into_string().unwrap());
    let names: BTreeSet<_> = names.filter(|name| name != "SUMMARY.md").collect();
    assert_eq!(listed.iter().cloned().collect::<BTreeSet<_>>(), names);
    let source = fs::read_to_string(root().join("crates/callgate/src/manual.rs")).unwrap();
    let modules: Vec<_> = source.lines().filter_map(|line| line.strip_suffix(".md\"")).collect();
    let modules = modules.iter().filter_map(|line| line.rsplit_once('"'));
    let modules: Vec<_> = modules.map(|(_, name)| format!("{name}.md")).collect();
    assert_eq!(modules, listed);
}

#[test]
fn every_link_of_the_manual_has_a_target() {
    let listed = listed();
    let mut found = 0;
    for name in &listed {
        let text = chapter(name);
        let definitions: Vec<_> = text.lines().filter_map(definition).collect();
        for (label, target) in &definitions {
            assert!(listed.iter().any(|file| file == target), "{name}: {target}");
            assert_eq!(
                format!("{label}.md"),
                *target,
                "{name}: `manual.rs` knows links by names of files"
            );
            let used = text.contains(&format!("[{label}]:"))
                && text.matches(&format!("[{label}]")).count() > 1;
            assert!(used, "{name}: nothing uses [{label}]");
            found += 1;
        }
        // `[text][label]`, outside of code.
        for used in text.split("][").skip(1).filter_map(|rest| rest.split_once(']')) {
            let known = definitions.iter().any(|(label, _)| *label == used.0);
            let looks = used.0.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
            assert!(known || !looks, "{name}: [{}] leads nowhere", used.0);
        }
    }
    assert!(found > 20, "only {found} links");
}

/// A line `[label]: file`.
fn definition(line: &str) -> Option<(&str, &str)> {
    let (label, target) = line.strip_prefix('[')?.split_once("]: ")?;
    Some((label, target))
}
