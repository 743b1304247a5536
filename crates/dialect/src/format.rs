//! A wire format as data: everything in which one differs from another. Each has its row in its own file.

use callgate_tool::{Arguments, Object, Tool, Value};

use crate::{
    envelope::EnvelopeError,
    form::Form,
    message::{AnsweredCall, MessageCall},
    projection::{Projected, Projection},
};

pub(crate) type Declaration = fn(&Tool, &Projected) -> Value;

/// The row of a format.
pub(crate) struct Format {
    pub(crate) declaration: Declaration,
    /// The calls of a message.
    pub(crate) read: fn(Value) -> Result<Vec<MessageCall>, EnvelopeError>,
    /// The message that answers a call, or its part of `message`.
    pub(crate) answer: fn(&AnsweredCall<'_>) -> Value,
    /// The message with the answers to all calls, which belong together; `None` if each has its own.
    pub(crate) message: Option<fn(Vec<Value>) -> Value>,
    /// True for an object that holds or is a call of this format, whatever is expected.
    pub(crate) is_call: fn(&Object) -> bool,
    /// The projection of schemas in the usual form; `None` if they stay unchanged.
    pub(crate) projection: Option<Projection>,
    pub(crate) further_form: Option<FurtherForm>,
    /// Converts arguments in a layout of the format's own.
    pub(crate) arguments: fn(Arguments, &Tool) -> Arguments,
    /// The tool by which a model searches deferred tools.
    pub(crate) search_tool: fn() -> Option<Value>,
    /// True if a runtime of the format may use the service's names of arguments.
    pub(crate) has_wire_names: bool,
}

/// A form of declarations beside the usual one.
pub(crate) enum FurtherForm {
    /// A declaration with a schema of another kind.
    Schema(Projection, Declaration),
    /// The flag `strict` in the object at a JSON pointer of the declaration.
    Strict(Projection, &'static str),
}

impl Format {
    /// A format without anything of its own beyond how it is declared, read and written.
    pub(crate) const fn new(
        declaration: Declaration,
        read: fn(Value) -> Result<Vec<MessageCall>, EnvelopeError>,
        answer: fn(&AnsweredCall<'_>) -> Value,
        is_call: fn(&Object) -> bool,
    ) -> Self {
        Self {
            declaration,
            read,
            answer,
            message: None,
            is_call,
            projection: None,
            further_form: None,
            arguments: |given, _| given,
            search_tool: || None,
            has_wire_names: false,
        }
    }

    /// The messages that answer calls.
    pub(crate) fn answer_messages(&self, answers: &[AnsweredCall<'_>]) -> Vec<Value> {
        let answers: Vec<Value> = answers.iter().map(self.answer).collect();
        match self.message {
            Some(message) if !answers.is_empty() => vec![message(answers)],
            _ => answers,
        }
    }

    /// The projection in a form; the usual form's if the format does not have the requested one.
    pub(crate) fn projection_in(&self, form: Form) -> Option<Projection> {
        let further = self.further_form.as_ref().filter(|further| further.form() == form);
        further.map(FurtherForm::projection).or(self.projection)
    }

    /// The declaration of a projected tool in a form.
    pub(crate) fn declaration_in(&self, form: Form, tool: &Tool, projected: &Projected) -> Value {
        match self.further_form.as_ref().filter(|further| further.form() == form) {
            None => (self.declaration)(tool, projected),
            Some(FurtherForm::Schema(_, declaration)) => declaration(tool, projected),
            Some(FurtherForm::Strict(_, pointer)) => {
                let mut declaration = (self.declaration)(tool, projected);
                let flagged = declaration.pointer_mut(pointer).and_then(Value::as_object_mut);
                flagged.and_then(|members| members.insert("strict", true.into()));
                declaration
            }
        }
    }
}

impl FurtherForm {
    pub(crate) fn form(&self) -> Form {
        match self {
            Self::Schema(..) => Form::Schema,
            Self::Strict(..) => Form::Strict,
        }
    }

    fn projection(&self) -> Projection {
        let (Self::Schema(projection, _) | Self::Strict(projection, _)) = self;
        *projection
    }
}

/// True if a member is this text.
pub(crate) fn has_member_with_text(members: &Object, name: &str, text: &str) -> bool {
    members.get(name).and_then(Value::as_str) == Some(text)
}

/// True if there is a member.
pub(crate) fn has_non_null_member(members: &Object, name: &str) -> bool {
    members.get(name).is_some_and(|value| !value.is_null())
}

/// True if a member is an object, or a list that is not empty.
pub(crate) fn has_object_or_items(members: &Object, name: &str) -> bool {
    match members.get(name) {
        Some(Value::Array(calls)) => !calls.is_empty(),
        other => other.is_some_and(Value::is_object),
    }
}

/// True if a member has this member.
pub(crate) fn has_inner_member(members: &Object, name: &str, inner: &str) -> bool {
    members.get(name).is_some_and(|it| it.get(inner).is_some())
}
