//! Five lines from a description to calls: a thin layer over [`ToolsetConfig`](crate::config::ToolsetConfig) for
//! one description. For several toolsets, stores of secrets and files, use [`Config`](crate::config::Config).

use callgate_auth::{AuthConfig, CredentialSource};
use callgate_config::{Built, Config, Description, Environment, Error, ServerUrl, ToolsetConfig};
use callgate_executor::Executor;
use callgate_secret::{Secret, SecretReference};

/// One description on its way to an executor. [`openapi()`] makes it.
#[derive(Clone, Debug)]
#[must_use]
pub struct OpenApi {
    toolset: ToolsetConfig,
    server: Option<String>,
}

/// Makes tools, such as `getPet`, from the operations of an OpenAPI description in YAML or JSON.
///
/// ```no_run
/// # async fn example(text: &str) -> Result<(), Box<dyn std::error::Error>> {
/// use callgate::{Secret, Session, ToolCall};
///
/// let token = Secret::new(std::env::var("TOKEN")?);
/// let executor = callgate::openapi(text).server("https://api.example.com").bearer(token).build().await?;
/// let call = ToolCall::new("1", "getPet", Default::default());
/// let result = executor.call(&call, &Session::default()).await;
/// # drop(result);
/// # Ok(())
/// # }
/// ```
pub fn openapi(text: impl Into<Vec<u8>>) -> OpenApi {
    OpenApi { toolset: ToolsetConfig::new(Description::text(text)), server: None }
}

impl OpenApi {
    /// Calls this server instead of the description's own: the whole base address, with its path.
    pub fn server(mut self, url: impl Into<String>) -> Self {
        self.server = Some(url.into());
        self
    }

    /// Calls every operation with this bearer token, except those that declare themselves open.
    pub fn bearer(self, token: Secret) -> Self {
        let token = CredentialSource::Secret(SecretReference::literal(token));
        self.auth(AuthConfig::Bearer { token })
    }

    /// Calls every operation with this credential, except those that declare themselves open.
    pub fn auth(mut self, auth: AuthConfig) -> Self {
        self.toolset = self.toolset.with_auth(auth);
        self
    }

    /// Changes the toolset's settings that have no method here.
    pub fn toolset(mut self, change: impl FnOnce(ToolsetConfig) -> ToolsetConfig) -> Self {
        self.toolset = change(self.toolset);
        self
    }

    /// Builds the executor of the description's operations.
    ///
    /// # Errors
    /// Returns [`Error`] with every fault. [`OpenApi::build_with_report`] reports the problems of the description.
    pub async fn build(self) -> Result<Executor, Error> {
        Ok(self.build_with_report().await?.executor)
    }

    /// Builds the executor, and the load report of the description.
    ///
    /// # Errors
    /// Returns the errors of [`OpenApi::build`].
    pub async fn build_with_report(mut self) -> Result<Built, Error> {
        if let Some(server) = self.server {
            self.toolset = self.toolset.with_server(ServerUrl::new(&server)?);
        }
        let config = Config::new().with_toolset(self.toolset);
        config.build(&Environment::new(), None).await
    }
}
