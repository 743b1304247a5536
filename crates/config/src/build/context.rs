//! The context of a build that all toolsets share.

use std::{path::Path, sync::Arc, time::Duration};

use callgate_secret::SecretStore;

use super::{authenticators::MadeAuthenticator, other_names::OtherNames};
use crate::environment::Environment;

#[derive(Debug)]
pub(super) struct BuildContext<'a> {
    /// The folder that relative paths start at.
    pub(super) base: &'a Path,
    pub(super) environment: &'a Environment,
    pub(super) secrets: Arc<dyn SecretStore>,
    /// True if all toolsets show a certificate to services that request one.
    pub(super) has_certificate: bool,
    /// The time that clients have for the calls that they run.
    pub(super) client_time: Duration,
    pub(super) previous: &'a [MadeAuthenticator],
    pub(super) names: OtherNames,
}
