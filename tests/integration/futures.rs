//! Every public future can be spawned: it is `Send`, and what borrows nothing of the caller is `'static`. The sources are
//! scanned by `tests/rules/futures.rs`, so that a new public function that waits needs a row here.

use crate::prelude::*;
use std::future::pending;

use callgate::{
    Backend, Middleware, OpenApi,
    approval::Decided,
    config::load,
    middleware::Ended,
    result::{Handle, StoredResult},
    secret::{SecretReference, SecretStore},
    stream::ToolStream,
    transport::{NamedBy, ResponseBody},
};
use callgate_auth::{BegunLogin, DeviceLogin};
use callgate_config::{Subject, examine_subject};
use callgate_executor::{CallRights, Lease, preview_call, put_record_with_retries, review_call};
use callgate_gateway::{
    Answer, PageRequest, RouteCalls, RouteRequest, ServeOptions, SessionInput, Source,
    examine_issuers_collector, serve, start_log,
};
use callgate_google::{ServiceDirectory, ServiceName, Tokens};
use callgate_kind::{
    CommonSettings, KindSettings, SharedSurroundings, Surroundings, open_toolsets,
};
use callgate_mcp::{Caller, Client, Host, McpService, Question, WaitingCall, serve_stdio};
use callgate_policy::{
    Approvals, Audit, Extent, Guard, Idempotency, Listing, Records, TurnEnd, Webhook,
};
use callgate_secret::single_flight::SingleFlight;
use callgate_session::{FairQueue, Owner};
use callgate_settings::Reader;
use callgate_store::aws::{AwsKeySource, AwsKeys};
use callgate_transport::{Network, Resolver, TlsSettings};
use futures_util::FutureExt;
use tokio::task::JoinSet;

fn is_send<T: Send>(_: T) {}
fn is_shared<T: Clone + Send + Sync + 'static>(_: &T) {}
fn is_spawnable<T: Send + 'static>(_: &T) {}

fn calls() -> Vec<ToolCall> {
    (0..3).map(|id| ToolCall::new(id.to_string(), "getPet", Arguments::new())).collect()
}

#[test]
fn every_future_of_an_executor_is_send() {
    let executor = Executor::builder().build().unwrap();
    let (calls, session) = (calls(), Session::default());
    is_shared(&executor);
    is_send(executor.call(&calls[0], &session));
    is_send(executor.call_all(&calls, &session));
    is_send(executor.stream(&calls[0], &session));
    is_send(executor.dry_run(&calls[0], &session));
    let call = || Call::new(&calls[0], &session);
    is_send(executor.call_with(call()));
    is_send(executor.stream_with(call()));
    is_send(executor.dry_run_with(call()));
    let outcome = Outcome::from(Value::Null);
    is_send(executor.report_refused(call(), &outcome));
    is_send(executor.resume(call(), ClientAnswer::Output(Value::Null)));
    is_send(executor.result(&Handle::from_random(7), &session, None));
    let (owner, rights) = (Owner::new(None, &session), CallRights::default());
    is_send(executor.readable_result(&Handle::from_random(7), owner, &rights));
    is_send(executor.keep_file(StoredResult::new("a/b", bytes::Bytes::new()), &session, None));
    let _: fn(&mut ToolStream) = |stream| is_send(stream.next());
    let _: fn(&Stop) = |stop| is_send(stop.wait_for_stop());
    is_spawnable(&async move { executor.call_all(&calls, &session).await });
}

#[test]
fn every_future_of_a_configuration_is_send() {
    let _: fn(&Config, &Environment, &Built) =
        |config, environment, built| is_send(config.build(environment, Some(built)));
    let _: fn(&Path) = |file| is_send(load(file));
    let _: fn(&dyn KindSettings, &CommonSettings<'_>, Surroundings<'_>) =
        |settings, common, around| is_send(settings.open(common, &[], around));
    let _: fn(&mut Reader, &SharedSurroundings<'_>) =
        |reader, around| is_send(open_toolsets(reader, Vec::new(), around));
    let _: fn(&Built, &SecretReference, &Path) =
        |built, reference, base| is_send(built.secret(reference, base));
    let _: fn(OpenApi) = |front| is_send(front.build());
    let _: fn(OpenApi) = |front| is_send(front.build_with_report());
    let _: fn(&Built) = |built| is_send(built.is_outdated());
    let _: fn(&Built) = |built| is_send(built.examine());
    let _: fn(Subject) = |subject| is_send(examine_subject(subject, pending()));
    let _: fn(&Built) = |built| is_send(examine_issuers_collector(built));
    let _: fn(&Built, &SecretReference) = |built, reference| is_send(built.own_secret(reference));
    let (config, environment) = (Config::new(), Environment::new());
    is_spawnable(&async move { config.build(&environment, None).await });
}

#[test]
fn every_future_of_a_sidecar_is_send() {
    let _: fn(&Source) = |source| is_send(source.build(None));
    let _: fn(Source, ServeOptions) =
        |source, options| is_send(serve(source, options, |_: &str| {}));
    let _: fn(&Config) = |config| is_send(start_log(config, &config.log, Box::new(|_| {})));
    let _: fn(&PageRequest) = |request| is_send(request.get_own_path("/v1/tools", &[]));
    let _: fn(&PageRequest, &Value) = |request, body| is_send(request.post("/v1/calls", body));
    let _: fn(&PageRequest, &Value) =
        |request, body| is_send(request.post_json_with_headers("/v1/calls", &[], body));
    let _: fn(&PageRequest) =
        |request| is_send(request.post_file("/v1/results", "text/plain", "a".into()));
    let _: fn(Answer) = |answer| is_send(answer.bytes());
    let _: fn(Answer) = |answer| is_send(answer.json_or_problem());
    let _: fn(&RouteRequest, SessionInput) = |request, input| is_send(request.session(input));
    let _: fn(&RouteRequest) =
        |request| is_send(request.claim_key_unless_answered("key", b"digest"));
    let _: fn(&RouteRequest, &Object) =
        |request, changes| is_send(request.changed_session_parameters("s", changes));
    let _: fn(&RouteRequest, Object) =
        |request, changes| is_send(request.change_parameters("s", changes));
    let _: fn(&RouteRequest) =
        |request| is_send(request.route_state("s").map(Result::<Option<(Value, _)>, _>::ok));
    let _: fn(&RouteRequest, &Value) =
        |request, state| is_send(request.replace_state_if_unchanged("s", state, None));
    let _: fn(&RouteCalls) = |calls| is_send(calls.run());
    let _: fn(&RouteCalls, &Value) =
        |calls, body| is_send(calls.run_or_earlier_answer(body, |_| Value::Null));
    let _: fn(Arc<dyn Host>) = |host| is_send(serve_stdio(host));
    let _: fn(&Client, &Question) = |client, question| is_send(client.ask(question));
    let _: fn(&McpService, http::Request<bytes::Bytes>) =
        |service, request| is_send(service.answer(request));
    let _: fn(&dyn Host, &Caller) = |host, caller| is_send(host.session(None, caller, Value::Null));
    let _: fn(&dyn Host, WaitingCall<'_>) =
        |host, waiting| is_send(host.keep_waiting_call(None, Value::Null, waiting));
}

#[test]
fn every_future_of_a_store_of_state_is_send() {
    let _: fn(&dyn session::Store, &session::Key) =
        |store, key| is_send(store.get(key, Instant::now().into_std()));
    let _: fn(&dyn session::Store) = |store| {
        is_send(store.count(session::Space::Session, Instant::now().into_std()));
    };
    let _: fn(&dyn session::Store, &session::Group) =
        |store, group| is_send(store.list(group, None, 9, Instant::now().into_std()));
    let _: fn(&dyn session::Store, &session::Key, session::Record) = |store, key, record| {
        let expected = session::Expected::Absent;
        is_send(store.put(key, record, expected, Instant::now().into_std()));
        let record = session::Record::new("text/plain", "x".into());
        is_send(put_record_with_retries(store, key, record, expected, Duration::ZERO));
    };
    let _: fn(Arc<dyn session::Store>, session::Key) = |store, key| {
        let acquire = Lease::acquire;
        is_send(acquire(store, key, Duration::ZERO));
    };
    let _: fn(&mut Lease) = |lease| is_send(lease.renew_forever());
    let _: fn(Lease) = |lease| is_send(lease.release());
    let _: fn(&dyn session::Store, &session::Key) = |store, key| {
        is_send(store.remove(key, session::Expected::Absent, Instant::now().into_std()));
    };
    let _: fn(&dyn session::Store, &session::Key, _) =
        |store, key, pace| is_send(store.take_paced_request(key, pace, Instant::now().into_std()));
}

#[test]
fn every_future_of_a_trait_is_send() {
    let _: fn(&dyn SecretStore, &SecretReference) = |store, name| is_send(store.get(name));
    let _: fn(&dyn Backend, &Call<'_>) =
        |tool, call| is_send(tool.preview(call, &mut Journal::default()));
    let _: fn(&dyn Backend, &Call<'_>) =
        |tool, call| is_send(tool.run(call, &mut Journal::default()));
    let _: fn(&dyn Backend, &Call<'_>) =
        |tool, call| is_send(tool.open(call, &mut Journal::default()));
    let _: fn(&dyn Backend, &Call<'_>) = |tool, call| {
        is_send(tool.outcome_from_answer(call, Value::Null, &mut Journal::default()));
    };
    let _: fn(&dyn Backend, &Call<'_>) =
        |tool, call| is_send(tool.review(call, &mut Journal::default()));
    let _: fn(&dyn Backend, &Call<'_>) =
        |tool, call| is_send(tool.client_request(call, &mut Journal::default()));
    let _: fn(&dyn Backend, &Call<'_>) =
        |tool, call| is_send(preview_call(tool, call, &mut Journal::default()));
    let _: fn(&dyn Backend, &Call<'_>) =
        |tool, call| is_send(review_call(tool, call, &mut Journal::default()));
    let _: fn(&dyn Middleware, &mut Call<'_>) =
        |layer, call| is_send(layer.before(call, None, &mut Journal::default()));
    let _: fn(&dyn Middleware, &Call<'_>, &Ended<'_>) =
        |layer, call, ended| is_send(layer.after(call, ended));
    let _: fn(&dyn Authenticator, &mut http::Request<bytes::Bytes>, &Session) =
        |known, request, session| is_send(known.authorize(request, session));
    let _: fn(&dyn Authenticator, &Authorization, CredentialRefusal, &Session) =
        |known, authorization, refusal, session| {
            is_send(known.handle_refusal(authorization, refusal, session));
        };
    let _: fn(&dyn GrantStore, &Secret) = |grants, grant| is_send(grants.put("a", grant));
    let _: fn(&dyn GrantStore) = |grants| is_send(grants.get("a"));
    let _: fn(&dyn GrantStore) = |grants| is_send(grants.remove("a"));
    let _: fn(&dyn GrantStore) = |grants| is_send(grants.lock("a"));
    let limits = callgate::transport::Limits::default;
    let _ = |transport: Arc<dyn Transport>, request: http::Request<bytes::Bytes>| {
        is_send(transport.send(request, &limits()));
    };
    let _ = |transport: Arc<dyn Transport>, request: http::Request<bytes::Bytes>| {
        is_send(transport.open(request, &limits()));
    };
    let _: fn(&dyn Transport, &http::Uri) =
        |transport, origin| is_send(transport.connect(origin, NamedBy::Operator));
    let _: fn(&Network) = |network| is_send(network.dial("localhost", 6379, None));
    let _: fn(&Network, TcpStream) = |network, stream| {
        is_send(network.secure_with_channel_binding(stream, "localhost", &TlsSettings::new()));
    };
    let _: fn(&dyn Resolver) = |resolver| is_send(resolver.addresses("example.com"));
}

#[test]
fn every_future_of_a_further_kind_of_tools_is_send() {
    {
        use callgate_connector::load;
        let _ = |settings, around| is_send(load(settings, around));
    }
    {
        use callgate_agent::{
            Agent, Conversation, Input, Round, Rounds, Transcript, Transcripts, TurnContext,
        };
        let _: fn(&Agent, &mut Transcript, &TurnContext) =
            |agent, transcript, context| is_send(agent.turn(transcript, Input::text(""), context));
        let _: fn(&Transcripts, &Agent, &TurnContext) = |transcripts, agent, context| {
            is_send(transcripts.turn(agent, "", Input::text(""), context));
        };
        let _: fn(&Transcripts, Transcript, &TurnContext) =
            |transcripts, brought, context| is_send(transcripts.replace("", brought, context));
        let _: fn(&Transcripts, &Conversation) = |transcripts, conversation| {
            is_send(transcripts.list(None, None, 1));
            is_send(transcripts.remove(None, conversation));
            is_send(transcripts.remove_session(None, ""));
        };
        let _: fn(&dyn Rounds, &Round) = |rounds, round| is_send(rounds.before(round));
        let _: fn(&dyn Rounds, &Round) = |rounds, round| is_send(rounds.after(round));
    }
    {
        use callgate_documents::{Documents, load};
        let _ = |settings, earlier| is_send(load(settings, earlier));
        let _: fn(&Documents) = |documents| is_send(documents.refresh());
    }
    {
        use callgate_code::python::{PythonSettings, examine, run};
        let _ = |settings: &PythonSettings, program| is_send(run(settings, program));
        let _ = |settings: &PythonSettings| is_send(examine(settings));
    }
    {
        use callgate_database::{Resources, Surroundings, load, load_with, propose};
        let _ = |settings, around: Surroundings| is_send(load(settings, around));
        let _ = |settings, around: Surroundings, resources: Resources| {
            is_send(load_with(settings, around, resources));
        };
        let _ = |url, around: Surroundings| is_send(propose(url, around));
    }
}

type Flight = SingleFlight<u8, callgate_secret::Error>;

#[test]
fn every_future_below_the_library_is_send() {
    let _: fn(&mut ResponseBody) = |body| is_send(body.chunk());
    let _: fn(ResponseBody) = |body| is_send(body.collect(1));
    let _: fn(&Tokens) = |tokens| is_send(tokens.access_token());
    let _: fn(&Tokens) = |tokens| is_send(tokens.request_id_token("https://api.example.com"));
    let _: fn(&ServiceDirectory, &ServiceName) =
        |directory, service| is_send(directory.resolve(service));
    let _: fn(&AwsKeySource) = |source| is_send(source.keys());
    let _: fn(&Login) = |login| is_send(login.available_ways());
    let _: fn(&Login) = |login| is_send(login.check_logged_in());
    let _: fn(&Login) = |login| is_send(login.logout());
    let _: fn(&Login) = |login| is_send(login.begin_in_browser("http://127.0.0.1:1/callback"));
    let _: fn(&Login, BegunLogin) =
        |login, begun| is_send(login.finish_in_browser(begun, "code=a"));
    let _: fn(&Login) = |login| is_send(login.begin_on_device());
    let _: fn(&Login, DeviceLogin) = |login, begun| is_send(login.finish_on_device(begun));
    let _: fn(&AwsKeySource, &AwsKeys) = |source, keys| is_send(source.keys_other_than(keys));
    let _: fn(&Flight) = |flight| is_send(flight.get(&(), |_| pending()));
    let _: fn(&Flight, &Mutex<JoinSet<()>>) =
        |flight, tasks| is_send(flight.get_renewing_in_task(&(), tasks, |_| pending()));
    let _: fn(&Flight) = |flight| is_send(flight.wait_until_idle());
    let _: fn(&Arc<Records>, &IdempotencyKey) =
        |records, key| is_send(records.begin(None, key, [0; 32], |_| false));
    let _: fn(Guard) = |guard| is_send(guard.finish(b""));
    let _: fn(Guard) = |guard| is_send(guard.free_key());
    let _: fn(&Approvals) = |approvals| is_send(approvals.list(|_| true));
    let _: fn(&Approvals) = |approvals| is_send(approvals.find("", |_| true));
    let _: fn(&Approvals) = |it| is_send(it.find_within(Extent::All, "", |_| true));
    let _: fn(&FairQueue) = |queue| is_send(queue.enter("", 1));
    let _: fn(&Approvals, &Listing<'_>) =
        |approvals, listing| is_send(approvals.page(listing, |_| true));
    let _: fn(&Approvals, &Decided) =
        |approvals, decided| is_send(approvals.decide(decided, |_| true, None));
    let _: fn(&Audit, &Idempotency) = |audit, keys| is_send(audit.recall(keys));
    let _: fn(&Audit, &TurnEnd<'_>) = |audit, turn| is_send(audit.record_turn_end(turn));
    let _: fn(&Webhook, &Stop) = |webhook, stop| is_send(webhook.deliver_until_stopped(stop));
}

#[tokio::test]
async fn a_stream_is_read_in_a_spawned_task() {
    let executor = Executor::builder().build().unwrap();
    let stream = executor.stream(&calls()[0], &Session::default()).await;
    let read = async move {
        let mut stream = stream;
        is_send(stream.next());
        assert!(stream.next().await.is_none());
        stream.into_result()
    };
    is_spawnable(&read);
    let result: ToolResult = tokio::spawn(read).await.unwrap();
    assert_eq!(result.id, "0");
}
