//! Receives the folder of memory in which a program works, and counts its files from outside: each takes memory of the kernel that no
//! other limit counts, though it be empty.

use std::{
    io::{self, IoSliceMut},
    mem::MaybeUninit,
    os::fd::OwnedFd,
    time::Duration,
};

use rustix::{
    fs::fstatvfs,
    net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg},
};
use tokio::{
    io::Interest,
    net::UnixStream,
    time::{MissedTickBehavior, interval},
};

/// Waits for a message and the one open file in it.
pub(super) async fn receive_folder(
    channel: &UnixStream,
    message: &mut [u8],
) -> io::Result<OwnedFd> {
    channel.async_io(Interest::READABLE, || receive_file_descriptor(channel, message)).await
}

fn receive_file_descriptor(channel: &UnixStream, message: &mut [u8]) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let n_expected = message.len();
    let received =
        recvmsg(channel, &mut [IoSliceMut::new(message)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let mut files = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    let file = files.next().filter(|_| received.bytes == n_expected);
    file.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Returns once there are too many files.
pub(super) async fn wait_until_too_many_files(folder: &OwnedFd) {
    let mut ticks = interval(PERIOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let n_files =
            fstatvfs(folder).map_or(u64::MAX, |all| all.f_files.saturating_sub(all.f_ffree));
        if n_files > MOST_FILES {
            return;
        }
    }
}

/// The most files, folders and links that a program has at a time.
pub(super) const MOST_FILES: u64 = 10_000;
/// In this time a program makes some thousand files.
const PERIOD: Duration = Duration::from_millis(50);
