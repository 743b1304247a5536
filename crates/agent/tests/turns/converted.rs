//! Conversations that go on with a model of another dialect.

use std::sync::Arc;

use callgate_agent::{
    Agent, AgentSettings, Answer, EndReason, Given, Input, InputPart, KeptTurn, Transcripts,
};
use callgate_dialect::Dialect;
use callgate_executor::{Decision, Executor};
use callgate_tool::StoredResult;

use crate::{
    fake::{DIALECTS, Fake, Said, Step},
    shop::{Made, context, executor, transcripts, unasked},
};

/// Two agents of one name: that of before, and that of after a change of the configuration.
struct World {
    transcripts: Transcripts,
    executor: Executor,
    made: Made,
    settings: AgentSettings,
}

impl World {
    fn new(settings: AgentSettings) -> Self {
        let (transcripts, made) = (transcripts(), Made::default());
        Self { transcripts, executor: executor(&made), made, settings }
    }

    async fn turn(&self, fake: &Arc<Fake>, input: Input) -> KeptTurn {
        let agent = Agent::new(self.executor.clone(), fake.model(), self.settings.clone());
        let kept = self.transcripts.turn(&agent, "pizza", input, &context()).await.unwrap();
        fake.refused_nothing();
        kept
    }
}

fn pairs() -> impl Iterator<Item = (Dialect, Dialect)> {
    let pairs = DIALECTS.iter().flat_map(|from| DIALECTS.iter().map(move |to| (*from, *to)));
    pairs.filter(|(from, to)| from != to)
}

const CALLS: [(&str, &str); 2] = [("shop-menu", r#"{"n":1}"#), ("shop-add", r#"{"n":2}"#)];

#[tokio::test]
async fn a_conversation_goes_on_in_the_dialect_of_another_model_with_its_calls_and_files() {
    for (from, to) in pairs() {
        let world = World::new(unasked());
        let asked = Said { text: "One moment.", ..Said::calls(&CALLS) };
        let before = Fake::new(from, [Step::Says(asked), Step::Says(Said::text("All done."))]);
        let image = StoredResult::new("image/png", b"\x89PNG".as_slice().into());
        let parts = vec![InputPart::Text("Like this.".to_owned()), InputPart::File(image)];
        world.turn(&before, Input::Parts(parts)).await;
        let after = Fake::new(to, []);
        let kept = world.turn(&after, Input::text("And now?")).await;
        assert_eq!(kept.end.reason, EndReason::Answered, "{from} to {to}: {:?}", kept.end.detail);
        let said = kept.repair.to_string();
        assert!(said.starts_with(&format!("the conversation was one of `{from}`")), "{said}");
        let body = after.last().to_string();
        for part in
            ["Like this.", "iVBORw==", "One moment.", "shop-menu", "shop-add", "done", "All done."]
        {
            assert!(body.contains(part), "{from} to {to}: {part}: {body}");
        }
        assert_eq!(world.made.all().len(), 2, "no call is made again");
        let kept = world.turn(&after, Input::text("Go on.")).await;
        assert!(kept.repair.is_nothing(), "{from} to {to}: {}", kept.repair);
    }
}

#[tokio::test]
async fn a_call_that_waits_is_approved_after_the_model_has_changed() {
    for (from, to) in pairs() {
        let world = World::new(AgentSettings::default());
        let before = Fake::new(from, [Step::Says(Said::calls(&CALLS))]);
        let kept = world.turn(&before, Input::text("Add.")).await;
        assert_eq!(kept.end.reason, EndReason::Waiting);
        let id = kept.end.pending[0].id.clone();
        let after = Fake::new(to, []);
        let approved = Input::Answers(vec![Answer::new(id, Given::Decision(Decision::Approve))]);
        let kept = world.turn(&after, approved).await;
        assert_eq!(kept.end.reason, EndReason::Answered, "{from} to {to}: {:?}", kept.end.detail);
        assert_eq!(world.made.all(), [r#"shop-menu {"n":1}"#, r#"shop-add {"n":2}"#]);
    }
}

#[tokio::test]
async fn a_file_that_the_next_model_cannot_read_is_named_in_its_place() {
    let world = World::new(unasked());
    let sound = StoredResult::new("audio/wav", b"RIFF".as_slice().into());
    let parts = vec![InputPart::Text("Listen.".to_owned()), InputPart::File(sound)];
    world.turn(&Fake::new(Dialect::OpenAi, []), Input::Parts(parts)).await;
    let after = Fake::new(Dialect::Anthropic, []);
    let kept = world.turn(&after, Input::text("And?")).await;
    let expected =
        "the conversation was one of `openai`, and a part that only its model reads was left out";
    assert_eq!(kept.repair.to_string(), expected);
    let body = after.last().to_string();
    assert!(body.contains("[A file was here that this model cannot read: audio/wav]"), "{body}");
}
