//! A record as bytes, before it is sealed: the text of its key, its media type and its credentials, each after its length,
//! and then its bytes.

use std::collections::BTreeMap;

use bytes::Bytes;
use callgate_secret::Secret;
use callgate_session::{Key, Record};

/// Writes a record under its key. `None` for one that is larger than 4 GiB.
pub(crate) fn encode_with_key(key: &Key, record: &Record) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(record.size() + key.as_str().len() + 64);
    push_length_and_text(&mut bytes, key.as_str())?;
    push_length_and_text(&mut bytes, record.media_type())?;
    bytes.extend(u32::try_from(record.credentials().len()).ok()?.to_le_bytes());
    for (name, secret) in record.credentials() {
        push_length_and_text(&mut bytes, name)?;
        push_length_and_text(&mut bytes, secret.expose())?;
    }
    bytes.extend_from_slice(record.bytes());
    Some(bytes)
}

/// Reads a record; `None` if the bytes are in another form, or are the record of another key.
pub(crate) fn decode_record(key: &Key, bytes: Vec<u8>) -> Option<Record> {
    decode_key_and_record(bytes).filter(|(entry, _)| entry == key).map(|(_, record)| record)
}

/// Reads a record with its key; `None` if the bytes are in another form.
pub(crate) fn decode_key_and_record(bytes: Vec<u8>) -> Option<(Key, Record)> {
    let mut bytes = Bytes::from(bytes);
    let key = Key::from_text(&take_text(&mut bytes)?)?;
    let media_type = take_text(&mut bytes)?;
    let mut credentials = BTreeMap::new();
    for _ in 0..take_u32(&mut bytes)? {
        let name = take_text(&mut bytes)?;
        credentials.insert(name, Secret::new(take_text(&mut bytes)?));
    }
    let record = Record::new(media_type, bytes);
    let record = credentials
        .into_iter()
        .fold(record, |record, (name, secret)| record.with_credential(name, secret));
    Some((key, record))
}

fn push_length_and_text(bytes: &mut Vec<u8>, text: &str) -> Option<()> {
    bytes.extend(u32::try_from(text.len()).ok()?.to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    Some(())
}

fn take_u32(bytes: &mut Bytes) -> Option<u32> {
    let number = u32::from_le_bytes(*bytes.first_chunk()?);
    drop(bytes.split_to(4));
    Some(number)
}

fn take_text(bytes: &mut Bytes) -> Option<String> {
    let length = usize::try_from(take_u32(bytes)?).ok()?;
    let is_whole = length <= bytes.len();
    is_whole.then(|| String::from_utf8(bytes.split_to(length).into()).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use callgate_session::{Owner, Space};
    use callgate_tool::Session;

    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written_and_under_its_own_key_only() {
        let session = Session::new("s");
        let key = |name| Key::new(Space::Session, Owner::new(None, &session), name);
        let record = Record::new("text/plain", Bytes::from_static(b"\x00abc"))
            .with_credential("a", Secret::new("one".to_owned()))
            .with_credential("b", Secret::new(String::new()));
        let written = encode_with_key(&key("x"), &record).unwrap();
        let found = decode_record(&key("x"), written.clone()).unwrap();
        assert_eq!((found.media_type(), found.bytes()), (record.media_type(), record.bytes()));
        let secrets: Vec<_> =
            found.credentials().iter().map(|(name, it)| (&**name, it.expose())).collect();
        assert_eq!(secrets, [("a", "one"), ("b", "")]);
        assert!(decode_record(&key("y"), written.clone()).is_none());
        for length in 0..written.len() - record.bytes().len() {
            assert!(decode_record(&key("x"), written[..length].to_vec()).is_none(), "{length}");
        }
    }
}
