//! A client of a running sidecar: sends one request at a time with the caller's credential, and reads the JSON of its response.
//! Follows no redirect, so that no other server gets the credential.

mod address;

use std::{error::Error as StdError, iter, path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use callgate::{
    Secret, Session,
    secret::{LocalStores, SecretReference, SecretStore},
};
use callgate_auth::{AuthConfig, AuthContext, Authenticator, CredentialSource};
use callgate_config::Kinds;
use callgate_tool::Value;
use callgate_transport::{
    CaCertificates, Client, ClientIdentity, ClientSettings, Error, ErrorKind, Limits, Network,
    Refuse, TlsSettings, Transport,
};
use http::{Method, Request, StatusCode, header};

use crate::{
    args::SidecarArguments,
    exit::{Failure, error_with_cause},
    open::read_file_bytes,
    output,
};

#[derive(Debug)]
pub(crate) struct Sidecar {
    /// Without a slash at its end.
    url: String,
    client: Client,
    bearer: Option<Arc<dyn Authenticator>>,
}

/// A response: its status and its JSON; `Null` for another body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) value: Value,
}

impl Sidecar {
    pub(crate) async fn client_of_running_sidecar(
        arguments: &SidecarArguments,
        kinds: &Kinds,
    ) -> Result<Self, Failure> {
        Self::connect(address::sidecar_url(arguments, kinds)?, arguments).await
    }

    /// The sidecar that runs beside this process, whatever address others know it by.
    pub(crate) async fn connect_on_this_machine(
        arguments: &SidecarArguments,
        kinds: &Kinds,
    ) -> Result<Self, Failure> {
        Self::connect(address::local_sidecar_url(arguments, kinds)?, arguments).await
    }

    async fn connect(url: String, arguments: &SidecarArguments) -> Result<Self, Failure> {
        let bearer = arguments.bearer.as_deref().map(bearer_authenticator).transpose()?;
        if bearer.is_some() && address::is_readable_on_the_way(&url) {
            output::print_message_line(&format!("note: your token goes to `{url}` without TLS"));
        }
        let tls = read_tls_settings(arguments).await?;
        let settings = ClientSettings { tls, ..ClientSettings::default() };
        Ok(Self { url, client: Client::over_network(&Network::new(), settings), bearer })
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Answer, Failure> {
        self.send(Method::GET, path, None, READ_TIME).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Answer, Failure> {
        self.send(Method::POST, path, Some(body), CALL_TIME).await
    }

    pub(crate) fn refusal_failure(&self, answer: &Answer) -> Failure {
        let help = match answer.status {
            StatusCode::UNAUTHORIZED if self.bearer.is_some() => {
                "name the token of a principal of the sidecar: `--bearer env:NAME`".to_owned()
            }
            StatusCode::UNAUTHORIZED => {
                "say who you are: `--bearer env:NAME`, or `--client-certificate FILE --client-key file:PATH`".to_owned()
            }
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                "try again in a moment".to_owned()
            }
            _ => format!("see that `{}` is a sidecar of this version", self.url),
        };
        Failure::with_help(&answer.problem_text(), &help)
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        timeout: Duration,
    ) -> Result<Answer, Failure> {
        let is_read = method == Method::GET;
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        request = request.header(header::ACCEPT, "application/json");
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let body = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let request = request.body(body);
        let mut request =
            request.map_err(|error| self.unreachable_failure(&error.to_string(), NAME_IT))?;
        if let Some(bearer) = &self.bearer {
            let placed = bearer.authorize(&mut request, &Session::default()).await;
            placed.map_err(|error| missing_token_failure(&error_with_cause(&error)))?;
        }
        let limits = Limits { timeout, response_bytes: MOST_READ };
        let response = self.client.send(request, &limits).await;
        let response = response.map_err(|error| self.request_failure(&error, is_read))?;
        if response.status().is_redirection() {
            let status = response.status().as_u16();
            let help = "name the address that it redirects to, if you trust it: `--url URL`";
            let why = format!("it redirects (status {status}), which is not followed");
            return Err(self.unreachable_failure(&why, help));
        }
        let value = Value::from_slice(response.body()).unwrap_or(Value::Null);
        Ok(Answer { status: response.status(), value })
    }

    fn request_failure(&self, error: &Error, is_read: bool) -> Failure {
        let help = match error.kind() {
            ErrorKind::Tls | ErrorKind::Certificate => {
                "trust its authority, `--ca FILE`, or name it as its certificate does: `--url https://NAME`"
            }
            ErrorKind::Connect | ErrorKind::Dns => NAME_IT,
            _ if !is_read => "it may have decided: `callgate approvals` shows it",
            _ => NAME_IT,
        };
        // The last cause says what the system said: `Connection refused`.
        let cause = iter::successors(StdError::source(error), |cause| (**cause).source()).last();
        let why = cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"));
        self.unreachable_failure(&why, help)
    }

    fn unreachable_failure(&self, why: &str, help: &str) -> Failure {
        Failure::with_help(&format!("no answer of a sidecar at `{}`: {why}", self.url), help)
    }

    /// The failure of a response that no sidecar sends.
    pub(crate) fn foreign_response_failure(&self) -> Failure {
        self.unreachable_failure("expected the JSON of a sidecar, got something else", NAME_IT)
    }
}

impl Answer {
    /// The reason for a refusal, from its problem details (RFC 9457).
    pub(crate) fn problem_text(&self) -> String {
        let text = |name| self.value.get(name).and_then(Value::as_str);
        match (text("title"), text("detail")) {
            (Some(title), Some(detail)) => format!("{title}: {detail}"),
            (Some(title), None) => title.to_owned(),
            _ => format!("the sidecar answered with status {}", self.status.as_u16()),
        }
    }
}

fn bearer_authenticator(text: &str) -> Result<Arc<dyn Authenticator>, Failure> {
    // The text may be the token itself, so it is not shown.
    let reference =
        text.parse().map_err(|_| missing_token_failure("expected a reference to a secret"))?;
    let config = AuthConfig::Bearer { token: CredentialSource::Secret(reference) };
    let context = AuthContext::new(Arc::new(local_stores()), Arc::new(Refuse::new()));
    config.build(&context).map_err(|error| missing_token_failure(&error.to_string()))
}

fn missing_token_failure(why: &str) -> Failure {
    Failure::with_help(&format!("no token: {why}"), "`--bearer env:NAME` or `--bearer file:PATH`")
}

async fn read_tls_settings(arguments: &SidecarArguments) -> Result<TlsSettings, Failure> {
    let mut settings = TlsSettings::new();
    if let Some(file) = &arguments.ca {
        let ca = CaCertificates::read(&read_file_bytes(file)?);
        let ca = ca.map_err(|error| Failure::with_help(&format!("`--ca`: {error}"), CA))?;
        settings = settings.trust_only_ca(ca);
    }
    if let (Some(file), Some(key)) = (&arguments.client_certificate, &arguments.client_key) {
        let chain = read_file_bytes(file)?;
        let key = read_secret(key).await.map_err(|why| client_certificate_failure(&why))?;
        let identity = ClientIdentity::new(&chain, &key, None);
        settings = settings.with_identity(
            identity.map_err(|error| client_certificate_failure(&error.to_string()))?,
        );
    }
    Ok(settings)
}

async fn read_secret(text: &str) -> Result<Secret, String> {
    let reference: SecretReference =
        text.parse().map_err(|_| "expected a reference to a secret".to_owned())?;
    local_stores().get(&reference).await.map_err(|error| error.to_string())
}

fn client_certificate_failure(why: &str) -> Failure {
    let help = "`--client-certificate FILE` is the certificate with its chain, yours first; `--client-key file:PATH` its private key";
    Failure::with_help(&format!("no certificate of yours: {why}"), help)
}

fn local_stores() -> LocalStores {
    LocalStores::new(Path::new(""))
}

const NAME_IT: &str = "see that it runs there, or name its address: `--url URL`";
const CA: &str = "name a file with the certificates of its authority, or its own";

/// The time for a page of a list.
const READ_TIME: Duration = Duration::from_secs(30);
/// The time for a decision, with which a call of one's own is made.
const CALL_TIME: Duration = Duration::from_mins(10);
/// The size of a response: a page of approvals with their requests.
const MOST_READ: usize = 64 << 20;
