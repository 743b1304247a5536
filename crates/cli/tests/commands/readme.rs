//! Every command of the README runs as it stands there.

use std::{fs, process::Command};

use crate::{Ended, callgate, root};

#[test]
fn every_command_of_the_readme_runs() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut ran = 0;
    for command in commands(&readme) {
        // The test command is what runs this test; the installed command and cargo's are the binary under test.
        if command.starts_with("cargo test") || command.starts_with("cargo bench") {
            continue;
        }
        let binary = env!("CARGO_BIN_EXE_callgate");
        let line =
            command.replace("cargo run -q -- ", "callgate ").replace("cargo run -- ", "callgate ");
        let Some(line) = line.strip_prefix("callgate ") else {
            panic!("the README has a command no test runs: {command}");
        };
        let shell = format!("'{binary}' {line}");
        let ended = Ended::of(Command::new("sh").args(["-c", &shell]).current_dir(root()));
        assert!(matches!(ended.code, Some(0 | 1)), "{command}: {ended:#?}");
        ran += 1;
    }
    assert!(ran >= 4, "only {ran} commands");
}

#[test]
fn every_configuration_of_the_readme_loads() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("callgate.yaml");
    let blocks = readme.split("```").skip(1).step_by(2);
    let mut loaded = 0;
    for block in blocks.filter_map(|block| block.strip_prefix("yaml\n")) {
        let mut block = block.to_owned();
        for folder in ["config/", "fixtures/"] {
            block = block.replace(folder, &format!("{}/{folder}", root().display()));
        }
        fs::write(&file, block).unwrap();
        callgate(&["tools", file.to_str().unwrap()]).exits(0);
        loaded += 1;
    }
    assert!(loaded >= 1);
}

/// The lines of the shell blocks, continued ones joined.
fn commands(readme: &str) -> Vec<String> {
    let blocks =
        readme.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
    let joined = blocks.map(|block| block.replace("\\\n", " ")).collect::<Vec<_>>().join("\n");
    let lines =
        joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(ToOwned::to_owned).collect()
}
