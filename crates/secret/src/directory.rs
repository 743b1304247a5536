//! Secrets of a mounted directory, one per file, as Docker, Kubernetes, the secrets-store CSI driver and systemd mount
//! them. A name never leads out of the directory, not even through a link. Each call opens the file anew, so a mount may
//! swap its files at any time.

use std::{
    io,
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use zeroize::Zeroizing;

use crate::{
    error::{self, Error},
    file,
    reference::SecretReference,
    secret::Secret,
    store::SecretStore,
};

/// The directory where Docker and Podman mount secrets.
pub const USUAL_DIRECTORY: &str = "/run/secrets";

/// Reads `directory:name` at each call.
#[derive(Clone, Debug)]
pub struct DirectoryStore {
    directory: PathBuf,
}

impl DirectoryStore {
    /// A store over the files of `directory`, which may be created later.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }
}

#[async_trait]
impl SecretStore for DirectoryStore {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        let SecretReference::Directory { name } = reference else {
            return Err(error::other_store("directory", reference.scheme()));
        };
        let (directory, name) = (self.directory.clone(), name.clone());
        let read = tokio::task::spawn_blocking(move || read_within(&directory, &name)).await;
        let read = read.unwrap_or_else(|source| Err(io::Error::other(source)));
        match read.transpose() {
            Some(read) => file::secret_from_read(reference, read),
            None => Err(error::leads_out(reference)),
        }
    }
}

/// The file's bytes; `None` if a link leads out. Kubernetes' own links (`key` to `..data/key`) stay inside.
fn read_within(directory: &Path, name: &str) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    let path = directory.join(name).canonicalize()?;
    if !path.starts_with(directory.canonicalize()?) {
        return Ok(None);
    }
    file::read_one_past_limit(&path).map(Some)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;
    use crate::ErrorKind;

    /// A directory as Kubernetes mounts it, and a file beside it.
    fn mounted_directory() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let mount = root.path().join("mount");
        fs::create_dir_all(mount.join("..2026_01/nested")).unwrap();
        fs::write(root.path().join("outside"), "canary").unwrap();
        fs::write(mount.join("..2026_01/key"), "first\n").unwrap();
        fs::write(mount.join("..2026_01/nested/key"), "nested").unwrap();
        symlink("..2026_01", mount.join("..data")).unwrap();
        symlink("..data/key", mount.join("key")).unwrap();
        symlink("..data/nested", mount.join("nested")).unwrap();
        symlink("../outside", mount.join("out")).unwrap();
        root
    }

    async fn get(root: &Path, name: &str) -> Result<String, ErrorKind> {
        let reference = format!("directory:{name}").parse().unwrap();
        let secret = DirectoryStore::new(root.join("mount")).get(&reference).await;
        secret.map(|secret| secret.expose().to_owned()).map_err(|error| {
            assert!(!format!("{error:?}").contains("canary"), "{error:?}");
            error.kind()
        })
    }

    #[tokio::test]
    async fn a_file_of_the_directory_is_read_without_its_line_break() {
        let root = mounted_directory();
        assert_eq!(get(root.path(), "key").await.unwrap(), "first");
        assert_eq!(get(root.path(), "nested/key").await.unwrap(), "nested");
    }

    #[tokio::test]
    async fn a_remounted_file_is_read_again() {
        let root = mounted_directory();
        assert_eq!(get(root.path(), "key").await.unwrap(), "first");
        let mount = root.path().join("mount");
        fs::create_dir(mount.join("..2026_02")).unwrap();
        fs::write(mount.join("..2026_02/key"), "second").unwrap();
        symlink("..2026_02", mount.join("..data_tmp")).unwrap();
        fs::rename(mount.join("..data_tmp"), mount.join("..data")).unwrap();
        assert_eq!(get(root.path(), "key").await.unwrap(), "second");
    }

    #[tokio::test]
    async fn a_missing_file_a_missing_directory_and_a_directory_are_reported() {
        let root = mounted_directory();
        assert_eq!(get(root.path(), "none").await, Err(ErrorKind::NotFound));
        assert_eq!(get(Path::new("/nowhere"), "key").await, Err(ErrorKind::NotFound));
        assert_eq!(get(root.path(), "nested").await, Err(ErrorKind::Unreadable));
    }

    #[tokio::test]
    async fn a_link_to_outside_the_directory_is_denied() {
        assert_eq!(get(mounted_directory().path(), "out").await, Err(ErrorKind::Denied));
    }
}
