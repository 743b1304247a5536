//! Accepts connections and hands their requests to the router.

use std::io;

use axum::Router;
use tokio::net::TcpListener;

/// Serves until `stopped` ends.
pub(crate) async fn run(
    listener: TcpListener,
    router: Router,
    stopped: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    axum::serve(listener, router).with_graceful_shutdown(stopped).await
}
