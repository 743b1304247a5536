//! Names that more than one module here uses.

pub(crate) use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{BufRead, BufReader, Read, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, mpsc::channel},
    thread,
    time::Duration,
};

pub(crate) use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Query, Request},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
pub(crate) use callgate_testkit::{
    Blocking, CONNECTION, CONNECTORS_TOKEN, Connectors, Raw, Service, UserRules, write_file,
};
pub(crate) use callgate_tool::{Value, is_invisible_or_control, json};
pub(crate) use rustix::process::Pid;
pub(crate) use tempfile::TempDir;

pub(crate) use crate::{
    Ended, callgate, command_at_home, command_in, files, folder_with, root, running::Sidecar,
    server::Server, write,
};
