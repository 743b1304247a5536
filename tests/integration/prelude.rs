//! Names that more than one module here uses.

pub(crate) use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
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
    approval::Decision,
    auth::{Authenticator, Authorization, CredentialRefusal, GrantStore},
    client::ClientAnswer,
    config::{self, Built, Config, Description, Environment, Finding, Retry},
    dialect::{json_result, read_session},
    openapi::{Code, OperationStatus, Severity, TextLimits as Limits},
    result::{Event, Pending, PendingKind},
    secret, session,
    transport::{ErrorKind, Transport},
};
pub(crate) use callgate_auth::Login;
pub(crate) use callgate_call::Evaluator;
pub(crate) use callgate_config::{Kind, tables};
pub(crate) use callgate_executor::Stop;
pub(crate) use callgate_openapi::{Document, LoadOptions};
pub(crate) use callgate_policy::IdempotencyKey;
pub(crate) use callgate_testkit::{
    CONNECTION, Raw, SEARCHED, Service, check_rows, closed_origin, corpus, describe, read_head,
    rows, say, serve, temporary_folder,
};
pub(crate) use callgate_tool::{Journal, Object, Preview, Value, json};
pub(crate) use callgate_transport::Replay;
pub(crate) use callgate_tree::Node;
pub(crate) use futures_util::future::join_all;
pub(crate) use rustls::{ServerConfig, pki_types::PrivatePkcs8KeyDer};
pub(crate) use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
    time::Instant,
};
pub(crate) use tokio_rustls::TlsAcceptor;

pub(crate) use crate::{
    authority::Authority,
    built::{
        build, build_in, configured, configured_with, kinds, loader, result_of_service, services,
        toolset,
    },
    configuration_schema::FULL,
    identity_provider::{Asked, Provider},
    server::Server,
    target::{self, asked, call, fault},
};
