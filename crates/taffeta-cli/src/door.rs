//! Who comes in to the server: so many at once, and nobody who says or takes nothing for long.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// Connections at once; whoever comes later waits. Fewer than the files that a process may have open.
const ROOM: usize = 200;

/// How long a connection may be silent: pages ask every second.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long to wait when no connection can be had, as when all files are in use.
const PAUSE: Duration = Duration::from_millis(100);

/// A listener that lets so many in.
pub struct Door {
    listener: TcpListener,
    room: Arc<Semaphore>,
}

impl Door {
    pub fn new(listener: TcpListener) -> Self {
        Self { listener, room: Arc::new(Semaphore::new(ROOM)) }
    }
}

impl Listener for Door {
    type Io = Visit;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Visit, SocketAddr) {
        loop {
            let permit = self.room.clone().acquire_owned().await;
            match (permit, self.listener.accept().await) {
                (Ok(permit), Ok((stream, address))) => {
                    return (Visit { stream, silence: Box::pin(sleep(PATIENCE)), _permit: permit }, address);
                }
                _ => sleep(PAUSE).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that ends when nothing was said or taken for too long.
pub struct Visit {
    stream: TcpStream,
    silence: Pin<Box<Sleep>>,
    _permit: OwnedSemaphorePermit,
}

impl Visit {
    /// Begins the silence again after something happened, and ends the visit when it has lasted too long.
    fn watch<T>(&mut self, outcome: Poll<io::Result<T>>, context: &mut Context) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.silence.as_mut().reset(Instant::now() + PATIENCE);
            return outcome;
        }
        match self.silence.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Visit {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context, into: &mut ReadBuf) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_read(context, into);
        self.watch(outcome, context)
    }
}

impl AsyncWrite for Visit {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(outcome, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
