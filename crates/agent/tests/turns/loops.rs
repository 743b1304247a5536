//! Seeded loops: random replies with parallel calls, unknown tools and bad JSON, dropped or stopped at every wait, and then
//! continued. The provider refuses no request, and no call is lost or made twice.

use std::{
    collections::BTreeMap,
    pin::pin,
    sync::Arc,
    task::{Context, Poll},
};

use callgate_agent::{Agent, AgentSettings, EndReason, Input, Parallel, Transcript, TurnContext};
use callgate_dialect::Dialect;
use callgate_executor::Stop;

use crate::{
    fake::{Asked, DIALECTS, Fake, Said, Step},
    shop::{Made, Talk, agent, context, unasked},
};

const SEEDS: u64 = 200;

/// A small generator (SplitMix64): the same seed gives the same loop.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// Replies of a loop. Every call that can be made has a number of its own, so that one that is made twice is seen.
fn script(random: &mut Random, dialect: Dialect) -> Vec<Step> {
    let has_texts = matches!(dialect, Dialect::OpenAi | Dialect::Responses);
    let n_rounds = 1 + random.below(4);
    let mut steps = Vec::new();
    for round in 0..n_rounds {
        let n_calls = 1 + random.below(5);
        let calls = (0..n_calls).map(|at| {
            let number = round * 100 + at;
            let tools =
                ["shop-menu", "shop-cart", "shop-add", "shop-remove", "shop-broken", "shop-none"];
            let name = tools[usize::try_from(random.below(6)).unwrap()].to_owned();
            let arguments = match random.below(8) {
                0 if has_texts => r#"{"n": "#.to_owned(),
                1 => "{}".to_owned(),
                _ => format!(r#"{{"n": {number}}}"#),
            };
            Asked { name, arguments }
        });
        let calls = calls.collect();
        let text = if random.below(3) == 0 { "One moment." } else { "" };
        steps.push(Step::Says(Said { text, calls, ..Said::default() }));
    }
    steps.push(Step::Says(Said::text("Done.")));
    steps
}

fn settings(random: &mut Random) -> AgentSettings {
    let parallel = [Parallel::All, Parallel::One, Parallel::Reads];
    let parallel = parallel[usize::try_from(random.below(3)).unwrap()];
    AgentSettings { parallel, ..unasked() }
}

/// Polls a future at most `n_polls` times, and drops it then.
pub(crate) async fn polled<F: Future>(n_polls: u64, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = n_polls;
    std::future::poll_fn(move |cx: &mut Context<'_>| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match future.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
        }
    })
    .await
}

fn check_made_once(talk: &Talk, seed: u64) {
    let mut counts = BTreeMap::<String, usize>::new();
    for line in talk.made().into_iter().filter(|line| line.contains("\"n\"")) {
        *counts.entry(line).or_default() += 1;
    }
    let twice: Vec<_> = counts.iter().filter(|(_, n)| **n > 1).collect();
    assert!(twice.is_empty(), "seed {seed}: made twice: {twice:?}");
}

async fn go_on(talk: &mut Talk, seed: u64) {
    let end = talk.say("Go on.").await;
    assert_eq!(end.reason, EndReason::Answered, "seed {seed}: {end:?}");
    talk.refused_nothing();
}

/// Before some replies, a stream with the reply that is cut after one of its first events. No stream has fewer.
fn with_cuts(random: &mut Random, steps: Vec<Step>) -> Vec<Step> {
    let mut with_cuts = Vec::new();
    for step in steps {
        if let (Step::Says(said), 0) = (&step, random.below(4)) {
            let n_events = usize::try_from(random.below(2)).unwrap();
            with_cuts.push(Step::Streams(said.clone(), n_events));
        }
        with_cuts.push(step);
    }
    with_cuts
}

/// The number of answers and that of calls in what is sent are equal, as the fake checks; here the number of calls.
async fn whole_loop(dialect: Dialect, seed: u64, is_streamed: bool) {
    let mut random = Random(seed);
    let mut steps = script(&mut random, dialect);
    let expected = makeable(&steps);
    if is_streamed {
        steps = with_cuts(&mut random, steps);
    }
    let talk = Talk::new(dialect, steps, settings(&mut random));
    let model = if is_streamed { talk.fake.streamed() } else { talk.fake.model() };
    let mut talk = talk.by_model(model);
    let end = talk.say("Begin.").await;
    assert_eq!((end.reason, &*end.text), (EndReason::Answered, "Done."), "seed {seed}");
    talk.refused_nothing();
    check_made_once(&talk, seed);
    assert_eq!(talk.made().len(), expected, "seed {seed}: calls were lost");
    let text = talk.transcript.to_text();
    let again = Transcript::from_text(&text, |name| talk.agent.offered_tool(name)).unwrap();
    assert!(again.1.is_nothing(), "{dialect} seed {seed}: {}", again.1);
    go_on(&mut talk, seed).await;
}

fn makeable(steps: &[Step]) -> usize {
    let calls = steps
        .iter()
        .filter_map(|step| if let Step::Says(said) = step { Some(&said.calls) } else { None });
    let is_makeable = |asked: &&Asked| asked.name != "shop-none" && asked.arguments.ends_with('}');
    calls.flatten().filter(is_makeable).count()
}

/// Drops the turn at its `n`th wait and goes on, every second time with what a file kept of the transcript.
async fn dropped_loop(dialect: Dialect, seed: u64, n_polls: u64) -> bool {
    let mut random = Random(seed);
    let steps = script(&mut random, dialect);
    let mut talk = Talk::new(dialect, steps, settings(&mut random));
    let ended = polled(n_polls, talk.say("Begin.")).await;
    if n_polls.is_multiple_of(2) {
        let text = talk.transcript.to_text();
        let kept = Transcript::from_text(&text, |name| talk.agent.offered_tool(name)).unwrap();
        talk.transcript = kept.0;
    }
    go_on(&mut talk, seed).await;
    check_made_once(&talk, seed);
    ended.is_some()
}

/// Stops the turn at its `n`th wait, lets it end by itself, and goes on.
async fn stopped_loop(dialect: Dialect, seed: u64, n_polls: u64) -> bool {
    let mut random = Random(seed);
    let steps = script(&mut random, dialect);
    let mut talk = Talk::new(dialect, steps, settings(&mut random));
    let stop = Stop::default();
    let context: TurnContext = context().with_stop(stop.clone());
    let mut turn = Box::pin(talk.turn_in(Input::text("Begin."), &context));
    let end = polled(n_polls, turn.as_mut()).await;
    let was_done = end.is_some();
    stop.stop();
    let end = match end {
        Some(end) => end,
        None => turn.as_mut().await,
    };
    drop(turn);
    let end = end.unwrap();
    // A reply that is there already is not thrown away.
    let is_expected = match end.reason {
        EndReason::Answered => end.text == "Done.",
        reason => reason == EndReason::Cancelled && !was_done,
    };
    assert!(is_expected, "{dialect} seed {seed} after {n_polls} polls: {end:?}");
    check_made_once(&talk, seed);
    talk.fake.push([Step::Says(Said::text("Yes."))]);
    go_on(&mut talk, seed).await;
    was_done
}

/// Each of these runs once for every wait of its turn.
fn few_loops() -> impl Iterator<Item = (Dialect, u64)> {
    DIALECTS.into_iter().flat_map(|dialect| (0..SEEDS / 10).map(move |seed| (dialect, seed)))
}

#[tokio::test]
async fn seeded_loops_end_with_every_call_made_once_and_no_request_refused() {
    for dialect in DIALECTS {
        for seed in 0..SEEDS {
            whole_loop(dialect, seed, false).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn seeded_loops_of_streams_of_which_some_are_cut_make_every_call_once() {
    for dialect in DIALECTS {
        for seed in 0..SEEDS {
            whole_loop(dialect, seed, true).await;
        }
    }
}

#[tokio::test]
async fn a_turn_that_is_dropped_at_any_wait_leaves_a_transcript_that_can_be_sent() {
    for (dialect, seed) in few_loops() {
        let mut n_polls = 0;
        while !dropped_loop(dialect, seed, n_polls).await {
            n_polls += 1;
        }
        assert!(n_polls > 3, "the turn was dropped at several waits");
    }
}

#[tokio::test]
async fn a_turn_that_is_stopped_at_any_wait_ends_cancelled_and_can_be_continued() {
    for (dialect, seed) in few_loops() {
        let mut n_polls = 1;
        while !stopped_loop(dialect, seed, n_polls).await {
            n_polls += 1;
        }
        assert!(n_polls > 3, "the turn was stopped at several waits");
    }
}

#[tokio::test]
async fn two_agents_of_one_executor_run_turns_at_the_same_time() {
    let (fake, made) = (Fake::new(Dialect::OpenAi, []), Made::default());
    let agent = Arc::new(agent(&fake, &made, unasked()));
    let turn = |agent: Arc<Agent>| async move {
        let mut transcript = Transcript::new(agent.dialect()).unwrap();
        agent.turn(&mut transcript, Input::text("Hello."), &context()).await.unwrap().reason
    };
    let both = (tokio::spawn(turn(Arc::clone(&agent))), tokio::spawn(turn(agent)));
    assert_eq!(both.0.await.unwrap(), EndReason::Answered);
    assert_eq!(both.1.await.unwrap(), EndReason::Answered);
}
