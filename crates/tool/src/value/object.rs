//! Named values in the order in which they were added. Small objects are searched; large ones have an index of names, so
//! that look-up stays fast.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::ops::Index;

use hashbrown::HashTable;

use super::{NULL, Value};

/// Named values in the order in which they were added; names are unique.
///
/// ```
/// use callgate_tool::{Object, Value};
///
/// let mut pet = Object::new();
/// pet.insert("name", "Rex".into());
/// pet.insert("age", 3.into());
/// assert_eq!(pet.get("age").and_then(Value::as_i64), Some(3));
/// assert_eq!(Value::Object(pet).to_string(), r#"{"name":"Rex","age":3}"#);
/// ```
#[derive(Clone, Default)]
pub struct Object {
    entries: Vec<(String, Value)>,
    index: Option<Box<Names>>,
}

/// The indices of names, by keyed hashes that outsiders cannot predict.
#[derive(Clone)]
struct Names {
    places: HashTable<usize>,
    hasher: RandomState,
}

/// Objects with more names than this have an index.
const SEARCHED_NAMES: usize = 16;

impl Object {
    /// An object without members.
    pub const fn new() -> Self {
        Self { entries: Vec::new(), index: None }
    }

    /// An object without members that has room for `n_members`.
    pub fn with_capacity(n_members: usize) -> Self {
        Self { entries: Vec::with_capacity(n_members), index: None }
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there are no members.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The member `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries.get(self.position(name)?).map(|(_, value)| value)
    }

    /// The member `name`, to change.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        let at = self.position(name)?;
        self.entries.get_mut(at).map(|(_, value)| value)
    }

    /// The member `name` and its stored name.
    pub fn get_key_value(&self, name: &str) -> Option<(&String, &Value)> {
        self.entries.get(self.position(name)?).map(|(name, value)| (name, value))
    }

    /// True if there is a member `name`.
    pub fn contains_key(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// The number of members that come before the member `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        let Some(names) = &self.index else {
            return self.entries.iter().position(|(entry, _)| entry == name);
        };
        let is_name =
            |place: &usize| self.entries.get(*place).is_some_and(|(entry, _)| entry == name);
        names.places.find(names.hasher.hash_one(name), is_name).copied()
    }

    /// Sets the member `name` and returns its old value. A known name keeps its position, a new one comes last.
    pub fn insert(&mut self, name: impl Into<String> + Borrow<str>, value: Value) -> Option<Value> {
        if let Some(old_value) = self.get_mut(name.borrow()) {
            return Some(std::mem::replace(old_value, value));
        }
        self.push_new_member(name.into(), value);
        None
    }

    /// Sets the member `name`, if there is a value for it.
    #[doc(hidden)]
    pub fn insert_if_some<T: Into<Value>>(
        &mut self,
        name: impl Into<String> + Borrow<str>,
        value: Option<T>,
    ) {
        if let Some(value) = value {
            self.insert(name, value.into());
        }
    }

    /// Sets the member `name`, unless the value is `null`, or an empty text, list or object.
    #[doc(hidden)]
    pub fn insert_unless_empty(
        &mut self,
        name: impl Into<String> + Borrow<str>,
        value: impl Into<Value>,
    ) {
        let value = value.into();
        let is_empty = match &value {
            Value::Array(items) => items.is_empty(),
            Value::Bool(_) | Value::Number(_) => false,
            Value::Null => true,
            Value::Object(members) => members.is_empty(),
            Value::String(text) => text.is_empty(),
        };
        if !is_empty {
            self.insert(name, value);
        }
    }

    /// The entry of the member `name`, which may not exist yet.
    pub fn entry<N: Into<String> + Borrow<str>>(&mut self, name: N) -> Entry<'_> {
        let at = self.position(name.borrow());
        Entry { object: self, at, name: name.into() }
    }

    /// Removes the member `name`; the others keep their order.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.remove_entry(name).map(|(_, value)| value)
    }

    /// Removes and returns the member `name` with its name; the others keep their order.
    pub fn remove_entry(&mut self, name: &str) -> Option<(String, Value)> {
        let at = self.position(name)?;
        if let Some(names) = &mut self.index {
            names.places.retain(|place| *place != at);
            names.places.iter_mut().for_each(|place| *place -= usize::from(*place > at));
        }
        Some(self.entries.remove(at))
    }

    /// Keeps the members for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&String, &mut Value) -> bool) {
        self.entries.retain_mut(|(name, value)| keep(name, value));
        self.rebuild_name_index();
    }

    /// Moves the members of another object into this one; the value of a known name is replaced.
    pub fn append(&mut self, other: &mut Self) {
        self.extend(std::mem::take(other));
    }

    /// Removes every member.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// The members, in order.
    pub fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (&String, &Value)> + ExactSizeIterator + Clone {
        self.into_iter()
    }

    /// The members with values to change, in order.
    pub fn iter_mut(&mut self) -> IterMut<'_> {
        self.entries.iter_mut().map(|(name, value)| (&*name, value))
    }

    /// The names, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &String> + ExactSizeIterator + Clone {
        self.entries.iter().map(|(name, _)| name)
    }

    /// The values, in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The values to change, in order.
    pub fn values_mut(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = &mut Value> + ExactSizeIterator {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// An object of the members that were read; of two equal names the last value wins, at the position of the first.
    pub(super) fn from_read_members(
        members: impl ExactSizeIterator<Item = (String, Value)>,
    ) -> Self {
        if members.len() > SEARCHED_NAMES {
            return members.collect();
        }
        let entries: Vec<_> = members.collect();
        let names = || entries.iter().map(|(name, _)| name);
        let is_repeated = |(at, name)| names().take(at).any(|earlier_name| earlier_name == name);
        if names().enumerate().any(is_repeated) {
            return entries.into_iter().collect();
        }
        Self { entries, index: None }
    }

    fn push_new_member(&mut self, name: String, value: Value) {
        let at = self.entries.len();
        self.entries.push((name, value));
        let Self { entries, index } = self;
        match index {
            Some(names) => names.index_entry(entries, at),
            None if at >= SEARCHED_NAMES => self.rebuild_name_index(),
            None => {}
        }
    }

    fn rebuild_name_index(&mut self) {
        self.index = None;
        if self.entries.len() > SEARCHED_NAMES {
            let places = HashTable::with_capacity(self.entries.len());
            let mut names = Box::new(Names { places, hasher: RandomState::new() });
            (0..self.entries.len()).for_each(|at| names.index_entry(&self.entries, at));
            self.index = Some(names);
        }
    }
}

impl Names {
    fn index_entry(&mut self, entries: &[(String, Value)], at: usize) {
        let Self { places, hasher } = self;
        let hash = |place: &usize| {
            entries.get(*place).map_or(0, |(name, _)| hasher.hash_one(name.as_str()))
        };
        places.insert_unique(hash(&at), at, hash);
    }
}

/// A member of an [`Object`] that may not exist yet.
///
/// ```
/// use callgate_tool::Object;
///
/// let mut query = Object::from([("limit", 5.into())]);
/// query.entry("limit").or_insert(20.into());
/// query.entry("page").or_insert_with(|| 1.into());
/// assert_eq!(query.to_string(), r#"{"limit":5,"page":1}"#);
/// ```
#[derive(Debug)]
pub struct Entry<'o> {
    object: &'o mut Object,
    at: Option<usize>,
    name: String,
}

impl<'o> Entry<'o> {
    /// The member's value; inserts `value` if there is none.
    pub fn or_insert(self, value: Value) -> &'o mut Value {
        self.or_insert_with(|| value)
    }

    /// The member's value; inserts the result of `value` if there is none.
    pub fn or_insert_with(self, value: impl FnOnce() -> Value) -> &'o mut Value {
        let at = self.at.unwrap_or_else(|| {
            self.object.push_new_member(self.name, value());
            self.object.entries.len() - 1
        });
        value_at(&mut self.object.entries, at)
    }
}

#[expect(clippy::indexing_slicing, reason = "the place was found, or made, just before")]
fn value_at(entries: &mut [(String, Value)], at: usize) -> &mut Value {
    &mut entries[at].1
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// Two objects are equal if they have equal members, in any order.
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl Eq for Object {}

/// The member with this name; `null` if there is none.
impl Index<&str> for Object {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        self.get(name).unwrap_or(&NULL)
    }
}

impl<N: Into<String> + Borrow<str>> Extend<(N, Value)> for Object {
    fn extend<I: IntoIterator<Item = (N, Value)>>(&mut self, members: I) {
        for (name, value) in members {
            self.insert(name, value);
        }
    }
}

impl<N: Into<String> + Borrow<str>> FromIterator<(N, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(members: I) -> Self {
        let mut object = Self::new();
        object.extend(members);
        object
    }
}

impl<N: Into<String> + Borrow<str>, const LENGTH: usize> From<[(N, Value); LENGTH]> for Object {
    fn from(members: [(N, Value); LENGTH]) -> Self {
        members.into_iter().collect()
    }
}

type Iter<'o> = std::iter::Map<
    std::slice::Iter<'o, (String, Value)>,
    fn(&'o (String, Value)) -> (&'o String, &'o Value),
>;

type IterMut<'o> = std::iter::Map<
    std::slice::IterMut<'o, (String, Value)>,
    fn(&'o mut (String, Value)) -> (&'o String, &'o mut Value),
>;

/// The members of an [`Object`], in order, taken out of it.
pub type IntoIter = std::vec::IntoIter<(String, Value)>;

impl IntoIterator for Object {
    type IntoIter = IntoIter;
    type Item = (String, Value);

    fn into_iter(self) -> IntoIter {
        self.entries.into_iter()
    }
}

impl<'o> IntoIterator for &'o Object {
    type IntoIter = Iter<'o>;
    type Item = (&'o String, &'o Value);

    fn into_iter(self) -> Iter<'o> {
        self.entries.iter().map(|(name, value)| (name, value))
    }
}

impl<'o> IntoIterator for &'o mut Object {
    type IntoIter = IterMut<'o>;
    type Item = (&'o String, &'o mut Value);

    fn into_iter(self) -> IterMut<'o> {
        self.iter_mut()
    }
}
