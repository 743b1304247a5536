//! Names that more than one module here uses.

pub(crate) use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

pub(crate) use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
pub(crate) use base64::{
    Engine,
    engine::general_purpose::STANDARD,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD},
};
pub(crate) use callgate::{
    Arguments, Call, Content, Effect, Entry, Executor, Fault, FaultCode, Next, Outcome, Principal,
    Reached, Secret, Session, ToolCall, ToolResult,
    auth::{Authenticator, Authorization, CredentialRefusal, GrantStore},
    client::ClientAnswer,
    config::{Built, Config, Description, Environment},
    dialect::{json_result, read_session},
    openapi::{Code, OperationStatus, Severity},
    result::{Event, Pending, PendingKind},
};
pub(crate) use callgate_auth::Login;
pub(crate) use callgate_openapi::{Document, LoadOptions};
pub(crate) use callgate_testkit::{Raw, closed_origin, describe, serve};
pub(crate) use callgate_tool::{Object, Value, json};
pub(crate) use callgate_transport::Replay;
pub(crate) use callgate_tree::Node;
pub(crate) use futures_util::future::join_all;
pub(crate) use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
    time::Instant,
};
pub(crate) use tokio_rustls::TlsAcceptor;

pub(crate) use crate::{
    authority::Authority,
    built::{build, build_in, configured, loader, result_of_service, services, toolset},
    identity_provider::{Asked, Provider},
    server::Server,
    target::{self, asked, call, fault},
};
