//! The sentences about answers: what was cut from a result and how to ask for less or for more.

use std::fmt::Write as _;

use callgate_tool::{Arguments, Cut, Unit};

use super::push_list;

/// What was cut, how to narrow, what comes next.
pub(crate) fn truncated(cuts: &[Cut], narrowing: &[&str], next: &Arguments) -> String {
    let mut message = String::from("showing ");
    for (at, cut) in cuts.iter().take(MAX_TOLD).enumerate() {
        if at > 0 {
            message.push_str(", ");
        }
        let Cut { at, shown, of, unit } = cut;
        // Writing to a string cannot fail.
        let _: std::fmt::Result = write!(message, "{shown} of {of} {}", unit.as_str());
        if !at.is_empty() {
            let _: std::fmt::Result = write!(message, " of `{}`", super::shortened(at));
        }
    }
    if cuts.len() > MAX_TOLD {
        let _: std::fmt::Result = write!(message, " and {} more cuts", cuts.len() - MAX_TOLD);
    }
    let narrows = cuts.iter().any(|cut| cut.unit != Unit::Bytes) && !narrowing.is_empty();
    if narrows {
        message.push_str("; narrow with ");
        push_list(&mut message, narrowing.iter().copied());
    }
    if !next.is_empty() {
        message.push_str("; the next page is in `next`");
    }
    message
}

/// The most cuts that are told in words.
const MAX_TOLD: usize = 3;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cut(at: &str, shown: usize, of: usize, unit: Unit) -> Cut {
        Cut { at: at.to_owned(), shown, of, unit }
    }

    #[test]
    fn a_cut_says_what_is_shown_and_how_to_narrow() {
        let items = cut("", 20, 812, Unit::Items);
        let text = cut("items[3].text", 100, 5000, Unit::Bytes);
        let next = Arguments::from_iter([("cursor".to_owned(), json!("abc"))]);
        for (cuts, narrowing, next, expected) in [
            (
                vec![items.clone()],
                &["limit", "status"][..],
                next,
                "showing 20 of 812 items; narrow with `limit`, `status`; the next page is in `next`",
            ),
            (
                vec![text.clone()],
                &["limit"],
                Arguments::new(),
                "showing 100 of 5000 bytes of `items[3].text`",
            ),
            (
                vec![items.clone(), text.clone(), text.clone(), text],
                &[],
                Arguments::new(),
                "showing 20 of 812 items, 100 of 5000 bytes of `items[3].text`, 100 of 5000 bytes of `items[3].text` \
                 and 1 more cuts",
            ),
        ] {
            assert_eq!(truncated(&cuts, narrowing, &next), expected);
        }
    }
}
