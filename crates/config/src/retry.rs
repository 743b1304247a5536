//! The key `retry` of a toolset: the policy for requests that fail, as a word or with its numbers.

use std::time::Duration;

use callgate_executor::{Retry, RetryWhen};
use callgate_settings::{Count, Kind, Mapping, Reader, forms, keys, member_pointer, words};

words! {
    struct RetryWhenWord => RetryWhen, "`safe` repeats reads, and requests for which no connection was made":
    "none" => None, "safe" => Safe
}

keys! {
    pub(crate) RetryKeys over Retry, in "`retry`" {
        /// The time limit of each attempt of a read but the last; without one, only that of the call holds.
        attempt_timeout: Duration;
        /// The most attempts of one call, the first included.
        attempts: Count<10>;
        /// The longest wait before a further attempt; a service that asks for a longer one ends the call.
        wait: Duration;
        /// The requests that are sent again after a failure.
        when: RetryWhenWord, required;
    }
}

forms! {
    struct RetryRule => Retry, Kind::AnyOf(&[RetryWhenWord::KIND, RetryKeys::KIND]), read_retry;
}

fn read_retry(reader: &mut Reader, toolset: Mapping<'_>, key: &str) -> Option<Retry> {
    let node = toolset.object.get(key)?;
    if node.as_object().is_some() {
        return reader.get::<RetryKeys>(toolset, key);
    }
    if node.as_str().is_none() {
        let help = "for example `safe`, or `{when: safe, attempts: 3, wait: 10s}`";
        reader.report_wrong_type(
            &member_pointer(toolset, key),
            "`none`, `safe` or a mapping",
            node,
            help,
        );
        return None;
    }
    Some(Retry { when: reader.get::<RetryWhenWord>(toolset, key)?, ..Retry::default() })
}
