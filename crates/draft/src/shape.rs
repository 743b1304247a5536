//! The shape of values: how many samples there are of each kind, merged member by member.

use std::collections::BTreeMap;

use callgate_tool::Value;

use crate::text::{Format, is_fraction, is_integer};

/// What all samples of one place have in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) n_samples: usize,
    pub(crate) n_nulls: usize,
    pub(crate) n_booleans: usize,
    pub(crate) n_integers: usize,
    pub(crate) n_fractions: usize,
    pub(crate) texts: Texts,
    pub(crate) n_arrays: usize,
    pub(crate) items: Option<Box<Self>>,
    pub(crate) n_objects: usize,
    /// In the order in which they were first there.
    pub(crate) members: Vec<(String, Self)>,
    places: BTreeMap<String, usize>,
}

/// Samples that are texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    pub(crate) n_samples: usize,
    /// The format that all of them have.
    pub(crate) format: Option<Format>,
    /// Each text with its number of samples, while texts are few.
    pub(crate) counts: Option<BTreeMap<String, usize>>,
}

/// More texts than these are not the values of an enumeration.
const MOST_TEXTS: usize = 4;

impl Shape {
    pub(crate) fn add_sample(&mut self, value: &Value) {
        self.n_samples += 1;
        match value {
            Value::Null => self.n_nulls += 1,
            Value::Bool(_) => self.n_booleans += 1,
            Value::Number(number) if is_integer(&number.digits()) => self.n_integers += 1,
            Value::Number(_) => self.n_fractions += 1,
            Value::String(text) => self.texts.add(text),
            Value::Array(items) => {
                self.n_arrays += 1;
                let shape = self.items.get_or_insert_default();
                for item in items {
                    shape.add_sample(item);
                }
            }
            Value::Object(members) => {
                self.n_objects += 1;
                for (name, value) in members {
                    self.change_member_or_new(name, |member| member.add_sample(value));
                }
            }
        }
    }

    /// Adds a text of an address, a header or a form, which may stand for a number or a truth value.
    pub(crate) fn add_typed_text(&mut self, text: &str) {
        match text {
            "true" | "false" => {
                self.n_samples += 1;
                self.n_booleans += 1;
            }
            text if is_integer(text) => {
                self.n_samples += 1;
                self.n_integers += 1;
            }
            text if is_fraction(text) => {
                self.n_samples += 1;
                self.n_fractions += 1;
            }
            text => {
                self.n_samples += 1;
                self.texts.add(text);
            }
        }
    }

    /// Changes the shape of a member, which is made where it is new.
    fn change_member_or_new(&mut self, name: &str, change: impl FnOnce(&mut Self)) {
        let at = *self.places.entry(name.to_owned()).or_insert(self.members.len());
        if at == self.members.len() {
            self.members.push((name.to_owned(), Self::default()));
        }
        if let Some((_, shape)) = self.members.get_mut(at) {
            change(shape);
        }
    }

    /// Adds the samples of another place.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.n_samples += other.n_samples;
        self.n_nulls += other.n_nulls;
        self.n_booleans += other.n_booleans;
        self.n_integers += other.n_integers;
        self.n_fractions += other.n_fractions;
        self.texts.merge(&other.texts);
        self.n_arrays += other.n_arrays;
        if let Some(items) = &other.items {
            self.items.get_or_insert_default().merge(items);
        }
        self.n_objects += other.n_objects;
        for (name, shape) in &other.members {
            self.change_member_or_new(name, |member| member.merge(shape));
        }
    }
}

impl Texts {
    fn add(&mut self, text: &str) {
        let format = Format::recognize(text);
        if self.n_samples == 0 {
            self.format = format;
            self.counts = Some(BTreeMap::new());
        } else if self.format != format {
            self.format = None;
        }
        self.n_samples += 1;
        self.count(text, 1);
    }

    fn count(&mut self, text: &str, n: usize) {
        let Some(counts) = &mut self.counts else { return };
        *counts.entry(text.to_owned()).or_default() += n;
        if counts.len() > MOST_TEXTS {
            self.counts = None;
        }
    }

    fn merge(&mut self, other: &Self) {
        if self.n_samples == 0 {
            self.clone_from(other);
            return;
        }
        if other.n_samples == 0 {
            return;
        }
        if self.format != other.format {
            self.format = None;
        }
        self.n_samples += other.n_samples;
        match &other.counts {
            Some(counts) => counts.iter().for_each(|(text, n)| self.count(text, *n)),
            None => self.counts = None,
        }
    }
}
