//! The allowance for all declarations of a description together, and for the definitions they share. Small texts can
//! ask for large ones (operations that share a long list); what asks for more than anybody waits for is refused.

use std::sync::{Mutex, MutexGuard, PoisonError};

use callgate_tree::{Diagnostic, Severity};

use crate::{
    code::Code,
    document::Document,
    effort::{KEPT, Lack},
    limits::Limits,
};

/// The steps that are left to declare the operations of one description: parts that are built, definitions that are
/// looked up. Definitions that declarations share are not paid for by one of them: they have an allowance of their own.
/// Whoever declares its operations in their order always refuses the same of them.
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
    most_of_one: usize,
    left: usize,
}

impl Default for Allowance {
    /// As much as anybody waits for: less than two seconds.
    fn default() -> Self {
        let Limits { all_declarations_effort, declaration_effort, .. } = Limits::default();
        Self::new(all_declarations_effort, declaration_effort)
    }
}

impl Allowance {
    fn new(most: usize, most_of_one: usize) -> Self {
        Self { most, most_of_one, left: most }
    }

    /// The allowance for the declarations of a description: more where its size gives it more.
    pub(crate) fn of(document: &Document) -> Self {
        let limits = document.limits();
        let least = limits.all_declarations_effort;
        let most = limits.grown(least, document.n_bytes(), DECLARATIONS_PER_BYTE);
        Self::new(most, limits.declaration_effort)
    }

    /// The allowance for the definitions that they share.
    pub(crate) fn of_definitions(document: &Document) -> Self {
        let limits = document.limits();
        let least = limits.shared_definitions_effort;
        let most = limits.grown(least, document.n_bytes(), DEFINITIONS_PER_BYTE);
        Self::new(most, limits.declaration_effort)
    }

    /// All the steps that may be taken.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// The steps that were taken.
    pub fn spent(&self) -> usize {
        self.most.saturating_sub(self.left)
    }

    /// The steps that one declaration, or one definition, may take. It leaves something for those after it.
    pub(crate) fn of_one(&self) -> usize {
        self.most_of_one.min(self.left / SHARE).max(1)
    }

    /// True if one may take no more because of those before it.
    pub(crate) fn is_short(&self) -> bool {
        self.of_one() < self.most_of_one
    }

    /// True if nothing is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.left < SHARE
    }

    /// Hands out the document, with what is done with it counted, up to what one may take. What it took is taken.
    pub(crate) fn lend<T>(&mut self, document: &Document, read: impl FnOnce(&Document) -> T) -> T {
        let document = document.metered(self.of_one());
        let read = read(&document);
        self.take(KEPT + document.spent());
        read
    }

    fn take(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps);
    }
}

/// An allowance that several threads take from.
#[derive(Debug)]
pub(crate) struct SharedAllowance(Mutex<Allowance>);

impl SharedAllowance {
    pub(crate) fn new(allowance: Allowance) -> Self {
        Self(Mutex::new(allowance))
    }

    /// Hands out what is left, and takes what was taken of it. Nobody waits for what somebody else does with it.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&mut Allowance) -> T) -> T {
        let mut own = self.held().clone();
        let before = own.spent();
        let read = read(&mut own);
        self.held().take(own.spent().saturating_sub(before));
        read
    }

    fn held(&self) -> MutexGuard<'_, Allowance> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The refusal of an operation at `pointer` whose declaration took all of `most` steps, or lacks a definition.
pub(crate) fn refusal(document: &Document, most: usize, pointer: &str, label: &str) -> Diagnostic {
    let of_one = document.limits().declaration_effort;
    let (pointer, message, help) = match document.lacking() {
        Some(Lack::Definition(definition)) => {
            let message = format!(
                "expected a definition that takes at most {of_one} steps, got one that takes more"
            );
            (&**definition, message, "simplify it, or raise `declaration_effort`")
        }
        Some(Lack::Rest) => {
            let most = Allowance::of_definitions(document).most();
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
    let (file, pointer) = callgate_tree::pointer::parted(pointer);
    Diagnostic {
        code: Code::TooComplex.into(),
        severity: Severity::Error,
        file,
        pointer,
        position: None,
        message,
        help: help.to_owned(),
        remedy: None,
        operation: Some(label.to_owned()),
        n_more: 0,
    }
}

/// The remedy where one declaration takes too much.
pub(crate) const HELP_WITH_ONE: &str =
    "simplify what it refers to, split the operation, or raise `declaration_effort`";

/// The remedy where all declarations together take too much.
pub(crate) const HELP_WITH_ALL: &str = "offer fewer operations with `tools:`, split the description, or raise `all_declarations_effort` or `effort_per_byte`";

const HELP_WITH_DEFINITIONS: &str = "offer fewer operations with `tools:`, split the description, or raise `shared_definitions_effort` or `effort_per_byte`";

/// A declaration takes at most this part of what is left for all.
const SHARE: usize = 8;

/// Large descriptions take a tenth of it.
const DECLARATIONS_PER_BYTE: usize = 4;

/// Definitions of long enumerations take three for a byte: each is built for arguments as they are declared and as they are
/// checked, and for answers.
const DEFINITIONS_PER_BYTE: usize = 6;
