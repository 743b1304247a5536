//! The workflow of the public repository installs what `.ci/run` needs: each program that a script of `tests/interop` or `tests/cluster` looks for is in
//! this table, and the table's packages and actions are in `.github/workflows/ci.yml`.

use super::workspace::{File, root, tracked_files};

/// The way in which the runner gets a program.
#[derive(Clone, Copy)]
enum Supply {
    /// An action sets it up.
    Action(&'static str),
    /// A package of Debian and Ubuntu.
    Package(&'static str),
    /// The image of the runner has it, or `tests/interop/install` unpacks it.
    Runner,
}

const PROGRAMS: &[(&str, Supply)] = &[
    ("apache2", Supply::Package("apache2")),
    ("bwrap", Supply::Package("bubblewrap")),
    ("caddy", Supply::Package("caddy")),
    ("cargo", Supply::Runner),
    ("dbus-daemon", Supply::Package("dbus")),
    ("dnsmasq", Supply::Package("dnsmasq-base")),
    ("envoy", Supply::Runner),
    ("gnome-keyring-daemon", Supply::Package("gnome-keyring")),
    ("haproxy", Supply::Package("haproxy")),
    ("ip", Supply::Package("iproute2")),
    ("mariadbd", Supply::Package("mariadb-server")),
    ("nginx", Supply::Runner),
    ("node", Supply::Action("actions/setup-node")),
    ("npm", Supply::Action("actions/setup-node")),
    ("openssl", Supply::Package("openssl")),
    ("promtool", Supply::Runner),
    ("python3", Supply::Action("actions/setup-python")),
    ("rustc", Supply::Runner),
    ("pgbouncer", Supply::Package("pgbouncer")),
    ("redis-server", Supply::Package("redis-server")),
    ("secret-tool", Supply::Package("libsecret-tools")),
    ("unshare", Supply::Runner),
];

/// Scripts below `tests/interop` that `.ci/full` runs, and `.ci/run` does not.
const OF_RELEASES: &[&str] = &[
    "tests/interop/attacks/",
    "tests/interop/browser/",
    "tests/interop/clients/",
    "tests/interop/deploy/",
    "tests/interop/first-day/",
    "tests/interop/questions.py",
    "tests/interop/random_calls.py",
];

/// The programs that a script looks for: `command -v NAME`, `shutil.which("NAME")`, `servers.program("NAME", …)`, `for tool in
/// NAME NAME`.
fn programs(script: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in script.lines() {
        let named = ["command -v ", "shutil.which(", "servers.program("];
        let named = named.iter().flat_map(|way| line.split(way).skip(1));
        found.extend(named.filter_map(|rest| rest.split([' ', ')', ';', ',']).next()));
        let is_list = |rest: &str| rest.starts_with("(\"") || rest.ends_with("; do");
        if let Some((_, tools)) = line.split_once("for tool in ").filter(|(_, rest)| is_list(rest))
        {
            let tools = tools.split([';', ':']).next().unwrap_or_default();
            found.extend(tools.split([' ', ',']));
        }
    }
    let bare = found.into_iter().map(|name| name.trim_matches(['"', '\'', '(', ')']));
    bare.filter(|name| !name.is_empty() && *name != "tool" && !name.contains(['$', '.'])).collect()
}

/// What the workflow lacks.
fn lacking(scripts: &[File], workflow: &str) -> Vec<String> {
    let programs = scripts.iter().flat_map(|script| {
        programs(&script.text).into_iter().map(|program| (&*script.path, program))
    });
    programs.filter_map(|(path, program)| lack(path, program, workflow)).collect()
}

fn lack(path: &str, program: &str, workflow: &str) -> Option<String> {
    let name = match PROGRAMS.iter().find(|(name, _)| *name == program) {
        None => return Some(format!("{path}: {program} is not in the table")),
        Some((_, Supply::Runner)) => return None,
        Some((_, Supply::Action(name) | Supply::Package(name))) => name,
    };
    let is_named = |word: &str| word == *name || word.starts_with(&format!("{name}@"));
    let is_there = workflow.split_whitespace().any(is_named);
    (!is_there).then(|| format!("{program}: the workflow has no {name}"))
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
        ["tests/cluster/", "tests/interop/"].iter().any(|folder| file.path.starts_with(folder))
            && !OF_RELEASES.iter().any(|folder| file.path.starts_with(folder))
    };
    let scripts: Vec<_> = tracked_files().into_iter().filter(is_run).collect();
    assert!(scripts.iter().any(|script| !programs(&script.text).is_empty()));
    let workflow = std::fs::read_to_string(root().join(".github/workflows/ci.yml")).unwrap();
    assert_eq!(lacking(&scripts, &workflow), [""; 0]);
}
