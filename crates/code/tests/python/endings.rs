//! The ends that come from outside: a future that is dropped, a gateway that is killed, and machines that give no sandbox.

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use callgate_code::python::{PythonErrorKind, PythonProgram, PythonSettings, examine, run};
use tempfile::TempDir;

use crate::world::{World, sandboxes, wait_for_none};

/// Tries to outlive whatever started it.
pub(crate) const STAYS: &str = "
import ctypes, signal, time
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: time.sleep(9)";

pub(crate) async fn test(world: &mut World) {
    a_dropped_future_ends_the_program(world).await;
    a_killed_gateway_takes_the_program_with_it(world);
    a_machine_without_a_sandbox_says_so_and_runs_nothing(world).await;
    an_examination_finds_all_walls(world).await;
}

async fn a_dropped_future_ends_the_program(world: &mut World) {
    let program = PythonProgram { code: STAYS.to_owned(), files: Vec::new() };
    let settings = world.settings();
    let task = tokio::spawn(async move { run(&settings, program).await.map(drop) });
    assert!(wait_until_it_stays(world.shown()), "no program ran");
    for process in sandboxes(world.shown()) {
        assert_eq!(fs::read_to_string(process.join("oom_score_adj")).unwrap().trim(), "1000");
    }
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    world.is_unchanged("a dropped future");
}

fn a_killed_gateway_takes_the_program_with_it(world: &mut World) {
    let shown = world.shown().to_owned();
    let mut gateway = Command::new(env::current_exe().unwrap())
        .arg("killed")
        .arg(&shown)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(gateway.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(wait_until_it_stays(&shown), "no program ran");
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    world.is_unchanged("a killed gateway");
}

/// True once a program runs that ignores signals.
fn wait_until_it_stays(shown: &Path) -> bool {
    let begin = Instant::now();
    let ignores = |process: &PathBuf| {
        let status = fs::read_to_string(process.join("status")).unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
        ignored.is_some_and(|mask| mask.starts_with('f') || mask.starts_with('7'))
    };
    while !sandboxes(shown).iter().any(ignores) {
        if begin.elapsed() > Duration::from_secs(15) {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

async fn a_machine_without_a_sandbox_says_so_and_runs_nothing(world: &mut World) {
    let folder = TempDir::new().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let absent = folder.path().join("absent");
    let elsewhere = folder.path().join("python3");
    fs::copy("/usr/bin/python3", &elsewhere).unwrap();
    let link = folder.path().join("link");
    symlink("/proc", &link).unwrap();
    let settings = || world.settings();
    let bubblewrap = |path: PathBuf| PythonSettings { bubblewrap: path, ..settings() };
    let interpreter = |path: PathBuf| PythonSettings { interpreter: path, ..settings() };
    let shown = |path: PathBuf| PythonSettings { folders: vec![path], ..settings() };
    let rows = [
        (PythonErrorKind::Bubblewrap, bubblewrap(absent.clone())),
        (PythonErrorKind::Interpreter, interpreter(absent.clone())),
        (PythonErrorKind::Interpreter, interpreter(elsewhere)),
        (PythonErrorKind::Start, interpreter("/usr/bin/env".into())),
        (PythonErrorKind::Start, shown(absent)),
        // What these hold is more than files.
        (PythonErrorKind::Folders, shown("/".into())),
        (PythonErrorKind::Folders, shown("/etc".into())),
        (PythonErrorKind::Folders, shown("/proc/self".into())),
        (PythonErrorKind::Folders, shown(link)),
        // The kernel refuses namespaces from here on.
        (PythonErrorKind::Namespaces, bubblewrap(without_namespaces(folder.path()))),
    ];
    for (kind, settings) in rows {
        let program = PythonProgram { code: "4 + 4".to_owned(), files: Vec::new() };
        let error = run(&settings, program).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(!error.remedy().is_empty());
        assert_eq!(examine(&settings).await.unwrap_err().kind(), kind);
        world.is_unchanged(&error.to_string());
    }
    assert!(wait_for_none(world.shown()));
}

/// A `bwrap` that runs where no more user namespaces are to be had.
fn without_namespaces(folder: &Path) -> PathBuf {
    let path = folder.join("bwrap");
    let script = "#!/bin/sh\nexec unshare --user --map-root-user sh -c \
        'echo 0 >/proc/sys/user/max_user_namespaces; exec /usr/bin/bwrap \"$@\"' sh \"$@\"\n";
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

async fn an_examination_finds_all_walls(world: &mut World) {
    let packages = vec!["numpy".to_owned(), "nowhere".to_owned()];
    let examination = examine(&PythonSettings { packages, ..world.settings() }).await.unwrap();
    let names: Vec<_> = examination.walls.iter().map(|wall| wall.name.as_str()).collect();
    let expected =
        ["environment", "files", "limits", "network", "processes", "system calls", "user"];
    assert_eq!(names, expected);
    assert!(examination.walls.iter().all(|wall| wall.stands), "{examination:?}");
    let absent: Vec<_> = examination.absent_packages.iter().map(|(name, _)| &**name).collect();
    assert_eq!(absent, ["nowhere"]);
    world.is_unchanged("an examination");
}
