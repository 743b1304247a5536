//! Keeps the tools of a description or a configuration for the next key press, in one file each below the cache folder. The
//! file begins with its sources, with their sizes and times, and becomes invalid once one of them differs.

use std::{
    collections::BTreeSet,
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use callgate_config::{read_file, write_and_remove_oldest};
use callgate_tool::json;
use serde::{Deserialize, Serialize};

use crate::folders;

pub(super) struct CompletionCache {
    file: PathBuf,
    key: String,
}

#[derive(Deserialize, Serialize)]
pub(super) struct Stamps {
    /// Each file with its size and time; `None` for a missing file.
    files: Vec<(PathBuf, Option<(u64, Duration)>)>,
    /// The time until which the tools are used, if a description is at an address.
    until: Option<Duration>,
}

impl CompletionCache {
    /// The file for this key; `None` if the user has no home.
    pub(super) fn for_key(key: &str) -> Option<Self> {
        Some(Self::below(&folders::cache_folder()?.join(FOLDER), key))
    }

    fn below(folder: &Path, key: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        (env!("CARGO_PKG_VERSION"), key).hash(&mut hasher);
        let file = folder.join(format!("{:016x}", hasher.finish()));
        // Two keys may have one hash, so the file holds the key.
        let key = json!([FORMAT, env!("CARGO_PKG_VERSION"), key]).to_string();
        Self { file, key }
    }

    /// The kept lines, if nothing has changed since.
    pub(super) fn unchanged_lines(&self) -> Option<String> {
        let mut text = String::from_utf8(read_file(&self.file, MOST_BYTES).ok()?).ok()?;
        let (head, _) = text.split_once("\n\n")?;
        let (key, stamps) = head.split_once('\n')?;
        if key != self.key || !are_stamps_current(stamps)? {
            return None;
        }
        let end = head.len().checked_add(2)?;
        Some(text.split_off(end))
    }

    /// Keeps lines, which are made again if they cannot be kept, and removes the oldest ones if there are many.
    pub(super) fn write_lines(&self, stamps: &Stamps, lines: &str) {
        if lines.len() > MOST_BYTES / 2 {
            return;
        }
        let Ok(stamps) = serde_json::to_string(stamps) else { return };
        let text = format!("{}\n{stamps}\n\n{lines}", self.key);
        write_and_remove_oldest(&self.file, text.as_bytes(), MOST_FILES).ok();
    }
}

impl Stamps {
    /// The current stamps of these files; `None` if a time cannot be read.
    pub(super) fn from_files(files: &BTreeSet<PathBuf>, has_addresses: bool) -> Option<Self> {
        let absolute = |file: &PathBuf| std::path::absolute(file).ok();
        let files: Option<Vec<PathBuf>> = files.iter().map(absolute).collect();
        let files = files?.into_iter().map(|file| (file_stamp(&file), file));
        let until = time_since_epoch()?.checked_add(OF_ADDRESSES)?;
        Some(Self {
            files: files.map(|(stamp, file)| (file, stamp)).collect(),
            until: has_addresses.then_some(until),
        })
    }

    /// Returns true if no file has changed since `time`, so that the current content is what was read then.
    pub(super) fn are_before(&self, time: SystemTime) -> bool {
        let time = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        self.files.iter().filter_map(|(_, stamp)| *stamp).all(|(_, changed)| changed < time)
    }
}

/// Returns true if the stamps still match; `None` if the text holds no stamps.
fn are_stamps_current(text: &str) -> Option<bool> {
    let Stamps { files, until } = serde_json::from_str(text).ok()?;
    let is_fresh = until.is_none() || until >= time_since_epoch();
    Some(is_fresh && files.iter().all(|(file, stored_stamp)| file_stamp(file) == *stored_stamp))
}

fn file_stamp(file: &Path) -> Option<(u64, Duration)> {
    let metadata = fs::metadata(file).ok()?;
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((metadata.len(), changed))
}

fn time_since_epoch() -> Option<Duration> {
    SystemTime::now().duration_since(UNIX_EPOCH).ok()
}

const FOLDER: &str = "completions";
const FORMAT: u8 = 2;
/// The most descriptions that anybody works with at a time.
const MOST_FILES: usize = 64;
/// More than the tools of the largest known description (19,000 operations) take.
const MOST_BYTES: usize = 64 << 20;
/// The longest time until the tools of a newly fetched description appear.
const OF_ADDRESSES: Duration = Duration::from_mins(10);

#[cfg(test)]
mod tests {
    use super::*;

    fn stamps(files: &[PathBuf]) -> Stamps {
        Stamps::from_files(&files.iter().cloned().collect(), false).unwrap()
    }

    #[test]
    fn cached_lines_are_used_until_a_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (file, absent) = (folder.path().join("a.yaml"), folder.path().join("b.yaml"));
        fs::write(&file, "a").unwrap();
        let cache = CompletionCache::below(&folder.path().join("kept"), "a");
        assert_eq!(cache.unchanged_lines(), None);
        cache.write_lines(&stamps(&[file.clone(), absent.clone()]), "one\ntwo\n\nthree\n");
        assert_eq!(cache.unchanged_lines().as_deref(), Some("one\ntwo\n\nthree\n"));
        fs::write(&file, "ab").unwrap();
        assert_eq!(cache.unchanged_lines(), None);
        cache.write_lines(&stamps(&[file, absent.clone()]), "four\n");
        assert_eq!(cache.unchanged_lines().as_deref(), Some("four\n"));
        fs::write(&absent, "").unwrap();
        assert_eq!(cache.unchanged_lines(), None);
    }

    #[test]
    fn tools_read_while_a_file_changed_are_not_cached() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.yaml");
        let before = SystemTime::now() - Duration::from_mins(1);
        fs::write(&file, "a").unwrap();
        let stamps = stamps(&[file]);
        assert!(!stamps.are_before(before));
        assert!(stamps.are_before(SystemTime::now() + Duration::from_mins(1)));
    }

    #[test]
    fn a_cache_file_of_another_format_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let cache = CompletionCache::below(folder.path(), "a");
        let other = CompletionCache { key: "other".to_owned(), file: cache.file.clone() };
        other.write_lines(&stamps(&[]), "one\n");
        assert_eq!(cache.unchanged_lines(), None);
        for text in ["", "\n\n", "a\n[]\n\nx", "\u{fffd}"] {
            fs::write(&cache.file, text).unwrap();
            assert_eq!(cache.unchanged_lines(), None, "{text}");
        }
        fs::write(
            &cache.file,
            format!(
                "{}\n{{\"files\":[],\"until\":{{\"secs\":0,\"nanos\":0}}}}\n\none\n",
                cache.key
            ),
        )
        .unwrap();
        assert_eq!(cache.unchanged_lines(), None);
        fs::write(&cache.file, format!("{}\n{{\"files\":[],\"until\":null}}\n\none\n", cache.key))
            .unwrap();
        assert_eq!(cache.unchanged_lines().as_deref(), Some("one\n"));
    }

    #[test]
    fn the_completion_cache_has_a_bounded_number_of_files() {
        let folder = tempfile::tempdir().unwrap();
        for key in 0..MOST_FILES + 3 {
            CompletionCache::below(folder.path(), &key.to_string()).write_lines(&stamps(&[]), "");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), MOST_FILES);
    }
}
