//! Values as stores keep them: bytes of a media type, and credentials. A store does not interpret the bytes.

use std::{collections::BTreeMap, fmt, time::Duration};

use bytes::Bytes;
use callgate_secret::Secret;
use serde::{Serialize, de::DeserializeOwned};

use crate::error::{self, Error};

/// A stored value.
///
/// ```
/// use callgate_session::Record;
///
/// let record = Record::json(&["a", "b"])?;
/// assert_eq!(record.read::<Vec<String>>()?, ["a", "b"]);
/// # Ok::<(), callgate_session::Error>(())
/// ```
#[derive(Clone)]
pub struct Record {
    media_type: String,
    bytes: Bytes,
    credentials: BTreeMap<String, Secret>,
    time_to_live: Option<Duration>,
}

impl Record {
    /// A record of bytes with a media type.
    pub fn new(media_type: impl Into<String>, bytes: Bytes) -> Self {
        Self {
            media_type: media_type.into(),
            bytes,
            credentials: BTreeMap::new(),
            time_to_live: None,
        }
    }

    /// A record of a value, written as JSON.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if the value cannot be written as JSON.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self, Error> {
        let bytes = serde_json::to_vec(value).map_err(|_| error::unwritable())?;
        Ok(Self::new(JSON, bytes.into()))
    }

    /// The value of a JSON record.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if the bytes are not JSON, or are another value.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.bytes).map_err(|source| error::unreadable_value_error(&source))
    }

    /// Adds a credential, in place of one with an equal name. A store that writes seals it with the bytes.
    #[must_use]
    pub fn with_credential(mut self, name: impl Into<String>, credential: Secret) -> Self {
        self.credentials.insert(name.into(), credential);
        self
    }

    /// Sets how long a store keeps the record after it is put.
    #[must_use]
    pub fn with_time_to_live(mut self, time_to_live: Duration) -> Self {
        self.time_to_live = Some(time_to_live);
        self
    }

    /// The media type of the bytes.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// The bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The credentials by name.
    pub fn credentials(&self) -> &BTreeMap<String, Secret> {
        &self.credentials
    }

    /// The time for which a store keeps the record; of a record that a store returned, what is left of it by the store's own
    /// clock. A record without one stays until it is removed or others need its room.
    pub fn time_to_live(&self) -> Option<Duration> {
        self.time_to_live
    }

    /// The approximate size of the record in bytes.
    pub fn size(&self) -> usize {
        let credentials = self.credentials.iter();
        let credentials = credentials.map(|(name, secret)| name.len() + secret.expose().len());
        self.media_type.len() + self.bytes.len() + credentials.sum::<usize>()
    }
}

/// Prints the record without its bytes, which may be confidential.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("media_type", &self.media_type)
            .field("bytes", &self.bytes.len())
            .field("credentials", &self.credentials)
            .field("time_to_live", &self.time_to_live)
            .finish()
    }
}

const JSON: &str = "application/json";
