//! Makes authenticators from credentials. An authenticator whose settings did not change since the last build is
//! reused, with the tokens it keeps.

use std::sync::Arc;

use callgate_auth::{
    ApiKeyLocation, AuthConfig, AuthContext, Authenticator, Error, OAuth2Config, OAuth2Grant,
    plain_header_authenticator, session_header_authenticator, with_masks_for_unset,
};
use callgate_settings::{Reader, SettingCode};

use super::connect;
use crate::{code::ConfigCode, headers::HeaderValue, toolset::ToolsetConfig};

/// The authenticators of one toolset.
#[derive(Debug)]
pub(super) struct Authenticators<'a> {
    toolset: String,
    making: Making<'a>,
    pub(super) own: Option<Arc<dyn Authenticator>>,
    /// The authenticators that set the fixed headers, in the order of the configuration; `None` for one with a fault.
    pub(super) headers: Vec<Option<Arc<dyn Authenticator>>>,
    pub(super) made: Vec<MadeAuthenticator>,
}

/// The context for making authenticators.
#[derive(Debug)]
pub(super) struct Making<'a> {
    pub(super) context: AuthContext,
    /// The way to reach authorization servers.
    pub(super) way: Way,
    /// The authenticators of the last build.
    pub(super) previous: &'a [MadeAuthenticator],
    /// True if `****` replaces credentials that are not available.
    pub(super) has_stand_ins: bool,
}

/// The connection settings for token requests, in a form that can be compared.
pub(super) type Way = Option<connect::Way>;

#[derive(Clone, Debug)]
pub(super) struct MadeAuthenticator {
    pub(super) toolset: String,
    config: AuthConfig,
    way: Way,
    context: AuthContext,
    authenticator: Arc<dyn Authenticator>,
}

impl MadeAuthenticator {
    /// The settings and the authenticator.
    pub(super) fn settings_and_authenticator(&self) -> (&AuthConfig, &Arc<dyn Authenticator>) {
        (&self.config, &self.authenticator)
    }

    /// The settings of a login and the context for it; `None` for other credentials.
    pub(super) fn login_and_context(&self) -> Option<(&OAuth2Config, &AuthContext)> {
        match &self.config {
            AuthConfig::OAuth2(config)
                if matches!(config.grant, OAuth2Grant::AuthorizationCode(_)) =>
            {
                Some((config, &self.context))
            }
            _ => None,
        }
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.authenticator, &other.authenticator)
    }
}

impl<'a> Authenticators<'a> {
    /// Makes the authenticators that need no description.
    pub(super) fn new(reader: &mut Reader, config: &ToolsetConfig, making: Making<'a>) -> Self {
        let (headers, made) = (Vec::new(), Vec::new());
        let toolset = config.name.as_ref().map(ToString::to_string).unwrap_or_default();
        let mut authenticators = Self { toolset, making, own: None, headers, made };
        authenticators.make_own_authenticator(reader, config);
        authenticators.make_header_authenticators(reader, config);
        authenticators
    }

    fn make_own_authenticator(&mut self, reader: &mut Reader, config: &ToolsetConfig) {
        let Some(auth) = config.credentials.auth.clone() else { return };
        match self.make_or_reuse(auth) {
            Ok(own) => self.own = Some(own),
            Err(error) => {
                let pointer = format!("{}/auth", config.pointer);
                reader.report_fault(
                    ConfigCode::Credential,
                    pointer,
                    error.to_string(),
                    "correct the credential",
                );
            }
        }
    }

    fn make_header_authenticators(&mut self, reader: &mut Reader, config: &ToolsetConfig) {
        for header in &config.headers {
            let name = header.name.clone();
            let made = match header.value.clone() {
                HeaderValue::Plain(text) => plain_header_authenticator(&name, text),
                HeaderValue::Session(source) => session_header_authenticator(&name, source),
                HeaderValue::Secret(value) => self.make_or_reuse(AuthConfig::ApiKey {
                    place: ApiKeyLocation::Header,
                    name,
                    value,
                }),
            };
            if let Err(error) = &made {
                let help = "name a header of letters, digits and `-`, neither the connection's nor the message's";
                reader.report_fault(
                    SettingCode::WrongValue,
                    &header.pointer,
                    error.to_string(),
                    help,
                );
            }
            self.headers.push(made.ok());
        }
    }

    /// The authenticator of a credential.
    pub(super) fn make_or_reuse(
        &mut self,
        config: AuthConfig,
    ) -> Result<Arc<dyn Authenticator>, Error> {
        let Making { context, way, previous, has_stand_ins } = &self.making;
        let is_same = |previous_authenticator: &&MadeAuthenticator| {
            previous_authenticator.config == config
                && previous_authenticator.way.is_some()
                && previous_authenticator.way == *way
                && Arc::ptr_eq(&previous_authenticator.context.secrets, &context.secrets)
        };
        if let Some(previous_authenticator) = previous.iter().find(is_same) {
            self.made.push(MadeAuthenticator {
                toolset: self.toolset.clone(),
                ..previous_authenticator.clone()
            });
            return Ok(Arc::clone(&previous_authenticator.authenticator));
        }
        let mut authenticator = config.clone().build(context)?;
        if *has_stand_ins {
            authenticator = with_masks_for_unset(authenticator);
        }
        self.made.push(MadeAuthenticator {
            toolset: self.toolset.clone(),
            config,
            way: way.clone(),
            context: context.clone(),
            authenticator: Arc::clone(&authenticator),
        });
        Ok(authenticator)
    }
}
