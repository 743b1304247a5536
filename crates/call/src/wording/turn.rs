//! Sentences about calls of a turn that were not made, or whose turn ended before they did.

use super::{faults, shortened_text};

faults! {
    /// The turn was cancelled before the call began.
    pub fn not_begun() = Stopped, TryLater:
        "the turn was cancelled before this call began, nothing was sent; call again if it is still wanted";

    /// The turn was cancelled while the call ran.
    pub fn cut_off() = Stopped, AskUser, reached Maybe:
        "the turn was cancelled while this call ran; it may have been executed: look, or ask before you call again";

    /// The user went on without deciding about the call, or without running it.
    pub fn passed_over() = Rejected, AskUser:
        "the user went on before this call was approved or run, nothing was sent; call again only if it is still wanted";

    /// The result of an earlier call, whose tool may not be used any more.
    pub fn not_readable(tool: &str) = ToolRemoved, GiveUp, reached Maybe:
        "there is no tool `{tool}` any more, so the result of this call cannot be read; go on without it", tool = shortened_text(tool);

    /// The user went on while a client ran the call, or a program that had begun waited.
    pub fn passed_over_running() = OutcomeUnknown, AskUser, reached Maybe:
        "the user went on before this call had its result; it may have been executed, in whole or in part: look, or ask before you call again";

    /// The reply of the model was cut, so that the arguments may be, too.
    pub fn incomplete() = InvalidArguments, CorrectArguments:
        "the reply reached its most tokens, so this call may be cut, nothing was sent; call again with less";

    /// A search for tools without words.
    pub fn no_query() = InvalidArguments, CorrectArguments:
        "`query`: expected what a tool is wanted for, in words; nothing was looked for";

    /// The turn has no calls left.
    pub fn no_calls_left() = Refused, GiveUp:
        "the calls of this turn are used up, nothing was sent; answer with what is known";

    /// Calls are not allowed in this round.
    pub fn not_allowed() = Refused, GiveUp:
        "no call is allowed now, nothing was sent; answer with what is known";

    /// The call had an equal result several times.
    pub fn repeated_result(n_times: usize) = Refused, CorrectArguments, reached Yes:
        "this call had the same arguments and the same result {n_times} times; change the arguments, use another tool, or answer with what is known";

    /// The call had an equal result so often that it is not made any more.
    pub fn repeated_again() = Refused, GiveUp:
        "this call had the same result too often, nothing was sent; answer with what is known";

    /// The turn makes no writes, because nothing can ask for an approval.
    pub fn no_approvals() = NeedsApproval, AskUser:
        "this call changes something and needs an approval, and nobody can be asked, nothing was sent; ask the user";
}

/// What a model reads when its turn ends: no call is possible any more.
pub fn last_round_notice(why: &str) -> String {
    format!(
        "{why} No further call is possible. Answer now with what is known, and say what is missing."
    )
}

/// The words in place of a file that only the model before could read.
pub fn unreadable_file_words(name: &str) -> String {
    format!("[A file was here that this model cannot read: {}]", shortened_text(name))
}

/// The words before files that came without any.
pub fn words_before_files() -> String {
    "Files of the user:".to_owned()
}

/// The words in place of a message of the user that has none.
pub fn words_for_empty_message() -> String {
    "[This message has no words]".to_owned()
}

/// The words in place of a result that is empty, where a provider wants some.
pub fn words_for_empty_result() -> String {
    "[This result is empty]".to_owned()
}

/// The words of the user before a conversation that begins with its model.
pub fn words_before_first_answer() -> String {
    "[The conversation begins with an answer]".to_owned()
}
