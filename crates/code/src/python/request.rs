//! Writes the request to the interpreter in the sandbox: one line of JSON, and the bytes of the files behind it.

use serde_json::json;

use super::{PythonError, PythonProgram, PythonSettings, error};

/// The bytes for the interpreter.
pub(super) struct Request {
    pub(super) line: Vec<u8>,
    pub(super) files: Vec<Vec<u8>>,
}

impl Request {
    /// Refuses files that are too large together, and names that are not plain.
    pub(super) fn new(
        settings: &PythonSettings,
        program: PythonProgram,
    ) -> Result<Self, PythonError> {
        let limits = &settings.limits;
        let sizes: Vec<u64> = program.files.iter().map(|file| file.bytes.len() as u64).collect();
        let size = sizes.iter().fold(0_u64, |sum, size| sum.saturating_add(*size));
        let most = limits.files_in.min(limits.folder);
        if size > most {
            return Err(error::files_error(format!(
                "expected at most {most} bytes of files: {size}"
            )));
        }
        let mut names: Vec<&str> = program.files.iter().map(|file| &*file.name).collect();
        if let Some(name) = names.iter().find(|name| !is_plain_file_name(name)) {
            return Err(error::files_error(format!("expected a plain name of a file: `{name}`")));
        }
        names.sort_unstable();
        if let Some([name, _]) = names.array_windows().find(|[one, other]| one == other) {
            return Err(error::files_error(format!("expected one file of each name: `{name}`")));
        }
        let listed = program.files.iter().zip(sizes);
        let listed: Vec<_> =
            listed.map(|(file, size)| json!({"name": file.name, "size": size})).collect();
        let mut line = json!({
            "code": program.code,
            "files": listed,
            "files_out": limits.files_out,
            "limits": rlimits(settings),
            "most_files": MOST_FILES,
            "output": limits.output,
            "packages": settings.packages,
        })
        .to_string()
        .into_bytes();
        line.push(b'\n');
        Ok(Self { line, files: program.files.into_iter().map(|file| file.bytes).collect() })
    }
}

/// The limits that the interpreter sets for itself, for good, before it reads the program: by name the soft one and the hard one.
pub(super) fn rlimits(settings: &PythonSettings) -> serde_json::Value {
    let limits = &settings.limits;
    let seconds = limits.time.as_secs().saturating_add(1);
    let processes = if limits.processes <= 1 { MOST_THREADS } else { u64::from(limits.processes) };
    json!({
        "AS": [limits.memory, limits.process_memory_limit()],
        // With one byte no core dump is written, and none is sent to a program of the machine either, which 0 does not stop.
        "CORE": [1, 1],
        "CPU": [seconds, seconds.saturating_add(1)],
        "FSIZE": [limits.folder, limits.folder],
        "MEMLOCK": [0, 0],
        "MSGQUEUE": [0, 0],
        "NOFILE": [256, 256],
        "NPROC": [processes, processes],
        "STACK": [8 << 20, 8 << 20],
    })
}

/// True for the name of a file without a path, of which nothing is special to a shell, a terminal or a file system.
pub(crate) fn is_plain_file_name(name: &str) -> bool {
    let is_special = |c: char| matches!(c, '/' | '\\') || c.is_control();
    !name.is_empty() && name.len() <= 255 && !name.starts_with('.') && !name.contains(is_special)
}

/// The most files that are taken from a program.
pub(super) const MOST_FILES: usize = 64;
/// Threads of the one process, which the kernel counts as processes.
const MOST_THREADS: u64 = 64;

#[cfg(test)]
mod tests {
    use super::{PythonProgram, PythonSettings, Request, is_plain_file_name};
    use crate::python::InputFile;

    #[track_caller]
    fn check(files: &[(&str, usize)], expected: &str) {
        let mut settings = PythonSettings::default();
        settings.limits.files_in = 10;
        let file = |(name, size): &(&str, usize)| InputFile {
            name: (*name).to_owned(),
            bytes: vec![0; *size],
        };
        let files = files.iter().map(file).collect();
        let request = Request::new(&settings, PythonProgram { code: String::new(), files });
        assert_eq!(request.err().map(|error| error.to_string()).unwrap_or_default(), expected);
    }

    #[test]
    fn files_are_bounded_together_and_have_plain_names() {
        check(&[("a.csv", 5), ("b.csv", 5)], "");
        check(&[("a.csv", 5), ("b.csv", 6)], "expected at most 10 bytes of files: 11");
        check(&[("../a", 1)], "expected a plain name of a file: `../a`");
        check(&[("a", 1), ("b", 1), ("a", 1)], "expected one file of each name: `a`");
    }

    #[test]
    fn a_name_with_a_path_a_dot_or_a_control_is_not_plain() {
        for name in
            ["", ".", "..", ".bashrc", "a/b", "/etc/passwd", "a\\b", "a\0", "a\n", "\u{1b}[2J"]
        {
            assert!(!is_plain_file_name(name), "{name:?}");
        }
        for name in ["a", "table.csv", "größe 1.png", "-x"] {
            assert!(is_plain_file_name(name), "{name:?}");
        }
    }
}
