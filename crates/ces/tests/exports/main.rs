//! Every authentication that Dialogflow and Customer Engagement Suite write, and the settings it becomes: one file each,
//! with the export, the settings, and what is remarked.

#![cfg(test)]

mod whole;

use std::{fs, path::Path};

use callgate_ces::{Imported, import_ces, import_cx, import_cx_agent};
use callgate_tool::{Value, json};
use callgate_tree::{Limits, Node};

/// Every case of a folder.
#[track_caller]
fn check(folder: &str, import: fn(&Node) -> Imported, at_least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exports").join(folder);
    let (mut n_cases, mut wrong) = (0, Vec::new());
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let case = Value::from_slice(&fs::read(&file).unwrap()).unwrap();
        let export = case["export"].to_string();
        let export = callgate_tree::read(export.as_bytes(), &Limits::default()).unwrap();
        let imported = import(&export.value);
        let remark = |known: &callgate_ces::Remark| {
            let pointer = if known.pointer.is_empty() { "/" } else { &known.pointer };
            format!("{} {pointer}", known.kind.as_str())
        };
        let got = json!({
            "export": case["export"],
            "settings": imported.settings,
            "lacksCredential": imported.lacks_credential,
            "remarks": imported.remarks.iter().map(remark).collect::<Vec<_>>(),
        });
        if got != case {
            let name = file.file_name().unwrap().display();
            wrong.push(format!("{name}: {imported:#?}\n{got:#}\n"));
        }
        assert!(!format!("{imported:?}").contains("abc"), "{}: {imported:?}", file.display());
        n_cases += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
    assert!(n_cases >= at_least, "only {n_cases} cases");
}

#[test]
fn the_recorded_tools_of_dialogflow_are_imported() {
    check("cx", import_cx, 40);
}

#[test]
fn the_recorded_agents_of_dialogflow_are_imported() {
    check("agent", import_cx_agent, 6);
}

#[test]
fn the_recorded_toolsets_and_tools_of_ces_are_imported() {
    check("ces", import_ces, 20);
}
