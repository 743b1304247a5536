//! A turn of a process that dies: its conversation goes on in another process once the lease on it has lapsed.

use callgate_agent::{
    Agent, EndReason, Error, ErrorKind, Input, KeptTurn, Transcripts, TurnContext,
};
use callgate_config::{DescriptionOptions, Environment, Loader, Location};
use callgate_tool::Session;
use callgate_transport::Listeners;
use tokio::sync::Notify;

use super::*;

/// A process that takes turns. It has connections and a runtime of its own.
struct Process {
    agent: Agent,
    transcripts: Transcripts,
}

impl Process {
    async fn start(folder: &std::path::Path) -> Self {
        let file = Location::File(folder.join("callgate.yaml"));
        let config = Loader::new().open(file, &DescriptionOptions::default()).unwrap();
        let environment = Environment::new().with_listeners(Listeners::default());
        let built = config.build(&environment, None).await.unwrap();
        let agent = Agent::from_configuration(&built, "keeper").unwrap();
        let store = Arc::clone(built.state_store().unwrap());
        Self { agent, transcripts: Transcripts::new(store).with_lease(LEASE) }
    }

    async fn turn(&self) -> Result<KeptTurn, Error> {
        let context = TurnContext::new(Session::new("s-1"));
        self.transcripts.turn(&self.agent, "keeper", Input::text("Hello."), &context).await
    }
}

/// The address of a model that answers every request but the first, which it reports.
async fn model(asked: &Arc<Notify>) -> std::net::SocketAddr {
    let (asked, n_requests) = (Arc::clone(asked), Arc::<std::sync::atomic::AtomicUsize>::default());
    let reply = move || {
        let (asked, n_requests) = (Arc::clone(&asked), Arc::clone(&n_requests));
        async move {
            if n_requests.fetch_add(1, Ordering::SeqCst) == 0 {
                asked.notify_one();
                std::future::pending::<()>().await;
            }
            r#"{"choices":[{"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}]}"#
        }
    };
    service(Router::new().route("/v1/chat/completions", routing::post(reply))).await
}

/// A turn of a process that dies while the model is asked: nothing is given back.
async fn died(folder: &std::path::Path, asked: &Notify) {
    let process = Process::start(folder).await;
    let mut turn = Box::pin(async move { process.turn().await });
    tokio::select! {
        ended = &mut turn => panic!("{ended:?}"),
        () = asked.notified() => {}
    }
    std::mem::forget(turn);
}

#[tokio::test]
async fn a_conversation_goes_on_once_the_lease_of_a_process_that_died_in_its_turn_has_lapsed() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let (server, folder, asked) = (program.start(&[]), folder(), Arc::new(Notify::new()));
    let text = format!(
        "models: {{main: {{dialect: openai, url: 'http://{}/v1', model: m-1, auth: none}}}}\n\
         agents: {{keeper: {{model: main}}}}\n\
         toolsets: {{app: {{functions: [{{name: open_page}}]}}}}\n\
         state: {}\n",
        model(&asked).await,
        state(&server)
    );
    std::fs::write(folder.path().join("callgate.yaml"), text).unwrap();
    // It is there before the first one dies, so that its first turn comes within the lease.
    let second = Process::start(folder.path()).await;
    let of_first = folder.path().to_owned();
    let first = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(died(&of_first, &asked));
        std::mem::forget(runtime);
    });
    first.await.unwrap();

    let begun = tokio::time::Instant::now();
    let mut turn = second.turn().await;
    assert_eq!(turn.as_ref().unwrap_err().kind(), ErrorKind::Busy);
    while let Err(error) = &turn {
        assert_eq!(error.kind(), ErrorKind::Busy, "{error}");
        assert!(begun.elapsed() < 10 * LEASE, "it is never free");
        turn = second.turn().await;
    }
    assert_eq!(turn.unwrap().end.reason, EndReason::Answered);
}

/// A sidecar has half a minute.
const LEASE: Duration = Duration::from_secs(1);
