//! The budget for all declarations of a description together, and for the definitions they share. Small texts can
//! cause large ones (operations that share a long list); declarations that cost more than anybody would wait for are
//! refused.

use std::sync::{Mutex, MutexGuard, PoisonError};

use callgate_tree::{Diagnostic, Severity};

use crate::{
    code::Code,
    document::Document,
    limits::Limits,
    meter::{KEPT, Lack},
};

/// The steps that remain for declaring the operations of one description: building parts and looking up definitions.
/// Shared definitions are not charged to a declaration: they have a budget of their own. A caller that declares the
/// operations in order always gets refusals for the same operations.
///
/// ```
/// use callgate_openapi::{Budget, Document, Limits, load};
///
/// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
/// let text = b"openapi: 3.1.0
/// servers: [{url: https://api.example.com}]
/// paths: {/pets: {get: {operationId: listPets}}}";
/// let document = Document::read(text, &Limits::default())?.value;
/// let mut budget = Budget::default();
/// for operation in load(&document, &Default::default()).operations {
///     let tool = operation.uncached_declaration(&mut budget).map_err(|refusal| vec![*refusal])?;
///     assert_eq!(tool.name.as_str(), "listPets");
/// }
/// assert!(budget.used_steps() < 100);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    most: usize,
    most_of_one: usize,
    left: usize,
}

impl Default for Budget {
    /// The longest that anybody waits: less than two seconds.
    fn default() -> Self {
        let Limits { all_declarations_effort, declaration_effort, .. } = Limits::default();
        Self::new(all_declarations_effort, declaration_effort)
    }
}

impl Budget {
    fn new(most: usize, most_of_one: usize) -> Self {
        Self { most, most_of_one, left: most }
    }

    /// The budget for the declarations of a description, which grows with its size.
    pub(crate) fn for_declarations(document: &Document) -> Self {
        let limits = document.limits();
        let least = limits.all_declarations_effort;
        let most = limits.scaled_limit(least, document.approximate_bytes(), DECLARATIONS_PER_BYTE);
        Self::new(most, limits.declaration_effort)
    }

    pub(crate) fn for_definitions(document: &Document) -> Self {
        let limits = document.limits();
        let least = limits.shared_definitions_effort;
        let most = limits.scaled_limit(least, document.approximate_bytes(), DEFINITIONS_PER_BYTE);
        Self::new(most, limits.declaration_effort)
    }

    pub(crate) fn most_steps(&self) -> usize {
        self.most
    }

    /// The steps that were used.
    pub fn used_steps(&self) -> usize {
        self.most.saturating_sub(self.left)
    }

    /// The steps that one declaration, or one definition, may use. The limit leaves steps for the later ones.
    pub(crate) fn steps_per_declaration(&self) -> usize {
        self.most_of_one.min(self.left / SHARE).max(1)
    }

    pub(crate) fn has_reduced_limit(&self) -> bool {
        self.steps_per_declaration() < self.most_of_one
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.left < SHARE
    }

    /// Passes the document to `read`, counts the steps up to the limit of one declaration, and subtracts them.
    pub(crate) fn read_within_budget<T>(
        &mut self,
        document: &Document,
        read: impl FnOnce(&Document) -> T,
    ) -> T {
        let document = document.with_step_limit(self.steps_per_declaration());
        let read = read(&document);
        self.take_steps(KEPT + document.used_steps());
        read
    }

    fn take_steps(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps);
    }
}

#[derive(Debug)]
pub(crate) struct SharedBudget(Mutex<Budget>);

impl SharedBudget {
    pub(crate) fn new(budget: Budget) -> Self {
        Self(Mutex::new(budget))
    }

    /// Passes a copy of the budget to `read`, and subtracts the used steps. The lock is not held meanwhile.
    pub(crate) fn spend_through_budget_copy<T>(&self, read: impl FnOnce(&mut Budget) -> T) -> T {
        let mut own = self.budget_guard().clone();
        let before = own.used_steps();
        let read = read(&mut own);
        self.budget_guard().take_steps(own.used_steps().saturating_sub(before));
        read
    }

    fn budget_guard(&self) -> MutexGuard<'_, Budget> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The refusal of an operation at `pointer` whose declaration used all of `most` steps, or lacks a definition.
pub(crate) fn effort_refusal(
    document: &Document,
    most: usize,
    pointer: &str,
    label: &str,
) -> Diagnostic {
    let of_one = document.limits().declaration_effort;
    let (pointer, message, help) = match document.recorded_lack() {
        Some(Lack::Definition(definition)) => {
            let message = format!(
                "expected a definition that takes at most {of_one} steps, got one that takes more"
            );
            (&**definition, message, "simplify it, or raise `declaration_effort`")
        }
        Some(Lack::Rest) => {
            let most = Budget::for_definitions(document).most_steps();
            let message = format!(
                "expected shared definitions that take at most {most} steps in total, got more"
            );
            ("", message, HELP_WITH_DEFINITIONS)
        }
        None if most >= of_one => {
            let message = format!(
                "expected a declaration that takes at most {of_one} steps, got one that takes more"
            );
            (pointer, message, HELP_WITH_ONE)
        }
        None => {
            let message = format!(
                "expected declarations that take a part of the steps for all, got one that takes more than are left for it: {most}"
            );
            ("", message, HELP_WITH_ALL)
        }
    };
    let (file, pointer) = callgate_tree::pointer::document_and_pointer(pointer);
    let operation = Some(label.to_owned());
    let diagnostic = Diagnostic::new(Code::TooComplex, Severity::Error, message, help);
    Diagnostic { file, pointer, operation, ..diagnostic }
}

pub(crate) const HELP_WITH_ONE: &str =
    "simplify what it refers to, split the operation, or raise `declaration_effort`";

pub(crate) const HELP_WITH_ALL: &str = "offer fewer operations with `tools:`, split the description, or raise `all_declarations_effort` or `effort_per_byte`";

const HELP_WITH_DEFINITIONS: &str = "offer fewer operations with `tools:`, split the description, or raise `shared_definitions_effort` or `effort_per_byte`";

/// One declaration may use at most this fraction of the remaining steps.
const SHARE: usize = 8;

/// The steps for each byte of a description. Large descriptions use a tenth of it.
const DECLARATIONS_PER_BYTE: usize = 4;

/// The steps for each byte of a description. Definitions of long enumerations use three: each is built for declared
/// arguments, for checked arguments and for responses.
const DEFINITIONS_PER_BYTE: usize = 6;
