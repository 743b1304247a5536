//! Tests that a principal that fills its share of a store changes nothing for another that holds less.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use bytes::Bytes;
use callgate_tool::{Principal, Session};

use crate::{Bounds, ErrorKind, Expected, Key, Memory, Owner, Record, Space, Store};

#[expect(clippy::disallowed_methods, reason = "a beginning; nothing ends in these tests")]
fn start() -> Instant {
    Instant::now()
}

fn key(principal: &str, name: usize) -> Key {
    let named = Some(Principal::new(principal)).filter(|_| !principal.is_empty());
    // A principal cannot leave its share by choosing other sessions.
    let session = Session::new(format!("s/{name}"));
    Key::new(Space::Result, Owner::new(named.as_ref(), &session), "r")
}

async fn put(memory: &Memory, key: &Key, length: usize, now: Instant) -> Result<(), ErrorKind> {
    let record = Record::new("", Bytes::from(vec![0; length]));
    memory.put(key, record, Expected::Any, now).await.map(drop).map_err(|error| error.kind())
}

async fn kept(memory: &Memory, principal: &str, names: usize, now: Instant) -> Vec<usize> {
    let mut kept = Vec::new();
    for name in 0..names {
        if memory.get(&key(principal, name), now).await.unwrap().is_some() {
            kept.push(name);
        }
    }
    kept
}

#[tokio::test]
async fn the_principal_with_most_records_loses_its_oldest_first() {
    for (bounds, length) in [
        (Bounds { records: 100, bytes: 1 << 20 }, 1),
        (Bounds { records: 10_000, bytes: 100 * 1_100 }, 1_024),
    ] {
        let (memory, now) = (Memory::new(bounds), start());
        for name in 0..10 {
            put(&memory, &key("kim", name), length, now).await.unwrap();
        }
        for name in 0..500 {
            put(&memory, &key("lee", name), length, now).await.unwrap();
        }
        assert_eq!(kept(&memory, "kim", 10, now).await.len(), 10, "lee pays for lee");
        let of_lee = kept(&memory, "lee", 500, now).await;
        assert!(of_lee.len() >= 85 && of_lee.last() == Some(&499), "{of_lee:?}");
        for name in 0..20 {
            put(&memory, &key("", name), length, now).await.unwrap();
        }
        assert_eq!(kept(&memory, "", 20, now).await.len(), 20, "who has none is one principal");
        assert_eq!(kept(&memory, "kim", 10, now).await.len(), 10);
    }
}

#[tokio::test]
async fn a_record_that_would_displace_those_of_smaller_shares_is_refused() {
    let (memory, now) = (Memory::new(Bounds { records: 9, bytes: 1_000 }), start());
    put(&memory, &key("kim", 1), 400, now).await.unwrap();
    put(&memory, &key("lee", 1), 300, now).await.unwrap();
    assert_eq!(put(&memory, &key("lee", 2), 700, now).await, Err(ErrorKind::Full));
    assert_eq!(put(&memory, &key("lee", 1), 700, now).await, Err(ErrorKind::Full));
    assert_eq!(kept(&memory, "lee", 9, now).await, [1], "a refusal changes nothing");
    assert_eq!(kept(&memory, "kim", 9, now).await, [1]);
    memory.remove(&key("kim", 1), Expected::Any, now).await.unwrap();
    put(&memory, &key("lee", 2), 700, now).await.unwrap();
    assert_eq!(kept(&memory, "lee", 9, now).await, [2], "a lone principal has the whole store");
}

#[tokio::test]
async fn no_principal_loses_a_record_to_one_with_a_larger_share() {
    let bounds = Bounds { records: 24, bytes: 4_000 };
    let names = ["", "a", "b", "c", "d"];
    let mut state = 1_u64;
    let mut draw = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let (memory, now) = (Memory::new(bounds), start());
    let mut sizes: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for _ in 0..4_000 {
        let who = usize::try_from(draw(5)).unwrap();
        let name = usize::try_from(draw(40)).unwrap();
        let length = usize::try_from([10, 100, 900][usize::try_from(draw(3)).unwrap()]).unwrap();
        let put_key = key(names[who], name);
        let result = put(&memory, &put_key, length, now).await;
        let mut after = sizes.clone();
        if result.is_ok() {
            after.insert((who, name), length + 3 * put_key.as_str().len());
        }
        let held = |sizes: &BTreeMap<(usize, usize), usize>, one: usize| {
            let of_one = sizes.iter().filter(|((owner, _), _)| *owner == one);
            of_one.fold((0, 0), |(n, bytes), (_, size)| (n + 1, bytes + size))
        };
        let mut lost = Vec::new();
        for at in after.keys() {
            let found = memory.get(&key(names[at.0], at.1), now).await.unwrap();
            lost.extend(found.is_none().then_some(*at));
        }
        assert!(result.is_ok() || lost.is_empty(), "a refusal changes nothing");
        let others: Vec<_> = lost.iter().map(|at| at.0).filter(|one| *one != who).collect();
        let before = after.clone();
        after.retain(|at, _| !lost.contains(at));
        let putter = held(&after, who);
        for other in others {
            let theirs = held(&before, other);
            assert!(theirs.0 >= putter.0 || theirs.1 >= putter.1, "{theirs:?} {putter:?}");
        }
        let total: usize = after.values().sum();
        assert!(after.len() <= bounds.records && total <= bounds.bytes, "{total}");
        sizes = after;
    }
}

/// Puts records of one length until one is refused; returns how many were put.
async fn filled(memory: &Memory, principal: &str, length: usize, now: Instant) -> usize {
    for name in 0.. {
        match put(memory, &key(principal, name), length, now).await {
            Ok(()) => {}
            Err(kind) => {
                assert_eq!(kind, ErrorKind::Full);
                return name;
            }
        }
    }
    0
}

#[tokio::test]
async fn a_store_without_removal_refuses_a_principal_whose_share_equals_the_free_space() {
    for bounds in
        [Bounds { records: 128, bytes: 1 << 20 }, Bounds { records: 9_999, bytes: 128 * 1_100 }]
    {
        let (memory, now) = (Memory::refusing(bounds), start());
        let mut shares = Vec::new();
        for principal in ["kim", "", "lee"] {
            shares.push(filled(&memory, principal, 1_024, now).await);
        }
        let [kim, nobody, lee] = shares[..] else { panic!("{shares:?}") };
        assert!((60..=70).contains(&kim), "a lone principal has half: {shares:?}");
        assert!(nobody >= kim / 2 - 1 && lee >= nobody / 2 - 1 && lee >= 14, "{shares:?}");
        for (principal, share) in [("kim", kim), ("", nobody), ("lee", lee)] {
            assert_eq!(kept(&memory, principal, 200, now).await.len(), share, "nothing goes");
        }
        assert_eq!(put(&memory, &key("kim", 0), 1_024, now).await, Ok(()), "as large as before");
        assert_eq!(
            put(&memory, &key("kim", 0), bounds.bytes.max(1 << 20), now).await,
            Err(ErrorKind::Full)
        );
        assert_eq!(put(&memory, &key("kim", 0), 1, now).await, Ok(()));
    }
}

#[tokio::test]
async fn a_full_store_says_when_a_record_expires_and_accepts_more_under_larger_bounds() {
    let (memory, now) = (Memory::refusing(Bounds { records: 2, bytes: 4_096 }), start());
    let minute = Duration::from_mins(1);
    let record = Record::new("", Bytes::new()).with_time_to_live(minute);
    memory.put(&key("kim", 0), record.clone(), Expected::Absent, now).await.unwrap();
    let later = now + Duration::from_secs(20);
    let refused = memory.put(&key("kim", 1), record.clone(), Expected::Absent, later).await;
    assert_eq!(refused.unwrap_err().retry_after(), Some(Duration::from_secs(40)));
    memory.set_bounds(Bounds { records: 4, bytes: 4_096 });
    memory.put(&key("kim", 1), record, Expected::Absent, later).await.unwrap();
}
