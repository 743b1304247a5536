//! Five lines from a description to calls: a thin front of [`ToolsetConfig`](crate::config::ToolsetConfig) for one
//! description. More toolsets, stores of secrets and files are the business of [`Config`](crate::config::Config).

use callgate_auth::{AuthConfig, CredentialSource};
use callgate_config::{Built, Config, Description, Environment, Error, ServerUrl, ToolsetConfig};
use callgate_executor::Executor;
use callgate_secret::{Secret, SecretReference};

/// One description on its way to an executor. Made by [`openapi()`].
#[derive(Clone, Debug)]
#[must_use]
pub struct OpenApi {
    toolset: ToolsetConfig,
    server: Option<String>,
}

/// Takes an OpenAPI description, YAML or JSON, whose operations become tools: `getPet`.
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
    /// Calls this server instead of the description's own.
    pub fn server(mut self, url: impl Into<String>) -> Self {
        self.server = Some(url.into());
        self
    }

    /// Calls every operation with this bearer token, but those that say for themselves that they are open.
    pub fn bearer(self, token: Secret) -> Self {
        let token = CredentialSource::Secret(SecretReference::literal(token));
        self.auth(AuthConfig::Bearer { token })
    }

    /// Calls every operation with this credential, but those that say for themselves that they are open.
    pub fn auth(mut self, auth: AuthConfig) -> Self {
        self.toolset = self.toolset.with_auth(auth);
        self
    }

    /// The settings of the toolset, for all that has no method here.
    pub fn toolset(mut self, change: impl FnOnce(ToolsetConfig) -> ToolsetConfig) -> Self {
        self.toolset = change(self.toolset);
        self
    }

    /// The executor of the description's operations.
    ///
    /// # Errors
    /// [`Error`] with every fault. What is wrong with the description is in the report of [`OpenApi::build_with_report`].
    pub async fn build(self) -> Result<Executor, Error> {
        Ok(self.build_with_report().await?.executor)
    }

    /// The executor, and the load report of the description.
    ///
    /// # Errors
    /// As [`OpenApi::build`].
    pub async fn build_with_report(mut self) -> Result<Built, Error> {
        if let Some(server) = self.server {
            self.toolset = self.toolset.with_server(ServerUrl::new(&server)?);
        }
        let config = Config::new().with_toolset(self.toolset);
        config.build(&Environment::new(), None).await
    }
}
