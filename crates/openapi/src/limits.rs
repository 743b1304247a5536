//! The bounds a description is read within, beyond those of its text. Each is there because a real file or a real attack
//! needs it; the configuration may change them.

use callgate_tool::Tool;
use callgate_tree::Limits as TextLimits;

/// The limits on the cost of one description, above which it is refused.
///
/// ```
/// use callgate_openapi::{Document, Limits, OperationStatus, load};
///
/// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
/// let limits = Limits { operations: 1, ..Limits::default() };
/// let text = b"openapi: 3.1.0
/// servers: [{url: https://api.example.com}]
/// paths: {/pets: {get: {operationId: listPets}, post: {operationId: createPet}}}";
/// let document = Document::read(text, &limits)?.value;
/// let report = load(&document, &Default::default()).report;
/// assert_eq!(report.count(OperationStatus::Refused), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "whoever builds limits must decide each of them")]
pub struct Limits {
    /// The bounds of its text.
    pub text: TextLimits,
    /// The operations of a description.
    pub operations: usize,
    /// The steps it may take to make tools of the description: parts that are looked at, references that are followed,
    /// values that are kept. Real descriptions take fewer than a million, GitHub's 300,000; a million take a fifth of a
    /// second and, kept, ten megabytes.
    pub effort: usize,
    /// The steps for each byte of a description whose size gives it more than those: no description is cut short by its
    /// size alone. Real ones take a fiftieth of it.
    pub effort_per_byte: usize,
    /// The steps it may take to build the declaration of one tool, beside the definitions it shares with others, and to
    /// build one of those definitions.
    pub declaration_effort: usize,
    /// The steps it may take to build all declarations of the description, beside the definitions they share. Each byte
    /// of a description whose size gives it more gives four times `effort_per_byte`.
    pub all_declarations_effort: usize,
    /// The steps it may take to build the definitions that declarations share, each once. Each byte of a description
    /// whose size gives it more gives six times `effort_per_byte`.
    pub shared_definitions_effort: usize,
    /// The number of tokens the declaration of one tool takes for a model's provider: what is deep and optional is shown in words
    /// beyond them.
    pub tool_tokens: usize,
}

impl Limits {
    /// The limit of a description of so many bytes, with so many steps for each, where that is more than `least`.
    pub(crate) fn grown(&self, least: usize, n_bytes: usize, steps: usize) -> usize {
        least.max(self.effort_per_byte.saturating_mul(steps).saturating_mul(n_bytes))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text: TextLimits::default(),
            operations: 100_000,
            effort: 4_000_000,
            effort_per_byte: 1,
            // A description of a few kilobytes can ask for billions.
            declaration_effort: 2_000_000,
            // Less than two seconds. Stripe's schemas all refer to each other, GitHub's stand in a thousand operations:
            // neither takes a quarter of it.
            all_declarations_effort: 16_000_000,
            // They are kept, in about sixteen bytes for a step.
            shared_definitions_effort: 2_000_000,
            tool_tokens: Tool::MOST_TOKENS,
        }
    }
}
