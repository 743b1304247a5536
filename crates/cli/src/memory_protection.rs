//! Protects the memory of the process, which holds credentials: on Unix the system writes it to no core file, and on Linux
//! no other process of the user may read it. Does nothing on other systems.

/// Protects the memory, before it holds credentials. The log reports a failure.
pub(crate) fn protect_memory() {
    #[cfg(unix)]
    if let Err(error) = restrict_memory_access() {
        tracing::warn!(%error, "core files or other processes of this user may hold credentials");
    }
}

#[cfg(unix)]
fn restrict_memory_access() -> rustix::io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    // Programs in a sandbox have a limit of one byte, which alone stops a core that goes to a program of the machine.
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(1) })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::{DumpableBehavior, Resource, dumpable_behavior, getrlimit};

    use super::*;

    #[test]
    fn the_process_can_be_neither_dumped_nor_traced() {
        protect_memory();
        assert!(matches!(dumpable_behavior(), Ok(DumpableBehavior::NotDumpable)));
        let core = getrlimit(Resource::Core);
        assert_eq!((core.current, core.maximum), (Some(0), Some(1)));
    }
}
