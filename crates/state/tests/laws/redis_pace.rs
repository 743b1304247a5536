//! The law of a pace over a Redis server, which several processes ask at the same time.

use std::{num::NonZeroU32, sync::Mutex};

use callgate_session::{Error, Pace};
use callgate_testkit::RedisProgram;
use futures_util::{FutureExt as _, future::join_all};

use super::{
    pace::{keeps_pace, pace_steps},
    redis::{now, pass, settings, store},
    *,
};

#[test]
fn a_store_in_redis_keeps_the_pace_of_a_limiter() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let server = program.start(&[]);
    let config =
        ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(steps in pace_steps())| {
        server.ask("FLUSHALL");
        let store = store(&settings(&server));
        run(keeps_pace(&*store, &|seconds| pass(server.port, seconds), steps));
    });
}

#[test]
fn of_fifty_that_take_at_once_a_burst_of_ten_gets_through() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let server = program.start(&[]);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let stores = [store(&settings(&server)), store(&settings(&server))];
        let pace = Pace { each: Duration::from_hours(1), burst: NonZeroU32::new(10).unwrap() };
        let key = Key::new(Space::Rate, Owner::new(None, &Session::default()), "a");
        let taking = (0..50).map(|at| stores[at % 2].take_paced_request(&key, pace, now()));
        let taken = join_all(taking).await;
        assert_eq!(taken.into_iter().filter(|it| matches!(it, Ok(None))).count(), 10);
        // A clock that was set back by ten years costs a burst.
        let mut connection = ::redis::Client::open(format!("redis://127.0.0.1:{}", server.port))
            .and_then(|client| client.get_connection())
            .unwrap();
        let ahead = "for _, name in ipairs(redis.call('KEYS', '*:rate:*')) do \
            redis.call('SET', name, string.format('%.0f', redis.call('GET', name) + 3.15e14)) end";
        ::redis::cmd("EVAL").arg(ahead).arg(0).exec(&mut connection).unwrap();
        let wait = stores[0].take_paced_request(&key, pace, now()).await.unwrap();
        assert_eq!(wait, Some(Duration::from_hours(1)));
    });
}

/// The server is paused until all requests wait: the replies come in the order in which the requests were sent.
#[test]
fn a_request_is_not_sent_behind_a_thousand_of_another_principal() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let server = program.start(&[]);
    run(async {
        let (store, turns) = (store(&settings(&server)), Mutex::new(Vec::new()));
        let pace = Pace { each: Duration::from_hours(1), burst: NonZeroU32::MIN };
        let take = async |name: &'static str| {
            let (principal, session) = (Principal::new(name), Session::default());
            let key = Key::new(Space::Rate, Owner::new(Some(&principal), &session), "a");
            let wait = store.take_paced_request(&key, pace, now()).await?;
            turns.lock().unwrap().push(name);
            Ok::<_, Error>(wait)
        };
        take("kim").await.unwrap();
        server.pause();
        let kims = (0..1500).map(|_| take("kim"));
        let mut takes = join_all(kims.chain([take("lee")]));
        assert!((&mut takes).now_or_never().is_none());
        server.go_on();
        assert!(takes.await.iter().all(Result::is_ok));
        let turns = turns.lock().unwrap();
        assert!(turns.iter().position(|turn| *turn == "lee").unwrap() < 1000, "{turns:?}");
    });
}
