//! Starts bubblewrap with the interpreter in it. The walls are here: namespaces, the view of files, the environment, the filter of system
//! calls, and no open file but three streams and one channel.

use std::{
    fs,
    io::{self, Write as _},
    os::{fd::OwnedFd, unix::net, unix::process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use command_fds::{CommandFdExt as _, FdMapping};
use rustix::process::geteuid;
use tokio::{
    net::UnixStream,
    process::{Child, ChildStderr, ChildStdout},
    time::timeout,
};

use super::filter::seccomp_filter_bytes;
use crate::python::{PythonError, PythonSettings, error, settings::ENVIRONMENT};

/// A sandbox whose interpreter waits for its request.
pub(super) struct Sandbox {
    /// Dropping it ends bubblewrap, and with it all that runs in the sandbox.
    pub(super) child: Child,
    pub(super) channel: UnixStream,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Sandbox {
    pub(super) fn start(settings: &PythonSettings) -> Result<Self, PythonError> {
        if let Some(folder) = settings.folders.iter().find(|folder| !is_safe_to_show(folder)) {
            return Err(error::unsafe_folder_error(folder));
        }
        let interpreter = interpreter(settings)?;
        let filter = seccomp_filter_bytes(settings.limits.processes)?;
        let spawned = spawn(settings, &interpreter, &filter);
        spawned.map_err(|error| error::bubblewrap_start_error(&settings.bubblewrap, &error))
    }

    /// Lets the kernel end the program, not the gateway, where the memory of the machine runs out. For an interpreter that waits.
    pub(super) fn raise_oom_score(&self) {
        let Some(id) = self.child.id() else { return };
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        for child in children.unwrap_or_default().split_whitespace() {
            fs::write(format!("/proc/{child}/oom_score_adj"), "1000").ok();
        }
    }
}

/// True for a folder that holds files alone, and is not one of the machine's own at its root.
fn is_safe_to_show(folder: &Path) -> bool {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let is_open = |path: &Path| CLOSED.iter().any(|closed| path.starts_with(closed));
    let is_deep = |path: &Path| path.is_absolute() && path.components().count() > 2;
    [folder, &real].into_iter().all(|path| is_deep(path) && !is_open(path))
}

/// The interpreter behind all links, which lies in a folder that the sandbox shows.
fn interpreter(settings: &PythonSettings) -> Result<PathBuf, PythonError> {
    let interpreter = &settings.interpreter;
    let real = interpreter
        .canonicalize()
        .map_err(|error| error::absent_interpreter(interpreter, &error))?;
    let is_seen = |path: &Path| {
        path.starts_with("/usr") || settings.folders.iter().any(|folder| path.starts_with(folder))
    };
    // A link of a virtual environment says which packages there are, so that it is started by its own path.
    if [interpreter.as_path(), &real].into_iter().all(is_seen) {
        return Ok(interpreter.clone());
    }
    Err(error::hidden_interpreter(&real))
}

fn spawn(settings: &PythonSettings, interpreter: &Path, filter: &[u8]) -> io::Result<Sandbox> {
    let (channel, inner) = net::UnixStream::pair()?;
    channel.set_nonblocking(true)?;
    // A filter is smaller than what a pipe holds.
    let (read_filter, mut write_filter) = io::pipe()?;
    write_filter.write_all(filter)?;
    drop(write_filter);
    let mut command = bubblewrap(settings);
    add_sandbox_arguments(&mut command, settings);
    command.arg("--").arg(interpreter).args(["-I", "-B", "-X", "utf8"]);
    if settings.packages.is_empty() {
        command.arg("-S");
    }
    command.args(["-c", START, BOOT]);
    let map = |parent_fd: OwnedFd, child_fd| FdMapping { parent_fd, child_fd };
    let mappings = vec![map(inner.into(), CHANNEL), map(read_filter.into(), FILTER)];
    command.fd_mappings(mappings).map_err(io::Error::other)?;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut command = tokio::process::Command::from(command);
    let mut child = command.kill_on_drop(true).spawn()?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    Ok(Sandbox { child, channel: UnixStream::from_std(channel)?, stdout, stderr })
}

/// Bubblewrap without the environment of this process, and never as root: a user without rights is what it is started as.
fn bubblewrap(settings: &PythonSettings) -> Command {
    let mut command = Command::new(&settings.bubblewrap);
    command.env_clear().current_dir("/");
    if geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn add_sandbox_arguments(command: &mut Command, settings: &PythonSettings) {
    command.args(WALLS.split_whitespace());
    // One folder of memory holds all that a program writes, so that one limit counts it.
    command.args(["--size", &settings.limits.folder.to_string()]);
    command.args(["--perms", "0700", "--tmpfs", "/tmp"]);
    for folder in &settings.folders {
        command.arg("--ro-bind").args([folder, folder]);
    }
    command.args(["--symlink", "/tmp", "/dev/shm", "--chdir", "/tmp"]);
    // The root is in memory as well, and has no limit of its own.
    command.args(["--remount-ro", "/", "--clearenv"]);
    for (name, value) in ENVIRONMENT {
        command.args(["--setenv", name, value]);
    }
}

/// Says in words why nothing starts: namespaces are tried alone.
pub(super) async fn diagnose_start_failure(settings: &PythonSettings, said: &str) -> PythonError {
    let mut command = bubblewrap(settings);
    command.args(["--unshare-all", "--unshare-user", "--ro-bind", "/", "/", "--", "/bin/true"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut command = tokio::process::Command::from(command);
    let status = timeout(LAST, command.kill_on_drop(true).status()).await;
    match status.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
        Err(error) => error::bubblewrap_start_error(&settings.bubblewrap, &error),
        Ok(status) if status.success() => error::start_error(said),
        Ok(_) => error::no_namespaces(said),
    }
}

/// Folders with processes and their environments, devices and sockets.
const CLOSED: [&str; 4] = ["/dev", "/proc", "/run", "/sys"];
/// The time to end what was killed.
pub(super) const LAST: Duration = Duration::from_secs(5);
/// The number of the channel in the sandbox.
const CHANNEL: i32 = 3;
/// The number of the filter, which bubblewrap reads and closes.
const FILTER: i32 = 4;
/// The user and the group without rights, here and in the sandbox.
const NOBODY: u32 = 65534;
/// The text that the interpreter runs; its frames have a file name of their own, by which they are kept out of tracebacks.
const START: &str = "import sys; exec(compile(sys.argv.pop(), '<sandbox>', 'exec'), {})";
const BOOT: &str = include_str!("boot.py");

/// All namespaces; no process but the interpreter, so that each has its limits; and of files what the interpreter needs. There is no
/// `/proc`: programs need it little, and containers often cannot give it. Without `matplotlibrc` Debian's matplotlib is not imported.
const WALLS: &str = "\
    --unshare-all --unshare-user --uid 65534 --gid 65534 --hostname sandbox --die-with-parent --new-session --as-pid-1 \
    --seccomp 4 --ro-bind /usr /usr --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64 --ro-bind-try /bin /bin \
    --ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache \
    --ro-bind-try /etc/matplotlibrc /etc/matplotlibrc --dev-bind /dev/null /dev/null --dev-bind /dev/zero /dev/zero \
    --dev-bind /dev/random /dev/random --dev-bind /dev/urandom /dev/urandom \
";
