//! The laws over a cluster of three nodes and over a primary that three sentinels watch, and a failure of one server of each.

use callgate_state::{Durability, RedisServers, RedisSettings, RedisStore};
use callgate_testkit::{RedisProgram, RedisServer};
use callgate_transport::Network;

use super::{
    pace::{keeps_pace, pace_steps},
    redis::{address, named, now, pass, patient, store, wait_until},
    *,
};

fn check_laws(settings: &RedisSettings, servers: &[&RedisServer], cases: u32) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(steps in prop::collection::vec(step(), 1..50))| {
        for server in servers {
            server.ask("FLUSHALL");
        }
        let open = || -> Box<dyn Store> { Box::new(RedisStore::new(settings, &Network::new()).unwrap()) };
        let wait = |seconds| servers.iter().for_each(|server| pass(server.port, seconds));
        run(obeys(open(), Ways { open_again: &|_| open(), wait: &wait }, steps));
    });
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(steps in pace_steps())| {
        for server in servers {
            server.ask("FLUSHALL");
        }
        let wait = |seconds| servers.iter().for_each(|server| pass(server.port, seconds));
        run(keeps_pace(&*store(settings), &wait, steps));
    });
}

fn owned_by(principal: &str) -> Key {
    let session = Session::new("s");
    Key::new(Space::Idempotency, Owner::new(Some(&Principal::new(principal)), &session), "a")
}

#[test]
fn a_store_in_a_cluster_obeys_the_laws() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let nodes = program.start_cluster();
    let known = nodes.iter().take(2).map(address).collect();
    let settings = patient(RedisServers::Cluster(known));
    check_laws(&settings, &nodes.each_ref(), 25);
}

#[test]
fn a_node_that_is_away_costs_only_the_owners_on_it() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let mut nodes = program.start_cluster();
    for node in &nodes {
        node.ask("CONFIG SET cluster-require-full-coverage no");
    }
    run(async {
        let known = nodes.iter().map(address).collect();
        let store = store(&patient(RedisServers::Cluster(known)));
        let owners: Vec<_> = (0..30).map(|owner| owned_by(&owner.to_string())).collect();
        for key in &owners {
            store.put(key, Record::json(&1).unwrap(), Expected::Absent, now()).await.unwrap();
        }
        nodes[1].kill();
        let mut n_away = 0;
        for key in &owners {
            match store.get(key, now()).await {
                Ok(found) => assert!(found.is_some()),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Unavailable);
                    n_away += 1;
                }
            }
        }
        assert!((1..30).contains(&n_away), "{n_away}");
    });
}

#[test]
fn a_promoted_replica_is_found_by_its_sentinels_and_has_what_was_waited_for() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let no_delay = ["--repl-diskless-sync-delay", "0"];
    let mut primary = program.start(&no_delay);
    let port = primary.port.to_string();
    let replica = program.start(&[&no_delay[..], &["--replicaof", "127.0.0.1", &port]].concat());
    let sentinels = [(); 3].map(|()| program.start_sentinel(&primary));
    let mut settings = patient(RedisServers::Sentinel {
        primary: "state".to_owned(),
        sentinels: sentinels.iter().map(address).collect(),
        password: None,
    });
    check_laws(&settings, &[&primary], 15);
    run(async {
        wait_until(|| primary.ask("INFO replication").contains("state=online")).await;
        // Each sentinel must know the others and the replica.
        let knows = |sentinel: &RedisServer| {
            let said = sentinel.ask("INFO sentinel");
            said.contains("slaves=1,sentinels=3")
        };
        for _ in 0..5 {
            wait_until(|| sentinels.iter().all(knows)).await;
        }
        settings.durability = Some(Durability::new(1, Duration::from_secs(2)));
        let store = store(&settings);
        for owner in 0..50 {
            let key = owned_by(&owner.to_string());
            let record = Record::json(&owner).unwrap();
            store.put(&key, record, Expected::Absent, now()).await.unwrap();
        }
        primary.kill();
        let begun = tokio::time::Instant::now();
        while !matches!(store.get(&owned_by("0"), now()).await, Ok(Some(_))) {
            assert!(begun.elapsed() < Duration::from_mins(1), "nothing is promoted");
        }
        for owner in 0..50 {
            assert!(store.get(&owned_by(&owner.to_string()), now()).await.unwrap().is_some());
        }
        // No replica is left.
        let (kept, usual, record) = (owned_by("new"), named("a"), Record::json(&1).unwrap());
        let put = store.put(&kept, record.clone(), Expected::Absent, now()).await;
        assert_eq!(put.unwrap_err().kind(), ErrorKind::Unavailable);
        // Other records wait for no replica.
        store.put(&usual, record, Expected::Absent, now()).await.unwrap();
        drop(replica);
    });
}
