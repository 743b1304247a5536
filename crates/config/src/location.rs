//! The place of the configuration or description that an operator names: a file, an address, or a text that a program
//! has read. `load` distinguishes the two by their content.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_settings::SettingCode;
use callgate_transport::is_this_machine;
use url::Url;

use crate::error::Error;

/// A configuration or a description, by its place.
///
/// ```
/// # use callgate_config::{Error, Location};
/// let location = Location::parse("https://api.example.com/openapi.json")?;
/// assert!(matches!(location, Location::Address(_)));
/// assert!(Location::parse("http://api.example.com/openapi.json").is_err());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Location {
    /// A description at an address.
    Address(Url),
    /// A file.
    File(PathBuf),
    /// A text, with the name that findings use.
    Text(PathBuf, Arc<[u8]>),
}

impl Location {
    /// An address, if the text contains `://`; otherwise a file.
    ///
    /// # Errors
    /// [`Error`] for an address that an intermediary could change, or that contains a user.
    pub fn parse(text: impl AsRef<Path>) -> Result<Self, Error> {
        let file = text.as_ref();
        let Some(text) = file.to_str().filter(|text| text.contains("://")) else {
            return Ok(Self::File(file.to_owned()));
        };
        match secure_description_url(text) {
            Some(url) => Ok(Self::Address(url)),
            None => Err(invalid_address_error(text)),
        }
    }

    /// The name that findings use: a file, or an address without its query.
    pub fn display_path(&self) -> PathBuf {
        match self {
            Self::Address(url) => url_without_query(url),
            Self::File(file) | Self::Text(file, _) => file.clone(),
        }
    }
}

impl<T: AsRef<Path> + ?Sized> From<&T> for Location {
    fn from(file: &T) -> Self {
        Self::File(file.as_ref().to_owned())
    }
}

impl From<PathBuf> for Location {
    fn from(file: PathBuf) -> Self {
        Self::File(file)
    }
}

/// An address in a form that may be shown: its query may contain a key.
pub(crate) fn url_without_query(url: &Url) -> PathBuf {
    let mut shown = url.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    String::from(shown).into()
}

/// The address of a description; no intermediary can change its content.
pub(crate) fn secure_description_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_here = url.host().is_some_and(|host| is_this_machine(&host));
    let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_here);
    let is_open = url.username().is_empty() && url.password().is_none();
    (is_safe && is_open).then_some(url)
}

/// The error for a text that is not an address to read from. A possible password is not repeated.
fn invalid_address_error(text: &str) -> Error {
    let url = Url::parse(text).ok();
    let has_user = |url: &&Url| !url.username().is_empty() || url.password().is_some();
    if let Some(url) = url.as_ref().filter(has_user) {
        let mut open = url.clone();
        let _cannot_fail = (open.set_username(""), open.set_password(None));
        let message = "expected an address without a user, got one with it".to_owned();
        let help = "download the description, and name the file";
        return Error::for_file(
            &url_without_query(&open),
            SettingCode::WrongValue.as_str(),
            message,
            help,
        );
    }
    let scheme = url.as_ref().map(Url::scheme).unwrap_or_default();
    let (message, help) = match (scheme, &url) {
        ("http", Some(url)) => {
            let mut safe = url_without_query(url).display().to_string();
            safe.insert(4, 's');
            (
                "expected an https address, got one of http, which is for this machine alone",
                format!("try `{safe}`"),
            )
        }
        ("file", Some(url)) => {
            ("expected a file, or an https address, got: `file:`", format!("name `{}`", url.path()))
        }
        ("ftp" | "s3" | "gs" | "git" | "ssh", Some(_)) => (
            "expected a file, or an https address, got an address of another kind",
            "download the description, and name the file".to_owned(),
        ),
        _ => (
            "expected a file, or an https address, got `://` in neither",
            "for example `https://api.example.com/openapi.json`".to_owned(),
        ),
    };
    let at = url.as_ref().map_or_else(|| "FILE".into(), url_without_query);
    Error::for_file(&at, SettingCode::WrongValue.as_str(), message.to_owned(), &help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let got = match Location::parse(text) {
            Ok(location) => format!("{location:?}"),
            Err(error) => error.to_string(),
        };
        assert!(got.contains(expected), "{text}: {got}");
        assert!(!got.contains("canary"), "{text}: {got}");
    }

    #[test]
    fn a_location_with_a_scheme_is_an_address_and_another_is_a_file() {
        check("pets.yaml", "File(\"pets.yaml\")");
        check("C:/pets.yaml", "File(");
        check("https://api.example.com/openapi.json", "Address(");
        check("http://127.0.0.1:8000/openapi.json", "Address(");
        check("http://localhost/openapi.json", "Address(");
        check("http://[::1]/openapi.json", "Address(");
    }

    #[test]
    fn an_unsafe_address_is_refused_with_a_correction() {
        check("http://api.example.com/a", "try `https://api.example.com/a`");
        check("http://api.example.com/a?key=canary", "try `https://api.example.com/a`");
        check("https://me:canary@api.example.com/a", "without a user");
        check("https://canary@api.example.com/a", "without a user");
        check("file:///pets.yaml", "name `/pets.yaml`");
        check("ftp://api.example.com/a", "an https address");
        check("://canary", "an https address");
    }
}
