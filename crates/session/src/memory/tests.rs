//! Tests of the bounds, the times and the conditions of a store in memory.

use bytes::Bytes;
use callgate_tool::{Principal, Session};

use super::*;
use crate::{ErrorKind, Owner};

const MINUTE: Duration = Duration::from_mins(1);

fn key(name: &str) -> Key {
    Key::new(Space::Result, Owner::new(None, &Session::default()), name)
}

fn record(length: usize) -> Record {
    Record::new("", Bytes::from(vec![0; length])).with_time_to_live(MINUTE)
}

fn bounded(records: usize, bytes: usize) -> Memory {
    Memory::new(Bounds { records, bytes })
}

#[expect(clippy::disallowed_methods, reason = "a beginning; the tests add to it")]
fn start() -> Instant {
    Instant::now()
}

async fn put(memory: &Memory, name: &str, length: usize, now: Instant) -> Version {
    memory.put(&key(name), record(length), Expected::Any, now).await.unwrap()
}

async fn names(memory: &Memory, now: Instant) -> Vec<&'static str> {
    let mut found = Vec::new();
    for name in ["a", "b", "c"] {
        if memory.get(&key(name), now).await.unwrap().is_some() {
            found.push(name);
        }
    }
    found
}

#[tokio::test]
async fn a_record_expires_after_its_time_to_live() {
    let (memory, now) = (bounded(10, 1000), start());
    put(&memory, "a", 1, now).await;
    put(&memory, "b", 1, now + MINUTE / 2).await;
    assert_eq!(names(&memory, now + MINUTE * 59 / 60).await, ["a", "b"]);
    assert_eq!(names(&memory, now + MINUTE).await, ["b"]);
    put(&memory, "b", 1, now + MINUTE).await;
    assert_eq!(names(&memory, now + MINUTE * 3 / 2).await, ["b"], "its time begins anew");
    let lasting = Record::new("", Bytes::new());
    memory.put(&key("c"), lasting, Expected::Any, now).await.unwrap();
    assert_eq!(names(&memory, now + MINUTE * 60).await, ["c"], "no time is said");
}

#[tokio::test]
async fn a_full_memory_removes_its_oldest_records() {
    let now = start();
    let few = bounded(2, 1000);
    for name in ["a", "b", "a", "c"] {
        put(&few, name, 1, now).await;
    }
    assert_eq!(names(&few, now).await, ["a", "c"]);
    let small = bounded(10, 500);
    for name in ["a", "b", "c"] {
        put(&small, name, 200, now).await;
    }
    assert_eq!(names(&small, now).await, ["b", "c"]);
    let large = small.put(&key("a"), record(501), Expected::Any, now).await;
    assert_eq!(large.unwrap_err().kind(), ErrorKind::TooLarge);
    assert_eq!(names(&small, now).await, ["b", "c"]);
}

#[tokio::test]
async fn a_change_whose_expected_version_differs_changes_nothing() {
    let (memory, now) = (bounded(10, 1000), start());
    let key = key("a");
    let attempt = async |expected| memory.put(&key, record(1), expected, now).await;
    let first = attempt(Expected::Absent).await.unwrap();
    assert_eq!(attempt(Expected::Absent).await.unwrap_err().kind(), ErrorKind::Conflict);
    let second = attempt(Expected::Version(first)).await.unwrap();
    assert!(attempt(Expected::Version(first)).await.is_err());
    assert!(memory.remove(&key, Expected::Version(first), now).await.is_err());
    assert!(memory.remove(&key, Expected::Version(second), now).await.unwrap());
    assert!(!memory.remove(&key, Expected::Any, now).await.unwrap());
    assert!(attempt(Expected::Version(second)).await.is_err(), "it has ended");
}

#[tokio::test]
async fn a_listing_has_each_record_of_its_group_once_and_in_pages() {
    let (memory, now) = (bounded(100, 100_000), start());
    let (kim, lee) = (Principal::new("kim"), Principal::new("lee"));
    let (none, session) = (Session::default(), Session::new("s"));
    let owners = [
        Owner::new(None, &none),
        Owner::new(Some(&kim), &none),
        Owner::new(Some(&kim), &session),
        Owner::new(Some(&lee), &session),
    ];
    for owner in owners {
        for name in ["a", "b", "c"] {
            let key = Key::new(Space::Approval, owner, name);
            memory.put(&key, record(1), Expected::Absent, now).await.unwrap();
        }
        let other = Key::new(Space::Call, owner, "a");
        memory.put(&other, record(1), Expected::Absent, now).await.unwrap();
    }
    let listed = async |group: &Group, most: usize, now: Instant| {
        let mut found: Vec<Key> = Vec::new();
        let mut is_last = false;
        while !is_last {
            let page = memory.list(group, found.last(), most, now).await.unwrap();
            assert!(page.len() <= most, "{most}");
            is_last = page.len() < most;
            found.extend(page.into_iter().map(|(key, _)| key));
        }
        found
    };
    for most in 1..15 {
        let all = listed(&Group::of_space(Space::Approval), most, now).await;
        assert_eq!(all.len(), 12, "{most}");
        assert!(all.is_sorted() && all.windows(2).all(|two| two[0] != two[1]), "{most}");
        for owner in owners {
            let group = Group::of_owner(Space::Approval, owner);
            let own = listed(&group, most, now).await;
            assert_eq!(own.len(), 3, "{most}");
            assert!(own.iter().all(|key| group.contains(key)));
        }
    }
    assert!(listed(&Group::of_space(Space::Approval), 5, now + MINUTE).await.is_empty());
    assert!(memory.list(&Group::of_space(Space::Approval), None, 0, now).await.unwrap().is_empty());
}
