//! Examples of requests in every format that `draft` reads: no text panics, and what is read makes a draft.

#![no_main]

use callgate_draft::{
    DraftOptions, draft, read_curl_commands, read_har, read_http_messages, read_postman_collection,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let sources = [
        read_curl_commands(text, "a"),
        read_har(text, "a"),
        read_postman_collection(text, "a"),
        read_http_messages(text, Some(text), "a"),
    ];
    for source in sources.into_iter().flatten().filter(|source| !source.exchanges.is_empty()) {
        let draft =
            draft(source.exchanges, &DraftOptions::default()).expect("exchanges make a draft");
        for guess in &draft.guesses {
            assert!(draft.description.pointer(&guess.pointer).is_some(), "{guess:?}");
        }
    }
});
