//! Sentences about programs as a tool.

use std::time::Duration;

use callgate_tool::{Fault, FaultCode, Next, Reached};

use super::{fault_after_sending, faults, invalid_argument, shortened_text};

faults! {
    /// No process can be started that runs the program.
    pub fn no_worker() = Overloaded, TryLater, after(Duration::from_secs(5)):
        "no process can be started that runs code; nothing was run; try again later";

    /// The sandbox that runs programs does not start: the same call fails again until the operator has mended it.
    pub fn no_sandbox() = NotSupported, GiveUp:
        "the sandbox that runs code does not start on this machine; nothing was run, and the operator's log says why";

    /// The caller has too many programs that run or wait.
    pub fn too_many_programs() = Overloaded, TryLater, after(Duration::from_secs(1)):
        "too many programs run now; nothing was run; try again later";

    /// Another decision about the program is being carried out.
    pub fn program_runs(wait: Duration) = StillRunning, TryLater, reached Maybe, after(wait):
        "this program runs now, or did a moment ago; nothing was sent for this decision; decide again later, and its result is given";

    /// The program that waits cannot be read now.
    pub fn program_not_read(wait: Duration) = StillRunning, TryLater, after(wait):
        "the program that waits cannot be read now; nothing was sent; decide again later";

    /// The program holds results of a tool that its caller may no longer use.
    pub fn forbidden_tool(tool: &str) = OutcomeUnknown, AskUser, reached Maybe:
        "the program that waits uses `{tool}`, which its caller may no longer use: it does not go on, nothing was sent now, and earlier calls of it may have been made; write a new program",
        tool = shortened_text(tool);

    /// The program holds results of a tool that came under another user's token, or other values of the session, than there are now.
    pub fn other_session(tool: &str, writes: &str) = SignInRequired, AskUser:
        "the program has results of `{tool}`, which came under another user's token, or other values of the session, than there are now: they are not given to this user, and nothing was sent; the user of then goes on with a token of their own; ask before you write a new program; writes already made: {writes}",
        tool = shortened_text(tool);

    /// Another release has kept the program.
    pub fn unreadable_program() = OutcomeUnknown, AskUser, reached Maybe:
        "the program that waits was kept by another release of callgate; nothing was sent now, and earlier calls of it may have been made: check before you write a new one";

    /// A write whose program was interrupted.
    pub fn interrupted_call() = OutcomeUnknown, AskUser, reached Maybe:
        "the program was interrupted after it had begun this call, which may have been executed; it was not sent again: check before you make it again";

    /// The text is no program, and the model that should write one did not, for this reason.
    pub fn no_program(why: &str) = Unreachable, CorrectArguments:
        "the text is no program, and the model that writes programs gave none: {why}; nothing was run; write the program in Python yourself";

    /// The program is not run by an executor.
    pub fn code_outside_executor() = NotSupported, GiveUp:
        "code runs in calls of an executor alone";
}

/// The program that waits cannot be kept: it has made calls, and cannot go on.
pub fn program_not_kept(wait: Duration) -> Box<Fault> {
    let message = "a call of the program waits for a person, and the program cannot be kept until then; that call was not sent, and earlier calls of the program may have been made: check before you run it again";
    let mut fault =
        fault_after_sending(FaultCode::OutcomeUnknown, message, Next::AskUser, Reached::Maybe);
    fault.retry_after = Some(wait);
    fault
}

/// The file at this position is none that the caller may read.
pub fn unknown_file(at: usize) -> Box<Fault> {
    let remedy = "use the handle of a result of this session, or hand the file in again";
    let expected = "the handle of a file that is still kept";
    invalid_argument(
        &format!("files[{at}].handle"),
        expected,
        "one that is unknown or has expired",
        Some(remedy),
    )
}

/// The name of the file at this position is none for a folder of a program.
pub fn wrong_file_name(at: usize, name: &str) -> Box<Fault> {
    let expected = "a name without a path that no other file has";
    invalid_argument(&format!("files[{at}].name"), expected, shortened_text(name), None)
}

/// The files of a program are too large together.
pub fn files_too_large(most: u64) -> Box<Fault> {
    invalid_argument(
        "files",
        format!("at most {most} bytes together"),
        "more",
        Some("give fewer files"),
    )
}
