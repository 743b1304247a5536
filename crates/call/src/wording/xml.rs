//! Sentences about values that cannot be written as XML. Facts come from `body/xml`.

use callgate_tool::Fault;

use super::{NOTHING, invalid_argument, shortened_text};

pub(crate) fn invalid_element_name(at: &str, name: &str) -> Box<Fault> {
    let got = format!("the name `{}`", shortened_text(name));
    invalid_argument(at, "members that XML can have as elements", got, None)
}

pub(crate) fn invalid_namespace(at: &str, prefix: &str) -> Box<Fault> {
    let expected = format!("names with one namespace for the prefix `{}`", shortened_text(prefix));
    invalid_argument(at, expected, "none, two or a reserved one", None)
}

pub(crate) fn missing_root_value(at: &str) -> Box<Fault> {
    invalid_argument(at, "a value, which is the root element of the body", NOTHING, None)
}

pub(crate) fn member_beside_root(at: &str, name: &str) -> Box<Fault> {
    let expected = format!("no member beside the root element `{}`", shortened_text(name));
    invalid_argument(at, expected, "one", None)
}

/// Lists, or parts of a list, could not be distinguished.
pub(crate) fn indistinguishable_values(at: &str) -> Box<Fault> {
    let expected = "a value that has an element of its own, or no other beside it";
    let got = "one that a reader could not distinguish from the value before it";
    invalid_argument(at, expected, got, None)
}

pub(crate) fn not_a_single_value(at: &str) -> Box<Fault> {
    invalid_argument(at, "a single value, as XML has it here", "a list or an object", None)
}

pub(crate) fn duplicate_writer(at: &str, kind: &str, name: &str, first: &str) -> Box<Fault> {
    let expected = format!("one writer for the {kind} `{}`", shortened_text(name));
    let got = format!("two, the other is `{}`", shortened_text(first));
    invalid_argument(at, expected, got, Some("give only one of them"))
}
