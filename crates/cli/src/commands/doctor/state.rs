//! The files of a sidecar's state: where they are, whether the sidecar could open them, and what belongs in a backup. Opens
//! neither: a running sidecar has the file.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use callgate::config::Built;
use callgate_config::StateEngine;

use super::{Line, Mark};

/// The line about the file of state of a configuration, or about the replicas that it waits for; `None` where there is none.
pub(super) fn state_line(file: &Path, built: &Built) -> Option<Line> {
    let state = built.state_config.as_ref()?;
    if let StateEngine::Redis(redis) = &state.engine {
        return redis.durability.as_ref().map(|durability| replicas_line(durability.wait));
    }
    let StateEngine::File { path, .. } = &state.engine else { return None };
    let path = file.parent().unwrap_or_else(|| Path::new("")).join(path);
    let (mark, message, help) = match state_file_fault(&path, state.key.is_none()) {
        Some((message, help)) => (Mark::Fault, message, help),
        None if state.key.is_none() => {
            let message = format!("sealed with the key in {}", key_file(&path).display());
            (Mark::Note, message, "keep both files in the backup, for their owner alone".to_owned())
        }
        None => {
            let message = "sealed with `state.key`".to_owned();
            (Mark::Note, message, "keep the file in the backup, and the key elsewhere".to_owned())
        }
    };
    let (name, message) = (path.display().to_string(), Some((message, help)));
    Some(Line { mark, kind: "state", name, code: None, message, milliseconds: 0 })
}

fn replicas_line(n_awaited: u32) -> Line {
    let message = match n_awaited {
        1 => "each change waits for 1 replica".to_owned(),
        n => format!("each change waits for {n} replicas"),
    };
    let help = format!(
        "with {n_awaited} alone, approvals and calls with keys are refused after a failover until the dead server is back; it takes {} to go on",
        n_awaited.saturating_add(1)
    );
    let message = Some((message, help));
    let name = "durability".to_owned();
    Line { mark: Mark::Note, kind: "state", name, code: None, message, milliseconds: 0 }
}

/// The reason why a sidecar could not open the file, and its remedy.
fn state_file_fault(path: &Path, has_key_file: bool) -> Option<(String, String)> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    if !folder.is_dir() {
        let message = format!("its folder is not there: {}", folder.display());
        return Some((message, "make the folder, on a local disk".to_owned()));
    }
    let key = key_file(path);
    let shown = key.display();
    match fs::metadata(&key) {
        _ if !has_key_file => None,
        Err(_) if path.exists() => {
            let message = format!("the file is there, and its key is not: {shown}");
            Some((message, "restore the key, or move the file of state away".to_owned()))
        }
        Ok(key_metadata) if others_may_read(&key_metadata) => {
            Some((format!("others may read its key: {shown}"), format!("run `chmod 600 {shown}`")))
        }
        Ok(_) | Err(_) => None,
    }
}

fn key_file(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".key");
    name.into()
}

#[cfg(unix)]
fn others_may_read(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    metadata.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
fn others_may_read(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_replicas_that_it_takes_to_go_on_after_a_failover_are_named() {
        let line = replicas_line(1);
        let (message, help) = line.message.unwrap();
        assert_eq!((line.mark, message.as_str()), (Mark::Note, "each change waits for 1 replica"));
        assert!(help.ends_with("it takes 2 to go on"), "{help}");
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_is_gone_or_that_others_may_read_is_a_fault() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let (file, key) = (folder.path().join("state.db"), folder.path().join("state.db.key"));
        let said = |has_key_file| state_file_fault(&file, has_key_file).map(|(message, _)| message);
        assert_eq!(said(true), None, "both are made at the start");
        fs::write(&file, "").unwrap();
        assert!(said(true).unwrap().contains("its key is not"));
        assert_eq!(said(false), None, "the configuration names the key");
        fs::write(&key, "").unwrap();
        for (mode, is_fault) in [(0o600, false), (0o400, false), (0o640, true), (0o604, true)] {
            fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(said(true).is_some(), is_fault, "{mode:o}");
        }
        let elsewhere = folder.path().join("none").join("state.db");
        assert!(state_file_fault(&elsewhere, true).unwrap().0.contains("its folder is not there"));
    }
}
