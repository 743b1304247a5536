//! The workflow of the public repository installs what `.ci/run` needs: each program that a script of `tests/interop` looks for is in
//! this table, and the table's packages and actions are in `.github/workflows/ci.yml`.

use super::workspace::{File, root, tracked_files};

/// The way in which the runner gets a program.
#[derive(Clone, Copy)]
enum From {
    /// An action sets it up.
    Action(&'static str),
    /// A package of Debian and Ubuntu.
    Package(&'static str),
    /// The image of the runner has it, or `tests/interop/install` unpacks it.
    Runner,
}

const PROGRAMS: &[(&str, From)] = &[
    ("dbus-daemon", From::Package("dbus")),
    ("dnsmasq", From::Package("dnsmasq-base")),
    ("gnome-keyring-daemon", From::Package("gnome-keyring")),
    ("ip", From::Package("iproute2")),
    ("nginx", From::Runner),
    ("node", From::Action("actions/setup-node")),
    ("npm", From::Action("actions/setup-node")),
    ("openssl", From::Package("openssl")),
    ("promtool", From::Runner),
    ("python3", From::Action("actions/setup-python")),
    ("secret-tool", From::Package("libsecret-tools")),
    ("unshare", From::Runner),
];

/// Scripts below `tests/interop` that `.ci/full` runs, and `.ci/run` does not.
const OF_RELEASES: &[&str] =
    &["tests/interop/attacks/", "tests/interop/browser/", "tests/interop/clients/"];

/// The programs that a script looks for: `command -v NAME`, `shutil.which("NAME")`, `for tool in NAME NAME`.
fn programs(script: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in script.lines() {
        let named = line.split("command -v ").skip(1).chain(line.split("shutil.which(").skip(1));
        found.extend(named.filter_map(|rest| rest.split([' ', ')', ';']).next()));
        if let Some((_, tools)) = line.split_once("for tool in ") {
            let tools = tools.split([';', ':']).next().unwrap_or_default();
            found.extend(tools.split([' ', ',']));
        }
    }
    let bare = found.into_iter().map(|name| name.trim_matches(['"', '\'', '(', ')']));
    bare.filter(|name| !name.is_empty() && *name != "tool" && !name.contains(['$', '.'])).collect()
}

/// What the workflow lacks.
fn lacking(scripts: &[File], workflow: &str) -> Vec<String> {
    let mut lacking = Vec::new();
    for script in scripts {
        for program in programs(&script.text) {
            match PROGRAMS.iter().find(|(name, _)| *name == program) {
                None => lacking.push(format!("{}: {program} is not in the table", script.path)),
                Some((_, From::Runner)) => {}
                Some((_, From::Action(name) | From::Package(name))) => {
                    let is_named =
                        |word: &str| word == *name || word.starts_with(&format!("{name}@"));
                    if !workflow.split_whitespace().any(is_named) {
                        lacking.push(format!("{program}: the workflow has no {name}"));
                    }
                }
            }
        }
    }
    lacking
}

#[test]
fn a_program_that_the_workflow_does_not_install_is_found() {
    let text = "for tool in ip openssl; do\nnode=\"$(command -v node || true)\"\nif shutil.which(\"wrk\"):".to_owned();
    let scripts = [File { path: "a".to_owned(), text }];
    let expected = [
        "ip: the workflow has no iproute2",
        "node: the workflow has no actions/setup-node",
        "a: wrk is not in the table",
    ];
    assert_eq!(lacking(&scripts, "run: apt-get install openssl"), expected);
    let workflow = "uses: actions/setup-node@v4\nrun: apt-get install openssl iproute2";
    assert_eq!(lacking(&scripts, workflow), expected[2..]);
}

#[test]
fn the_workflow_installs_what_the_scripts_look_for() {
    let is_run = |file: &File| {
        file.path.starts_with("tests/interop/")
            && !OF_RELEASES.iter().any(|folder| file.path.starts_with(folder))
    };
    let scripts: Vec<_> = tracked_files().into_iter().filter(is_run).collect();
    assert!(scripts.iter().any(|script| !programs(&script.text).is_empty()));
    let workflow = std::fs::read_to_string(root().join(".github/workflows/ci.yml")).unwrap();
    assert_eq!(lacking(&scripts, &workflow), [""; 0]);
}
