//! Every code of a diagnostic from all crates, and its explanation.

use callgate::openapi::{Code, TextCode};
use callgate_config::{ConfigCode, RemarkKind};
use callgate_openapi::Example;

/// The explanation of one code.
pub(crate) fn explanation(asked: &str) -> Option<&'static str> {
    codes().into_iter().find(|(name, _)| *name == asked).map(|(_, explanation)| explanation)
}

/// An example text with the code's problem, and its corrected form.
pub(crate) fn example(asked: &str) -> Option<(&'static str, &'static str)> {
    let of_texts = OF_TEXTS.iter().find(|(name, ..)| *name == asked);
    of_texts.map(|(_, wrong, mended)| (*wrong, *mended)).or_else(|| {
        let code = Code::ALL.into_iter().find(|code| code.as_str() == asked)?;
        let Example { wrong, mended, .. } = code.example();
        Some((wrong, mended))
    })
}

/// Returns true if findings can have this code: those of descriptions, configurations, exports and overlays.
pub(crate) fn is_known(asked: &str) -> bool {
    let of_configurations = ConfigCode::ALL.map(ConfigCode::as_str);
    let of_exports = RemarkKind::ALL.map(RemarkKind::as_str);
    let is_of_a_file = of_configurations.contains(&asked) || of_exports.contains(&asked);
    is_of_a_file || explanation(asked).is_some()
}

/// Every code and its explanation, in alphabetical order.
pub(crate) fn codes() -> Vec<(&'static str, &'static str)> {
    let of_texts = TextCode::ALL.map(|code| (code.as_str(), code.explanation()));
    let of_descriptions = Code::ALL.map(|code| (code.as_str(), code.explanation()));
    let mut codes = [&of_texts[..], &of_descriptions[..]].concat();
    codes.sort_unstable();
    codes
}

/// Makes a table of codes, each with its example and the corrected form.
macro_rules! examples {
    ($($name:literal)+) => {
        [$((
            $name,
            include_str!(concat!("codes/", $name, "/wrong.yaml")),
            include_str!(concat!("codes/", $name, "/mended.yaml")),
        )),+]
    };
}

/// Examples for codes of texts, and their corrected forms.
const OF_TEXTS: [(&str, &str, &str); TextCode::ALL.len()] = examples!(
    "alias-expansion" "duplicate-key" "ignored-tag" "non-finite-number" "not-utf8" "text-too-deep" "text-too-large"
    "too-many-nodes" "unreadable-text"
);
