//! The laws of a store, for every implementation: generated requests against a model that is a map, with time that passes
//! between them and, for stores that outlive their process, a new beginning.

#![cfg(test)]

mod pace;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "redis")]
mod redis_pace;
#[cfg(feature = "redis")]
mod redis_sets;

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use bytes::Bytes;
use callgate_session::{
    Bounds, ErrorKind, Expected, Group, Key, Memory, Owner, Record, Space, Store, Stored, Version,
};
use callgate_state::{FileSettings, FileStore};
use callgate_tool::{Principal, Session};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Count,
    Get(usize),
    /// Of an owner, or of all, in pages of this size.
    List(Option<usize>, usize),
    Put(usize, Condition, u8, Option<u64>),
    Remove(usize, Condition),
    Wait(u64),
    OpenAgain,
}

/// A condition by what a caller may know.
#[derive(Clone, Copy, Debug)]
enum Condition {
    Absent,
    Any,
    /// The version that the caller saw last.
    Current,
    /// A version that the record had before.
    Former,
}

/// What must be there.
struct Model {
    start: Instant,
    records: BTreeMap<usize, (u8, Version, Option<u64>)>,
    former: BTreeMap<usize, Version>,
    seconds: u64,
}

impl Model {
    fn new() -> Self {
        let start = tokio::time::Instant::now().into_std();
        Self { start, records: BTreeMap::new(), former: BTreeMap::new(), seconds: 0 }
    }

    fn now(&self) -> Instant {
        self.start + Duration::from_secs(self.seconds)
    }

    async fn put(
        &mut self,
        store: &dyn Store,
        at: usize,
        condition: Condition,
        (value, lives): (u8, Option<u64>),
    ) {
        let (expected, current) = (self.expected(at, condition), self.current(at));
        let put = store.put(&key(at), record(value, lives), expected, self.now()).await;
        if !expected.is_met_by(current.map(|(_, version)| version)) {
            assert_eq!(put.unwrap_err().kind(), ErrorKind::Conflict);
            return;
        }
        let version = put.unwrap();
        let ends = lives.map(|lives| self.seconds + lives);
        if let Some((_, former, _)) = self.records.insert(at, (value, version, ends)) {
            assert_ne!(former, version);
            self.former.insert(at, former);
        }
    }

    async fn remove(&mut self, store: &dyn Store, at: usize, condition: Condition) {
        let (expected, current) = (self.expected(at, condition), self.current(at));
        let removed = store.remove(&key(at), expected, self.now()).await;
        if !expected.is_met_by(current.map(|(_, version)| version)) {
            assert_eq!(removed.unwrap_err().kind(), ErrorKind::Conflict);
            return;
        }
        assert_eq!(removed.unwrap(), current.is_some());
        if let Some((_, former, _)) = self.records.remove(&at) {
            self.former.insert(at, former);
        }
    }

    fn current(&mut self, key: usize) -> Option<(u8, Version)> {
        let (value, version, ends) = *self.records.get(&key)?;
        if ends.is_some_and(|ends| ends <= self.seconds) {
            self.records.remove(&key);
            self.former.insert(key, version);
            return None;
        }
        Some((value, version))
    }

    /// Checks the time that is left of a record.
    fn check_left(&self, at: usize, found: Option<&Stored>) {
        let left = found.and_then(|found| found.record.time_to_live());
        let known = self.records.get(&at).and_then(|(_, _, ends)| *ends);
        let known = known.map(|ends| Duration::from_secs(ends - self.seconds));
        match (left, known) {
            (Some(left), Some(known)) => {
                assert!(left.abs_diff(known) < Duration::from_secs(1), "{left:?} {known:?}");
            }
            (left, known) => assert_eq!(left, known),
        }
    }

    fn expected(&mut self, key: usize, condition: Condition) -> Expected {
        let former = self.former.get(&key).copied();
        let unknown = Version::new(u64::MAX >> 2);
        match condition {
            Condition::Absent => Expected::Absent,
            Condition::Any => Expected::Any,
            Condition::Current => {
                Expected::Version(self.current(key).map_or(unknown, |(_, version)| version))
            }
            Condition::Former => Expected::Version(former.unwrap_or(unknown)),
        }
    }
}

/// Four names of two owners.
fn key(index: usize) -> Key {
    let principal = Principal::new(["kim", "lee"][index % 2]);
    let session = Session::new("s");
    Key::new(Space::Approval, Owner::new(Some(&principal), &session), ["a", "b"][index / 2])
}

fn record(value: u8, lives: Option<u64>) -> Record {
    let record = Record::new("text/plain", Bytes::from(vec![value]));
    lives.into_iter().fold(record, |record, it| record.with_time_to_live(Duration::from_secs(it)))
}

fn condition() -> impl Strategy<Value = Condition> {
    use Condition::{Absent, Any, Current, Former};
    prop::sample::select(vec![Absent, Any, Current, Current, Former])
}

fn step() -> impl Strategy<Value = Step> {
    let lives = prop::option::of(1_u64..20);
    prop_oneof![
        3 => (0_usize..4).prop_map(Step::Get),
        3 => (prop::option::of(0_usize..2), 1_usize..4).prop_map(|(owner, most)| Step::List(owner, most)),
        6 => (0_usize..4, condition(), any::<u8>(), lives).prop_map(|(key, if_, value, lives)| Step::Put(key, if_, value, lives)),
        3 => (0_usize..4, condition()).prop_map(|(key, if_)| Step::Remove(key, if_)),
        3 => (1_u64..15).prop_map(Step::Wait),
        2 => Just(Step::Count),
        1 => Just(Step::OpenAgain),
    ]
}

/// The ways in which stores differ.
struct Ways<'a> {
    /// Ends the store and begins it anew.
    open_again: &'a dyn Fn(Box<dyn Store>) -> Box<dyn Store>,
    /// Lets seconds pass in a store that has a clock of its own.
    wait: &'a dyn Fn(u64),
}

async fn obeys(mut store: Box<dyn Store>, ways: Ways<'_>, steps: Vec<Step>) {
    let mut model = Model::new();
    for step in steps {
        let now = model.now();
        match step {
            Step::Count => {
                let there = (0..4).filter(|at| model.current(*at).is_some()).count();
                assert_eq!(store.count(Space::Approval, now).await.unwrap(), Some(there));
                assert_eq!(store.count(Space::Session, now).await.unwrap(), Some(0));
            }
            Step::Get(at) => {
                let found = store.get(&key(at), now).await.unwrap();
                let current = model.current(at);
                model.check_left(at, found.as_ref());
                let found = found.map(|stored| (stored.record.bytes()[0], stored.version));
                assert_eq!(found, current);
            }
            Step::List(owner, most) => {
                let listed = listed(&*store, owner, most, now).await;
                let there = (0..4).filter(|at| owner.is_none_or(|owner| at % 2 == owner));
                let there = there.filter_map(|at| Some((key(at), model.current(at)?)));
                assert_eq!(listed, there.collect::<BTreeMap<_, _>>());
            }
            Step::Put(at, condition, value, lives) => {
                model.put(&*store, at, condition, (value, lives)).await;
            }
            Step::Remove(at, condition) => model.remove(&*store, at, condition).await,
            Step::Wait(seconds) => {
                model.seconds += seconds;
                (ways.wait)(seconds);
            }
            Step::OpenAgain => {
                store = (ways.open_again)(store);
                // No store is asked about a time before it was opened.
                model.seconds += 1;
                (ways.wait)(1);
            }
        }
    }
}

/// The records of an owner, or of all, each once.
async fn listed(
    store: &dyn Store,
    owner: Option<usize>,
    most: usize,
    now: Instant,
) -> BTreeMap<Key, (u8, Version)> {
    let (session, principal) =
        (Session::new("s"), owner.map(|owner| Principal::new(["kim", "lee"][owner])));
    let group = match &principal {
        Some(_) => Group::of_owner(Space::Approval, Owner::new(principal.as_ref(), &session)),
        None => Group::of_space(Space::Approval),
    };
    let (mut found, mut last) = (BTreeMap::new(), None);
    loop {
        let page = store.list(&group, last.as_ref(), most, now).await.unwrap();
        let is_last = page.len() < most;
        for (key, stored) in page {
            let facts = (stored.record.bytes()[0], stored.version);
            assert_eq!(found.insert(key.clone(), facts), None, "it is listed twice");
            last = Some(key);
        }
        if is_last {
            return found;
        }
    }
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_store_in_memory_obeys_the_laws(steps in prop::collection::vec(step(), 1..60)) {
        let memory = Memory::new(Bounds { records: 100, bytes: 1 << 20 });
        let ways = Ways { open_again: &|store| store, wait: &|_| {} };
        run(obeys(Box::new(memory), ways, steps));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_store_in_a_file_obeys_the_laws(steps in prop::collection::vec(step(), 1..40)) {
        let folder = tempfile::tempdir().unwrap();
        let settings = FileSettings::new(folder.path().join("state.db"));
        let open = || -> Box<dyn Store> { Box::new(FileStore::open(&settings).unwrap()) };
        let open_again = |store| {
            drop(store);
            open()
        };
        run(obeys(open(), Ways { open_again: &open_again, wait: &|_| {} }, steps));
    }
}
