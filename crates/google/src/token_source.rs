//! Access tokens of the own account, from Google's library, which keeps a token and renews it before it expires. The
//! tasks that the library starts run on a thread of ours and end with the source.

use std::time::Duration;

use callgate_secret::Secret;
use google_cloud_auth::{
    build_errors::Error as BuildError,
    credentials::{
        AccessTokenCredentials, external_account, impersonated, mds, service_account, user_account,
    },
    errors::CredentialsError,
};
use tokio::{
    runtime::{Builder, Runtime},
    time::timeout,
};
use url::Url;

use crate::{
    error::{self, Error},
    key::{AUTHORIZED_USER, Credentials, EXTERNAL_ACCOUNT, IMPERSONATED},
};

/// The own account with its credentials read: those of a file, or `None` for the machine's own.
pub(crate) type Origin = Option<Credentials>;

#[derive(Debug)]
pub(crate) struct TokenSource {
    credentials: AccessTokenCredentials,
    thread: Thread,
}

impl TokenSource {
    pub(crate) fn start(
        origin: &Origin,
        scopes: &[String],
        metadata: Option<&Url>,
    ) -> Result<Self, Error> {
        let thread = Thread::start()?;
        let built =
            thread.run_in_runtime(|| build_credentials(origin, scopes.to_vec(), metadata))?;
        let credentials = built.map_err(|error| unusable_credentials_error(&error))?;
        Ok(Self { credentials, thread })
    }

    /// The current token; requests a new one if none is valid.
    pub(crate) async fn access_token(&self) -> Result<Secret, Error> {
        let credentials = self.credentials.clone();
        let token =
            self.thread.run_with_timeout(async move { credentials.access_token().await }).await?;
        Ok(Secret::new(token.token))
    }
}

/// A thread with its own runtime: its tasks end when it is dropped.
#[derive(Debug)]
pub(crate) struct Thread {
    // `None` only during drop: a runtime must not be dropped on a thread where other tasks wait for it.
    runtime: Option<Runtime>,
}

impl Thread {
    pub(crate) fn start() -> Result<Self, Error> {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).thread_name("google-tokens").enable_all().build();
        Ok(Self { runtime: Some(runtime.map_err(|_| error::no_runtime())?) })
    }

    /// Runs a request of Google's library on this thread, with a timeout.
    pub(crate) async fn run_with_timeout<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, CredentialsError>> + Send + 'static,
    {
        let Some(runtime) = &self.runtime else { return Err(error::no_runtime()) };
        match timeout(TOKEN_TIMEOUT, runtime.spawn(work)).await {
            Ok(Ok(Ok(token))) => Ok(token),
            Ok(Ok(Err(refused))) => Err(error::missing_token_error(refused.is_transient())),
            Ok(Err(_)) => Err(error::no_runtime()),
            Err(_) => Err(error::timed_out()),
        }
    }

    /// Builds a value that starts tasks; the tasks then belong to this thread.
    pub(crate) fn run_in_runtime<T>(&self, build: impl FnOnce() -> T) -> Result<T, Error> {
        let Some(runtime) = &self.runtime else { return Err(error::no_runtime()) };
        let _entered = runtime.enter();
        Ok(build())
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// An error that keeps only the class of the library's error, which may show what it read or what a service responded.
pub(crate) fn unusable_credentials_error(error: &BuildError) -> Error {
    let what = if error.is_missing_field() {
        "a field is missing"
    } else if error.is_not_supported() {
        "they are of a type that cannot be used here"
    } else if error.is_unknown_type() {
        "their `type` is unknown"
    } else {
        "they cannot be read; a private key must be PKCS #8"
    };
    error::not_credentials("the file", what)
}

fn build_credentials(
    origin: &Origin,
    scopes: Vec<String>,
    metadata: Option<&Url>,
) -> Result<AccessTokenCredentials, BuildError> {
    let Some(file) = origin else {
        let machine = mds::Builder::default().with_scopes(scopes);
        let machine = match metadata {
            Some(url) => machine.with_endpoint(url.as_str().trim_end_matches('/')),
            None => machine,
        };
        return machine.build_access_token_credentials();
    };
    let json = file.json();
    match file.kind() {
        AUTHORIZED_USER => {
            user_account::Builder::new(json).with_scopes(scopes).build_access_token_credentials()
        }
        EXTERNAL_ACCOUNT => external_account::Builder::new(json)
            .with_scopes(scopes)
            .build_access_token_credentials(),
        IMPERSONATED => {
            impersonated::Builder::new(json).with_scopes(scopes).build_access_token_credentials()
        }
        _ => service_account::Builder::new(json)
            .with_access_specifier(service_account::AccessSpecifier::from_scopes(scopes))
            .build_access_token_credentials(),
    }
}

const TOKEN_TIMEOUT: Duration = Duration::from_secs(10);
