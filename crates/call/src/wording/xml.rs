//! Sentences about values that cannot be written as XML. Facts come from `body/xml`.

use callgate_tool::{Fault, Problem};

use super::{NOTHING, invalid_arguments, shortened};

/// A member's name cannot be the name of an XML element.
pub(crate) fn no_element_name(at: &str, name: &str) -> Box<Fault> {
    let got = format!("the name `{}`", shortened(name));
    fault(at, "members that XML can have as elements".to_owned(), got, None)
}

pub(crate) fn no_namespace(at: &str, prefix: &str) -> Box<Fault> {
    let expected = format!("names with one namespace for the prefix `{}`", shortened(prefix));
    fault(at, expected, "none, two or a reserved one".to_owned(), None)
}

/// The member that is the root element is missing.
pub(crate) fn missing(at: &str) -> Box<Fault> {
    fault(at, "a value, which is the root element of the body".to_owned(), NOTHING.to_owned(), None)
}

/// A member stands beside the one that is the root element.
pub(crate) fn beside(at: &str, name: &str) -> Box<Fault> {
    let expected = format!("no member beside the root element `{}`", shortened(name));
    fault(at, expected, "one".to_owned(), None)
}

/// Lists, or parts of a list, could not be distinguished.
pub(crate) fn no_borders(at: &str) -> Box<Fault> {
    let expected = "a value that has an element of its own, or no other beside it".to_owned();
    fault(
        at,
        expected,
        "one that a reader could not distinguish from the value before it".to_owned(),
        None,
    )
}

/// An attribute, or a root element, is not a single value.
pub(crate) fn no_single_value(at: &str) -> Box<Fault> {
    fault(
        at,
        "a single value, as XML has it here".to_owned(),
        "a list or an object".to_owned(),
        None,
    )
}

/// Two members would write one part of an element.
pub(crate) fn twice(at: &str, kind: &str, name: &str, first: &str) -> Box<Fault> {
    let expected = format!("one writer for the {kind} `{}`", shortened(name));
    let got = format!("two, the other is `{}`", shortened(first));
    fault(at, expected, got, Some("give only one of them".to_owned()))
}

fn fault(at: &str, expected: String, got: String, suggestion: Option<String>) -> Box<Fault> {
    invalid_arguments(vec![Problem { at: at.to_owned(), expected, got, suggestion }])
}
