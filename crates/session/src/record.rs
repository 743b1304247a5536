//! Values as stores keep them: bytes of a media type, with credentials beside them. Every store can write that; what the
//! bytes mean is known to whoever put them there.

use std::{collections::BTreeMap, fmt, time::Duration};

use bytes::Bytes;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    error::{self, Error},
    sealed::Sealed,
};

/// A value of a store.
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
    credentials: BTreeMap<String, Sealed>,
    time_to_live: Option<Duration>,
}

impl Record {
    /// Bytes of a media type.
    pub fn new(media_type: impl Into<String>, bytes: Bytes) -> Self {
        Self {
            media_type: media_type.into(),
            bytes,
            credentials: BTreeMap::new(),
            time_to_live: None,
        }
    }

    /// A value as JSON.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) for a value that has no JSON.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self, Error> {
        let bytes = serde_json::to_vec(value).map_err(|_| error::unwritable())?;
        Ok(Self::new(JSON, bytes.into()))
    }

    /// The value of a record that is JSON.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) where the bytes are another value, or none.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.bytes).map_err(|source| error::unreadable(&source))
    }

    /// The same record with a credential, in place of one of the same name.
    #[must_use]
    pub fn with_credential(mut self, name: impl Into<String>, credential: Sealed) -> Self {
        self.credentials.insert(name.into(), credential);
        self
    }

    /// Sets the time that a store keeps the record, from when it is put there.
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
    pub fn credentials(&self) -> &BTreeMap<String, Sealed> {
        &self.credentials
    }

    /// The time that a store keeps it. Without one a record never ends: it goes when others need its room, or it is removed.
    pub fn time_to_live(&self) -> Option<Duration> {
        self.time_to_live
    }

    /// About how many bytes the record takes.
    pub fn size(&self) -> usize {
        let credentials = self.credentials.iter();
        let credentials = credentials.map(|(name, sealed)| name.len() + sealed.size());
        self.media_type.len() + self.bytes.len() + credentials.sum::<usize>()
    }
}

/// Without the bytes, which may be anybody's.
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
