//! Ports for servers that are killed and started again in their place, and ports where nobody listens.

use std::{
    mem,
    net::{SocketAddr, TcpListener},
    ops::Range,
    process,
    sync::atomic::{AtomicU32, Ordering},
};

use tokio::net::TcpSocket;

/// A port of this machine that refuses connections. It is bound until this process ends, so that the system gives it to
/// nobody else.
pub(crate) fn closed_port() -> u16 {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let port = socket.local_addr().unwrap().port();
    mem::forget(socket);
    port
}

/// A port of this machine that nothing listens on, with room for the port of the bus of a Redis cluster. The system gives
/// none of these to a socket that asks for any port, so that nobody takes it while its server is away.
pub fn free_port() -> u16 {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let first = process::id().wrapping_mul(41);
    loop {
        let step = first.wrapping_add(ASKED.fetch_add(1, Ordering::Relaxed));
        let port = PORTS.start + u16::try_from(step % u32::from(PORTS.end - PORTS.start)).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// The ports of servers, below those that systems give out (from 32,768 on Linux), as the ports of their buses are.
const PORTS: Range<u16> = 12_000..22_000;
