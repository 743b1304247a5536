//! Every command of the README runs as it stands there.

use crate::prelude::*;

#[test]
fn every_command_of_the_readme_runs() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut ran = 0;
    let mut sidecar = None;
    let home = tempfile::tempdir().unwrap();
    for command in commands(&readme) {
        if let Some(arguments) = command.strip_prefix("callgate serve ") {
            sidecar = Some(Sidecar::start(&root(), &arguments.split(' ').collect::<Vec<_>>()));
            continue;
        }
        if command.starts_with("curl ") {
            answers(sidecar.as_ref().expect("the README starts the sidecar first"), &command);
            continue;
        }
        // The test command is what runs this test; the installed command and cargo's are the binary under test.
        if command.starts_with("cargo test") || command.starts_with("cargo bench") {
            continue;
        }
        let binary = env!("CARGO_BIN_EXE_callgate");
        let line = command.replace("cargo run -- ", "callgate ");
        let Some(line) = line.strip_prefix("callgate ") else {
            panic!("the README has a command no test runs: {command}");
        };
        let address = sidecar.as_ref().map_or(USUAL, |sidecar: &Sidecar| &*sidecar.address);
        let shell = format!("'{binary}' {}", line.replace(USUAL, address));
        let mut ran_by = Command::new("sh");
        ran_by.current_dir(root()).env("XDG_CONFIG_HOME", home.path());
        let ended = Ended::of(ran_by.args(["-c", &shell]));
        assert_eq!(ended.code, Some(0), "{command}: {ended:#?}");
        ran += 1;
    }
    assert!(ran >= 4, "only {ran} commands");
}

#[test]
fn the_first_command_of_the_readme_prints_its_result_and_nothing_else() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let section = section(&readme, "Two commands");
    let lines = commands(section);
    // The second is what runs this test; that it prints no warning is what CI builds with `-D warnings` for.
    assert_eq!((lines.len(), &*lines[1]), (2, "cargo test --workspace"), "{lines:?}");
    let line = lines[0].strip_prefix("cargo run -- ").unwrap();
    let ended = callgate(&line.split(' ').collect::<Vec<_>>()).exits(0);
    assert_eq!(ended.err, "");
    assert_eq!(ended.json()["name"], "Rex");
}

#[test]
fn the_three_lines_of_the_readme_for_an_own_api_run() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let lines = commands(section(&readme, "Your own API in three lines"));
    assert_eq!(lines.len(), 3, "{lines:?}");
    let home = tempfile::tempdir().unwrap();
    for line in &lines {
        let mut command = command_in(&root(), &[]);
        command.args(line.strip_prefix("callgate ").unwrap().split(' '));
        let ended = Ended::of(command.env("XDG_CONFIG_HOME", home.path())).exits(0);
        assert!(!ended.err.contains("warning"), "{line}: {ended:#?}");
        assert!(!ended.err.contains("note"), "{line}: {ended:#?}");
    }
}

/// What stands below a heading of the second level.
fn section<'a>(readme: &'a str, heading: &str) -> &'a str {
    let (_, after) = readme.split_once(&format!("\n## {heading}\n")).unwrap();
    after.split("\n## ").next().unwrap()
}

#[test]
fn every_output_of_the_readme_is_what_its_command_prints() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let blocks = readme.split("```").skip(1).step_by(2);
    let mut n_blocks = 0;
    for block in blocks.filter_map(|block| block.strip_prefix("console\n$ callgate ")) {
        let (arguments, output) = block.split_once('\n').unwrap();
        let ended = callgate(&arguments.split(' ').collect::<Vec<_>>());
        assert_eq!(ended.out, output, "{arguments}");
        n_blocks += 1;
    }
    assert_eq!(n_blocks, 3, "the request, the call, and the refused call");
}

#[test]
fn the_readme_has_at_most_700_words() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.split_whitespace().count() <= 700);
}

/// The address of the sidecar in the README.
const USUAL: &str = "127.0.0.1:8410";

/// The lines of the shell blocks, continued ones joined.
fn commands(readme: &str) -> Vec<String> {
    let blocks =
        readme.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
    let joined = blocks.map(|block| block.replace("\\\n", " ")).collect::<Vec<_>>().join("\n");
    let lines =
        joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(ToOwned::to_owned).collect()
}

/// Runs a line of curl as it is printed, against this sidecar.
fn answers(sidecar: &Sidecar, command: &str) {
    if Command::new("curl").arg("--version").output().is_err() {
        // A machine without curl has nobody who would type the line.
        return;
    }
    let line = format!("{} --fail", command.replace(USUAL, &sidecar.address));
    let ended = Ended::of(Command::new("sh").args(["-c", &line]));
    assert_eq!(ended.code, Some(0), "{command}: {ended:#?}");
    assert!(!ended.out.contains("\"error\""), "{command}: {ended:#?}");
    assert!(!ended.out.is_empty(), "{command}");
}
