//! Settings of the engine: the interpreter, the packages, the folders that programs see, and the limits.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// The operator's decisions about programs of Python.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonSettings {
    /// The interpreter, `CPython` from 3.10. It lies below `/usr` or one of `folders`.
    pub interpreter: PathBuf,
    /// The program `bwrap` of bubblewrap, from 0.8.
    pub bubblewrap: PathBuf,
    /// The packages that programs may import besides the standard library, by the names of their imports.
    pub packages: Vec<String>,
    /// Folders that programs can read besides `/usr`, for example a virtual environment. Nothing in them is secret from programs.
    pub folders: Vec<PathBuf>,
    /// The limits of each program.
    pub limits: PythonLimits,
}

/// The limits of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonLimits {
    /// The time from the first line to the last.
    pub time: Duration,
    /// Bytes of address space, for each process.
    pub memory: u64,
    /// The number of processes. With 1 a program cannot start another one, and has up to 64 threads; above, threads count as processes.
    pub processes: u32,
    /// Bytes of each text: the result, the error, the output, the messages.
    pub output: usize,
    /// Bytes of all files that come with a program.
    pub files_in: u64,
    /// Bytes of all files that are taken from it.
    pub files_out: u64,
    /// Bytes of the folder in which it works, which lies in memory.
    pub folder: u64,
}

impl Default for PythonSettings {
    /// The interpreter of the operating system, without packages.
    fn default() -> Self {
        Self {
            interpreter: first_existing_file(&["/usr/bin/python3", "/usr/local/bin/python3"]),
            bubblewrap: first_existing_file(&["/usr/bin/bwrap", "/usr/local/bin/bwrap"]),
            packages: Vec::new(),
            folders: Vec::new(),
            limits: PythonLimits::default(),
        }
    }
}

impl Default for PythonLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(20),
            memory: 1 << 30,
            processes: 1,
            output: 64 << 10,
            files_in: 16 << 20,
            files_out: 16 << 20,
            folder: 64 << 20,
        }
    }
}

impl PythonLimits {
    /// The most bytes of memory that a program can take with all its processes and files. The objects of the kernel behind them, such
    /// as pipes and empty files, come on top.
    pub fn max_total_memory(&self) -> u64 {
        let processes =
            self.process_memory_limit().saturating_mul(u64::from(self.processes.max(1)));
        processes.saturating_add(self.folder)
    }

    /// The memory of a process together with what its last steps may take: writing the traceback and packing the files.
    pub(super) fn process_memory_limit(&self) -> u64 {
        self.memory.saturating_add(self.files_out).saturating_add(LAST_STEPS)
    }
}

/// The first path that is a file, or the first path.
fn first_existing_file(paths: &[&str]) -> PathBuf {
    let first = paths.iter().map(Path::new).find(|path| path.is_file());
    first.or_else(|| paths.first().map(Path::new)).unwrap_or_else(|| Path::new("")).to_owned()
}

/// Bytes for the traceback of a program that has filled its memory.
const LAST_STEPS: u64 = 64 << 20;
/// The whole environment of programs. Libraries of numbers start a thread for each processor and reserve memory for it, unless told.
pub(super) const ENVIRONMENT: [(&str, &str); 8] = [
    ("HOME", "/tmp"),
    ("LANG", "C.UTF-8"),
    ("MKL_NUM_THREADS", "1"),
    ("MPLBACKEND", "Agg"),
    ("OMP_NUM_THREADS", "1"),
    ("OPENBLAS_NUM_THREADS", "1"),
    ("PATH", "/usr/bin:/bin"),
    ("TMPDIR", "/tmp"),
];
