//! Reads an audit file for a new process: the end of the chain, the calls of an earlier process with their keys,
//! and the calls without a recorded end.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufReader, Read as _, Seek, SeekFrom},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use callgate_tool::Reached;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{
    chain::{ChainKey, Head, Line, Record},
    lines::{self, LineReader, LineState},
};
use crate::{
    digest::{Digest, digest_from_hex},
    error::{self, Error},
};

/// A call that was begun and whose end the file does not record.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct UnknownCall {
    /// The time when the call was begun.
    pub time: SystemTime,
    /// The caller's own id of the call.
    pub id: String,
    /// The principal that made the call.
    pub principal: Option<String>,
    /// The tool.
    pub tool: String,
    /// The service that the call may have reached: `GET api.example.com`.
    pub target: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct Keyed {
    pub(super) time: SystemTime,
    pub(super) principal: Option<String>,
    pub(super) digest: Digest,
    pub(super) reached: Reached,
    pub(super) status: Option<u16>,
}

#[derive(Debug, Default)]
pub(super) struct Recalled {
    pub(super) head: Option<Head>,
    pub(super) torn: Vec<u8>,
    pub(super) is_unbroken: bool,
    pub(super) keys: BTreeMap<Digest, Keyed>,
    /// Calls that were begun and have not ended, by their names.
    open: BTreeMap<String, (UnknownCall, Option<(Digest, Digest)>)>,
}

impl Recalled {
    /// Reads an audit file, and the files beside it that it was recently renamed to.
    pub(super) fn read_files(path: &Path, key: &ChainKey, within: Duration) -> Result<Self, Error> {
        let since = SystemTime::now().checked_sub(within).unwrap_or(SystemTime::UNIX_EPOCH);
        let mut recalled = Self::default();
        for older in rotated_files(path, since) {
            // A compressed or unfinished file is no chain; only the errors of the file itself count.
            recalled.read_file(&older, key, since).ok();
            recalled.torn.clear();
            recalled.is_unbroken = false;
        }
        recalled
            .read_file(path, key, since)
            .map_err(|source| error::unreadable_file_error(path, source))?;
        Ok(recalled)
    }

    /// The calls without a recorded end; those with keys may have reached their service.
    pub(super) fn into_calls_without_end(mut self) -> (Vec<UnknownCall>, BTreeMap<Digest, Keyed>) {
        let mut unknown = Vec::new();
        for (call, key) in std::mem::take(&mut self.open).into_values() {
            if let Some((key, digest)) = key {
                let (time, principal) = (call.time, call.principal.clone());
                let reached = Reached::Maybe;
                self.add_keyed_call(key, Keyed { time, principal, digest, reached, status: None });
            }
            unknown.push(call);
        }
        unknown.sort_by_key(|call| call.time);
        (unknown, self.keys)
    }

    fn read_file(&mut self, path: &Path, key: &ChainKey, since: SystemTime) -> io::Result<()> {
        let mut file = File::open(path)?;
        if !file.metadata()?.is_file() {
            // A device or a pipe stores nothing.
            return Ok(());
        }
        let start = position_since(&mut file, since)?;
        let mut reader = BufReader::new(file);
        reader.seek(SeekFrom::Start(start))?;
        let (mut reading, mut bytes, mut is_told) = (LineReader::new(key), Vec::new(), start > 0);
        while lines::read_next_line(&mut reader, &mut bytes)? {
            let read = reading.read_line(&bytes);
            if !is_told && matches!(read, LineState::Altered(_) | LineState::Missing(..)) {
                is_told = true;
                tracing::warn!(file = %path.display(), "the audit file was altered: its verification says where");
            }
            // The first line of a file that is read from its middle follows an unread line.
            is_told &= start == 0 || !matches!(read, LineState::Good(_));
            match read {
                LineState::Good(record)
                | LineState::Missing(_, record)
                | LineState::Altered(Some(record)) => {
                    self.add_record(record, since);
                }
                LineState::Torn(torn) => self.torn = torn,
                LineState::Altered(None) | LineState::Nothing => {}
            }
            self.is_unbroken = self.torn.is_empty() && !bytes.ends_with(b"\n");
        }
        self.head = reading.head.or(self.head);
        Ok(())
    }

    /// Adds a line; calls that were begun before `since` are ignored.
    fn add_record(&mut self, record: Record, since: SystemTime) {
        let Some(name) = record.call.clone() else { return };
        match record.event.as_str() {
            "begun" => {
                let key = key_and_fingerprint(&record);
                if let Some(call) = call_from_record(record).filter(|call| call.time >= since) {
                    self.open.insert(name, (call, key));
                }
            }
            "ended" => {
                let Some((call, Some((key, digest)))) = self.open.remove(&name) else { return };
                let reached = match record.reached.as_deref() {
                    Some("no") => return,
                    Some("yes") => Reached::Yes,
                    _ => Reached::Maybe,
                };
                let UnknownCall { time, principal, .. } = call;
                let status = record.status;
                self.add_keyed_call(key, Keyed { time, principal, digest, reached, status });
            }
            _ => {}
        }
    }

    /// Adds a call under its key. Of several calls, one that reached the service wins.
    fn add_keyed_call(&mut self, key: Digest, call: Keyed) {
        let previous_reach = self.keys.get(&key).map(|previous_call| previous_call.reached);
        if previous_reach.is_none_or(|previous_reach| {
            previous_reach != Reached::Yes && call.reached == Reached::Yes
        }) {
            self.keys.insert(key, call);
        }
    }
}

fn call_from_record(record: Record) -> Option<UnknownCall> {
    Some(UnknownCall {
        time: parse_time(&record.time)?,
        id: record.id.unwrap_or_default(),
        principal: record.principal,
        tool: record.tool?,
        target: record.target,
    })
}

/// The key of a call, and its fingerprint. A line of an earlier release has no fingerprint: no call is the same.
fn key_and_fingerprint(record: &Record) -> Option<(Digest, Digest)> {
    let key = digest_from_hex(record.key.as_deref()?)?;
    Some((key, record.fingerprint.as_deref().and_then(digest_from_hex).unwrap_or_default()))
}

fn parse_time(text: &str) -> Option<SystemTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok().map(SystemTime::from)
}

/// The position in the file where the lines since `since` begin; some earlier lines may follow it. Lines are ordered by time.
fn position_since(file: &mut File, since: SystemTime) -> io::Result<u64> {
    let (mut low, mut high) = (0, file.metadata()?.len());
    let since = since.checked_sub(DISORDER).unwrap_or(since);
    while high - low > NEAR {
        let middle = low + (high - low) / 2;
        file.seek(SeekFrom::Start(middle))?;
        let mut reader = BufReader::new(&mut *file).take(high - middle);
        let (mut bytes, mut at) = (Vec::new(), middle);
        let mut is_before = false;
        // The first piece is the end of a line; the next whole line has a time.
        for n_read in 0.. {
            if !lines::read_next_line(&mut reader, &mut bytes)? {
                break;
            }
            let line = bytes.strip_suffix(b"\n").filter(|_| n_read > 0).and_then(Line::from_bytes);
            if let Some(line) = line {
                is_before = parse_time(&line.record.time).is_some_and(|time| time < since);
                break;
            }
            at += bytes.len() as u64;
        }
        if is_before { low = at } else { high = middle }
    }
    Ok(low)
}

/// The files beside `path` whose names extend its name and that were written since `since`, the oldest first.
fn rotated_files(path: &Path, since: SystemTime) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) =
        (path.parent(), path.file_name().and_then(|name| name.to_str()))
    else {
        return Vec::new();
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let is_of = |entry_name: &str| {
        entry_name.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', '-']))
    };
    let mut dated_files: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok().filter(|it| it.file_name().to_str().is_some_and(is_of))?;
            let written = entry.metadata().ok()?.modified().ok()?;
            (written >= since).then(|| (written, entry.path()))
        })
        .collect();
    dated_files.sort();
    dated_files.into_iter().map(|(_, path)| path).collect()
}

/// Lines that several threads write at once are out of order by less than this.
const DISORDER: Duration = Duration::from_mins(1);
/// The size of a part that is searched line by line.
const NEAR: u64 = 1 << 20;
