//! A model with the way to it, as a build makes it, and the form of what reaches it for kinds of toolsets.

use std::sync::Arc;

use callgate_auth::Authenticator;
use callgate_kind::TextModel;
use callgate_transport::Transport;

use crate::agents::ModelConfig;

/// A model with the way to it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltModel {
    /// Its settings.
    pub config: ModelConfig,
    /// The transport of its requests.
    pub transport: Arc<dyn Transport>,
    /// The credential of its requests.
    pub authenticator: Arc<dyn Authenticator>,
}

/// Makes a model a function of texts.
pub type MakeTextModel = fn(&BuiltModel) -> Result<TextModel, String>;
