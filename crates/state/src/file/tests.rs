//! Tests of the store in a file: what survives, who may open it, and what a reader of the file finds.

use std::fs;

use bytes::Bytes;
use callgate_session::{ErrorKind, FairQueue, Owner, QueueBounds};
use callgate_tool::{Principal, Session};
use tokio::task::JoinSet;

use super::*;

fn settings(folder: &Path) -> FileSettings {
    FileSettings::new(folder.join("state.db"))
}

fn named(text: &str) -> Secret {
    Secret::new(text.repeat(32))
}

fn key(space: Space, principal: &str, name: &str) -> Key {
    let principal = Principal::new(principal);
    Key::new(space, Owner::new(Some(&principal), &Session::new("canary-session")), name)
}

fn record(text: &str) -> Record {
    Record::new("text/plain", Bytes::from(text.to_owned()))
}

fn now() -> Instant {
    Clock::now().into_std()
}

async fn read(store: &FileStore, key: &Key) -> Option<String> {
    let stored = store.get(key, now()).await.unwrap()?;
    Some(String::from_utf8(stored.record.bytes().to_vec()).unwrap())
}

fn opened(settings: &FileSettings) -> ErrorKind {
    let error = FileStore::open(settings).unwrap_err();
    assert!(error.to_string().contains("state.db"), "{error}");
    error.kind()
}

/// What remains of a process that ends without a word: its files as they are at this moment.
fn copied(from: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    folder
}

#[tokio::test]
async fn an_answered_change_is_in_the_file_when_the_process_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::open(&settings(folder.path())).unwrap();
    for n in 0..50 {
        let key = key(Space::Session, "kim", &n.to_string());
        store.put(&key, record("cart"), Expected::Absent, now()).await.unwrap();
        if n % 10 == 0 {
            let copy = copied(folder.path());
            let again = FileStore::open(&settings(copy.path())).unwrap();
            assert_eq!(read(&again, &key).await.as_deref(), Some("cart"), "{n}");
        }
    }
    let gone = key(Space::Session, "kim", "7");
    store.remove(&gone, Expected::Any, now()).await.unwrap();
    let copy = copied(folder.path());
    assert_eq!(read(&FileStore::open(&settings(copy.path())).unwrap(), &gone).await, None);
}

#[tokio::test]
async fn a_file_that_is_open_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::open(&settings(folder.path())).unwrap();
    let error = FileStore::open(&settings(folder.path())).unwrap_err();
    assert!(error.to_string().contains("another process uses this file"), "{error}");
    drop(store);
    FileStore::open(&settings(folder.path())).unwrap();
}

#[tokio::test]
async fn other_files_are_refused_and_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    fs::write(
        &path,
        "toolsets: {} # of another kind, and longer than the head of a database".repeat(20),
    )
    .unwrap();
    let before = fs::read(&path).unwrap();
    assert_eq!(opened(&settings(folder.path())), ErrorKind::Unavailable);
    assert_eq!(fs::read(&path).unwrap(), before);
    fs::remove_file(&path).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE cars (id INTEGER)").unwrap();
    drop(other);
    assert_eq!(opened(&settings(folder.path())), ErrorKind::Unreadable);
    fs::remove_file(&path).unwrap();
    drop(FileStore::open(&settings(folder.path())).unwrap());
    let later = rusqlite::Connection::open(&path).unwrap();
    later.pragma_update(None, "user_version", 2).unwrap();
    drop(later);
    assert_eq!(opened(&settings(folder.path())), ErrorKind::Unreadable);
    let absent = FileSettings::new(folder.path().join("no-folder/state.db"));
    assert_eq!(opened(&absent), ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_new_key_opens_records_of_an_old_one_and_without_it_the_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let with = |key: &str, old: &[&str]| FileSettings {
        key: Some(named(key)),
        old_keys: old.iter().map(|old| named(old)).collect(),
        ..settings(folder.path())
    };
    let (first, second) = (key(Space::Call, "kim", "1"), key(Space::Call, "kim", "2"));
    let store = FileStore::open(&with("a", &[])).unwrap();
    store.put(&first, record("one"), Expected::Absent, now()).await.unwrap();
    drop(store);
    assert_eq!(opened(&with("b", &[])), ErrorKind::Sealing);
    let store = FileStore::open(&with("b", &["a"])).unwrap();
    assert_eq!(read(&store, &first).await.as_deref(), Some("one"));
    store.put(&first, record("one again"), Expected::Any, now()).await.unwrap();
    store.put(&second, record("two"), Expected::Absent, now()).await.unwrap();
    drop(store);
    let store = FileStore::open(&with("b", &[])).unwrap();
    assert_eq!(read(&store, &first).await.as_deref(), Some("one again"));
    assert_eq!(read(&store, &second).await.as_deref(), Some("two"));
}

#[tokio::test]
async fn a_lost_or_readable_key_file_is_refused_and_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    drop(FileStore::open(&settings(folder.path())).unwrap());
    let key = FileStore::key_file_path(&folder.path().join("state.db"));
    let text = fs::read_to_string(&key).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        for file in [folder.path().join("state.db"), key.clone()] {
            let mode = fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        }
        fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(opened(&settings(folder.path())), ErrorKind::Sealing);
    }
    fs::remove_file(&key).unwrap();
    assert_eq!(opened(&settings(folder.path())), ErrorKind::Sealing);
    assert!(!key.exists());
    let named =
        FileSettings { key: Some(Secret::new(text.trim().to_owned())), ..settings(folder.path()) };
    FileStore::open(&named).unwrap();
}

#[tokio::test]
async fn a_reader_of_the_files_finds_no_value_owner_or_session() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::open(&settings(folder.path())).unwrap();
    let record = Record::new("canary/type", Bytes::from_static(b"canary-value"))
        .with_credential("canary-name", Secret::new("canary-secret".to_owned()));
    let key = key(Space::Session, "canary-principal", "canary-key");
    store.put(&key, record, Expected::Absent, now()).await.unwrap();
    let copy = copied(folder.path());
    drop(store);
    for folder in [folder.path(), copy.path()] {
        let files = fs::read_dir(folder).unwrap();
        let files = files.map(|file| fs::read(file.unwrap().path()).unwrap()).collect::<Vec<_>>();
        let bytes = files.concat();
        for canary in ["value", "name", "secret", "principal", "key"] {
            callgate_testkit::check_absent(&format!("canary-{canary}"), &bytes, "the folder");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_tasks_that_use_one_record_one_removes_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(FileStore::open(&settings(folder.path())).unwrap());
    let key = key(Space::Approval, "kim", "approval_1");
    let version = store.put(&key, record("x"), Expected::Absent, now()).await.unwrap();
    let mut tasks = JoinSet::new();
    for _ in 0..64 {
        let (store, key) = (Arc::clone(&store), key.clone());
        tasks.spawn(async move { store.remove(&key, Expected::Version(version), now()).await });
    }
    let ends = tasks.join_all().await;
    assert_eq!(ends.iter().filter(|end| matches!(end, Ok(true))).count(), 1);
}

#[tokio::test]
async fn an_owner_without_room_loses_its_oldest_results_and_then_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let small = FileSettings { bytes: 10_000, ..settings(folder.path()) };
    let store = FileStore::open(&small).unwrap();
    let (text, large) = ("x".repeat(1_000), "x".repeat(5_000));
    let result = |n: usize| key(Space::Result, "kim", &n.to_string());
    for n in 0..8 {
        store.put(&result(n), record(&text), Expected::Absent, now()).await.unwrap();
    }
    assert_eq!(read(&store, &result(0)).await, None);
    assert_eq!(read(&store, &result(7)).await, Some(text.clone()));
    let call = |n: usize| key(Space::Call, "kim", &n.to_string());
    let mut kept = 0;
    let refused = loop {
        match store.put(&call(kept), record(&text), Expected::Absent, now()).await {
            Ok(_) => kept += 1,
            Err(error) => break error,
        }
    };
    assert_eq!((refused.kind(), kept), (ErrorKind::Full, 4));
    assert_eq!(read(&store, &result(7)).await, None);
    let too_large = store.put(&call(9), record(&large), Expected::Any, now()).await.unwrap_err();
    assert_eq!(too_large.kind(), ErrorKind::TooLarge);
    let other = key(Space::Call, "lee", "1");
    store.put(&other, record(&text), Expected::Absent, now()).await.unwrap();
    drop(store);
    let store = FileStore::open(&small).unwrap();
    let still = store.put(&call(9), record(&text), Expected::Absent, now()).await.unwrap_err();
    assert_eq!(still.kind(), ErrorKind::Full, "shares are counted again");
}

#[tokio::test]
async fn a_listing_of_large_records_has_each_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::open(&settings(folder.path())).unwrap();
    let large = "x".repeat(400_000);
    for n in 0..7 {
        let key = key(Space::Approval, "kim", &n.to_string());
        store.put(&key, record(&large), Expected::Absent, now()).await.unwrap();
    }
    for (most, expected) in [(9, 7), (7, 7), (5, 5)] {
        let group = Group::of_space(Space::Approval);
        let mut listed = store.list(&group, None, most, now()).await.unwrap();
        listed.sort_by(|one, other| one.0.cmp(&other.0));
        listed.dedup_by(|one, other| one.0 == other.0);
        assert_eq!(listed.len(), expected);
    }
}

#[tokio::test]
async fn a_full_disk_refuses_what_has_no_room_and_keeps_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let (table, ..) = connect::open_file(&settings(folder.path())).unwrap();
    let put = |name: u8, bytes: usize| {
        let address = Address { space: "call".to_owned(), owner: [1; 16], name: [name; 32] };
        let row = Row { version: Version::new(1), sealed: vec![0; bytes], time_to_live: None };
        let put = Put { address, row, expected: Expected::Any };
        Request::Put { put, ends: i64::MAX, now: 0 }
    };
    table.limit_pages(30);
    let worker = Worker::start(table).unwrap();
    let queue = FairQueue::new(QueueBounds { units: 9, each: 9, waiting: 0 });
    let permit = || queue.try_enter("kim", 1).unwrap();
    worker.ask_worker(put(1, 1_000), permit()).await.unwrap();
    let large = worker.ask_worker(put(2, 200_000), permit());
    let small = worker.ask_worker(put(3, 1_000), permit());
    let (large, small) = tokio::join!(large, small);
    assert_eq!(large.unwrap_err().kind(), ErrorKind::Full);
    small.unwrap();
    for (name, is_kept) in [(1, true), (2, false), (3, true)] {
        let address = Address { space: "call".to_owned(), owner: [1; 16], name: [name; 32] };
        let found = worker.ask_worker(Request::Get { address, now: 0 }, permit()).await.unwrap();
        assert_eq!(matches!(found, Answer::Found(Some(_))), is_kept, "{name}");
    }
}

#[test]
fn a_file_is_examined_while_a_sidecar_has_it_and_nothing_is_made_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path());
    let files = || fs::read_dir(folder.path()).unwrap().count();
    let examined = |has_key| FileStore::file_status(&settings.path, has_key);
    assert_eq!((examined(false).unwrap().as_str(), files()), ("not made yet", 0));
    let store = FileStore::open(&settings).unwrap();
    let before = files();
    let key = FileStore::key_file_path(&settings.path);
    let shown = format!("sealed with {}", key.display());
    assert!(examined(false).unwrap().ends_with(&shown), "{:?}", examined(false));
    assert_eq!(files(), before);
    drop(store);
    assert!(examined(false).unwrap().ends_with(&shown));
    fs::remove_file(&key).unwrap();
    assert_eq!(examined(false).unwrap_err().kind(), ErrorKind::Sealing);
    assert!(examined(true).is_ok(), "another key is named");
    for (bytes, expected) in
        [(&b"# a list of pets"[..], "another kind of file"), (&[0; 200], "another kind")]
    {
        fs::write(&settings.path, bytes).unwrap();
        let error = examined(true).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let absent = folder.path().join("absent/state.db");
    assert_eq!(FileStore::file_status(&absent, true).unwrap_err().kind(), ErrorKind::Unavailable);
}
