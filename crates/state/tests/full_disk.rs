//! A disk that is full while the file of a state grows: what has no room is refused by its kind, and nothing is half-written. The
//! disk is a small file system in memory; where the machine does not allow it to be mounted, a line says so.

#![cfg(test)]

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use callgate_session::{ErrorKind, Expected, Key, Owner, Record, Space, Store};
use callgate_state::{FileSettings, FileStore};
use callgate_testkit::say;
use callgate_tool::Session;
use tempfile::TempDir;

/// A file system of two megabytes, which ends with the value.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mounted() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(folder.path());
        let is_mounted = command.output().is_ok_and(|output| output.status.success());
        if !is_mounted {
            say("small disk absent: this user may not mount one");
        }
        is_mounted.then_some(Self(folder))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Takes all the room that is left.
    fn fill(&self) {
        let room = vec![1; 4 << 20];
        let file = self.path().join("other");
        assert!(fs::write(&file, room).is_err(), "the disk is larger");
    }

    /// Takes room that is given back later.
    fn reserve(&self) {
        fs::write(self.path().join("reserve"), vec![1; 600_000]).unwrap();
    }

    fn clear(&self) {
        for name in ["other", "reserve"] {
            fs::remove_file(self.path().join(name)).ok();
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("--lazy").arg(self.path()).status());
    }
}

fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

fn key(number: u8) -> Key {
    let session = Session::new("s");
    Key::new(Space::Idempotency, Owner::new(None, &session), &number.to_string())
}

fn record(number: u8, length: usize) -> Record {
    let record = Record::new("text/plain", vec![number; length].into());
    record.with_time_to_live(Duration::from_hours(1))
}

/// Checks that these records are there as they were put, and no others.
async fn check(store: &FileStore, kept: &[(u8, usize)]) {
    for number in 0..=u8::MAX {
        let found = store.get(&key(number), now()).await.unwrap();
        let expected = kept.iter().find(|(known, _)| *known == number);
        let found = found.map(|stored| stored.record.bytes().to_vec());
        assert_eq!(found, expected.map(|(number, length)| vec![*number; *length]), "{number}");
    }
}

#[tokio::test]
async fn a_disk_that_becomes_full_refuses_what_has_no_room_and_keeps_the_rest() {
    let Some(disk) = SmallDisk::mounted() else { return };
    disk.reserve();
    let settings = FileSettings::new(disk.path().join("state.db"));
    let store = FileStore::open(&settings).unwrap();
    let mut kept = Vec::new();
    let mut refused = None;
    for number in 0..60 {
        let put = store.put(&key(number), record(number, 50_000), Expected::Absent, now()).await;
        match put {
            Ok(_) => kept.push((number, 50_000)),
            Err(error) => refused = Some(error),
        }
    }
    let refused = refused.expect("two megabytes have no room for three");
    assert_eq!(refused.kind(), ErrorKind::Full, "{refused}");
    assert!(kept.len() > 5, "{}", kept.len());
    check(&store, &kept).await;

    disk.fill();
    for number in 60..70 {
        let put = store.put(&key(number), record(number, 50_000), Expected::Absent, now()).await;
        assert_eq!(put.unwrap_err().kind(), ErrorKind::Full);
    }
    drop(store);
    let store = FileStore::open(&settings).unwrap();
    check(&store, &kept).await;
    disk.clear();
    // Even a removal is written to the log first, for which the disk has room again.
    for (number, _) in kept.split_off(5) {
        assert!(store.remove(&key(number), Expected::Any, now()).await.unwrap());
    }
    for number in 100..105 {
        store.put(&key(number), record(number, 20_000), Expected::Absent, now()).await.unwrap();
        kept.push((number, 20_000));
    }
    check(&store, &kept).await;
}

#[test]
fn a_file_for_which_a_disk_has_no_room_is_refused_with_the_reason() {
    let Some(disk) = SmallDisk::mounted() else { return };
    disk.fill();
    let settings = FileSettings::new(disk.path().join("state.db"));
    let error = FileStore::open(&settings).unwrap_err();
    let cause = std::error::Error::source(&error).map(ToString::to_string);
    let text = format!("{error} {}", cause.unwrap_or_default());
    assert!(text.contains("full") || text.contains("No space left"), "{text}");
    disk.clear();
    assert!(FileStore::open(&settings).is_ok());
}
