//! The options beside a description, as the places of faults.

/// The option beside a description at a pointer: the option itself, or the one that set a value there.
pub(super) fn at_fault(pointer: &str, options: &[(&str, &'static str)]) -> Option<&'static str> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        let name = pointer.split('/').next()?;
        return OPTIONS.into_iter().find(|option| *option == name);
    }
    let sets = |(at, _): &&(&str, &str)| pointer.starts_with(at);
    options.iter().find(sets).map(|(_, option)| *option)
}

/// The options beside a description, by their names in [`DescriptionOptions`](crate::DescriptionOptions).
const OPTIONS: [&str; 10] = [
    "api_key",
    "basic",
    "bearer",
    "ca",
    "egress_allow",
    "headers",
    "limits",
    "overlays",
    "server",
    "timeout",
];
