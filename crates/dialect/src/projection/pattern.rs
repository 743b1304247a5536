//! Regular expressions that a provider supports: engines differ, and one that cannot read a pattern refuses every tool.

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Patterns {
    /// From `^` to `$`, made of characters, classes, groups and short repetitions.
    Anchored,
    Any,
    /// The common syntax of engines without look-around.
    Regular,
}

impl Patterns {
    pub(super) fn accepts(self, pattern: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Regular => is_portable_pattern(pattern, CLASSES),
            Self::Anchored => {
                is_anchored(pattern)
                    && has_short_repetitions(pattern)
                    && is_portable_pattern(pattern, "")
            }
        }
    }
}

/// True if all engines read the pattern alike: brackets are closed, groups have no flags, and only these letters are
/// escaped.
fn is_portable_pattern(pattern: &str, letters: &str) -> bool {
    let mut characters = pattern.chars().peekable();
    let (mut n_open, mut is_class, mut is_start) = (0_usize, false, true);
    while let Some(character) = characters.next() {
        let is_legal = match character {
            '\\' => characters
                .next()
                .is_some_and(|escaped| escaped.is_ascii_punctuation() || letters.contains(escaped)),
            // Engines read nested and empty classes differently.
            '[' if is_class => false,
            '[' => {
                is_class = true;
                characters.next_if_eq(&'^');
                characters.peek() != Some(&']')
            }
            ']' if is_class => {
                is_class = false;
                true
            }
            _ if is_class => true,
            '(' => {
                n_open += 1;
                let is_plain = characters.next_if_eq(&'?').is_none();
                is_plain || characters.next_if_eq(&':').is_some()
            }
            ')' => {
                let is_open = n_open > 0;
                n_open = n_open.saturating_sub(1);
                is_open
            }
            '*' | '+' | '?' | '{' => !is_start,
            _ => true,
        };
        if !is_legal {
            return false;
        }
        is_start = !is_class && ['(', '|', '^'].contains(&character);
    }
    n_open == 0 && !is_class
}

fn is_anchored(pattern: &str) -> bool {
    let inside = pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix('$'));
    let bare = |inside: &str| {
        ["\\\\", "\\^", "\\$", "[^"]
            .iter()
            .fold(inside.to_owned(), |bare, one| bare.replace(one, ""))
    };
    inside.map(bare).is_some_and(|inside| !inside.ends_with('\\') && !inside.contains(['^', '$']))
}

/// True if repetitions are short: engines that build grammars expand them.
fn has_short_repetitions(pattern: &str) -> bool {
    let counts = pattern.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let mut numbers = counts.flat_map(|counts| counts.split(',')).filter(|n| !n.is_empty());
    pattern.len() <= LONGEST && numbers.all(|n| n.parse().is_ok_and(|n: u32| n <= MOST_REPEATED))
}

/// Letters that name a class of characters or a control character.
const CLASSES: &str = "dDwWsSnrtfv";
const LONGEST: usize = 200;
const MOST_REPEATED: u32 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, anchored: bool, regular: bool) {
        assert_eq!(Patterns::Anchored.accepts(pattern), anchored, "{pattern}");
        assert_eq!(Patterns::Regular.accepts(pattern), regular, "{pattern}");
        assert!(Patterns::Any.accepts(pattern));
    }

    #[test]
    fn a_pattern_is_supported_if_every_engine_reads_it_alike() {
        for pattern in ["^a$", "^[a-z]+$", "^(a|b){1,64}$", "^[^/]*$", r"^\$\.[A-Z]$", "^a{2,}$"] {
            check(pattern, true, true);
        }
        for pattern in ["a", "^a", r"^\d+$", "^a|^b$", "^a{1,999}$", r"^[\w-]*\$", "(?:a)"] {
            check(pattern, false, true);
        }
        let refused =
            ["(?=a)", "(?!a)", "(?i)a", r"\p{L}", r"(a)\1", "[[a]^", "[]a]", "(a", "a)", r"a\"];
        for pattern in refused.into_iter().chain(["*a", "a|+", r"\bword", "[a"]) {
            check(pattern, false, false);
        }
    }
}
