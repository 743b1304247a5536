//! Does a step of a help in a configuration.

use crate::prelude::*;
use serde_json::{Value as Json, json};

use super::help::{Place, Step, tree};

/// The configuration after a step, and the places that it wrote.
pub(crate) struct Change {
    pub(crate) whole: Json,
    pub(crate) places: Vec<String>,
    /// True if the values there are as the help says, not made from what was wrong.
    pub(crate) is_exact: bool,
}

/// The place that a finding is about.
struct Reported<'f> {
    pointer: &'f str,
    parent: &'f str,
    name: String,
}

impl<'f> Reported<'f> {
    fn new(pointer: &'f str) -> Self {
        let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
        Self { pointer, parent, name: name.replace("~1", "/").replace("~0", "~") }
    }

    /// The place in a configuration. One value that takes the place of a list is its first.
    fn of(finding: &'f Finding, whole: &Json) -> Self {
        let mut reported = Self::new(&finding.pointer);
        while whole.pointer(reported.pointer).is_none()
            && !whole.pointer(reported.parent).is_some_and(Json::is_object)
        {
            reported = Self::new(reported.parent);
        }
        reported
    }

    /// The mapping that a member is added to.
    fn mapping(&self, place: Place, original: &Json, is_reported: bool) -> &'f str {
        let toolset = self.pointer.match_indices('/').nth(2);
        match place {
            Place::Toolset => {
                toolset.and_then(|(at, _)| self.pointer.get(..at)).unwrap_or(self.pointer)
            }
            Place::Here
                if is_reported || original.pointer(self.pointer).is_none_or(Json::is_object) =>
            {
                self.pointer
            }
            Place::Here | Place::Instead => self.parent,
        }
    }
}

/// Does a step.
#[expect(clippy::cognitive_complexity, reason = "each kind of step is an arm")]
pub(crate) fn change(
    original: &Json,
    broken: &Json,
    finding: &Finding,
    step: &Step,
) -> Option<Change> {
    let mut whole = broken.clone();
    let reported = Reported::of(finding, &whole);
    let Reported { pointer, parent, name } = &reported;
    let value = whole.pointer(pointer).cloned().unwrap_or_default();
    let is_name = finding.code == "unknown-key"
        || finding.message.ends_with(&format!(": `{name}`")) && value.as_str() != Some(name);
    let is_exact = !matches!(step, Step::Keys(_) | Step::List | Step::Quote);
    let mut places = vec![(*pointer).to_owned()];
    match step {
        Step::Add(_, key, value) if key == name => put(&mut whole, pointer, value.clone()?)?,
        Step::Add(place, key, given) => {
            let is_mapping = finding.code == "missing-key" && value.is_object();
            let mapping = reported.mapping(*place, original, is_mapping);
            if *place == Place::Instead {
                remove(&mut whole, parent, name)?;
            }
            let place = format!("{mapping}/{key}");
            let usual = || tree(USUAL).unwrap()[key].clone();
            let own = || original.pointer(&place).cloned().unwrap_or_else(usual);
            write_keys(&mut whole, mapping, &[(key, given.clone().unwrap_or_else(own))])?;
            places = vec![place];
        }
        Step::Keys(keys) => {
            let mapping = if is_name { parent } else { pointer };
            if is_name {
                remove(&mut whole, parent, name)?;
            }
            places = keys.iter().map(|key| format!("{mapping}/{key}")).collect();
            let keys: Vec<_> = keys.iter().map(|key| (key, Json::Null)).collect();
            write_keys(&mut whole, mapping, &keys)?;
        }
        Step::List => put(&mut whole, pointer, json!([value]))?,
        Step::Quote => put(&mut whole, pointer, value.to_string().into())?,
        Step::Put(value) => put(&mut whole, pointer, value.clone())?,
        Step::Restore => put(&mut whole, pointer, original.pointer(pointer)?.clone())?,
        Step::Remove(key) => {
            remove(&mut whole, parent, key.as_ref().unwrap_or(name))?;
            places.push((*parent).to_owned());
        }
        Step::Rename(new) if is_name => {
            remove(&mut whole, parent, name)?;
            places = vec![format!("{parent}/{new}")];
            write_keys(&mut whole, parent, &[(new, value)])?;
        }
        Step::Rename(new) => put(&mut whole, pointer, new.clone().into())?,
    }
    Some(Change { whole, places, is_exact })
}

/// Writes keys into a mapping, which takes the place of what is no mapping.
fn write_keys(whole: &mut Json, mapping: &str, keys: &[(&String, Json)]) -> Option<()> {
    if !whole.pointer(mapping)?.is_object() {
        put(whole, mapping, json!({}))?;
    }
    keys.iter().try_for_each(|(key, value)| put(whole, &format!("{mapping}/{key}"), value.clone()))
}

/// Writes a value at a pointer whose parent is there.
pub(crate) fn put(whole: &mut Json, pointer: &str, value: Json) -> Option<()> {
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        *whole = value;
        return Some(());
    };
    let name = name.replace("~1", "/").replace("~0", "~");
    match whole.pointer_mut(parent)? {
        Json::Object(members) => {
            members.insert(name, value);
        }
        Json::Array(items) => *items.get_mut(name.parse::<usize>().ok()?)? = value,
        _ => return None,
    }
    Some(())
}

/// Removes a member or an item.
pub(crate) fn remove(whole: &mut Json, parent: &str, name: &str) -> Option<()> {
    match whole.pointer_mut(parent)? {
        Json::Object(members) => members.remove(name).map(drop),
        Json::Array(items) => {
            items.remove(name.parse().ok()?);
            Some(())
        }
        _ => None,
    }
}

/// The values of keys that an operator has and no example shows there.
const USUAL: &str = "{openapi: ../fixtures/pets/spec.yaml, address: '127.0.0.1:0', when: safe, replay: ../fixtures/pets/cases}";
