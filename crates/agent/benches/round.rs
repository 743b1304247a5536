//! The CPU time of a round beside that of its parts: the request to the model, sent by the same client, and the calls, made by the
//! same executor; and beside that of a bare relay, which sends the bytes of these requests and checks nothing. With a short conversation
//! and with one of 1 MiB, and whether a round costs more after many others. Ratios, because machines differ; the least of several turns
//! each, because others use them. The model and the service are threads of their own.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a bench prints, and stops at the first surprise"
)]

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::ExitCode,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use async_trait::async_trait;
use bytes::Bytes;
use callgate_agent::{Agent, EndReason, Input, Transcript, TurnContext};
use callgate_config::{Config, Environment};
use callgate_dialect::Dialect;
use callgate_executor::Executor;
use callgate_tool::{Outcome, Session, ToolCall, Value, json};
use callgate_transport::{Client, Error, Limits, ResponseBody, Transport};
use http::{Request, Response};
use rustix::time::{ClockId, clock_gettime};

/// The CPU time of a round, as a ratio to that of its request and its calls. There is no bar beside the relay: two calls by the
/// executor alone cost more than 1.3 times what their bytes cost.
const BAR: f64 = 1.7;
/// The ratio of a round among many to its parts, as a ratio to that of a round among few.
const BAR_OF_MANY: f64 = 1.2;
const TURNS: usize = 15;
const FEW: usize = 8;
const MANY: usize = 32;
const MIB: usize = 1 << 20;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut missed = 0;
    let mut judge = |what: &str, ratio: f64, bar: f64| {
        println!("{what}: {ratio:.2} (bar {bar})");
        missed += usize::from(ratio > bar);
    };
    let mut long = Vec::new();
    for (n_bytes, n_rounds) in [(0, FEW), (MIB, FEW), (MIB, MANY)] {
        let [ours, parts, relay] = runtime.block_on(compared(n_bytes, n_rounds));
        println!(
            "{n_rounds} rounds after {n_bytes} bytes: {ours:.0} µs a round, its request and its calls {parts:.0} µs, a bare relay {relay:.0} µs"
        );
        println!("  to the relay: {:.2}", ours / relay);
        judge("  to its request and its calls", ours / parts, BAR);
        if n_bytes > 0 {
            long.push(ours / parts);
        }
    }
    judge("a round among many, to one among few", long[1] / long[0], BAR_OF_MANY);
    println!("{missed} bars are missed");
    ExitCode::from(u8::from(missed > 0))
}

/// The least microseconds of CPU that a round takes, those of its parts, and those of the relay.
async fn compared(n_bytes: usize, n_rounds: usize) -> [f64; 3] {
    let bench = Bench::new(n_rounds).await;
    bench.turn(n_bytes).await;
    let sent = std::mem::take(&mut *bench.recorder.sent.lock().unwrap());
    bench.recorder.is_over.store(1, Ordering::Relaxed);
    let mut least = [f64::INFINITY; 3];
    for _ in 0..TURNS {
        let took = [bench.turn(n_bytes).await, bench.parts(&sent).await, bench.relay(&sent).await];
        least = std::array::from_fn(|at| least[at].min(took[at]));
    }
    least.map(|micros| micros / (n_rounds as f64 + 1.0))
}

struct Bench {
    agent: Agent,
    executor: Executor,
    n_rounds: usize,
    recorder: Arc<Recorder>,
}

impl Bench {
    async fn new(n_rounds: usize) -> Self {
        let client = Arc::new(Client::new().unwrap());
        let (sent, is_over) = (Mutex::default(), AtomicUsize::default());
        let recorder = Arc::new(Recorder { client, sent, is_over });
        let model = served(replies(n_rounds));
        let item = json!({"id": 1, "size": "Medium", "toppings": ["Cheese", "Pepperoni"], "note": "x".repeat(700)});
        let service = served(vec![item.to_string()]);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let text = format!(
            "models: {{main: {{dialect: openai, url: 'http://{model}/v1', model: m, auth: none}}}}
agents: {{pizza: {{model: main, instructions: You take orders., confirm: never, limits: {{rounds: 100, calls: 400, tokens: 100000000}}}}}}
toolsets: {{pizza: {{openapi: '{}/config/pizza/openapi.yaml', server: 'http://{service}/v1', auth: none, session_inputs: strict}}}}",
            root.display()
        );
        let environment =
            Environment::new().with_transport(Arc::clone(&recorder) as Arc<dyn Transport>);
        let config = Config::from_text(&text, "").unwrap();
        let built = config.build(&environment, None).await.unwrap();
        let agent = Agent::from_configuration(&built, "pizza").unwrap();
        Self { agent, executor: built.executor, n_rounds, recorder }
    }

    /// The microseconds of CPU of a turn's requests to the model and of its calls.
    async fn parts(&self, sent: &[(bool, Request<Bytes>)]) -> f64 {
        let session = session();
        let calls = (1..=self.n_rounds).map(|n| {
            arguments(n).map(|(name, arguments)| {
                ToolCall::new("call_1", name, arguments.as_object().cloned().unwrap())
            })
        });
        let mut calls: VecDeque<_> = calls.collect();
        let begun = cpu();
        let is_of_model =
            |request: &Request<Bytes>| request.uri().path().ends_with("/chat/completions");
        for (_, request) in sent.iter().filter(|(_, request)| is_of_model(request)) {
            self.recorder.client.send(request.clone(), &Limits::default()).await.unwrap();
            for call in calls.pop_front().into_iter().flatten() {
                let result = self.executor.call(&call, &session).await;
                assert!(matches!(result.outcome, Outcome::Answered(_)), "{result:?}");
            }
        }
        cpu() - begun
    }

    /// The microseconds of CPU of a turn's bytes.
    async fn relay(&self, sent: &[(bool, Request<Bytes>)]) -> f64 {
        let (client, limits, begun) = (&self.recorder.client, Limits::default(), cpu());
        for (is_opened, request) in sent {
            if *is_opened {
                let opened = client.open(request.clone(), &limits).await.unwrap();
                opened.into_body().collect(limits.response_bytes).await.unwrap();
            } else {
                client.send(request.clone(), &limits).await.unwrap();
            }
        }
        cpu() - begun
    }

    /// A turn after a conversation of so many bytes; its microseconds of CPU.
    async fn turn(&self, n_bytes: usize) -> f64 {
        let words = "x".repeat(MESSAGE);
        let both = [
            json!({"role": "user", "content": &*words}),
            json!({"role": "assistant", "content": &*words}),
        ];
        let messages = std::iter::repeat_n(both, n_bytes / MESSAGE / 2).flatten().collect();
        let (mut transcript, _) = Transcript::from_messages(Dialect::OpenAi, messages).unwrap();
        let context = TurnContext::new(session());
        let begun = cpu();
        let turn = self.agent.turn(&mut transcript, Input::text("Pizzas."), &context);
        let end = turn.await.unwrap();
        let took = cpu() - begun;
        assert_eq!((end.reason, end.n_calls), (EndReason::Answered, 2 * self.n_rounds), "{end:?}");
        took
    }
}

fn session() -> Session {
    let parameters = json!({"cartId": "c-1", "paymentId": "p-1"});
    Session::new("s-1").with_parameters(parameters.as_object().cloned().unwrap())
}

/// The calls of a round: a read and a write.
fn arguments(n: usize) -> [(&'static str, Value); 2] {
    [
        ("pizza-get_pizza_from_cart", json!({"pizzaId": n})),
        (
            "pizza-add_pizza_to_cart",
            json!({"size": "Medium", "toppings": ["Cheese"], "quantity": n}),
        ),
    ]
}

/// The replies of a model: rounds with a read and a write each, and an answer.
fn replies(n_rounds: usize) -> Vec<String> {
    let reply = |message: Value, finish: &str| {
        let usage = json!({"prompt_tokens": 10, "completion_tokens": 5});
        json!({"id": "chatcmpl-1", "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage})
            .to_string()
    };
    let round = |n: usize| {
        let call = |(at, (name, arguments)): (usize, (&str, Value))| json!({"id": format!("call_{n}_{at}"), "type": "function", "function": {"name": name, "arguments": arguments.to_string()}});
        let calls = Value::Array(arguments(n).into_iter().enumerate().map(call).collect());
        reply(json!({"role": "assistant", "content": null, "tool_calls": calls}), "tool_calls")
    };
    let answer = reply(json!({"role": "assistant", "content": "Done."}), "stop");
    (1..=n_rounds).map(round).chain([answer]).collect()
}

/// Sends over the client, and keeps what is sent during the first turn.
#[derive(Debug)]
struct Recorder {
    client: Arc<Client>,
    /// Each request, and whether its response was opened as a stream.
    sent: Mutex<Vec<(bool, Request<Bytes>)>>,
    is_over: AtomicUsize,
}

impl Recorder {
    fn note(&self, is_opened: bool, request: &Request<Bytes>) {
        if self.is_over.load(Ordering::Relaxed) == 0 {
            self.sent.lock().unwrap().push((is_opened, request.clone()));
        }
    }
}

#[async_trait]
impl Transport for Recorder {
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<Bytes>, Error> {
        self.note(false, &request);
        self.client.send(request, limits).await
    }

    async fn open(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<ResponseBody>, Error> {
        self.note(true, &request);
        self.client.open(request, limits).await
    }
}

/// A server whose requests get these bodies in turns.
fn served(bodies: Vec<String>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (bodies, n_served) = (Arc::new(bodies), Arc::new(AtomicUsize::default()));
    thread::spawn(move || {
        for connection in listener.incoming() {
            let (bodies, n_served) = (Arc::clone(&bodies), Arc::clone(&n_served));
            thread::spawn(move || serve(&connection.unwrap(), &bodies, &n_served));
        }
    });
    address
}

fn serve(connection: &TcpStream, bodies: &[String], n_served: &AtomicUsize) {
    let mut reader = BufReader::with_capacity(1 << 16, connection);
    loop {
        let (mut n_bytes, mut line) = (0, String::new());
        loop {
            line.clear();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if let Some(length) = line.to_lowercase().strip_prefix("content-length:") {
                n_bytes = length.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        std::io::copy(&mut reader.by_ref().take(n_bytes), &mut std::io::sink()).unwrap();
        let body = &bodies[n_served.fetch_add(1, Ordering::Relaxed) % bodies.len()];
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length:";
        let mut writer = connection;
        writer.write_all(format!("{head} {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
    }
}

/// The microseconds of CPU of this thread, on which all of the client's work runs.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

/// The bytes of a message of the conversation before.
const MESSAGE: usize = 4096;
