//! The world around the sandbox, which no attempt may change or learn of.

use std::{
    fs,
    net::TcpListener,
    os::{fd::AsRawFd as _, unix::fs::PermissionsExt as _},
    path::{Path, PathBuf},
    process,
    time::{Duration, Instant},
};

use callgate_code::python::{Ending, InputFile, PythonOutcome, PythonProgram, PythonSettings, run};
use callgate_testkit::rows;
use rustix::io::{FdFlags, fcntl_setfd};
use tempfile::TempDir;

/// A try to leave the sandbox or to harm what is around it.
pub(crate) struct Attempt {
    pub(crate) name: String,
    pub(crate) code: String,
    pub(crate) expected: Expected,
    pub(crate) files: Vec<InputFile>,
    pub(crate) processes: u32,
    /// The number of tries in the program.
    pub(crate) n_tries: u32,
    pub(crate) time: Duration,
}

/// The refusal: what the outcome must hold.
pub(crate) enum Expected {
    Ending(Ending),
    Error(&'static str),
    Result(&'static str),
}

impl Attempt {
    pub(crate) fn new(name: &str, code: &str, expected: Expected) -> Self {
        let (name, code) = (name.to_owned(), code.to_owned());
        let time = Duration::from_secs(15);
        Self { name, code, expected, files: Vec::new(), processes: 1, n_tries: 1, time }
    }

    /// An attempt whose program stands in one line, with `\n` for its line breaks.
    pub(crate) fn of_line(name: &str, code: &str, expected: Expected) -> Self {
        Self::new(name, &code.replace("\\n", "\n"), expected)
    }

    /// Attempts with this end: rows of names and programs.
    pub(crate) fn ending(table: &str, ending: Ending) -> impl Iterator<Item = Self> {
        rows(table).map(move |[name, code]| Self::of_line(name, code, Expected::Ending(ending)))
    }

    pub(crate) fn with_processes(self, processes: u32) -> Self {
        Self { processes, ..self }
    }

    pub(crate) fn counted(self, n_tries: u32) -> Self {
        Self { n_tries, ..self }
    }

    pub(crate) fn within(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    pub(crate) fn with_file(mut self, name: &str, bytes: Vec<u8>) -> Self {
        self.files.push(InputFile { name: name.to_owned(), bytes });
        self
    }
}

pub(crate) struct World {
    /// A folder that the sandbox shows; beside it one that it does not.
    shown: TempDir,
    hidden: TempDir,
    /// Open in this process and in all that it starts.
    inherited: fs::File,
    listener: TcpListener,
    n_attempts: u32,
    n_descriptors: usize,
    /// Refusals that were others than expected.
    failures: Vec<String>,
    memory: u64,
}

impl World {
    pub(crate) fn new() -> Self {
        let open = |folder: &TempDir| {
            fs::write(folder.path().join("canary"), SECRET).unwrap();
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
            fs::set_permissions(folder.path().join("canary"), fs::Permissions::from_mode(0o666))
        };
        let (shown, hidden) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        open(&hidden).unwrap();
        open(&shown).unwrap();
        fs::write(shown.path().join("canary"), "shown").unwrap();
        let inherited = fs::File::open(hidden.path().join("canary")).unwrap();
        fcntl_setfd(&inherited, FdFlags::empty()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        // From here on the peak of memory is that of the attempts.
        fs::write("/proc/self/clear_refs", "5").unwrap();
        let (n_descriptors, memory) = (n_descriptors(), peak());
        Self {
            shown,
            hidden,
            inherited,
            listener,
            n_attempts: 0,
            n_descriptors,
            failures: Vec::new(),
            memory,
        }
    }

    /// The settings of attempts, with small limits.
    pub(crate) fn settings(&self) -> PythonSettings {
        let folders = vec![self.shown.path().to_owned()];
        let mut settings = PythonSettings { folders, ..PythonSettings::default() };
        settings.limits.memory = 256 << 20;
        settings.limits.folder = 16 << 20;
        settings.limits.files_in = 1 << 20;
        settings.limits.files_out = 1 << 20;
        settings
    }

    pub(crate) fn shown(&self) -> &Path {
        self.shown.path()
    }

    /// The attempt fails in the way that is expected of it, and the world is as before.
    pub(crate) async fn refuses(&mut self, attempt: &Attempt) {
        let mut settings = self.settings();
        settings.limits.processes = attempt.processes;
        settings.limits.time = attempt.time;
        let program =
            PythonProgram { code: self.fill(&attempt.code), files: attempt.files.clone() };
        let name = &attempt.name;
        let outcome =
            run(&settings, program).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        let is_expected = match attempt.expected {
            Expected::Ending(ending) => outcome.ending == ending,
            Expected::Error(part) => outcome.error.contains(part),
            Expected::Result(part) => outcome.error.is_empty() && outcome.result.contains(part),
        };
        if !is_expected {
            self.failures.push(format!("{name}: {outcome:?}"));
        }
        self.n_attempts += attempt.n_tries - 1;
        is_untold(name, &outcome);
        self.is_unchanged(name);
    }

    /// Puts in what an attempt must know to hit anything.
    fn fill(&self, code: &str) -> String {
        let canary = |folder: &TempDir| folder.path().join("canary").display().to_string();
        code.replace("HIDDEN", &canary(&self.hidden))
            .replace("SHOWN", &canary(&self.shown))
            .replace("PORT", &self.listener.local_addr().unwrap().port().to_string())
            .replace("PARENT", &process::id().to_string())
            .replace("DESCRIPTOR", &self.inherited.as_raw_fd().to_string())
    }

    /// Files, connections, processes and descriptors are as before.
    pub(crate) fn is_unchanged(&mut self, name: &str) {
        self.n_attempts += 1;
        for (folder, content) in [(&self.hidden, SECRET), (&self.shown, "shown")] {
            let canary = folder.path().join("canary");
            assert_eq!(fs::read_to_string(canary).unwrap(), content, "{name}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name}");
        }
        assert!(self.listener.accept().is_err(), "{name}: a connection came");
        assert!(wait_for_none(self.shown.path()), "{name}: processes are left");
        assert_eq!(n_descriptors(), self.n_descriptors, "{name}: descriptors are left");
        let cores = ["/core", "core"].iter().find(|path| Path::new(path).exists());
        assert_eq!(cores, None, "{name}");
    }

    /// Prints the figures, and holds the one that is a bar.
    pub(crate) fn report(&self) {
        assert!(self.failures.is_empty(), "{}", self.failures.join("\n"));
        let growth = peak().saturating_sub(self.memory);
        println!("{} attempts, 0 successes; memory grew by {} KiB", self.n_attempts, growth);
        assert!(growth <= 8 << 10, "{growth} KiB");
    }
}

/// Nothing of the world is in what the program gave.
fn is_untold(name: &str, outcome: &PythonOutcome) {
    let texts = [&outcome.result, &outcome.error, &outcome.stdout, &outcome.stderr];
    let files = outcome.files.iter().map(|file| file.bytes.as_slice());
    for bytes in texts.into_iter().map(String::as_bytes).chain(files) {
        let text = String::from_utf8_lossy(bytes);
        for word in [SECRET, "root:x:0", "ESCAPED"] {
            assert!(!text.contains(word), "{name}: {word} in {text}");
        }
    }
}

/// True once no process sees the folder as its sandbox shows it: at once, or shortly after the last was killed.
pub(crate) fn wait_for_none(shown: &Path) -> bool {
    let begin = Instant::now();
    while !sandboxes(shown).is_empty() {
        if begin.elapsed() > Duration::from_secs(10) {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

/// The processes whose mounts have the folder.
pub(crate) fn sandboxes(shown: &Path) -> Vec<PathBuf> {
    let mark = format!(" {} ", shown.display());
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let has_mark = |process: &PathBuf| {
        fs::read_to_string(process.join("mountinfo")).is_ok_and(|mounts| mounts.contains(&mark))
    };
    processes.filter(has_mark).collect()
}

fn n_descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// The most memory that this process had at once, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

const SECRET: &str = "a canary that sings to nobody";
