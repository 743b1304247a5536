//! Keeps fetched descriptions in a folder, one file for each address: the validators of the version, an empty line, the
//! text. An address may contain a key, so the name of its file contains only a hash. A description that cannot be
//! stored is fetched again.

use std::path::{Path, PathBuf};

use callgate_settings::{read_file, write_and_remove_oldest};
use callgate_tool::hexadecimal;
use http::{HeaderName, HeaderValue, header};
use sha2::{Digest as _, Sha256};
use url::Url;

#[derive(Clone, Debug)]
pub(super) struct DescriptionCache {
    file: PathBuf,
}

/// The validators of a version, as the next request repeats them.
type Validators = Vec<(HeaderName, HeaderValue)>;

impl DescriptionCache {
    /// The file of an address in a folder, which need not exist.
    pub(super) fn new(folder: &Path, url: &Url) -> Self {
        let name = hexadecimal(&Sha256::digest(url.as_str().as_bytes()));
        Self { file: folder.join(name) }
    }

    /// The stored text, if it has at most `most` bytes.
    pub(super) fn stored_description(&self, most: usize) -> Option<(Validators, Vec<u8>)> {
        let kept = read_file(&self.file, most.saturating_add(MOST_HEAD)).ok()?;
        let mut rest = kept.as_slice();
        let mut validators = Vec::new();
        loop {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let (line, after) = (rest.get(..end)?, rest.get(end.checked_add(1)?..)?);
            rest = after;
            if line.is_empty() {
                return Some((validators, rest.to_vec())).filter(|(_, text)| text.len() <= most);
            }
            let (name, value) = std::str::from_utf8(line).ok()?.split_once(": ")?;
            let name = CONDITIONS.iter().find(|condition| condition.as_str() == name)?;
            validators.push((name.clone(), HeaderValue::from_str(value).ok()?));
        }
    }

    /// Stores a text, and removes the oldest ones if there are many.
    pub(super) fn store_text(&self, validators: &[(HeaderName, HeaderValue)], text: &[u8]) {
        let mut head = String::new();
        for (name, value) in validators {
            if let Ok(value) = value.to_str() {
                head.push_str(&format!("{name}: {value}\n"));
            }
        }
        head.push('\n');
        let content = [head.as_bytes(), text].concat();
        if let Err(error) = write_and_remove_oldest(&self.file, &content, MOST_FILES) {
            tracing::debug!(%error, "a description is not kept");
        }
    }
}

/// The conditional headers that are stored with a text.
const CONDITIONS: [HeaderName; 2] = [header::IF_NONE_MATCH, header::IF_MODIFIED_SINCE];

/// The size limit of the validators: more than any server's take.
const MOST_HEAD: usize = 16 << 10;

/// The number of stored files: more addresses than anybody uses at one time.
const MOST_FILES: usize = 64;

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn cache(folder: &Path, url: &str) -> DescriptionCache {
        DescriptionCache::new(folder, &url.parse().unwrap())
    }

    #[test]
    fn a_cached_description_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("callgate");
        let cache = cache(&folder, "https://a.example/openapi.json?key=canary");
        assert!(cache.stored_description(100).is_none());
        let tag = (header::IF_NONE_MATCH, HeaderValue::from_static("\"1\""));
        cache.store_text(std::slice::from_ref(&tag), b"openapi: 3.1.0\n\nb");
        let (validators, text) = cache.stored_description(100).unwrap();
        assert_eq!((validators, &*text), (vec![tag], &b"openapi: 3.1.0\n\nb"[..]));
        assert!(cache.stored_description(3).is_none());
        cache.store_text(&[], b"");
        assert_eq!(cache.stored_description(0).unwrap(), (vec![], vec![]));
        assert!(!format!("{cache:?}").contains("canary"));
    }

    #[test]
    fn the_cache_of_descriptions_has_a_bounded_number_of_files() {
        let folder = tempfile::tempdir().unwrap();
        for at in 0..MOST_FILES + 3 {
            cache(folder.path(), &format!("https://a.example/{at}")).store_text(&[], b"text");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), MOST_FILES);
    }

    #[test]
    fn malformed_files_in_the_cache_of_descriptions_are_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), "https://a.example");
        for text in ["", "openapi: 3.1.0", "cookie: a\n\nb", "if-none-match: \u{7}\n\nb"] {
            fs::write(&cache.file, text).unwrap();
            assert!(cache.stored_description(100).is_none(), "{text}");
        }
    }
}
