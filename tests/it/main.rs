//! The tests across crates. Each module is one subject; what a single crate promises is tested inside that crate.

#[cfg(test)]
mod architecture;
#[cfg(test)]
mod endings;
#[cfg(test)]
mod configuration;
#[cfg(test)]
mod execute;

/// The repository's root.
#[cfg(test)]
fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(1).unwrap_or("..".as_ref()).to_owned()
}
