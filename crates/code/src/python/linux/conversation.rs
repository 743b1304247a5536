//! Speaks with the interpreter: sends the request, reads the answer and what is printed, and ends it all at a limit.

use std::{
    io, os::fd::OwnedFd, os::unix::process::ExitStatusExt as _, process::ExitStatus, time::Duration,
};

use tokio::{io::AsyncWriteExt as _, net::UnixStream, time::timeout};

use super::{
    answer::{self, Answer},
    folder::{self, MOST_FILES},
    output::{MOST_PASSED, Output},
    sandbox::{LAST, Sandbox, diagnose_start_failure},
};
use crate::python::{
    Ending, PythonError, PythonLimits, PythonOutcome, PythonSettings, request::Request,
};

/// All that comes from a program.
struct Streams {
    answer: Output,
    stdout: Output,
    stderr: Output,
}

/// The end of a conversation.
enum Close {
    /// All streams came to their ends.
    End,
    /// There were too many files.
    Files,
    /// One of the streams had no end.
    Flood,
    Timeout,
}

pub(super) async fn run_request(
    mut sandbox: Sandbox,
    request: Request,
    settings: &PythonSettings,
) -> Result<PythonOutcome, PythonError> {
    let limits = &settings.limits;
    let Ok(Ok(folder)) =
        timeout(START, send_and_receive_folder(&mut sandbox.channel, request)).await
    else {
        return Err(diagnose_start_failure(settings, &start_failure_text(sandbox).await).await);
    };
    sandbox.raise_oom_score();
    let mut streams = Streams {
        answer: Output::new(answer::most_bytes(limits)),
        stdout: Output::new(limits.output),
        stderr: Output::new(limits.output),
    };
    let read = async {
        tokio::select! {
            close = streams.read_to_end(&mut sandbox) => close,
            () = folder::wait_until_too_many_files(&folder) => Close::Files,
        }
    };
    let close = timeout(limits.time, read).await.unwrap_or(Close::Timeout);
    drop(folder);
    let status = end_sandbox(sandbox, &close).await;
    Ok(outcome(&streams, &close, status, limits))
}

/// Sends the request. The interpreter answers with its folder once it is ready, before it has read a line of the program.
async fn send_and_receive_folder(
    channel: &mut UnixStream,
    request: Request,
) -> io::Result<OwnedFd> {
    channel.write_all(&request.line).await?;
    for file in request.files {
        channel.write_all(&file).await?;
    }
    let mut hello = [0; answer::HELLO.len()];
    let folder = folder::receive_folder(channel, &mut hello).await?;
    if hello == *answer::HELLO { Ok(folder) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// The beginning of what bubblewrap or the interpreter says of a start that failed, in one line.
async fn start_failure_text(mut sandbox: Sandbox) -> String {
    sandbox.child.start_kill().ok();
    let mut stderr = Output::new(2 << 10);
    timeout(LAST, stderr.read_and_has_ended(&mut sandbox.stderr)).await.ok();
    let text = stderr.text();
    let last = text.lines().rfind(|line| !line.trim().is_empty());
    last.unwrap_or("it says nothing").to_owned()
}

impl Streams {
    /// Reads until all streams end, or until it is clear that one has no end.
    async fn read_to_end(&mut self, sandbox: &mut Sandbox) -> Close {
        let flood = |is_read: bool| if is_read { Ok(()) } else { Err(Close::Flood) };
        let read = tokio::try_join!(
            async { flood(self.answer.read_and_has_ended(&mut sandbox.channel).await) },
            async { flood(self.stdout.read_and_has_ended(&mut sandbox.stdout).await) },
            async { flood(self.stderr.read_and_has_ended(&mut sandbox.stderr).await) },
        );
        read.err().unwrap_or(Close::End)
    }
}

/// Ends the sandbox, and waits until no process in it holds its output.
async fn end_sandbox(mut sandbox: Sandbox, close: &Close) -> Option<ExitStatus> {
    if !matches!(close, Close::End) {
        sandbox.child.start_kill().ok();
        timeout(LAST, Output::new(0).read_and_has_ended(&mut sandbox.stdout)).await.ok();
    }
    timeout(LAST, sandbox.child.wait()).await.ok()?.ok()
}

fn outcome(
    streams: &Streams,
    close: &Close,
    status: Option<ExitStatus>,
    limits: &PythonLimits,
) -> PythonOutcome {
    let answer = match close {
        Close::End => {
            streams.answer.uncut_bytes().and_then(|bytes| answer::parse_answer(bytes, limits))
        }
        Close::Files | Close::Flood | Close::Timeout => None,
    };
    let ending = match (close, &answer) {
        (Close::End, Some(answer)) if answer.error.is_empty() => Ending::Finished,
        (Close::End, Some(_)) => Ending::Raised,
        (Close::End, None) => Ending::Killed,
        (Close::Files, _) => Ending::FileLimit,
        (Close::Flood, _) => Ending::OutputLimit,
        (Close::Timeout, _) => Ending::TimeLimit,
    };
    let answer = answer.unwrap_or_else(|| Answer {
        error: ending_text(ending, status, limits),
        ..Answer::default()
    });
    PythonOutcome {
        result: answer.result,
        error: answer.error,
        ending,
        stdout: streams.stdout.text(),
        stderr: streams.stderr.text(),
        files: answer.files,
        left_out: answer.left_out,
        truncated: answer.is_cut || streams.stdout.is_cut() || streams.stderr.is_cut(),
    }
}

/// The error of a program that gave no answer.
fn ending_text(ending: Ending, status: Option<ExitStatus>, limits: &PythonLimits) -> String {
    match ending {
        Ending::FileLimit => {
            format!("the program was ended: it made more than {MOST_FILES} files and folders")
        }
        Ending::Finished | Ending::Raised => String::new(),
        Ending::Killed => format!("the program ended before its last line: {}", exit_cause(status)),
        Ending::OutputLimit => format!(
            "the program was ended: it printed more than {} bytes",
            limits.output.saturating_add(MOST_PASSED)
        ),
        Ending::TimeLimit => format!(
            "the program was ended: it took longer than {} seconds",
            limits.time.as_secs_f64()
        ),
    }
}

/// The cause by the status of bubblewrap, which passes on that of the interpreter.
fn exit_cause(status: Option<ExitStatus>) -> String {
    let Some(status) = status else { return "its process does not end".to_owned() };
    let signal = status.signal().or_else(|| status.code()?.checked_sub(128));
    match (signal, status.code()) {
        (Some(9), _) => "signal 9, which also comes for too much memory or time of a processor",
        (Some(11), _) => "signal 11, which also comes for recursion without an end",
        (Some(signal @ 1..), _) => return format!("signal {signal}"),
        (_, Some(0)) => "its answer is malformed",
        (_, Some(code)) => return format!("exit code {code}"),
        (_, None) => "without a status",
    }
    .to_owned()
}

/// The time for the sandbox and the interpreter to start; it takes 0.1 seconds on a machine that does nothing else.
const START: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use std::{os::unix::process::ExitStatusExt as _, process::ExitStatus};

    use super::exit_cause;

    #[test]
    fn a_status_says_how_a_program_ended() {
        let rows = [
            (3 << 8, "exit code 3"),
            (0, "its answer is malformed"),
            (134 << 8, "signal 6"),
            (139 << 8, "signal 11, which also comes for recursion without an end"),
            (9, "signal 9, which also comes for too much memory or time of a processor"),
        ];
        for (status, expected) in rows {
            assert_eq!(exit_cause(Some(ExitStatus::from_raw(status))), expected);
        }
    }
}
