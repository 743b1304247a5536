//! Sentences about calls that a person has to approve.

use std::time::Duration;

use super::faults;

faults! {
    /// A person rejected the call.
    pub fn rejected_call() = Rejected, AskUser:
        "a person was asked about this call and rejected it, nothing was sent; do not repeat it, ask the user what to do instead";

    /// The approval is not stored, or belongs to somebody else.
    pub fn unknown() = UnknownApproval, TryLater:
        "no approval of this id waits for this call: it has expired, was decided already, or is another call's; nothing was sent; make the call again, and the user is asked again";

    /// The approval was used before: by an earlier decision whose response may have been lost, or by an equal call.
    pub fn used_approval() = OutcomeUnknown, AskUser, reached Maybe:
        "this approval was used before, each works once: its call was made then, or may have been; nothing was sent now; do not make the call again before checking whether it was executed";

    /// The approval is being used, or was a moment ago.
    pub fn being_used(wait: Duration) = StillRunning, TryLater, reached Maybe, after(wait):
        "this approval was used a moment ago and each works once: its call runs, or has just ended; nothing was sent now; decide again later";

    /// There is nobody to ask where the call was made.
    pub fn nobody_asks() = NeedsApproval, AskUser:
        "a person has to approve this call, and nobody can be asked here; nothing was sent; tell the user what you wanted to do";

    /// A program made the call, which cannot wait for a person.
    pub fn asked_by_code() = NeedsApproval, CorrectArguments:
        "a person has to approve this call, and code cannot wait for that; nothing was sent; make the call by itself, outside of the code";

    /// There is nobody to ask where the call was made, and it is kept until a person decides elsewhere.
    pub fn decided_elsewhere(id: &str) = NeedsApproval, AskUser:
        "a person has to approve this call, and nobody can be asked here; nothing was sent yet; tell the user what you wanted to do: the call waits as approval `{id}`, and is made when a person approves it; do not repeat it";

    /// There is nobody to ask where the call was made; somebody who has the right to decides, and the caller calls again.
    pub fn other_approver_fault(id: &str) = NeedsApproval, AskUser:
        "somebody else has to approve this call; nothing was sent yet; tell the user what you wanted to do: it waits as approval `{id}`; make the same call again, with the same arguments, when you are told that it was approved";

    /// A decision that does not count: of the caller itself, or of nobody that is known.
    pub fn approver_must_differ_fault(id: &str) = NeedsApproval, AskUser:
        "somebody other than the caller has to approve this call, and this decision is the caller's own or does not say whose it is; nothing was sent; the call still waits as approval `{id}`";

    /// A caller without a name, where somebody other than the caller has to decide.
    pub fn nameless() = NeedsApproval, GiveUp:
        "somebody other than the caller has to approve this call, and this caller has no name that tells it from others; nothing was sent; tell the user that this call has to be made through the sidecar, by a caller that `access` names";

    /// The call cannot be stored until a person decides.
    pub fn not_kept(wait: Duration) = NeedsApproval, TryLater, after(wait):
        "a person has to approve this call, and it cannot be kept until then; nothing was sent; try again later";

    /// The approvals cannot be read now.
    pub fn not_read(wait: Duration) = NeedsApproval, TryLater, after(wait):
        "a person has to approve this call, and approvals cannot be read now; nothing was sent; try again later";
}
