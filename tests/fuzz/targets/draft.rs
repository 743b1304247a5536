//! Examples of requests in every format that `draft` reads: no text panics, and what is read makes a draft.

#![no_main]

use callgate_draft::{DraftOptions, curl, draft, har, http, postman};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let sources = [curl(text, "a"), har(text, "a"), postman(text, "a"), http(text, Some(text), "a")];
    for source in sources.into_iter().flatten().filter(|source| !source.exchanges.is_empty()) {
        let draft = draft(source.exchanges, &DraftOptions::default()).expect("exchanges make a draft");
        for guess in &draft.guesses {
            assert!(draft.description.pointer(&guess.pointer).is_some(), "{guess:?}");
        }
    }
});
