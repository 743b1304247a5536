//! A provider's model: sends a request, and once more where the provider asks for it. A request to a model changes nothing,
//! so it may be repeated; calls are never repeated with it.

mod duration;
mod failure;
mod overflow;
mod pieces;
mod refusal;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use callgate_auth::Authenticator;
use callgate_dialect::Dialect;
use callgate_secret::{Masker, Secret, StreamMasker};
use callgate_tool::{Json, NamedBy, Object, Session};
use callgate_transport::{CredentialValues, Limits, Transport};
use http::{HeaderValue, Method, Request, Response, Uri, header::CONTENT_TYPE};
use tokio::time::{Instant, sleep};
use tracing::{Instrument, Span, field::Empty};

pub use self::duration::{MODEL_DURATION, describe_model_duration};
pub(crate) use self::failure::ModelFailure;
use self::pieces::Pieces;
use crate::{
    context::TurnEvent,
    error::{self, Error},
    wire::{Ask, Reply, Wire, sendable_messages, wire},
};

/// A model behind an address.
///
/// ```
/// use std::sync::Arc;
///
/// use callgate_agent::{Model, ModelSettings};
/// use callgate_auth::{AuthConfig, AuthContext};
/// use callgate_dialect::Dialect;
/// use callgate_transport::Client;
///
/// # fn model(context: &AuthContext) -> Result<Model, Box<dyn std::error::Error>> {
/// // A model of this machine, by Ollama, vLLM or llama.cpp.
/// let settings = ModelSettings::new(Dialect::OpenAi, "http://127.0.0.1:11434/v1", "qwen3");
/// let authenticator = AuthConfig::None.build(context)?;
/// Ok(Model::new(settings, Arc::new(Client::new()?), authenticator)?)
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    wire: Wire,
    url: Uri,
    settings: Arc<ModelSettings>,
    transport: Arc<dyn Transport>,
    authenticator: Arc<dyn Authenticator>,
}

/// The settings of a model.
///
/// ```
/// use callgate_agent::ModelSettings;
/// use callgate_dialect::Dialect;
///
/// let url = "https://api.anthropic.com/v1";
/// let settings = ModelSettings::new(Dialect::Anthropic, url, "claude-sonnet-5");
/// assert_eq!(settings.attempts, 3);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ModelSettings {
    /// The format of its requests.
    pub dialect: Dialect,
    /// The address of the interface: `https://api.openai.com/v1`. The path of the request is added to it.
    pub url: String,
    /// The name of the model.
    pub model: String,
    /// Further members of each request, as the provider names them.
    pub settings: Object,
    /// True if replies come as streams of events, whose words are shown as they come.
    pub stream: bool,
    /// The limits of one request. The time is that of a whole reply, and the longest silence of one that is a stream; a reply
    /// that exceeds it is not asked for again.
    pub limits: Limits,
    /// The number of times that a request is sent at most, while the provider is overloaded.
    pub attempts: u32,
}

impl ModelSettings {
    /// A model with the usual limits: two minutes and 16 MiB for a reply, three attempts.
    pub fn new(dialect: Dialect, url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            dialect,
            url: url.into(),
            model: model.into(),
            settings: Object::new(),
            stream: false,
            limits: Limits { timeout: REPLY_TIME, response_bytes: REPLY_BYTES },
            attempts: ATTEMPTS,
        }
    }
}

impl Model {
    /// A model that is reached over `transport` with the credential of `authenticator`.
    ///
    /// # Errors
    /// [`ErrorKind::Dialect`](crate::ErrorKind::Dialect) for a dialect that no provider of models speaks, and
    /// [`ErrorKind::Settings`](crate::ErrorKind::Settings) for a URL or a setting that cannot be sent.
    pub fn new(
        settings: ModelSettings,
        transport: Arc<dyn Transport>,
        authenticator: Arc<dyn Authenticator>,
    ) -> Result<Self, Error> {
        let wire = wire(settings.dialect);
        let wire = wire.ok_or_else(|| error::no_model_dialect(settings.dialect.as_str()))?;
        let reserved =
            settings.settings.keys().find(|name| wire.reserved_members.contains(&&***name));
        if let Some(name) = reserved {
            return Err(error::reserved_setting(name));
        }
        let stream_path = wire.rules.stream_path.filter(|_| settings.stream);
        let path = stream_path.unwrap_or(wire.path)(&settings.model);
        let url = format!("{}{path}", settings.url.trim_end_matches('/'));
        let url = url.parse::<Uri>().map_err(|source| error::malformed_url(&source.to_string()))?;
        Ok(Self { wire, url, settings: Arc::new(settings), transport, authenticator })
    }

    /// The dialect of its requests.
    pub fn dialect(&self) -> Dialect {
        self.wire.dialect
    }

    /// The model behind another transport.
    pub(crate) fn with_transport(
        mut self,
        over: impl FnOnce(Arc<dyn Transport>) -> Arc<dyn Transport>,
    ) -> Self {
        self.transport = over(self.transport);
        self
    }

    pub(crate) fn wire(&self) -> Wire {
        self.wire
    }

    pub(crate) fn name(&self) -> &str {
        &self.settings.model
    }

    pub(crate) fn is_streamed(&self) -> bool {
        self.settings.stream
    }

    pub(crate) fn settings(&self) -> &Object {
        &self.settings.settings
    }

    /// The reply to a request, until `deadline`. `show` gets the words for the user as they come, and which of them do not
    /// count.
    pub(crate) async fn request_reply(
        &self,
        ask: &Ask<'_>,
        deadline: Instant,
        show: &(dyn Fn(TurnEvent<'_>) + Send + Sync),
    ) -> Result<Reply, ModelFailure> {
        let body = {
            let messages = sendable_messages(self.wire, self.name(), ask.messages);
            Bytes::from((self.wire.body)(&Ask { messages: &messages, ..*ask }))
        };
        let shown = Mutex::new(String::new());
        let words = |text: &str| {
            shown.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
            show(TurnEvent::Text(text));
        };
        let mut n_sent = 1;
        loop {
            let (span, began) = (self.attempt_span(), Instant::now());
            let sent = self.send_attempt(body.clone(), ask.tools, deadline, &words);
            let sent = sent.instrument(span.clone()).await;
            let failure = match sent {
                Ok(reply) => {
                    self.record_duration(began.elapsed(), None);
                    span.record("gen_ai.usage.input_tokens", saturating_i64(reply.usage.input));
                    span.record("gen_ai.usage.output_tokens", saturating_i64(reply.usage.output));
                    return Ok(reply);
                }
                Err(failure) => failure,
            };
            let kind = if failure.is_transient { "unavailable" } else { "_OTHER" };
            self.record_duration(began.elapsed(), Some(kind));
            span.record("error.type", kind);
            span.record("otel.status_code", "ERROR");
            drop(span);
            let pause = failure.retry_after.unwrap_or_else(|| PAUSE.saturating_mul(n_sent));
            let is_late = pause >= deadline.saturating_duration_since(Instant::now());
            if !failure.is_transient || n_sent >= self.settings.attempts || is_late {
                return Err(failure);
            }
            let void = std::mem::take(&mut *shown.lock().unwrap_or_else(PoisonError::into_inner));
            if !void.is_empty() {
                show(TurnEvent::Retry(&void));
            }
            let reason = &*failure.message;
            tracing::warn!(attempt = n_sent, reason, "the model is asked again");
            sleep(pause).await;
            n_sent += 1;
        }
    }

    /// The step of a trace for one attempt, by the conventions of OpenTelemetry for requests to models.
    fn attempt_span(&self) -> Span {
        let usual = if self.url.scheme_str() == Some("http") { 80 } else { 443 };
        tracing::debug_span!(
            "chat",
            "otel.name" = format!("chat {}", self.name()),
            "otel.kind" = "client",
            "otel.status_code" = Empty,
            "gen_ai.operation.name" = "chat",
            "gen_ai.provider.name" = self.wire.provider,
            "gen_ai.request.model" = self.name(),
            "gen_ai.usage.input_tokens" = Empty,
            "gen_ai.usage.output_tokens" = Empty,
            "server.address" = self.url.host().unwrap_or_default(),
            "server.port" = i64::from(self.url.port_u16().unwrap_or(usual)),
            "error.type" = Empty,
        )
    }

    async fn send_attempt(
        &self,
        body: Bytes,
        tools: &[&Json],
        deadline: Instant,
        words: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Reply, ModelFailure> {
        let mut request = Request::new(body);
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.url.clone();
        request.extensions_mut().insert(NamedBy::Operator);
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in self.wire.rules.headers {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        let session = Session::default();
        let authorized = self.authenticator.authorize(&mut request, &session).await;
        let secrets = authorized.map_err(|error| ModelFailure::of_credential(&error))?.secrets;
        // Whoever shows the request or its response masks them.
        request.extensions_mut().insert(CredentialValues(secrets.clone().into()));
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = self.settings.limits.timeout.min(left);
        let limits = Limits { timeout, ..self.settings.limits };
        let of_transport = |error| ModelFailure::of_transport(&error);
        if self.settings.stream {
            let opened = self.transport.open(request, &limits).await.map_err(of_transport)?;
            let (head, body) = opened.into_parts();
            let pieces = Pieces::new(body, &limits, deadline);
            let response = Response::from_parts(head, pieces);
            return self.read_stream(response, tools, &secrets, words).await;
        }
        let sent = self.transport.send(request, &limits).await.map_err(of_transport)?;
        self.read_and_show_reply(&sent, &secrets, words)
    }

    fn read_and_show_reply(
        &self,
        response: &Response<Bytes>,
        secrets: &[Secret],
        words: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Reply, ModelFailure> {
        let reply = self.read_reply(response, secrets)?;
        if !reply.text.is_empty() {
            words(&reply.text);
        }
        Ok(reply)
    }

    async fn read_stream(
        &self,
        response: Response<Pieces>,
        tools: &[&Json],
        secrets: &[Secret],
        words: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Reply, ModelFailure> {
        let (head, mut pieces) = response.into_parts();
        let first = pieces.next_piece().await?.unwrap_or_default();
        // Some servers do not stream, whatever they were asked for, or answer with an error under any status.
        if !head.status.is_success() || begins_json(&first) {
            let whole = pieces.collect_body(first).await?;
            return self.read_and_show_reply(&Response::from_parts(head, whole), secrets, words);
        }
        let masker = Masker::new(secrets);
        // A provider may repeat its key in the words, too.
        let mut masked = StreamMasker::new(secrets);
        let mut show = |text: &str| {
            let text = masked.mask_piece(text);
            if !text.is_empty() {
                words(&text);
            }
        };
        let mut reply = (self.wire.stream)(tools);
        let mut next = Some(first);
        while let Some(piece) = next {
            let pushed = reply.push_bytes(&piece, &mut show);
            pushed.map_err(|fault| ModelFailure::of_reply(&fault, &masker))?;
            next = pieces.next_piece().await?;
        }
        reply
            .finish_last_event(&mut show)
            .map_err(|fault| ModelFailure::of_reply(&fault, &masker))?;
        // A stream that ends before its reply is no message: nothing in it is called.
        let stray_text = masker.mask_text(reply.stray_text()).into_owned();
        let text = reply.whole_reply_body().ok_or_else(|| ModelFailure::cut_stream(&stray_text))?;
        let text = masker.mask_text(&text);
        let reply = self.wire.parse_reply(&text);
        let reply = reply.map_err(|fault| ModelFailure::of_reply(&fault, &masker))?;
        let last = masked.masked_rest();
        if !last.is_empty() {
            words(&last);
        }
        Ok(reply)
    }

    fn read_reply(
        &self,
        response: &Response<Bytes>,
        secrets: &[Secret],
    ) -> Result<Reply, ModelFailure> {
        // A provider may repeat its key.
        let text = String::from_utf8_lossy(response.body());
        let masker = Masker::new(secrets);
        let text = masker.mask_text(&text);
        if !response.status().is_success() {
            return Err(ModelFailure::of_status(response, &text));
        }
        let reply = self.wire.parse_whole_reply(&text);
        reply.map_err(|fault| ModelFailure::of_reply(&fault, &masker))
    }
}

/// A number as a trace has it: OpenTelemetry has signed ones alone, and others become texts.
fn saturating_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn begins_json(bytes: &[u8]) -> bool {
    matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// The time for one reply. Models that think take a minute and more.
const REPLY_TIME: Duration = Duration::from_mins(2);
/// The size of one reply, which may hold images.
const REPLY_BYTES: usize = 16 * 1024 * 1024;
/// The attempts of one request.
const ATTEMPTS: u32 = 3;
/// The pause after the first attempt, if the provider names none; the second is twice as long.
const PAUSE: Duration = Duration::from_secs(1);
