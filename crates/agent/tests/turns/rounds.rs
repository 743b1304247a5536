//! What a program does around rounds: it ends a turn, and keeps the transcript.

use std::ops::ControlFlow;

use callgate_agent::{EndReason, Input, Round, Rounds, Transcript};
use callgate_dialect::Dialect;

use crate::{
    fake::{Fake, Said, Step},
    shop::{Made, agent, context, unasked},
};

fn add(n: usize) -> Step {
    Step::Says(Said::calls(&[("shop-add", &format!(r#"{{"n":{n}}}"#))]))
}

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
        let (fake, made) = (Fake::new(Dialect::OpenAi, [add(1)]), Made::default());
        let agent = agent(&fake, &made, unasked());
        let mut transcript = Transcript::new(Dialect::OpenAi).unwrap();
        let watched = context().with_rounds(OneRound { is_before });
        let end = agent.turn(&mut transcript, Input::text("Hello."), &watched).await.unwrap();
        assert_eq!((end.reason, end.detail.as_deref()), (EndReason::Cancelled, Some("enough")));
        assert_eq!((fake.n_requests(), made.all().len()), (1, 1));
        let end = agent.turn(&mut transcript, Input::text("Go on."), &context()).await.unwrap();
        assert_eq!(end.reason, EndReason::Answered);
        fake.refused_nothing();
    }
}

#[tokio::test]
async fn a_call_is_not_made_if_the_transcript_is_not_kept() {
    let (fake, made) = (Fake::new(Dialect::OpenAi, [add(1)]), Made::default());
    let agent = agent(&fake, &made, unasked());
    let mut transcript = Transcript::new(Dialect::OpenAi).unwrap();
    let full = context().with_keeping(|_| Err(std::io::Error::other("the disk is full")));
    let end = agent.turn(&mut transcript, Input::text("Hello."), &full).await.unwrap();
    assert_eq!((end.reason, made.all().len()), (EndReason::Cancelled, 0));
    assert!(end.detail.unwrap().contains("the disk is full"));
    let last = transcript.messages().last().unwrap().text().to_owned();
    assert!(last.contains("nothing was sent"), "{last}");
}
