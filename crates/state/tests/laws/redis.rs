//! The laws over Redis servers that the tests start, and what else holds for them alone.

use std::sync::Arc;

use callgate_secret::Secret;
use callgate_state::{Durability, RedisAddress, RedisServers, RedisSettings, RedisStore};
use callgate_testkit::{RedisProgram, RedisServer};
use callgate_transport::Network;

use super::*;

pub(super) fn settings(server: &RedisServer) -> RedisSettings {
    patient(RedisServers::Single(address(server)))
}

/// Settings for a busy machine, on which a server may not answer within the usual time.
pub(super) fn patient(servers: RedisServers) -> RedisSettings {
    let mut settings = RedisSettings::new(servers, secret("1"));
    settings.timeout = Duration::from_secs(10);
    settings
}

pub(super) fn address(server: &RedisServer) -> RedisAddress {
    RedisAddress::new("127.0.0.1", server.port)
}

pub(super) fn secret(digit: &str) -> Secret {
    Secret::new(digit.repeat(32))
}

pub(super) fn store(settings: &RedisSettings) -> Arc<dyn Store> {
    Arc::new(RedisStore::new(settings, &Network::new()).unwrap())
}

pub(super) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

pub(super) fn named(name: &str) -> Key {
    let session = Session::new("s-canary");
    Key::new(Space::Result, Owner::new(Some(&Principal::new("kim-canary")), &session), name)
}

/// Lets time pass for all records of a server: a test that waits is slow, and not exact.
const PASS: &str = r"
for _, name in ipairs(redis.call('KEYS', '*')) do
  if name:find(':rate:', 1, true) then
    redis.call('SET', name, string.format('%.0f', redis.call('GET', name) - ARGV[1] * 1000), 'KEEPTTL')
  end
  local left = redis.call('PTTL', name)
  if left >= 0 then redis.call('PEXPIRE', name, left - ARGV[1]) end
  if name:sub(-5) == ':ends' then
    for _, member in ipairs(redis.call('ZRANGE', name, 0, -1)) do
      redis.call('ZINCRBY', name, -ARGV[1], member)
    end
  end
end";

pub(super) fn pass(port: u16, seconds: u64) {
    let client = ::redis::Client::open(format!("redis://127.0.0.1:{port}")).unwrap();
    let mut connection = client.get_connection().unwrap();
    ::redis::cmd("EVAL").arg(PASS).arg(0).arg(seconds * 1000).exec(&mut connection).unwrap();
}

#[test]
fn a_store_in_redis_obeys_the_laws() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let server = program.start(&[]);
    let config =
        ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(steps in prop::collection::vec(step(), 1..60))| {
        server.ask("FLUSHALL");
        let open = || -> Box<dyn Store> { Box::new(RedisStore::new(&settings(&server), &Network::new()).unwrap()) };
        let wait = |seconds| pass(server.port, seconds);
        run(obeys(open(), Ways { open_again: &|_| open(), wait: &wait }, steps));
    });
}

#[test]
fn of_many_that_remove_one_version_one_wins() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let server = program.start(&[]);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let stores = [store(&settings(&server)), store(&settings(&server))];
        for round in 0..20 {
            let (key, record) = (named(&round.to_string()), Record::json(&1).unwrap());
            let version = stores[0].put(&key, record, Expected::Absent, now()).await.unwrap();
            let expected = Expected::Version(version);
            let removing = (0..64).map(|at| stores[at % 2].remove(&key, expected, now()));
            let removed = futures_util::future::join_all(removing).await;
            let won = removed.into_iter().filter(|it| matches!(it, Ok(true)));
            assert_eq!(won.count(), 1);
        }
    });
}

/// Each version is one byte, repeated. A reader that gets bytes of two versions has mixed them.
#[test]
fn a_reader_never_mixes_the_chunks_of_two_versions() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let server = program.start(&[]);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (store, key, now) = (store(&settings(&server)), named("large"), now());
        let large = |byte: u8| {
            Record::new("text/plain", vec![byte; 700_000].into())
                .with_time_to_live(Duration::from_mins(10))
        };
        store.put(&key, large(0), Expected::Any, now).await.unwrap();
        let writing = async {
            for byte in 1..40 {
                store.put(&key, large(byte), Expected::Any, now).await.unwrap();
            }
        };
        let reading = async {
            for _ in 0..40 {
                let found = store.get(&key, now).await.unwrap().unwrap();
                let bytes = found.record.bytes();
                assert!(bytes.len() == 700_000 && bytes.iter().all(|byte| *byte == bytes[0]));
            }
        };
        tokio::join!(writing, reading);
        // A record, three chunks, two lists, and the secret of the addresses.
        wait_until(|| server.ask("DBSIZE") == ":7").await;
        store.remove(&key, Expected::Any, now).await.unwrap();
        assert_eq!(server.ask("DBSIZE"), ":1");
    });
}

/// The names of the record, its owner and its credential.
const CANARIES: [&str; 7] = [
    "value-canary",
    "secret-canary",
    "token-canary",
    "name-canary",
    "kim-canary",
    "s-canary",
    "text/canary",
];

#[test]
fn nothing_in_the_server_shows_an_owner_or_a_record() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let server = program.start(&["--appendonly", "yes"]);
    run(async {
        let store = store(&settings(&server));
        let record = Record::new("text/canary", Bytes::from_static(b"value-canary"))
            .with_credential("token-canary", Secret::new("secret-canary".to_owned()));
        store.put(&named("name-canary"), record, Expected::Any, now()).await.unwrap();
        assert_eq!(server.ask("SAVE"), "+OK");
    });
    let mut n_files = 0;
    let mut folders = vec![server.folder().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            for canary in CANARIES {
                callgate_testkit::check_absent(canary, &bytes, &path.display().to_string());
            }
            n_files += 1;
        }
    }
    assert!(n_files >= 3, "a dump, an append-only file and its manifest");
}

#[test]
fn a_server_that_is_paused_is_noticed_once_and_is_used_again_when_it_goes_on() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let server = program.start(&[]);
    run(async {
        let (patient, key, now) = (store(&settings(&server)), named("a"), now());
        patient.put(&key, Record::json(&1).unwrap(), Expected::Absent, now).await.unwrap();
        let mut settings = settings(&server);
        settings.timeout = Duration::from_millis(500);
        let store = store(&settings);
        server.pause();
        let begun = tokio::time::Instant::now();
        for _ in 0..50 {
            let error = store.get(&key, now).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            assert!(error.retry_after().is_some());
        }
        // Fifty times half a second otherwise.
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        server.go_on();
        wait_for(&*store, &key).await;
    });
}

#[test]
fn a_server_that_is_killed_is_used_again_when_it_is_back_with_its_records() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let mut server = program.start(&["--appendonly", "yes", "--appendfsync", "always"]);
    run(async {
        let (store, key, now) = (store(&settings(&server)), named("a"), now());
        store.put(&key, Record::json(&1).unwrap(), Expected::Absent, now).await.unwrap();
        server.kill();
        assert_eq!(store.get(&key, now).await.unwrap_err().kind(), ErrorKind::Unavailable);
        server.restart();
        wait_for(&*store, &key).await;
        // An idle connection that was closed meanwhile costs no call.
        server.kill();
        server.restart();
        notice().await;
        assert!(store.get(&key, now).await.unwrap().is_some());
    });
}

pub(super) async fn wait_for(store: &dyn Store, key: &Key) {
    let begun = tokio::time::Instant::now();
    while !matches!(store.get(key, now()).await, Ok(Some(_))) {
        assert!(begun.elapsed() < Duration::from_secs(20), "the server is not used again");
        tokio::task::yield_now().await;
    }
}

/// Lets the tasks of the runtime notice that a connection was closed.
async fn notice() {
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
}

pub(super) async fn wait_until(is_so: impl Fn() -> bool) {
    let begun = tokio::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(20));
        tokio::task::yield_now().await;
    }
}

#[test]
fn a_key_is_replaced_while_all_read_both_and_records_stay_at_their_addresses() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let server = program.start(&[]);
    run(async {
        let (key, now) = (named("a"), now());
        let with = |current: &str, older: &[&str]| {
            let mut settings = settings(&server);
            settings.key = secret(current);
            settings.old_keys = older.iter().map(|it| secret(it)).collect();
            store(&settings)
        };
        with("1", &[]).put(&key, Record::json(&1).unwrap(), Expected::Any, now).await.unwrap();
        let error = with("2", &[]).get(&key, now).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Sealing);
        assert!(error.to_string().contains("`old_keys`"), "{error}");
        assert!(with("1", &["2"]).get(&key, now).await.unwrap().is_some());
        let stored = with("2", &["1"]).get(&key, now).await.unwrap().unwrap();
        let both = Expected::Version(stored.version);
        with("2", &["1"]).put(&key, Record::json(&2).unwrap(), both, now).await.unwrap();
        let found = with("2", &[]).get(&key, now).await.unwrap().unwrap();
        assert_eq!(found.record.read::<u8>().unwrap(), 2);
    });
}

#[test]
fn a_server_that_lost_everything_gets_the_addresses_of_the_processes_that_know_them() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let mut server = program.start(&[]);
    run(async {
        let (settings, key, now) = (settings(&server), named("a"), now());
        let first = store(&settings);
        first.put(&key, Record::json(&1).unwrap(), Expected::Any, now).await.unwrap();
        server.kill();
        server.restart();
        notice().await;
        first.put(&key, Record::json(&2).unwrap(), Expected::Absent, now).await.unwrap();
        assert!(store(&settings).get(&key, now).await.unwrap().is_some());
    });
}

#[test]
fn a_user_with_a_password_is_signed_in_and_a_wrong_password_is_reported() {
    let Some(program) = RedisProgram::of_machine() else { return };
    // As the manual lists them.
    let commands = "+del +eval +evalsha +get +getrange +persist +pexpire +pttl +select +set +time +unlink +zadd +zcard \
        +zrangebylex +zrangebyscore +zrem +config|get";
    let mut rules = vec!["on", ">pass-canary", "~gate:*"];
    rules.extend(commands.split_whitespace());
    let server =
        program.start(&[&["--user", "gate"][..], &rules, &["--user", "default", "off"]].concat());
    run(async {
        let mut settings = settings(&server);
        settings.user = Some("gate".to_owned());
        settings.password = Some(Secret::new("pass-canary".to_owned()));
        settings.prefix = "gate".to_owned();
        settings.database = 3;
        let (key, now) = (named("a"), now());
        let signed_in = store(&settings);
        let large = || Record::new("text/plain", vec![1; 700_000].into());
        let lives = large().with_time_to_live(Duration::from_mins(1));
        for record in [large(), lives, Record::json(&1).unwrap()] {
            signed_in.put(&key, record, Expected::Any, now).await.unwrap();
            assert!(signed_in.get(&key, now).await.unwrap().is_some());
            let group = Group::of_space(Space::Result);
            assert_eq!(signed_in.list(&group, None, 9, now).await.unwrap().len(), 1);
        }
        assert!(signed_in.remove(&key, Expected::Any, now).await.unwrap());
        assert!(!format!("{signed_in:?}").contains("canary"));
        settings.password = Some(Secret::new("other-canary".to_owned()));
        let error = store(&settings).get(&key, now).await.unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains("WRONGPASS") || cause.contains("assword"), "{cause}");
        assert!(!cause.contains("canary"), "{cause}");
    });
}

#[test]
fn a_server_that_evicts_keeps_neither_approvals_nor_idempotency_keys() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let server = program.start(&["--maxmemory-policy", "allkeys-lru"]);
    run(async {
        let (store, session) = (store(&settings(&server)), Session::new("s"));
        for (space, is_refused) in [
            (Space::Approval, true),
            (Space::Call, false),
            (Space::Detail, true),
            (Space::Idempotency, true),
            (Space::Result, false),
            (Space::Session, false),
        ] {
            let key = Key::new(space, Owner::new(None, &session), "a");
            let put = store.put(&key, Record::json(&1).unwrap(), Expected::Any, now()).await;
            let error = put.err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(error.contains("`maxmemory-policy noeviction`"), is_refused, "{space:?}");
        }
    });
}

#[test]
fn a_server_that_hides_its_policy_is_used() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let server = program.start(&["--rename-command", "CONFIG", ""]);
    run(async {
        let key = named("a");
        let store = store(&settings(&server));
        store.put(&key, Record::json(&1).unwrap(), Expected::Any, now()).await.unwrap();
        assert!(store.get(&key, now()).await.unwrap().is_some());
    });
}

#[test]
fn a_change_of_what_must_be_kept_is_refused_while_its_replica_is_away() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let primary = program.start(&["--repl-diskless-sync-delay", "0"]);
    let replica = program.start(&["--replicaof", "127.0.0.1", &primary.port.to_string()]);
    run(async {
        wait_until(|| primary.ask("INFO replication").contains("state=online")).await;
        let mut settings = settings(&primary);
        settings.durability = Some(Durability::new(1, Duration::from_secs(2)));
        let (store, session) = (store(&settings), Session::new("s"));
        let key = |space, name: &str| Key::new(space, Owner::new(None, &session), name);
        let put = async |space, name: &str| {
            let (key, record) = (key(space, name), Record::json(&1).unwrap());
            store.put(&key, record, Expected::Absent, now()).await.map_err(|error| error.kind())
        };
        for space in [Space::Approval, Space::Idempotency, Space::Session] {
            assert!(put(space, "a").await.is_ok());
        }
        replica.pause();
        assert_eq!(put(Space::Approval, "b").await.unwrap_err(), ErrorKind::Unavailable);
        assert_eq!(put(Space::Idempotency, "b").await.unwrap_err(), ErrorKind::Unavailable);
        assert_eq!(put(Space::Approval, "a").await.unwrap_err(), ErrorKind::Conflict);
        assert!(put(Space::Session, "b").await.is_ok());
        let used = store.remove(&key(Space::Approval, "a"), Expected::Any, now()).await;
        assert_eq!(used.unwrap_err().kind(), ErrorKind::Unavailable);
        replica.go_on();
        let mut n_refused = 0;
        while put(Space::Approval, &format!("c{n_refused}")).await.is_err() {
            n_refused += 1;
            assert!(n_refused < 20, "the replica is there again");
        }
    });
}
