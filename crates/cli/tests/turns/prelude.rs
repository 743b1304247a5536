//! Names that more than one module here uses.

pub(crate) use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

pub(crate) use callgate_tool::{Value, json};

pub(crate) use crate::{
    gate::Gate,
    shop::World,
    sidecar::{KEEPER, Sidecar, reason, said},
};
