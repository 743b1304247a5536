//! What a program does around rounds: it ends a turn, and keeps the transcript.

use std::ops::ControlFlow;

use callgate_agent::{EndReason, Input, Round, Rounds};
use callgate_dialect::Dialect;

use crate::shop::{Talk, add, context, unasked};

/// Ends a turn before its second round, or after its first.
#[derive(Debug)]
struct OneRound {
    is_before: bool,
}

#[async_trait::async_trait]
impl Rounds for OneRound {
    async fn before(&self, round: &Round) -> ControlFlow<String> {
        if self.is_before && round.n_rounds == 1 {
            return ControlFlow::Break("enough".to_owned());
        }
        ControlFlow::Continue(())
    }

    async fn after(&self, round: &Round) -> ControlFlow<String> {
        assert_eq!((round.n_rounds, round.n_calls), (1, 1));
        if self.is_before {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break("enough".to_owned())
    }
}

#[tokio::test]
async fn a_program_ends_a_turn_before_or_after_a_round() {
    for is_before in [true, false] {
        let mut talk = Talk::new(Dialect::OpenAi, [add(1)], unasked());
        let watched = context().with_rounds(OneRound { is_before });
        let end = talk.turn_in(Input::text("Hello."), &watched).await.unwrap();
        assert_eq!((end.reason, end.detail.as_deref()), (EndReason::Cancelled, Some("enough")));
        assert_eq!((talk.n_requests(), talk.made().len()), (1, 1));
        let end = talk.say("Go on.").await;
        assert_eq!(end.reason, EndReason::Answered);
        talk.refused_nothing();
    }
}

#[tokio::test]
async fn a_call_is_not_made_if_the_transcript_is_not_kept() {
    let mut talk = Talk::new(Dialect::OpenAi, [add(1)], unasked());
    let full = context().with_keeping(|_| Err(std::io::Error::other("the disk is full")));
    let end = talk.turn_in(Input::text("Hello."), &full).await.unwrap();
    assert_eq!((end.reason, talk.made().len()), (EndReason::Cancelled, 0));
    assert!(end.detail.unwrap().contains("the disk is full"));
    let last = talk.transcript.messages_with_results().last().unwrap().text().to_owned();
    assert!(last.contains("nothing was sent"), "{last}");
}
