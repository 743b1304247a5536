//! Any bytes as the replies of a server of MariaDB or MySQL: the client comes to their end, and keeps no more than they can hold.

#![no_main]

use callgate_database::mysql_values;
use libfuzzer_sys::fuzz_target;

/// A greeting and the word that ends a login stand before replies that do not begin with them.
const SIGN_IN: &[u8] = include_bytes!("../seeds/mysql_replies/rows").split_at(115).0;

fuzz_target!(|bytes: &[u8]| {
    let has_sign_in = bytes.first() == SIGN_IN.first();
    let bytes = if has_sign_in { bytes.to_vec() } else { [SIGN_IN, bytes].concat() };
    let values = mysql_values(&bytes).expect("an end");
    assert!(values.len() <= 8 * bytes.len());
    let n_bytes: usize = values.iter().flatten().map(String::len).sum();
    assert!(n_bytes <= 64 * bytes.len(), "{n_bytes} of {}", bytes.len());
});
