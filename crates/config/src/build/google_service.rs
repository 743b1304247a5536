//! The credential and the transport of toolsets that call a service of Google's by its own interface: connections, data stores.
//! Without `auth` it is the account of this machine.

use std::sync::Arc;

use callgate_auth::{AuthConfig, AuthContext, Authenticator, GoogleToken};
use callgate_google::Identity;
use callgate_settings::Reader;

use super::{
    authenticators::{Authenticators, Making},
    database::Around,
    transports::Sending,
};
use crate::{code::ConfigCode, toolset::ToolsetConfig};

/// The context for making the authenticators of a toolset.
pub(super) fn making<'a>(around: Around<'a>, sending: &Sending) -> Making<'a> {
    let environment = around.build_context.environment;
    let secrets = Arc::clone(&around.build_context.secrets);
    let context = AuthContext::new(secrets, Arc::clone(&sending.tokens))
        .with_grants(environment.grants.clone())
        .with_clock(environment.clock.clone());
    Making {
        context,
        way: sending.way.clone(),
        previous: around.build_context.previous,
        has_stand_ins: environment.has_stand_ins,
    }
}

/// The credential of all calls; `None` if it has a fault, which is reported. `pointer` is the place of the service's key.
pub(super) fn service_authenticator(
    reader: &mut Reader,
    toolset: &ToolsetConfig,
    made: &mut Authenticators<'_>,
    pointer: &str,
) -> Option<Arc<dyn Authenticator>> {
    match (&made.own, &toolset.credentials.auth) {
        (Some(own), _) => Some(Arc::clone(own)),
        (None, None) => {
            let token = GoogleToken::Access { scopes: Vec::new() };
            let usual = AuthConfig::Google { identity: Box::<Identity>::default(), token };
            authenticator(reader, made, usual, pointer)
        }
        // The fault of the credential is reported.
        (None, Some(_)) => None,
    }
}

/// An authenticator; a fault of it is reported at this place.
pub(super) fn authenticator(
    reader: &mut Reader,
    made: &mut Authenticators<'_>,
    config: AuthConfig,
    pointer: &str,
) -> Option<Arc<dyn Authenticator>> {
    let made = made.make(config);
    let complain = |error: callgate_auth::Error| {
        let help = "correct the credential";
        reader.complain(ConfigCode::Credential, pointer, error.to_string(), help);
    };
    made.map_err(complain).ok()
}
