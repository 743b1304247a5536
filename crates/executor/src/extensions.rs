//! Values that callers, middleware and backends attach to a call, found by their type.

use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
    fmt,
    sync::Arc,
};

use callgate_tool::Object;

use crate::{decision::Decided, execution::ClientAnswer};

/// A set of values, at most one of each type.
///
/// ```
/// use callgate_executor::Extensions;
///
/// #[derive(Debug, PartialEq)]
/// struct Tenant(u32);
///
/// let mut extensions = Extensions::default();
/// extensions.insert(Tenant(7));
/// assert_eq!(extensions.get(), Some(&Tenant(7)));
/// ```
#[derive(Clone, Default)]
pub struct Extensions(BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Extensions {
    /// Adds a value and replaces one of its type.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        self.0.insert(TypeId::of::<T>(), Arc::new(value));
    }

    /// The value of a type.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>()).and_then(|value| value.downcast_ref())
    }
}

/// The toolset of the tool that a call meant, if nothing runs that tool
/// ([`Executor::report_refused`](crate::Executor::report_refused)).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MeantToolset(pub Arc<str>);

/// The extensions of the call that made this one ([`Call::inner_call`](crate::Call::inner_call)), among its own.
#[derive(Clone, Debug)]
pub struct OuterCall(pub Extensions);

/// The call of a program that is kept while the call waits for a person, among its own extensions: the facts about it that the person
/// sees beside the request.
#[derive(Clone, Debug)]
pub struct PausableCall(pub Object);

/// A call of a program that an approval covers, which a person gave for an earlier call of its tool, among its own extensions.
#[derive(Clone, Debug)]
pub struct CoveredCall(pub String);

/// The maker of a program's call brings it what the client answers to calls of the program: then those may wait for the client.
#[derive(Clone, Copy, Debug)]
pub struct AnswersPrograms;

/// The maker of a program's call brings decisions to calls of the program, with the session of then: calls may wait until the user has
/// signed in. The approval middleware hands the decisions on.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "it says one thing")]
pub struct AnswersSignIns;

/// The key under which the caller may repeat a program, among the extensions of its call: the keys of its writes follow from it.
#[derive(Clone, Debug)]
pub struct RepeatKey(pub String);

/// The answer to a call of a program that waits, among the extensions of the call that brings it to the program's tool. The tool runs no
/// other program then.
#[derive(Clone, Debug)]
pub struct Resumption {
    /// The id under which the call of the program waits.
    pub pending: String,
    /// The decision; `None` if somebody else has decided, or nobody.
    pub decided: Option<Decided>,
    /// The answer of the client that ran the call.
    pub answer: Option<ClientAnswer>,
}

/// Leaves out the values, which may be secrets.
impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Extensions({})", self.0.len())
    }
}
