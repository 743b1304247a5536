//! Compiles the filter of system calls: a list of what programs of Python and its libraries need, all else is answered with `ENOSYS`.
//! Left out are, among others, sockets of every family, other namespaces, `mount`, `ptrace`, `keyctl`, `bpf`, `perf_event_open`,
//! `io_uring`, `userfaultfd`, and memory that no limit counts, such as that of `memfd_create`.

use std::{collections::BTreeMap, env::consts::ARCH};

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpOp,
    SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

use crate::python::{PythonError, error};

/// The filter as bubblewrap reads it. A program with a single process cannot start another one.
pub(super) fn seccomp_filter_bytes(processes: u32) -> Result<Vec<u8>, PythonError> {
    let program = compile(processes).map_err(|_| error::unsupported_error(ARCH))?;
    let mut bytes = Vec::with_capacity(program.len().saturating_mul(8));
    for instruction in program {
        bytes.extend(instruction.code.to_ne_bytes());
        bytes.extend([instruction.jt, instruction.jf]);
        bytes.extend(instruction.k.to_ne_bytes());
    }
    Ok(bytes)
}

fn compile(processes: u32) -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> =
        PLAIN.iter().chain(OLD).map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_clone, vec![clone_rule(processes)?]);
    if processes > 1 {
        rules.extend(STARTS.iter().map(|call| (*call, Vec::new())));
    }
    // Two connected ends within the sandbox; what would reach beyond it is `socket`.
    rules.insert(libc::SYS_socketpair, rules_for_values(0, &[libc::AF_UNIX as u64])?);
    rules.insert(libc::SYS_ioctl, rules_for_values(1, &CONTROLS)?);
    rules.insert(libc::SYS_prctl, rules_for_values(0, &OF_PROCESS)?);
    let refusal = SeccompAction::Errno(libc::ENOSYS as u32);
    let arch = TargetArch::try_from(ARCH)?;
    SeccompFilter::new(rules, refusal, SeccompAction::Allow, arch)?.try_into()
}

/// No flag for a namespace; with a single process, threads only. `clone3`, whose flags a filter cannot read, is not in the list: the C
/// library then uses `clone`.
fn clone_rule(processes: u32) -> Result<SeccompRule, BackendError> {
    let thread = if processes > 1 { 0 } else { libc::CLONE_THREAD as u64 };
    rule(0, SeccompCmpOp::MaskedEq(NAMESPACES | thread), thread)
}

fn rules_for_values(argument: u8, values: &[u64]) -> Result<Vec<SeccompRule>, BackendError> {
    values.iter().map(|value| rule(argument, SeccompCmpOp::Eq, *value)).collect()
}

fn rule(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, Dword, operator, value)?])
}

const NAMESPACES: u64 = (libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWUTS) as u64
    | CLONE_NEWTIME;
/// `linux/sched.h`; in `clone` these bits are a signal, and no signal has this number.
const CLONE_NEWTIME: u64 = 0x80;

/// Questions about a file, and its flags. Not among them is what puts characters into a terminal.
const CONTROLS: [u64; 6] =
    [libc::FIOCLEX, libc::FIONBIO, libc::FIONCLEX, libc::FIONREAD, libc::TCGETS, libc::TIOCGWINSZ];

/// Names of threads, and questions. Not among them is `PR_SET_PDEATHSIG`: with it a program would outlive the one that started it.
const OF_PROCESS: [u64; 4] = [
    libc::PR_GET_DUMPABLE as u64,
    libc::PR_GET_NAME as u64,
    libc::PR_GET_NO_NEW_PRIVS as u64,
    libc::PR_SET_NAME as u64,
];

macro_rules! numbers {
    ($($name:ident)*) => { &[$(libc::$name),*] };
}

/// Calls without conditions, by what they are for.
const PLAIN: &[c_long] = numbers! {
    // Bytes of open files.
    SYS_close SYS_close_range SYS_copy_file_range SYS_dup SYS_dup3 SYS_fadvise64 SYS_fallocate SYS_fcntl SYS_fdatasync SYS_flock
    SYS_fsync SYS_ftruncate SYS_lseek SYS_pread64 SYS_preadv SYS_pwrite64 SYS_pwritev SYS_read SYS_readv SYS_sendfile
    SYS_truncate SYS_write SYS_writev
    // Names of files.
    SYS_chdir SYS_faccessat SYS_faccessat2 SYS_fchdir SYS_fchmod SYS_fchmodat SYS_fgetxattr SYS_flistxattr SYS_fstat SYS_fstatfs
    SYS_getcwd SYS_getdents64 SYS_getxattr SYS_lgetxattr SYS_linkat SYS_listxattr SYS_llistxattr SYS_mkdirat SYS_newfstatat
    SYS_openat SYS_readlinkat SYS_renameat2 SYS_statfs SYS_statx SYS_symlinkat SYS_umask SYS_unlinkat SYS_utimensat
    // Memory.
    SYS_brk SYS_madvise SYS_membarrier SYS_mincore SYS_mmap SYS_mprotect SYS_mremap SYS_msync SYS_munmap
    // This process and its threads.
    SYS_execve SYS_exit SYS_exit_group SYS_futex SYS_get_robust_list SYS_getcpu SYS_getegid SYS_geteuid SYS_getgid SYS_getgroups
    SYS_getpgid SYS_getpid SYS_getppid SYS_getpriority SYS_getresgid SYS_getresuid SYS_getrusage SYS_getsid SYS_gettid
    SYS_getuid SYS_prlimit64 SYS_restart_syscall SYS_rseq SYS_sched_get_priority_max SYS_sched_get_priority_min
    SYS_sched_getaffinity SYS_sched_getparam SYS_sched_getscheduler SYS_sched_setaffinity SYS_sched_yield SYS_set_robust_list
    SYS_set_tid_address SYS_setpgid SYS_setsid SYS_sysinfo SYS_times SYS_uname SYS_wait4 SYS_waitid
    // Signals, which stay among the processes of the sandbox.
    SYS_getitimer SYS_kill SYS_rt_sigaction SYS_rt_sigpending SYS_rt_sigprocmask SYS_rt_sigreturn SYS_rt_sigsuspend
    SYS_rt_sigtimedwait SYS_setitimer SYS_sigaltstack SYS_tgkill SYS_tkill
    // Time and chance.
    SYS_clock_getres SYS_clock_gettime SYS_clock_nanosleep SYS_getrandom SYS_gettimeofday SYS_nanosleep
    // Waiting, and pipes.
    SYS_epoll_create1 SYS_epoll_ctl SYS_epoll_pwait SYS_eventfd2 SYS_pipe2 SYS_ppoll SYS_pselect6
    // Pairs of sockets.
    SYS_getpeername SYS_getsockname SYS_getsockopt SYS_recvfrom SYS_recvmsg SYS_sendmsg SYS_sendto SYS_setsockopt SYS_shutdown
};

/// Calls that newer processors no longer have.
#[cfg(target_arch = "x86_64")]
const OLD: &[c_long] = numbers! {
    SYS_access SYS_alarm SYS_arch_prctl SYS_chmod SYS_creat SYS_dup2 SYS_epoll_create SYS_epoll_wait SYS_getdents SYS_getpgrp
    SYS_getrlimit SYS_link SYS_lstat SYS_mkdir SYS_open SYS_pause SYS_pipe SYS_poll SYS_readlink SYS_rename SYS_renameat
    SYS_rmdir SYS_select SYS_setrlimit SYS_stat SYS_symlink SYS_time SYS_unlink SYS_utime SYS_utimes
};
#[cfg(target_arch = "aarch64")]
const OLD: &[c_long] = numbers! { SYS_renameat };

/// Calls that start a process, without flags.
#[cfg(target_arch = "x86_64")]
const STARTS: &[c_long] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(target_arch = "aarch64")]
const STARTS: &[c_long] = &[];
