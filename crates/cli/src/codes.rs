//! Every code of a diagnostic, whichever crate makes it, and its explanation.

use callgate::openapi::{Code, TextCode};

/// The paragraph about one code.
pub(crate) fn explanation(asked: &str) -> Option<&'static str> {
    codes().into_iter().find(|(name, _)| *name == asked).map(|(_, explanation)| explanation)
}

/// Returns true if findings have this code: those of descriptions, and warnings about configurations.
pub(crate) fn is_known(asked: &str) -> bool {
    explanation(asked).is_some() || OF_CONFIGURATIONS.contains(&asked)
}

/// Every code and its explanation, in alphabetical order.
pub(crate) fn codes() -> Vec<(&'static str, &'static str)> {
    let of_texts = TextCode::ALL.map(|code| (code.as_str(), code.explanation()));
    let of_descriptions = Code::ALL.map(|code| (code.as_str(), code.explanation()));
    let mut codes = [&of_texts[..], &of_descriptions[..]].concat();
    codes.sort_unstable();
    codes
}

/// The codes of warnings about configurations, exports and overlays.
const OF_CONFIGURATIONS: [&str; 9] = [
    "import-account",
    "import-ignored",
    "import-missing-secret",
    "import-no-equivalent",
    "literal-secret",
    "plain-http",
    "selects-nothing",
    "session-credential",
    "unused-key",
];
