//! Secrets in files, one per file: the text without the line break at its end. Relative paths start at a base directory,
//! usually the configuration's own. The operator writes the paths, so they may lead anywhere.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use zeroize::{Zeroize, Zeroizing};

use crate::{
    error::{self, Error},
    reference::SecretReference,
    secret::Secret,
    store::SecretStore,
};

/// The largest secret file. A secret is a line or a key file; a larger file is a wrong path, and `/dev/zero` must not fill
/// the memory.
pub const MAX_FILE_BYTES: u64 = 64 * 1024;

/// Reads `file:path` at each call.
#[derive(Clone, Debug)]
pub struct FileStore {
    base: PathBuf,
}

impl FileStore {
    /// A store whose relative paths start at `base`.
    pub fn new(base: impl Into<PathBuf>) -> Self {
        Self { base: base.into() }
    }
}

#[async_trait]
impl SecretStore for FileStore {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        let SecretReference::File { path } = reference else {
            return Err(error::other_store("file", reference.scheme()));
        };
        let path = self.base.join(path);
        let read = tokio::task::spawn_blocking(move || read_one_past_limit(&path)).await;
        secret_from_read(reference, read.unwrap_or_else(|source| Err(io::Error::other(source))))
    }
}

pub(crate) fn secret_from_read(
    reference: &SecretReference,
    read: io::Result<Zeroizing<Vec<u8>>>,
) -> Result<Secret, Error> {
    let bytes = read.map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => error::not_found(reference).with_source(source),
        _ => error::unreadable(reference).with_source(source),
    })?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(error::too_large(reference, MAX_FILE_BYTES));
    }
    let text = into_text(bytes).ok_or_else(|| error::not_text(reference))?;
    let secret = Secret::from_stored_text(text);
    if secret.is_empty() {
        return Err(error::empty(reference));
    }
    Ok(secret)
}

/// The text of a file that holds a key or an account's token; the file has at most [`MAX_FILE_BYTES`].
///
/// # Errors
/// The errors of reading the file; [`io::ErrorKind::FileTooLarge`] and [`io::ErrorKind::InvalidData`] if its content is too
/// large or not text.
pub fn read_untrimmed_key_file(path: &Path) -> io::Result<Secret> {
    let bytes = read_one_past_limit(path)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let message = format!("it has more than {MAX_FILE_BYTES} bytes, which is the bound");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    let text = into_text(bytes);
    let text = text.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))?;
    Ok(Secret::new(text))
}

/// Reads at most one byte more than the limit, which shows that the file is too large.
pub(crate) fn read_one_past_limit(path: &Path) -> io::Result<Zeroizing<Vec<u8>>> {
    let file = File::open(path)?;
    let expected = file.metadata()?.len().min(MAX_FILE_BYTES);
    // Room for the whole file: a buffer that grows leaves copies behind.
    let capacity = usize::try_from(expected).unwrap_or_default().saturating_add(64);
    let mut bytes = Zeroizing::new(Vec::with_capacity(capacity));
    file.take(MAX_FILE_BYTES.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn into_text(mut bytes: Zeroizing<Vec<u8>>) -> Option<String> {
    String::from_utf8(std::mem::take(&mut *bytes))
        .map_err(|refused| refused.into_bytes().zeroize())
        .ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::ErrorKind;

    async fn read(content: &[u8]) -> Result<Secret, Error> {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("key"), content).unwrap();
        FileStore::new(directory.path()).get(&"file:key".parse().unwrap()).await
    }

    #[tokio::test]
    async fn a_file_is_read_without_its_last_line_break() {
        let secret = read(b"abc\n").await.unwrap();
        assert_eq!(secret.expose(), "abc");
        assert!(secret.note().is_some());
        assert_eq!(read(b"abc").await.unwrap().note(), None);
    }

    #[tokio::test]
    async fn an_absolute_path_ignores_the_base() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        fs::write(&path, "abc").unwrap();
        let reference = format!("file:{}", path.display()).parse().unwrap();
        let secret = FileStore::new("/nowhere").get(&reference).await.unwrap();
        assert_eq!(secret.expose(), "abc");
    }

    #[tokio::test]
    async fn the_largest_file_is_read_and_a_larger_one_refused() {
        let largest = usize::try_from(MAX_FILE_BYTES).unwrap();
        assert_eq!(read(&vec![b'a'; largest]).await.unwrap().expose().len(), largest);
        let error = read(&vec![b'a'; largest + 1]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.to_string().contains("65536"), "{error}");
    }

    #[tokio::test]
    async fn an_empty_file_and_bytes_that_are_no_text_are_refused_without_showing_them() {
        for content in [&b""[..], b"\n", b"canary\xff"] {
            let error = read(content).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            assert!(!format!("{error:?}").contains("canary"), "{error:?}");
        }
    }

    #[tokio::test]
    async fn a_missing_file_and_a_directory_are_different_errors() {
        let directory = tempfile::tempdir().unwrap();
        let store = FileStore::new(directory.path());
        let missing = store.get(&"file:none".parse().unwrap()).await.unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
        let unreadable = store.get(&"file:.".parse().unwrap()).await.unwrap_err();
        assert_eq!(unreadable.kind(), ErrorKind::Unreadable);
    }

    #[tokio::test]
    async fn a_reference_of_another_scheme_is_refused_by_the_store_of_files() {
        let error = FileStore::new(".").get(&"env:X".parse().unwrap()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
    }
}
