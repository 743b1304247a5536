//! Runs the command of a row in a folder of its own, with nothing of this machine's: no home, no variables.

use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use crate::{
    row::{Row, Rows, Transcript},
    services::Services,
};

/// The longest that a command may take.
const LONGEST: Duration = Duration::from_secs(30);

/// What the command of a row says, with names in place of addresses and folders.
pub(crate) fn run(rows: &Rows, row: &Row, services: &Services) -> Transcript {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in rows.files.iter().chain(&row.files) {
        write(folder.path(), name, &services.filled(text));
    }
    for line in &row.before {
        let line = services.filled(&line.replace("{dir}", &folder.path().display().to_string()));
        command(&line, folder.path()).output().unwrap();
    }
    let mut command = command(&services.filled(&row.command), folder.path());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let output = ended.recv_timeout(LONGEST);
    let output =
        output.unwrap_or_else(|_| panic!("{}: the command does not end", row.title)).unwrap();
    let home = folder.path().display().to_string();
    let named = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap().replace(&home, "{dir}");
        let lines = services.named(&text);
        lines.lines().map(|line| format!("{}\n", timeless(line).trim_end())).collect()
    };
    Transcript { code: output.status.code(), err: named(output.stderr), out: named(output.stdout) }
}

/// A line with `N ms` in place of times.
fn timeless(line: &str) -> String {
    let mut parts = line.split(" ms").peekable();
    let mut text = String::new();
    while let Some(part) = parts.next() {
        let digits = part.trim_end_matches(|c: char| c.is_ascii_digit());
        match parts.peek() {
            Some(_) if digits.len() < part.len() => {
                text.push_str(&format!("{}  N ms", digits.trim_end()));
            }
            Some(_) => text.push_str(&format!("{part} ms")),
            None => text.push_str(part),
        }
    }
    text
}

/// Writes a file: `NAME`, or `NAME mode 000`, or `NAME hex` of bytes in hexadecimal digits.
fn write(folder: &Path, name: &str, text: &str) {
    let mut words = name.split(' ');
    let file = folder.join(words.next().unwrap());
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let kind = words.next();
    let text = match kind {
        Some("hex") => bytes(text),
        _ => text.replace("\\t", "\t").into_bytes(),
    };
    fs::write(&file, text).unwrap();
    if let (Some("mode"), Some(mode)) = (kind, words.next()) {
        let mode = u32::from_str_radix(mode, 8).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    }
}

/// The bytes of hexadecimal digits.
fn bytes(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

/// The command of a line: variables, `callgate` or a program of the system, arguments, and what it reads.
fn command(line: &str, folder: &Path) -> Command {
    let program = words(line).into_iter().find(|word| !word.contains('=')).unwrap();
    let mut command = match &*program {
        "callgate" => Command::new(env!("CARGO_BIN_EXE_callgate")),
        "chmod" | "mkdir" | "mv" => Command::new(&program),
        other => panic!("expected `callgate`, got `{other}`"),
    };
    command.env_clear().env("HOME", folder).current_dir(folder).stdin(Stdio::null());
    command.env("XDG_RUNTIME_DIR", folder).env("GOOGLE_CLOUD_UNIVERSE_DOMAIN", "");
    let mut words = words(line).into_iter();
    for word in words.by_ref() {
        match word.split_once('=') {
            Some((name, value)) => command.env(name, value),
            None => break,
        };
    }
    while let Some(word) = words.next() {
        if word == "<" {
            command.stdin(File::open(folder.join(words.next().unwrap())).unwrap());
        } else {
            command.arg(word);
        }
    }
    command
}

/// The words of a line; `'…'` keeps its blanks.
pub(crate) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted, mut is_word) =
        (Vec::new(), String::new(), false, false);
    for c in line.chars() {
        match c {
            '\'' => (is_quoted, is_word) = (!is_quoted, true),
            ' ' if !is_quoted => {
                if is_word {
                    words.push(std::mem::take(&mut word));
                }
                is_word = false;
            }
            c => {
                word.push(c);
                is_word = true;
            }
        }
    }
    if is_word {
        words.push(word);
    }
    words
}
