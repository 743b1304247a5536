//! What the declarations of a description may take together. Small texts can ask for large ones (operations that share
//! a long list); what asks for more than anybody waits for is refused.

use callgate_tree::{Diagnostic, Severity};

use crate::{code::Code, document::Document};

/// What may still be done to declare the operations of one description, in steps: parts that are built, definitions that
/// are looked up. Whoever declares its operations in their order always refuses the same of them.
///
/// ```
/// use callgate_openapi::{Allowance, Document, Limits, load};
///
/// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
/// let text = b"openapi: 3.1.0
/// servers: [{url: https://api.example.com}]
/// paths: {/pets: {get: {operationId: listPets}}}";
/// let document = Document::read(text, &Limits::default())?.value;
/// let mut allowance = Allowance::default();
/// for operation in load(&document, &Default::default()).operations {
///     let tool = operation.declared(&mut allowance).map_err(|refusal| vec![*refusal])?;
///     assert_eq!(tool.name.as_str(), "listPets");
/// }
/// assert!(allowance.spent() < 100);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Allowance {
    most: usize,
    left: usize,
}

impl Default for Allowance {
    /// As much as anybody waits for: less than two seconds.
    fn default() -> Self {
        Self { most: MOST_STEPS, left: MOST_STEPS }
    }
}

impl Allowance {
    /// What the declarations of a description may take: more where its size gives it more.
    pub(crate) fn of(document: &Document) -> Self {
        let most = MOST_STEPS.max(document.n_bytes().saturating_mul(STEPS_PER_BYTE));
        Self { most, left: most }
    }

    /// The steps that were taken.
    pub fn spent(&self) -> usize {
        self.most.saturating_sub(self.left)
    }

    /// How many steps one declaration may take. It leaves something for those after it.
    pub(crate) fn of_one(&self) -> usize {
        MOST_STEPS_OF_ONE.min(self.left / SHARE).max(1)
    }

    /// Whether nothing is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.left < SHARE
    }

    /// Takes what a declaration took.
    pub(crate) fn spend(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps);
    }
}

/// The refusal of an operation at `pointer` whose declaration took all of `most` steps.
pub(crate) fn refusal(most: usize, pointer: &str, label: &str) -> Diagnostic {
    let is_alone = most == MOST_STEPS_OF_ONE;
    let (pointer, message, help) = if is_alone {
        let message = format!(
            "expected a declaration that takes at most {MOST_STEPS_OF_ONE} steps, got one that takes more"
        );
        (pointer, message, "simplify what it refers to, or split the operation")
    } else {
        let message = format!(
            "expected declarations that take a part of the steps for all, got one that takes more than are left for it: {most}"
        );
        ("", message, "offer fewer operations with `tools:`, or split the description")
    };
    let (file, pointer) = callgate_tree::pointer::parted(pointer);
    Diagnostic {
        code: Code::TooComplex.into(),
        severity: Severity::Error,
        file,
        pointer,
        position: None,
        message,
        help: help.to_owned(),
        operation: Some(label.to_owned()),
        n_more: 0,
    }
}

/// A declaration takes at most this part of what is left for all.
const SHARE: usize = 8;

/// Large descriptions take a tenth of it.
const STEPS_PER_BYTE: usize = 4;

/// Stripe's schemas all refer to each other, GitHub's stand in a thousand operations: neither takes a quarter of it.
pub(crate) const MOST_STEPS: usize = 16_000_000;

/// The steps it may take to build one declaration, which are counted as those of loading are; a description of a few
/// kilobytes can ask for billions.
pub(crate) const MOST_STEPS_OF_ONE: usize = 2_000_000;

/// The steps that what is built once for all declarations may cost, of 16 bytes each.
pub(crate) const MOST_KEPT: usize = 1_000_000;
