//! The end of a command's runtime. A thread that nothing interrupts, such as one function of a statement on a large value, keeps no
//! process alive: its caller has its answer, and what it did is rolled back.

use std::time::Duration;

use tokio::runtime::Runtime;

/// Ends the runtime, and waits a moment for threads that block.
pub(crate) fn end_runtime(runtime: Runtime) {
    runtime.shutdown_timeout(TIME);
}

/// The time for what was begun, such as a line of a log, to be written.
const TIME: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_thread_that_blocks_does_not_keep_the_runtime() {
        let runtime = Runtime::new().unwrap();
        let (release, released) = mpsc::channel::<()>();
        let (begin, begun) = mpsc::channel();
        runtime.spawn_blocking(move || {
            begin.send(()).unwrap();
            released.recv().ok();
        });
        begun.recv().unwrap();
        end_runtime(runtime);
        drop(release);
    }
}
