//! The value of a body from its inputs: member by member, or as one. It knows no media types; the modules beside this one
//! write values.

use std::borrow::Cow;

use callgate_openapi::{BodyLayout, Input, InputLocation};
use callgate_tool::Value;

use crate::inputs::{Fillings, Subject};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Content<'a> {
    subject: Subject<'a>,
    fillings: &'a Fillings<'a>,
    pub(super) layout: BodyLayout,
}

#[derive(Clone, Debug)]
pub(super) struct Member<'a> {
    pub(super) at: Cow<'a, str>,
    pub(super) name: &'a str,
    /// The member's value, never `null`.
    pub(super) value: &'a Value,
}

impl<'a> Content<'a> {
    pub(crate) fn new(
        subject: Subject<'a>,
        fillings: &'a Fillings<'a>,
        layout: BodyLayout,
    ) -> Self {
        Self { subject, fillings, layout }
    }

    pub(super) fn given_body_inputs(
        &self,
    ) -> impl Iterator<Item = (&'a Input, &'a Value)> + use<'a> {
        self.subject
            .inputs
            .iter()
            .zip(self.fillings)
            .filter(|(input, _)| input.place() == InputLocation::Body)
            .filter_map(|(input, filling)| Some((input, &*filling.as_ref()?.value)))
    }

    pub(super) fn whole_body_value(&self) -> Option<(&'a str, &'a Value)> {
        let (input, value) =
            self.given_body_inputs().next().filter(|_| self.layout != BodyLayout::Flat)?;
        Some((input.argument.as_str(), value))
    }

    /// The value of a body; an object of the members if it is flat; `None` if nothing is given.
    pub(super) fn body_argument_and_value(&self) -> Option<(&'a str, Cow<'a, Value>)> {
        if let Some((argument, value)) = self.whole_body_value() {
            return Some((argument, Cow::Borrowed(value)));
        }
        let members =
            self.given_body_inputs().map(|(input, value)| (input.name.to_string(), value.clone()));
        let first = self.given_body_inputs().next()?.0.argument.as_str();
        Some((first, Cow::Owned(Value::Object(members.collect()))))
    }

    /// The members that are not `null`; `None` for a value that is not an object.
    pub(super) fn non_null_members(&self) -> Option<Vec<Member<'a>>> {
        let Some((argument, value)) = self.whole_body_value() else {
            let members = self.given_body_inputs().map(|(input, value)| Member {
                at: input.argument.as_str().into(),
                name: &input.name,
                value,
            });
            return Some(members.filter(|member| !member.value.is_null()).collect());
        };
        let members = value.as_object()?.iter().filter(|(_, value)| !value.is_null());
        let at = |name: &str| format!("{argument}.{name}").into();
        Some(members.map(|(name, value)| Member { at: at(name), name, value }).collect())
    }

    pub(super) fn longest_argument_name(&self) -> String {
        let longest = self.given_body_inputs().max_by_key(|(_, value)| value.to_string().len());
        longest.map_or_else(String::new, |(input, _)| input.argument.to_string())
    }
}
