//! Every code of a finding or a failed call from all crates, and its explanation.

use callgate::{
    FaultCode,
    openapi::{Code, TextCode},
};
use callgate_config::Kinds;
use callgate_openapi::Example;

pub(crate) type Explained = (&'static str, &'static str);

pub(crate) fn explanation(asked: &str, kinds: &Kinds) -> Option<&'static str> {
    let mut codes = of_findings(kinds).into_iter().chain(of_calls());
    codes.find(|(name, _)| *name == asked).map(|(_, explanation)| explanation)
}

pub(crate) fn example(asked: &str) -> Option<(&'static str, &'static str)> {
    let of_texts = OF_TEXTS.iter().find(|(name, ..)| *name == asked);
    of_texts.map(|(_, wrong, mended)| (*wrong, *mended)).or_else(|| {
        let code = Code::ALL.iter().find(|code| code.as_str() == asked)?;
        let Example { wrong, mended, .. } = code.example();
        Some((wrong, mended))
    })
}

/// Returns true if findings can have this code: those of descriptions, configurations, exports and overlays.
pub(crate) fn is_known(asked: &str, kinds: &Kinds) -> bool {
    of_findings(kinds).iter().any(|(name, _)| *name == asked)
}

/// The codes of all findings: first those about descriptions, then those about configurations.
pub(crate) fn of_findings(kinds: &Kinds) -> Vec<Explained> {
    [of_descriptions(), of_configurations(kinds)].concat()
}

pub(crate) fn of_descriptions() -> Vec<Explained> {
    sorted_codes(
        &table(TextCode::ALL, |code| (code.as_str(), code.explanation())),
        &table(Code::ALL, |code| (code.as_str(), code.explanation())),
    )
}

/// The codes of findings about configurations and exports, in alphabetical order.
pub(crate) fn of_configurations(kinds: &Kinds) -> Vec<Explained> {
    #[cfg(feature = "ces")]
    let of_exports =
        table(callgate_ces::RemarkKind::ALL, |kind| (kind.as_str(), kind.explanation()));
    #[cfg(not(feature = "ces"))]
    let of_exports = [];
    sorted_codes(&callgate_config::codes(kinds), &of_exports)
}

pub(crate) fn of_calls() -> Vec<Explained> {
    table(FaultCode::ALL, |code| (code.as_str(), code.explanation()))
}

fn table<T>(codes: &[T], row: impl Fn(&T) -> Explained) -> Vec<Explained> {
    let rows: Vec<_> = codes.iter().map(row).collect();
    debug_assert!(rows.is_sorted(), "a table is in alphabetical order");
    rows
}

fn sorted_codes(some: &[Explained], others: &[Explained]) -> Vec<Explained> {
    let mut codes = [some, others].concat();
    codes.sort_unstable();
    codes
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

    use callgate::config::kinds;

    use super::*;

    #[test]
    fn no_code_of_a_finding_is_also_a_fault_code() {
        let codes = [of_findings(&kinds()), of_calls()].concat();
        let names: BTreeSet<_> = codes.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), codes.len());
    }

    #[test]
    fn each_code_is_explained_in_one_line_of_sentences() {
        for (name, explanation) in [of_findings(&kinds()), of_calls()].concat() {
            assert!(explanation.ends_with('.') && explanation.lines().count() == 1, "{name}");
        }
        for (name, explanation) in [of_configurations(&kinds()), of_calls()].concat() {
            assert!(explanation.starts_with(|c: char| c.is_ascii_uppercase()), "{name}");
        }
    }
}
