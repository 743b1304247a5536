//! The listening sockets: ports, socket files, and those of the service manager.

#[cfg(unix)]
mod file;

use std::{io, net::SocketAddr, sync::LazyLock, vec};

use bytes::Bytes;
use callgate_config::Address;
use http::Response;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

use crate::problem::too_many_connections;

#[derive(Debug)]
pub(super) enum Socket {
    Tcp {
        listener: TcpListener,
        is_handed_over: bool,
    },
    #[cfg(unix)]
    Unix {
        listener: UnixListener,
        path: String,
        /// The file, removed with the listener; `None` if it belongs to the service manager.
        file: Option<file::SocketFile>,
    },
}

#[derive(Debug)]
pub(super) enum AcceptedStream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

#[derive(Debug)]
pub(super) enum Refusal {
    Io(io::Error),
    /// Other machines can reach the address, and callers are not identified.
    Open,
}

impl From<io::Error> for Refusal {
    fn from(source: io::Error) -> Self {
        Self::Io(source)
    }
}

/// Opens an address. An address that other machines can reach is opened only if callers are identified.
pub(super) async fn open_sockets(
    address: &Address,
    asks_callers: bool,
) -> Result<Vec<Socket>, Refusal> {
    match address {
        Address::Tcp { host, port } => Ok(vec![open_tcp(host, *port, asks_callers).await?]),
        #[cfg(unix)]
        Address::Unix(path) => {
            let (listener, file) = file::bind_for_owner(path)?;
            let path = path.display().to_string();
            Ok(vec![Socket::Unix { listener, path, file: Some(file) }])
        }
        #[cfg(unix)]
        Address::Systemd(name) => systemd_sockets(name.as_deref(), asks_callers),
        #[cfg(not(unix))]
        Address::Unix(_) | Address::Systemd(_) => {
            Err(io::Error::from(io::ErrorKind::Unsupported).into())
        }
    }
}

async fn open_tcp(host: &str, port: u16, asks_callers: bool) -> Result<Socket, Refusal> {
    let mut failure = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in tokio::net::lookup_host((host, port)).await? {
        if !asks_callers && !address.ip().to_canonical().is_loopback() {
            return Err(Refusal::Open);
        }
        match listen_at(address) {
            Ok(listener) => return Ok(Socket::Tcp { listener, is_handed_over: false }),
            Err(source) => failure = source,
        }
    }
    Err(failure.into())
}

fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // On other systems, the option would let other processes listen on this port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

#[cfg(unix)]
fn systemd_sockets(name: Option<&str>, asks_callers: bool) -> Result<Vec<Socket>, Refusal> {
    check_systemd_descriptors()?;
    let handed = sd_listen_fds::get().map_err(|error| io::Error::other(error.to_string()))?;
    let mut sockets = Vec::new();
    for (socket_name, socket) in handed {
        if name.is_some_and(|name| socket_name.as_deref() != Some(name)) {
            // Another listener may use the socket by its number.
            let _number = socket.into_raw();
            continue;
        }
        let tcp = std::net::TcpListener::from(socket.into_std());
        match tcp.local_addr() {
            Ok(address) if !asks_callers && !address.ip().to_canonical().is_loopback() => {
                return Err(Refusal::Open);
            }
            Ok(_) => {
                tcp.set_nonblocking(true)?;
                let listener = TcpListener::from_std(tcp)?;
                sockets.push(Socket::Tcp { listener, is_handed_over: true });
            }
            // The address belongs to another family: a socket file.
            Err(_) => {
                let unix = std::os::unix::net::UnixListener::from(std::os::fd::OwnedFd::from(tcp));
                unix.set_nonblocking(true)?;
                let (listener, path) = (UnixListener::from_std(unix)?, SYSTEMD.to_owned());
                sockets.push(Socket::Unix { listener, path, file: None });
            }
        }
    }
    if sockets.is_empty() {
        let message = "the service manager handed over no socket of this name (`LISTEN_FDS`)";
        return Err(io::Error::new(io::ErrorKind::NotFound, message).into());
    }
    Ok(sockets)
}

/// Refuses named descriptors that are not open sockets: taking a closed descriptor, or one of our own with that number,
/// would end the process.
#[cfg(unix)]
fn check_systemd_descriptors() -> io::Result<()> {
    let open = std::path::Path::new("/proc/self/fd");
    // On systems without this folder, the service manager is trusted.
    if !open.exists() {
        return Ok(());
    }
    let handed = sd_listen_fds::get().map_err(|error| io::Error::other(error.to_string()))?;
    // The numbers are neither owned nor closed here.
    let numbers: Vec<u32> = handed.into_iter().map(|(_, socket)| socket.into_raw()).collect();
    let is_socket = |number: &u32| {
        let kind = std::fs::read_link(open.join(number.to_string()));
        kind.is_ok_and(|kind| kind.to_string_lossy().starts_with("socket:"))
    };
    match numbers.iter().find(|number| !is_socket(number)) {
        None => Ok(()),
        Some(number) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("`LISTEN_FDS` names the descriptor {number}, which is no open socket"),
        )),
    }
}

pub(super) fn has_systemd_sockets() -> bool {
    #[cfg(unix)]
    {
        let handed = sd_listen_fds::get().unwrap_or_default();
        // The sockets stay open for their listeners.
        let handed = handed.into_iter().map(|(_, socket)| socket.into_raw());
        handed.count() > 0
    }
    #[cfg(not(unix))]
    false
}

impl Socket {
    pub(super) async fn accept(&self) -> io::Result<AcceptedStream> {
        match self {
            Self::Tcp { listener, .. } => Ok(AcceptedStream::Tcp(listener.accept().await?.0)),
            #[cfg(unix)]
            Self::Unix { listener, .. } => Ok(AcceptedStream::Unix(listener.accept().await?.0)),
        }
    }

    /// True if the service manager keeps the socket open when this process ends.
    pub(super) fn is_from_systemd(&self) -> bool {
        match self {
            Self::Tcp { is_handed_over, .. } => *is_handed_over,
            #[cfg(unix)]
            Self::Unix { file, .. } => file.is_none(),
        }
    }

    /// The listening address with its port; `None` for a socket file.
    pub(super) fn local_address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp { listener, .. } => listener.local_addr().ok(),
            #[cfg(unix)]
            Self::Unix { .. } => None,
        }
    }

    pub(super) fn display_address(&self) -> String {
        match self {
            Self::Tcp { listener, .. } => {
                listener.local_addr().map(|bound| bound.to_string()).unwrap_or_default()
            }
            #[cfg(unix)]
            Self::Unix { path, .. } => format!("unix:{path}"),
        }
    }
}

impl AcceptedStream {
    /// Reports that there are too many connections, without waiting for the head of a request.
    pub(super) fn turn_away(self) {
        // A new connection has room for the response; if not, closing it says enough.
        let _written = match self {
            Self::Tcp(stream) => stream.try_write(&TOO_MANY),
            #[cfg(unix)]
            Self::Unix(stream) => stream.try_write(&TOO_MANY),
        };
    }
}

/// The bytes of a response after which the connection closes.
fn closing_response_bytes(response: &Response<Bytes>) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {}\r\n", response.status()).into_bytes();
    for (name, value) in response.headers() {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    let length = response.body().len();
    bytes.extend(format!("content-length: {length}\r\nconnection: close\r\n\r\n").into_bytes());
    bytes.extend_from_slice(response.body());
    bytes
}

/// Connections that wait to be accepted. With the library's 128, the client's machine retries a connection in a flood a
/// second later; the operating system has its own limit.
const BACKLOG: u32 = 4096;
static TOO_MANY: LazyLock<Vec<u8>> =
    LazyLock::new(|| closing_response_bytes(&too_many_connections().into_http()));

/// The name shown for a socket whose file belongs to the service manager.
#[cfg(unix)]
const SYSTEMD: &str = "systemd";
