//! What a turn says of its calls is what the service has in its log: after any answer, failure or closed connection of the service,
//! any approval or refusal, and any cut by the caller, the messages, `reached` and the journal agree with the requests that came.

use crate::prelude::*;

use callgate_agent::{Agent, Answer, EndReason, Given, Input, Transcript, TurnContext, TurnEvent};
use proptest::prelude::*;

/// What the service does to the request of a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Behaviour {
    Answers,
    /// It closes the connection when it has read the request.
    Closes,
    /// It fails with this status.
    Fails(u16),
    /// Its caller leaves when the request has come, and gets no answer.
    Leaves,
}

#[derive(Clone, Debug)]
struct Call {
    behaviour: Behaviour,
    /// The decision of a person; `None` if there is none.
    decision: Option<Decision>,
}

fn any_call() -> impl Strategy<Value = Call> {
    let behaviour = prop_oneof![
        4 => Just(Behaviour::Answers),
        2 => Just(Behaviour::Closes),
        2 => prop_oneof![Just(400), Just(404), Just(500), Just(503)].prop_map(Behaviour::Fails),
        1 => Just(Behaviour::Leaves),
    ];
    let decision = prop_oneof![
        3 => Just(Some(Decision::Approve)),
        1 => Just(Some(Decision::Reject)),
        1 => Just(None),
    ];
    (behaviour, decision).prop_map(|(behaviour, decision)| Call { behaviour, decision })
}

/// The service: the numbers of the calls whose requests it has read, in order.
#[derive(Clone)]
struct Log {
    calls: Arc<[Call]>,
    came: Arc<Mutex<Vec<usize>>>,
    stop: Stop,
}

impl Log {
    fn count(&self, number: usize) -> usize {
        self.came.lock().unwrap().iter().filter(|came| **came == number).count()
    }

    async fn serve(self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(self.clone().connection(stream));
            }
        });
        origin
    }

    async fn connection(self, mut stream: TcpStream) {
        loop {
            let Some(head) = read_head(&mut stream).await else { return };
            let number = head.split_once("/things/").and_then(|(_, rest)| rest.split_once(' '));
            let number: usize = number.unwrap().0.parse().unwrap();
            self.came.lock().unwrap().push(number);
            let (status, body) = match self.calls[number].behaviour {
                Behaviour::Answers => (200, "{\"made\":true}"),
                Behaviour::Closes => return,
                Behaviour::Fails(status) => (status, "{}"),
                Behaviour::Leaves => {
                    self.stop.stop();
                    return std::future::pending().await;
                }
            };
            let answer = format!(
                "HTTP/1.1 {status} T\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(answer.as_bytes()).await.ok();
        }
    }
}

/// A model that makes all calls at once, and then is done.
async fn model(n_calls: usize) -> String {
    let reply = move |body: String| async move {
        let is_asked = !body.contains("\"role\":\"tool\"");
        let call = |n: usize| {
            let arguments = json!({"number": n.to_string()}).to_string();
            let function = json!({"name": "shop-make", "arguments": arguments});
            json!({"id": format!("c{n}"), "type": "function", "function": function})
        };
        let calls: Vec<Value> = (0..n_calls).map(call).collect();
        let message = if is_asked {
            json!({"role": "assistant", "content": Value::Null, "tool_calls": Value::Array(calls)})
        } else {
            json!({"role": "assistant", "content": "Done."})
        };
        Json(json!({"choices": [{"message": message}]}))
    };
    serve(Router::new().fallback(reply)).await
}

async fn agent(log: &Log, confirm: &str) -> Agent {
    let (origin, model) = (log.clone().serve().await, model(log.calls.len()).await);
    let text = format!(
        "models: {{main: {{dialect: openai, url: '{model}/v1', model: m-1, auth: none}}}}\n\
         agents: {{maker: {{model: main, confirm: {confirm}}}}}\n\
         toolsets: {{shop: {{openapi: shop.yaml, server: '{origin}', confirm: {confirm}}}}}\n"
    );
    let mut config = Config::from_text(text, "").unwrap();
    config.toolsets[0].description = Description::text(describe(DESCRIPTION));
    Agent::from_configuration(&build(&config).unwrap(), "maker").unwrap()
}

/// The results that the turn showed, by the numbers of their calls: how far each came, and whether its journal has an attempt.
type Shown = Arc<Mutex<BTreeMap<String, (Option<Reached>, bool)>>>;

fn reached(outcome: &Outcome) -> Option<Reached> {
    match outcome {
        Outcome::Answered(_) => Some(Reached::Yes),
        Outcome::Failed(fault) => Some(fault.reached),
        _ => None,
    }
}

/// Takes the turn, and the one that brings the decisions.
async fn take(log: &Log, confirm: &str) -> (Transcript, Shown) {
    let agent = agent(log, confirm).await;
    let shown = Shown::default();
    let seen = Arc::clone(&shown);
    let context = TurnContext::new(Session::new("s")).with_stop(log.stop.clone());
    let context = context.with_events(move |event| {
        let TurnEvent::Result(result) = event else { return };
        let is_attempt = |event: &Event| matches!(event, Event::Attempt { .. });
        let has_attempt = result.journal.events().iter().any(is_attempt);
        let seen_now = (reached(&result.outcome), has_attempt);
        seen.lock().unwrap().insert(result.id.clone(), seen_now);
    });
    let mut transcript = Transcript::new(agent.dialect()).unwrap();
    let end = agent.turn(&mut transcript, Input::text("Go."), &context).await.unwrap();
    let decisions = log.calls.iter().enumerate().filter_map(|(n, call)| {
        call.decision.map(|decision| Answer::new(format!("c{n}"), Given::Decision(decision)))
    });
    let answers: Vec<_> = decisions.collect();
    if end.reason == EndReason::Waiting && !answers.is_empty() {
        agent.turn(&mut transcript, Input::Answers(answers), &context).await.unwrap();
    }
    (transcript, shown)
}

/// Compares what the messages say of a call with the log.
fn check(log: &Log, transcript: &Transcript, shown: &Shown) {
    let messages = transcript.messages_with_results();
    for number in 0..log.calls.len() {
        let id = format!("c{number}");
        let is_its = |message: &&callgate_tool::Json| {
            message.value().get("tool_call_id").and_then(Value::as_str) == Some(&id)
        };
        let results: Vec<_> = messages.iter().filter(is_its).collect();
        let n_came = log.count(number);
        let case = format!("{id} of {:?}: {n_came} {results:?} {shown:?}", log.calls);
        assert!(results.len() == 1 && n_came <= 1, "{case}");
        let content = results[0].value().get("content").and_then(Value::as_str).unwrap();
        let content = Value::parse(content).unwrap();
        let said = content.get("error").map(|error| error.get("reached").and_then(Value::as_str));
        match said {
            None | Some(Some("yes")) => assert_eq!(n_came, 1, "{case}"),
            Some(Some("no")) => assert_eq!(n_came, 0, "{case}"),
            Some(Some("maybe")) => {}
            Some(other) => panic!("{other:?}: {case}"),
        }
        let seen = shown.lock().unwrap().get(&id).copied();
        if let Some((Some(reached), has_attempt)) = seen {
            let said = said.map_or("yes", Option::unwrap_or_default);
            assert_eq!(reached.as_str(), said, "{case}");
            // A request that nobody waits for any more has no end that the journal could name.
            let is_cut = log.calls[number].behaviour == Behaviour::Leaves;
            assert!(has_attempt || n_came == 0 || is_cut, "{case}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_turn_says_of_its_calls_what_the_service_has_in_its_log(
        calls in proptest::collection::vec(any_call(), 1..5),
        confirms in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let log = Log { calls: calls.into(), came: Arc::default(), stop: Stop::default() };
            let confirm = if confirms { "writes" } else { "never" };
            let (transcript, shown) = take(&log, confirm).await;
            check(&log, &transcript, &shown);
        });
    }
}

const DESCRIPTION: &str = "
paths:
  /things/{number}:
    post:
      operationId: make
      parameters: [{name: number, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: made}}
";
