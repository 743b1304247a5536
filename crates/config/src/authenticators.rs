//! Makes authenticators of credentials. One whose settings did not change since the last build goes on, with the tokens it
//! keeps.

use std::sync::Arc;

use callgate_auth::{AuthConfig, Authenticator, Error, Supplies};

use crate::connect;

/// The authenticators of one toolset.
#[derive(Debug)]
pub(crate) struct Authenticators<'a> {
    supplies: Supplies,
    way: Way,
    previous: &'a [Made],
    made: Vec<Made>,
}

/// How tokens are asked for, as far as it can be compared.
pub(crate) type Way = Option<connect::Way>;

/// An authenticator and what it was made of.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    config: AuthConfig,
    way: Way,
    supplies: Supplies,
    authenticator: Arc<dyn Authenticator>,
}

impl Made {
    /// Whether both are the very same authenticator.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.authenticator, &other.authenticator)
    }
}

impl<'a> Authenticators<'a> {
    /// Makes them with these supplies, which reach authorization servers in this way.
    pub(crate) fn new(supplies: Supplies, way: Way, previous: &'a [Made]) -> Self {
        Self { supplies, way, previous, made: Vec::new() }
    }

    /// The authenticator of a credential.
    pub(crate) fn make(&mut self, config: AuthConfig) -> Result<Arc<dyn Authenticator>, Error> {
        let is_same = |known: &&Made| {
            known.config == config
                && known.way.is_some()
                && known.way == self.way
                && Arc::ptr_eq(&known.supplies.secrets, &self.supplies.secrets)
        };
        if let Some(known) = self.previous.iter().find(is_same) {
            self.made.push(known.clone());
            return Ok(Arc::clone(&known.authenticator));
        }
        let authenticator = config.clone().build(&self.supplies)?;
        self.made.push(Made {
            config,
            way: self.way.clone(),
            supplies: self.supplies.clone(),
            authenticator: Arc::clone(&authenticator),
        });
        Ok(authenticator)
    }

    /// All that were made.
    pub(crate) fn into_made(self) -> Vec<Made> {
        self.made
    }
}
