//! Refuses values that would write a key of another input: members of an exploded object or a `deepObject` become keys in
//! the query, the cookies, a form, a multipart body or a path, and each key has one writer. The keys are read from the
//! written text, as a receiver reads them; `openapi` says who owns which key.

use std::collections::BTreeMap;

use callgate_openapi::{
    Encoding, KeyForm, KeyOwner, KeySpace, Operation, Placement, Style, Styled, Writer,
};
use callgate_tool::Fault;
use callgate_tool::Value;
use percent_encoding::percent_decode_str;

use crate::{
    cookie::cookie_pairs_writer,
    inputs::{Fillings, Subject},
    parameter::write_encoded_pair,
    query::{FORM, Pairs},
    querystring::{MemberEncodings, write_encoded_member},
    wording,
};

/// Fails with the first parameter that writes a key of another, and the owner of the key.
pub(crate) fn claim_parameter_keys(
    operation: &Operation,
    subject: Subject<'_>,
    fillings: &Fillings<'_>,
) -> Result<(), Box<Fault>> {
    let filled = subject.inputs.iter().zip(fillings);
    let filled = filled.filter_map(|(input, filling)| Some((input, &*filling.as_ref()?.value)));
    let mut spread =
        filled.filter(|(input, value)| is_written_by_member(&input.placement, value)).peekable();
    if spread.peek().is_none() {
        return Ok(());
    }
    let mut keys = Keys::new(operation.key_owners());
    for (input, value) in spread {
        let argument = input.argument.as_str();
        let mut text = String::new();
        let name = &*input.name;
        let unwritable = |why| wording::unwritable(argument, why);
        match &input.placement {
            Placement::Cookie(encoding) => {
                write_encoded_pair(&mut cookie_pairs_writer(&mut text), name, encoding, value)
                    .map_err(unwritable)?;
                keys.claim_pair_keys(KeySpace::Cookie, argument, &text)?;
            }
            Placement::Query(encoding) => {
                let mut pairs = Pairs::new(&mut text, "&");
                write_encoded_pair(&mut pairs, name, encoding, value).map_err(unwritable)?;
                keys.claim_pair_keys(KeySpace::Query, argument, &text)?;
            }
            Placement::Path(_) => keys.claim_member_keys(KeySpace::Path, argument, value)?,
            Placement::Querystring { media_type, encodings } if **media_type == *FORM => {
                keys.claim_query_string_keys(argument, encodings, value)?;
            }
            _ => keys.claim_member_keys(KeySpace::Query, argument, value)?,
        }
    }
    Ok(())
}

#[derive(Debug)]
pub(crate) struct Keys<'a> {
    owners: &'a [KeyOwner],
    written: BTreeMap<(KeySpace, String), String>,
}

impl<'a> Keys<'a> {
    pub(crate) fn new(owners: &'a [KeyOwner]) -> Self {
        Self { owners, written: BTreeMap::new() }
    }

    pub(crate) fn claim_key_unchecked(&mut self, space: KeySpace, argument: &str, key: &str) {
        self.written.insert((space, key.to_owned()), argument.to_owned());
    }

    /// Claims the keys in a text of `name=value` pairs. Fails if another writer owns or wrote one.
    pub(crate) fn claim_pair_keys(
        &mut self,
        space: KeySpace,
        argument: &str,
        text: &str,
    ) -> Result<(), Box<Fault>> {
        let separator = if space == KeySpace::Cookie { ';' } else { '&' };
        keys_in_pairs(text, separator).try_for_each(|key| self.claim_key(space, argument, &key))
    }

    /// Claims the keys that the members of a whole query string write. Fails if two members write one.
    fn claim_query_string_keys(
        &mut self,
        argument: &str,
        encodings: &MemberEncodings,
        value: &Value,
    ) -> Result<(), Box<Fault>> {
        let space = KeySpace::Query;
        let mut written: BTreeMap<String, &str> = BTreeMap::new();
        for (name, member) in value.as_object().into_iter().flatten() {
            let name = name.as_str();
            let mut text = String::new();
            write_encoded_member(&mut Pairs::new(&mut text, "&"), name, encodings, member)
                .map_err(|why| wording::unwritable(argument, why))?;
            self.claim_pair_keys(space, argument, &text)?;
            let twice = keys_in_pairs(&text, '&').find_map(|key| {
                let first = *written.entry(key.clone()).or_insert(name);
                (first != name).then_some((key, first))
            });
            if let Some((key, first)) = twice {
                let at = format!("{argument}.{name}");
                let writer = Writer::Argument(format!("{argument}.{first}").into());
                return Err(wording::key::key_of_another_fault(&at, space.noun(), &key, &writer));
            }
        }
        Ok(())
    }

    fn claim_member_keys(
        &mut self,
        space: KeySpace,
        argument: &str,
        value: &Value,
    ) -> Result<(), Box<Fault>> {
        let members = value.as_object().into_iter().flatten();
        let mut names = members.filter(|(_, value)| !value.is_null()).map(|(name, _)| name);
        names.try_for_each(|name| self.claim_key(space, argument, name))
    }

    /// Claims one key, and fails like [`Keys::claim_pair_keys`].
    fn claim_key(&mut self, space: KeySpace, argument: &str, key: &str) -> Result<(), Box<Fault>> {
        let is_own = |owner: &&KeyOwner| matches!(&owner.writer, Writer::Argument(name) if **name == *argument);
        let of_space = || self.owners.iter().filter(|owner| owner.space == space);
        let declares = of_space()
            .find(is_own)
            .is_some_and(|owner| owner.form != KeyForm::Single && owner.declares(key));
        let is_deep = of_space().find(is_own).is_some_and(|owner| owner.form == KeyForm::Deep);
        let other = of_space().filter(|owner| !is_own(owner)).find(|owner| {
            // A key that both declare is refused only if both write it.
            let is_twice_declared = declares
                && owner.form == KeyForm::Exploded
                && owner.declared.contains(key)
                && *owner.name != *key;
            let is_alike =
                !declares && !is_deep && folded_key_stem(key) == folded_key_stem(&owner.name);
            (owner.owns(key) && !is_twice_declared) || (is_alike && !owner.name.is_empty())
        });
        let refused = |writer: &Writer| {
            wording::key::key_of_another_fault(argument, space.noun(), key, writer)
        };
        if let Some(other) = other {
            return Err(refused(&other.writer));
        }
        let before = self.written.insert((space, key.to_owned()), argument.to_owned());
        match before {
            Some(before) if before != argument => Err(refused(&Writer::Argument(before.into()))),
            _ => Ok(()),
        }
    }
}

/// The keys in a text of `name=value` pairs, as a receiver reads them. A value without members writes no pair.
fn keys_in_pairs(text: &str, separator: char) -> impl Iterator<Item = String> {
    let pairs = text.split(separator).filter(|pair| !pair.is_empty());
    let names = pairs.map(|pair| pair.split_once('=').map_or(pair, |(name, _)| name));
    names.map(|name| percent_decode_str(name.trim_start()).decode_utf8_lossy().into_owned())
}

/// Returns true if a value of this style is written under other keys than its own name.
pub(crate) fn has_keys_besides_name(styled: &Styled, value: &Value) -> bool {
    match (styled, value) {
        (Styled { style: Style::DeepObject, .. }, Value::Array(_) | Value::Object(_)) => true,
        (Styled { explode: true, style, .. }, Value::Object(_)) => *style != Style::Simple,
        _ => false,
    }
}

fn is_written_by_member(placement: &Placement, value: &Value) -> bool {
    match placement {
        Placement::Cookie(Encoding::Styled(styled))
        | Placement::Query(Encoding::Styled(styled)) => has_keys_besides_name(styled, value),
        Placement::Path(Encoding::Styled(styled)) => {
            styled.style == Style::Matrix && has_keys_besides_name(styled, value)
        }
        Placement::Querystring { .. } => value.is_object(),
        _ => false,
    }
}

/// The key that common frameworks take another key for: some read `account[]`, `Account` and `account.x` as `account` or as
/// a part of it. An undeclared member must not exploit that.
fn folded_key_stem(key: &str) -> String {
    let key = key.trim_start();
    let stem = key.split(['[', '.', ' ']).next().unwrap_or(key);
    if stem.is_empty() { key.to_lowercase() } else { stem.to_lowercase() }
}
