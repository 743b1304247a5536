//! Starts the program that extracts text, and waits for the text within bounds.

use std::{
    io::{Read as _, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use super::child::END;

/// The text of a file; an error says in words what came instead.
pub(super) fn extract_with_program(
    program: &Path,
    bytes: &[u8],
    most: usize,
) -> Result<String, String> {
    let mut command = Command::new(program);
    command.arg("extract").env_clear();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command
        .spawn()
        .map_err(|error| format!("no program that extracts it: {}", error.kind()))?;
    let text = extract_with_child(&mut child, bytes, most);
    child.kill().ok();
    child.wait().ok();
    text
}

/// Writes the file, and reads the text until its end mark.
fn extract_with_child(child: &mut Child, bytes: &[u8], most: usize) -> Result<String, String> {
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("a program without pipes".to_owned());
    };
    let (sender, receiver) = channel();
    let received = thread::scope(|scope| {
        scope.spawn(move || input.write_all(bytes).ok());
        scope.spawn(move || {
            let mut text = Vec::new();
            output.take(most as u64 + 2).read_to_end(&mut text).ok();
            sender.send(text).ok();
        });
        let received = receiver.recv_timeout(TIME);
        // It has nothing more to say, or takes too long; without it, both threads end.
        child.kill().ok();
        received
    });
    let mut text = match received {
        Ok(text) => text,
        Err(RecvTimeoutError::Timeout) => {
            return Err(format!("none within {} seconds", TIME.as_secs()));
        }
        Err(RecvTimeoutError::Disconnected) => return Err("none".to_owned()),
    };
    if text.len() > most + 1 {
        return Err(format!("more than {most} bytes of text"));
    }
    if text.pop() != Some(END) {
        return Err("a malformed, encrypted or too large one".to_owned());
    }
    String::from_utf8(text).map_err(|_| "a text that is no UTF-8".to_owned())
}

/// The most time for one file; those of a few hundred pages take a second.
const TIME: Duration = Duration::from_secs(20);
