//! Five lines from a description to calls: a thin layer over [`Config`] and [`Environment`] for one description. It goes on to
//! tools, middleware, stores and settings; for several descriptions and files, use [`Config`] itself.

use std::{path::Path, sync::Arc};

use callgate_auth::{AuthConfig, CredentialSource};
use callgate_config::{
    Built, Config, ConfigCode, Description, Environment, Error, ServerUrl, ToolsetConfig,
};
use callgate_executor::{Backend, Call, Executor, Function, Middleware};
use callgate_secret::{Secret, SecretReference, SecretStore};
use callgate_tool::{Outcome, Value};

/// One description on its way to an executor. [`openapi()`] makes it.
#[derive(Clone, Debug)]
#[must_use]
pub struct OpenApi {
    // In boxes, so that the future of a build is small.
    toolset: Box<ToolsetConfig>,
    server: Option<String>,
    config: Box<Config>,
    environment: Box<Environment>,
    /// The problem of the first faulty function.
    problem: Option<String>,
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
    OpenApi {
        toolset: Box::new(ToolsetConfig::new(Description::text(text))),
        server: None,
        config: Box::default(),
        environment: Box::default(),
        problem: None,
    }
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
        self.toolset = Box::new(self.toolset.with_auth(auth));
        self
    }

    /// Adds middleware around every call, at its stage of the fixed order.
    ///
    /// ```
    /// use callgate::policy::Metrics;
    ///
    /// let front = callgate::openapi("openapi: 3.1.0").middleware(Metrics::new());
    /// # drop(front);
    /// ```
    pub fn middleware(mut self, middleware: impl Middleware + 'static) -> Self {
        self.environment = Box::new(self.environment.with_middleware(Arc::new(middleware)));
        self
    }

    /// Adds a tool of the program's own. It comes after those of the description, and has their middleware.
    pub fn tool(mut self, tool: impl Backend + 'static) -> Self {
        self.environment = Box::new(self.environment.with_tool(tool));
        self
    }

    /// Adds a function as a tool: [`Function::new`]. `toolset` is empty for a name without a prefix; the function is then one
    /// of the description's toolset, whose `confirm` holds for it too: with `confirm: writes` a person approves its calls, since
    /// a function counts as one that changes something.
    ///
    /// ```
    /// use callgate::json;
    ///
    /// let schema = json!({"type": "object", "description": "The time of day"});
    /// let front = callgate::openapi("openapi: 3.1.0").function("", "getTime", schema, |_| async { json!("12:00") });
    /// # drop(front);
    /// ```
    pub fn function<F, R, O>(
        mut self,
        toolset: &str,
        name: &str,
        schema: impl Into<Value>,
        body: F,
    ) -> Self
    where
        F: Fn(Call<'static>) -> R + Send + Sync + 'static,
        R: Future<Output = O> + Send + 'static,
        O: Into<Outcome>,
    {
        match Function::new(toolset, name, schema, body) {
            Ok(function) => self.tool(function),
            Err(error) => {
                self.problem.get_or_insert_with(|| error.to_string());
                self
            }
        }
    }

    /// Adds a store for the references that [`SecretReference::own`] makes with this scheme. No text is read as one of them.
    ///
    /// ```
    /// use callgate::{
    ///     auth::{AuthConfig, CredentialSource},
    ///     secret::{MemoryStore, SecretReference},
    /// };
    ///
    /// let token = SecretReference::own("corp", "pets-token")?;
    /// let token = CredentialSource::Secret(token);
    /// let front = callgate::openapi("openapi: 3.1.0")
    ///     .store("corp", MemoryStore::new())
    ///     .auth(AuthConfig::Bearer { token });
    /// # drop(front);
    /// # Ok::<(), callgate::secret::Error>(())
    /// ```
    pub fn store(mut self, scheme: impl Into<String>, store: impl SecretStore + 'static) -> Self {
        self.environment = Box::new(self.environment.with_store(scheme, Arc::new(store)));
        self
    }

    /// Changes the toolset's settings that have no method here.
    pub fn toolset(mut self, change: impl FnOnce(ToolsetConfig) -> ToolsetConfig) -> Self {
        self.toolset = Box::new(change(*self.toolset));
        self
    }

    /// Changes the settings beside the toolset that have no method here: limits of all calls, an audit, idempotency.
    ///
    /// ```
    /// use callgate::policy::RecordBounds;
    ///
    /// let front = callgate::openapi("openapi: 3.1.0").config(|mut config| {
    ///     config.idempotency = Some(RecordBounds::default());
    ///     config
    /// });
    /// # drop(front);
    /// ```
    pub fn config(mut self, change: impl FnOnce(Config) -> Config) -> Self {
        self.config = Box::new(change(*self.config));
        self
    }

    /// Changes the environment where no method here does: a transport, a clock, logins of people.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use callgate::transport::Refuse;
    ///
    /// let front = callgate::openapi("openapi: 3.1.0")
    ///     .environment(|environment| environment.with_transport(Arc::new(Refuse::new())));
    /// # drop(front);
    /// ```
    pub fn environment(mut self, change: impl FnOnce(Environment) -> Environment) -> Self {
        self.environment = Box::new(change(*self.environment));
        self
    }

    /// Builds the executor of the description's operations and the added tools.
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
        if let Some(problem) = self.problem {
            let code = ConfigCode::OwnTool.as_str();
            return Err(Error::for_file(Path::new(""), code, problem, OWN_TOOL));
        }
        if let Some(server) = self.server {
            self.toolset = Box::new(self.toolset.with_server(ServerUrl::new(&server)?));
        }
        let config = Box::new(self.config.with_toolset(*self.toolset));
        config.build(&self.environment, None).await
    }
}

const OWN_TOOL: &str = "correct the tool that the program adds";
