//! Every code of a finding or a failed call from all crates, and its explanation.

use callgate::{
    FaultCode,
    openapi::{Code, TextCode},
};
use callgate_config::Kinds;
use callgate_openapi::Example;

pub(crate) type Explained = (&'static str, &'static str);

pub(crate) fn code_explanation(asked: &str, kinds: &Kinds) -> Option<&'static str> {
    let mut codes = finding_codes(kinds).into_iter().chain(call_codes());
    codes.find(|(name, _)| *name == asked).map(|(_, explanation)| explanation)
}

pub(crate) fn wrong_and_mended_example(asked: &str) -> Option<(&'static str, &'static str)> {
    let of_texts = OF_TEXTS.iter().find(|(name, ..)| *name == asked);
    of_texts.map(|(_, wrong, mended)| (*wrong, *mended)).or_else(|| {
        let code = Code::ALL.iter().find(|code| code.as_str() == asked)?;
        let Example { wrong, mended, .. } = code.example();
        Some((wrong, mended))
    })
}

/// Returns true if findings can have this code: those of descriptions, configurations, exports and overlays.
pub(crate) fn is_finding_code(asked: &str, kinds: &Kinds) -> bool {
    finding_codes(kinds).iter().any(|(name, _)| *name == asked)
}

/// The codes of all findings: first those about descriptions, then those about configurations and exports.
pub(crate) fn finding_codes(kinds: &Kinds) -> Vec<Explained> {
    [description_codes(), callgate_config::codes(kinds)].concat()
}

pub(crate) fn description_codes() -> Vec<Explained> {
    let of_texts = sorted_rows(TextCode::ALL, |code| (code.as_str(), code.explanation()));
    let of_descriptions = sorted_rows(Code::ALL, |code| (code.as_str(), code.explanation()));
    let mut codes = [of_texts, of_descriptions].concat();
    codes.sort_unstable();
    codes
}

pub(crate) fn call_codes() -> Vec<Explained> {
    sorted_rows(FaultCode::ALL, |code| (code.as_str(), code.explanation()))
}

fn sorted_rows<T>(codes: &[T], row: impl Fn(&T) -> Explained) -> Vec<Explained> {
    let rows: Vec<_> = codes.iter().map(row).collect();
    debug_assert!(rows.is_sorted(), "a table is in alphabetical order");
    rows
}

macro_rules! examples {
    ($($name:literal)+) => {
        [$((
            $name,
            include_str!(concat!("codes/", $name, "/wrong.yaml")),
            include_str!(concat!("codes/", $name, "/mended.yaml")),
        )),+]
    };
}

const OF_TEXTS: [(&str, &str, &str); TextCode::ALL.len()] = examples!(
    "alias-expansion" "duplicate-key" "ignored-tag" "non-finite-number" "not-utf8" "text-too-deep" "text-too-large"
    "too-many-nodes" "unreadable-text"
);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use callgate::config;

    use super::*;
    use crate::with_sources_and_models;

    fn kinds() -> Kinds {
        with_sources_and_models(config::kinds())
    }

    #[test]
    fn no_code_of_a_finding_is_also_a_fault_code() {
        let codes = [finding_codes(&kinds()), call_codes()].concat();
        let names: BTreeSet<_> = codes.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), codes.len());
    }

    #[test]
    fn each_code_is_explained_in_one_line_of_sentences() {
        for (name, explanation) in [finding_codes(&kinds()), call_codes()].concat() {
            assert!(explanation.ends_with('.') && explanation.lines().count() == 1, "{name}");
        }
        for (name, explanation) in [callgate_config::codes(&kinds()), call_codes()].concat() {
            assert!(explanation.starts_with(|c: char| c.is_ascii_uppercase()), "{name}");
        }
    }
}
