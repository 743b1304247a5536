//! Patterns of ECMA-262 on an engine without backtracking. A pattern is compiled on first use; matching takes time that
//! grows with the length of the text, and the actual work is charged.

mod ecma;

use std::sync::{Mutex, OnceLock, PoisonError};

use regex_automata::{
    Input,
    hybrid::dfa::{Cache, DFA},
    nfa::thompson::{Compiler, Config, NFA, WhichCaptures, pikevm::PikeVM},
    util::syntax,
};

use super::budget::{Budget, Paid};

#[derive(Debug)]
pub(crate) struct Pattern {
    source: Box<str>,
    engine: OnceLock<Option<Box<Engine>>>,
}

#[derive(Debug)]
struct Engine {
    automaton: DFA,
    cache: Mutex<Option<Cache>>,
}

impl Pattern {
    pub(crate) fn new(source: &str) -> Self {
        Self { source: source.into(), engine: OnceLock::new() }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.source
    }

    /// False for a pattern that is too large for the engine: it is not checked.
    pub(crate) fn is_compilable(&self) -> bool {
        self.engine().is_some()
    }

    /// True if the text matches, or if the engine cannot hold the pattern.
    pub(crate) fn matches_or_too_large(&self, text: &str, budget: &mut Budget) -> Paid<bool> {
        budget.charge(text.len() / STEP)?;
        match self.engine() {
            Some(engine) => engine.matches(text, budget),
            None => Ok(true),
        }
    }

    fn engine(&self) -> Option<&Engine> {
        self.engine.get_or_init(|| Engine::new(&self.source).map(Box::new)).as_deref()
    }
}

impl Engine {
    fn new(pattern: &str) -> Option<Self> {
        let config = Config::new()
            .utf8(false)
            .nfa_size_limit(Some(LARGEST))
            .which_captures(WhichCaptures::None);
        let compiled = Compiler::new()
            .syntax(syntax::Config::new().utf8(false))
            .configure(config)
            .build(&ecma::translated_pattern(pattern));
        let config = DFA::config()
            .cache_capacity(CACHE)
            .skip_cache_capacity_check(true)
            .minimum_cache_clear_count(Some(CLEARS))
            .minimum_bytes_per_state(Some(BYTES));
        let automaton = DFA::builder().configure(config).build_from_nfa(compiled.ok()?).ok()?;
        Some(Self { automaton, cache: Mutex::new(None) })
    }

    fn matches(&self, text: &str, budget: &mut Budget) -> Paid<bool> {
        let kept = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let mut cache = kept().take().unwrap_or_else(|| self.automaton.create_cache());
        let before = cache.memory_usage();
        let search_result =
            self.automaton.try_search_fwd(&mut cache, &Input::new(text).earliest(true));
        let grown = cache.memory_usage().saturating_sub(before);
        *kept() = Some(cache);
        budget.charge(grown / STATE)?;
        match search_result {
            Ok(half_match) => Ok(half_match.is_some()),
            Err(_) => matches_by_simulation(self.automaton.get_nfa(), text, budget),
        }
    }
}

/// Follows all states at once, for a pattern in which almost every byte leads to a new state.
fn matches_by_simulation(automaton: &NFA, text: &str, budget: &mut Budget) -> Paid<bool> {
    let work = text.len().saturating_mul(automaton.states().len());
    budget.charge(work / MOVES)?;
    let Ok(engine) = PikeVM::builder().build_from_nfa(automaton.clone()) else { return Ok(true) };
    Ok(engine.is_match(&mut engine.create_cache(), text))
}

/// The largest compiled pattern in bytes: `^[\p{L}]{1,1000}$` is larger.
const LARGEST: usize = 10 << 20;
/// The most bytes of cached states, and how often they may be cleared before the text counts as hostile.
const CACHE: usize = 512 << 10;
const CLEARS: usize = 4;
/// The fewest bytes of text per new state, below which a text counts as hostile.
const BYTES: usize = 64;
/// The bytes of a text that cost a step.
const STEP: usize = 16;
/// The bytes of a new state that cost a step.
const STATE: usize = 256;
/// The moves between states that cost a step.
const MOVES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::budget::Spent;

    #[track_caller]
    fn check(pattern: &str, matching: &[&str], others: &[&str]) {
        let pattern = Pattern::new(pattern);
        assert!(pattern.is_compilable(), "{pattern:?}");
        let mut budget = Budget::new(Budget::CALL);
        for text in matching {
            assert!(pattern.matches_or_too_large(text, &mut budget).unwrap(), "{text:?}");
        }
        for text in others {
            assert!(!pattern.matches_or_too_large(text, &mut budget).unwrap(), "{text:?}");
        }
    }

    #[test]
    fn patterns_match_as_in_ecma_262() {
        check(r"^\d+$", &["7"], &["٣", "a", "7\n"]);
        check(r"^\w-\S$", &["a-b"], &["é-b", "a-\u{a0}", "a-\u{feff}"]);
        check(r"^\W$", &["é", "😀"], &["a"]);
        check(r"^[\w.-]+$", &["a.b-c"], &["é"]);
        check(r"^[\w-.]+$", &["a.b-c"], &["+"]);
        check(r"^[\s\S]$", &["\n", "é"], &["", "ab"]);
        check(r"^.$", &["é", "😀"], &["\n", "\r", "\u{2028}"]);
        check(r"^[[a]+$", &["[a"], &["b"]);
        check(r"^[a&&b]+$", &["a&b"], &["c"]);
        check(r"^\/\-\<\_$", &["/-<_"], &[]);
        check(r"^\cC$", &["\u{3}"], &["\\cC"]);
        check(r"^\u00e9\x41$", &["éA"], &[]);
        check(r"^\uD83D\uDE00$", &["😀"], &[]);
        check(r"^[\uD83D\uDE00-\uD83D\uDE02]$", &["😁"], &["😃"]);
        check(r"^{a}$", &["{a}"], &[]);
        check(r"^a{2}$", &["aa"], &["a"]);
        check(r"^[^]$", &["\n"], &[""]);
        check(r"a[]", &[], &["a", "a]"]);
        check(r"^\p{Letter}\p{L}$", &["éa"], &["1a"]);
        check(r"\bfoo\b", &["a foo", "éfoo"], &["afoo"]);
        check(r"^[[:alpha:]]$", &["a"], &["1"]);
        check("a", &["bab"], &["b"]);
    }

    #[test]
    fn an_unsupported_pattern_matches_every_text() {
        for source in
            [r"(?<=x)y", r"^.{0,262144}$", r"^[\p{L}]{1,1000}$", r"\p{Print}", "(", r"(a)\1"]
        {
            let pattern = Pattern::new(source);
            assert!(!pattern.is_compilable(), "{source}");
            assert!(pattern.matches_or_too_large("any", &mut Budget::new(9)).unwrap());
        }
    }

    #[test]
    fn a_match_that_needs_a_state_for_each_byte_is_charged_to_the_budget() {
        let pattern = Pattern::new("(?:a|b)*a(?:a|b){30}c");
        let mut seed = 7_u64;
        let mut letter = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            if seed >> 63 == 0 { 'a' } else { 'b' }
        };
        let text: String = (0..1 << 17).map(|_| letter()).collect();
        let mut budget = Budget::new(Budget::CALL);
        let matched = pattern.matches_or_too_large(&text, &mut budget);
        let n_steps = Budget::CALL - budget.steps_left();
        assert!(matched == Err(Spent::Steps) || n_steps > text.len(), "{n_steps}");
        let mut budget = Budget::new(Budget::CALL);
        let short: String = text.chars().take(1 << 12).collect();
        assert_eq!(pattern.matches_or_too_large(&short, &mut budget), Ok(false));
    }

    #[test]
    fn a_long_text_under_a_simple_pattern_costs_little_of_the_budget() {
        let pattern = Pattern::new("^[A-Za-z0-9+/]*={0,2}$");
        let mut budget = Budget::new(Budget::CALL);
        assert_eq!(pattern.matches_or_too_large(&"QUJD".repeat(1 << 18), &mut budget), Ok(true));
        assert!(Budget::CALL - budget.steps_left() < 70_000);
    }
}
