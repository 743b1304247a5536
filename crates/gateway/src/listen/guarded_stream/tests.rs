//! Tests that a limit does not count the time for which the connection's task waited for its turn.

use std::future::poll_fn;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    time::{advance, timeout},
};

use super::*;

const TIMES: Times = Times { head: Duration::from_secs(2), idle: Duration::from_secs(3) };
const WHOLE: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/// A connection whose bytes the runtime has not looked for while `is_stale`.
#[derive(Debug)]
struct Unseen {
    stream: DuplexStream,
    is_stale: bool,
}

impl AsyncRead for Unseen {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.is_stale {
            Poll::Pending
        } else {
            Pin::new(&mut self.stream).poll_read(context, buffer)
        }
    }
}

impl AsyncWrite for Unseen {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.is_stale {
            Poll::Pending
        } else {
            Pin::new(&mut self.stream).poll_write(context, bytes)
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// A watched connection, its caller's end, and its activity.
fn connected() -> (GuardedStream<Unseen>, DuplexStream, Arc<Activity>) {
    let (caller, stream) = duplex(64);
    let activity = Arc::new(Activity::new());
    let unseen = Unseen { stream, is_stale: false };
    (GuardedStream::new(unseen, TIMES, Framing::new(1000), Arc::clone(&activity)), caller, activity)
}

/// Reads once; the number of bytes, or `None` if there are none yet.
async fn read(watched: &mut GuardedStream<Unseen>) -> io::Result<Option<usize>> {
    let mut bytes = [0; 64];
    let mut buffer = ReadBuf::new(&mut bytes);
    let read =
        poll_fn(|context| Poll::Ready(Pin::new(&mut *watched).poll_read(context, &mut buffer)));
    match read.await {
        Poll::Ready(read) => read.map(|()| Some(buffer.filled().len())),
        Poll::Pending => Ok(None),
    }
}

/// Reads when this much time is over and nothing the caller did since is seen, and again at the second look.
async fn read_late(
    watched: &mut GuardedStream<Unseen>,
    late: Duration,
) -> io::Result<Option<usize>> {
    advance(late).await;
    watched.stream.is_stale = true;
    assert_eq!(read(watched).await?, None);
    watched.stream.is_stale = false;
    advance(SECOND_LOOK + Duration::from_millis(10)).await;
    read(watched).await
}

async fn is_given_up(activity: &Activity) -> bool {
    timeout(Duration::ZERO, activity.wait_until_idle_end()).await.is_ok()
}

#[tokio::test(start_paused = true)]
async fn a_head_that_arrived_unnoticed_is_read_at_its_deadline() {
    for (sent, expected) in [(WHOLE, Ok(Some(WHOLE.len()))), (b"", Err(io::ErrorKind::TimedOut))] {
        let (mut watched, mut caller, _) = connected();
        assert_eq!(read(&mut watched).await.unwrap(), None);
        caller.write_all(sent).await.unwrap();
        let late = read_late(&mut watched, TIMES.head * 2).await;
        assert_eq!(late.map_err(|error| error.kind()), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_next_request_that_arrived_unnoticed_keeps_its_connection() {
    for (sent, is_lost) in [(WHOLE, false), (&b"GET"[..], false), (b"", true)] {
        let (mut watched, mut caller, activity) = connected();
        caller.write_all(WHOLE).await.unwrap();
        assert_eq!(read(&mut watched).await.unwrap(), Some(WHOLE.len()));
        drop(activity.begin_request());
        assert_eq!(read(&mut watched).await.unwrap(), None);
        caller.write_all(sent).await.unwrap();
        read_late(&mut watched, TIMES.idle * 2).await.unwrap();
        assert_eq!(is_given_up(&activity).await, is_lost, "{sent:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_is_written_at_its_deadline_if_the_socket_became_writable_unnoticed() {
    for is_read in [true, false] {
        let (mut watched, mut caller, _) = connected();
        watched.write_all(&[b'a'; 64]).await.unwrap();
        let write = async |watched: &mut GuardedStream<Unseen>| {
            poll_fn(|context| Poll::Ready(Pin::new(&mut *watched).poll_write(context, b"b"))).await
        };
        assert!(write(&mut watched).await.is_pending());
        if is_read {
            caller.read_exact(&mut [0; 64]).await.unwrap();
        }
        advance(TIMES.idle * 2).await;
        watched.stream.is_stale = true;
        assert!(write(&mut watched).await.is_pending());
        watched.stream.is_stale = false;
        advance(SECOND_LOOK * 2).await;
        let Poll::Ready(written) = write(&mut watched).await else { panic!("neither") };
        assert_eq!(written.is_ok(), is_read);
    }
}
