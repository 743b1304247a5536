//! The limits on a description that is read, beside those on its text. A real file or a real attack justifies each
//! limit; the configuration may change them.

use callgate_tool::Tool;
use callgate_tree::Limits as TextLimits;

/// The limits on the cost of one description; a description over a limit is refused.
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
#[expect(clippy::exhaustive_structs, reason = "a new field must break code that builds the value")]
pub struct Limits {
    /// The limits on the text.
    pub text: TextLimits,
    /// The number of operations in a description.
    pub operations: usize,
    /// The steps for making tools of the description: visiting parts, following references, keeping values. Real
    /// descriptions take fewer than a million, GitHub's 300,000. A million steps take a fifth of a second, and ten
    /// megabytes if the values are kept.
    pub effort: usize,
    /// The steps for each byte of the description. They apply if their total exceeds `effort`: no description is
    /// refused for its size alone. Real descriptions take a fiftieth of it.
    pub effort_per_byte: usize,
    /// The steps for building the declaration of one tool, without the definitions it shares with others, and for
    /// building one of those definitions.
    pub declaration_effort: usize,
    /// The steps for building all declarations of the description, without the definitions they share. For a large
    /// description each byte allows four times `effort_per_byte`, if the total is higher.
    pub all_declarations_effort: usize,
    /// The steps for building the definitions that declarations share, each once. For a large description each byte
    /// allows six times `effort_per_byte`, if the total is higher.
    pub shared_definitions_effort: usize,
    /// The number of tokens in the declaration of one tool for a model's provider. In a larger declaration, deep and
    /// optional parts are replaced by words.
    pub tool_tokens: usize,
}

impl Limits {
    /// The limit for a description of this size: the product of bytes and steps, but at least `least`.
    pub(crate) fn scaled_limit(&self, least: usize, n_bytes: usize, steps: usize) -> usize {
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
            // A description of a few kilobytes can require billions.
            declaration_effort: 2_000_000,
            // Less than two seconds. Stripe's schemas all refer to each other, GitHub's occur in a thousand operations:
            // neither takes a quarter of it.
            all_declarations_effort: 16_000_000,
            // Definitions are kept; each step stands for about sixteen bytes.
            shared_definitions_effort: 2_000_000,
            tool_tokens: Tool::MOST_TOKENS,
        }
    }
}
