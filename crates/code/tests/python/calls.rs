//! Attempts by system calls, past all that Python would check: each must be answered as if the kernel had no such call.

use std::collections::BTreeSet;

use callgate_code::python::Ending;
use libc::c_long;

use crate::world::{Attempt, Expected};

pub(crate) fn attempts() -> Vec<Attempt> {
    let groups: BTreeSet<&str> = CALLS.iter().map(|(name, ..)| group(name)).collect();
    let mut attempts: Vec<_> = groups.into_iter().map(calls).collect();
    attempts.extend(FAMILIES.iter().map(|(name, family)| {
        let code =
            format!("{CALL}call({0}, {family}, 1, 0), call({0}, {family}, 3, 0)", libc::SYS_socket);
        Attempt::new(name, &code, Expected::Result("('ENOSYS', 'ENOSYS')"))
    }));
    // The mode of 32 bits, and the numbers of the one with short addresses, whose calls no list of names has.
    #[cfg(target_arch = "x86_64")]
    attempts.extend([
        Attempt::new("calls of 32 bits", MACHINE_CODE, Expected::Ending(Ending::Killed)),
        Attempt::new(
            "calls of x32",
            &format!(
                "{CALL}call(0x40000000 | 272, 0x10000000), call(0x40000000 | 521, 16, 1, 0, 0)"
            ),
            Expected::Result("('ENOSYS', 'ENOSYS')"),
        ),
    ]);
    attempts
}

fn group(name: &str) -> &str {
    name.split(':').next().unwrap()
}

/// The calls of a group, in one program; the world is looked at behind them.
fn calls(name: &str) -> Attempt {
    let calls = CALLS.iter().filter(|(each, ..)| group(each) == name);
    let mut n_calls = 0;
    let mut code = format!("{CALL}answers = {{}}\n");
    for (name, number, arguments) in calls {
        code += &format!("answers[{name:?}] = call({number}, {arguments})\n");
        n_calls += 1;
    }
    code += "{name: answer for name, answer in answers.items() if answer != 'ENOSYS'}";
    Attempt::new(name, &code, Expected::Result("{}")).counted(n_calls)
}

/// `call` says the name of the error.
const CALL: &str = "
import ctypes, errno
library = ctypes.CDLL(None, use_errno=True)
page = ctypes.create_string_buffer(4096)
def call(number, *arguments):
    answer = library.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments))
    return 'ESCAPED' if answer >= 0 else errno.errorcode[ctypes.get_errno()]
at = ctypes.addressof(page)
";

/// `getpid` of 32 bits, in a page of its own.
#[cfg(target_arch = "x86_64")]
const MACHINE_CODE: &str = r"
import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=7)
code.write(b'\xb8\x14\x00\x00\x00\xcd\x80\xc3')
address = ctypes.addressof(ctypes.c_char.from_buffer(code))
ctypes.CFUNCTYPE(ctypes.c_int)(address)()
'ESCAPED'
";

const CALLS: &[(&str, c_long, &str)] = &[
    ("namespaces: unshare", libc::SYS_unshare, "0x10000000"),
    ("namespaces: clone of a user", libc::SYS_clone, "0x10000011, 0, 0, 0, 0"),
    ("namespaces: clone of mounts", libc::SYS_clone, "0x00020011, 0, 0, 0, 0"),
    ("namespaces: a thread with a network", libc::SYS_clone, "0x40010f00, 0, 0, 0, 0"),
    ("namespaces: clone3", libc::SYS_clone3, "at, 88"),
    ("namespaces: setns", libc::SYS_setns, "3, 0"),
    ("mounts: mount", libc::SYS_mount, "at, at, at, 0, 0"),
    ("mounts: umount", libc::SYS_umount2, "at, 2"),
    ("mounts: pivot_root", libc::SYS_pivot_root, "at, at"),
    ("mounts: chroot", libc::SYS_chroot, "at"),
    ("mounts: open_tree", libc::SYS_open_tree, "-100, at, 1"),
    ("mounts: move_mount", libc::SYS_move_mount, "3, at, 3, at, 0"),
    ("mounts: fsopen", libc::SYS_fsopen, "at, 0"),
    ("mounts: mount_setattr", libc::SYS_mount_setattr, "-100, at, 0, at, 32"),
    ("processes: ptrace", libc::SYS_ptrace, "16, 1, 0, 0"),
    ("processes: read memory", libc::SYS_process_vm_readv, "1, at, 1, at, 1, 0"),
    ("processes: write memory", libc::SYS_process_vm_writev, "1, at, 1, at, 1, 0"),
    ("processes: pidfd_open", libc::SYS_pidfd_open, "1, 0"),
    ("processes: pidfd_getfd", libc::SYS_pidfd_getfd, "3, 0, 0"),
    ("processes: compare", libc::SYS_kcmp, "1, 1, 0, 0, 0"),
    ("processes: outlive the parent", libc::SYS_prctl, "1, 0, 0, 0, 0"),
    ("processes: adopt orphans", libc::SYS_prctl, "36, 1, 0, 0, 0"),
    ("processes: raise an ambient right", libc::SYS_prctl, "47, 2, 21, 0, 0"),
    ("processes: personality", libc::SYS_personality, "0x0040000"),
    ("processes: execveat", libc::SYS_execveat, "-100, at, 0, 0, 0x1000"),
    ("keys: add_key", libc::SYS_add_key, "at, at, at, 1, -3"),
    ("keys: request_key", libc::SYS_request_key, "at, at, at, -3"),
    ("keys: keyctl", libc::SYS_keyctl, "0, -3, 1"),
    ("kernel: bpf", libc::SYS_bpf, "0, at, 72"),
    ("kernel: perf_event_open", libc::SYS_perf_event_open, "at, 0, -1, -1, 0"),
    ("kernel: userfaultfd", libc::SYS_userfaultfd, "1"),
    ("kernel: io_uring_setup", libc::SYS_io_uring_setup, "8, at"),
    ("kernel: io_uring_enter", libc::SYS_io_uring_enter, "3, 1, 0, 0, 0, 0"),
    ("kernel: io_setup", libc::SYS_io_setup, "8, at"),
    ("kernel: init_module", libc::SYS_init_module, "at, 1, at"),
    ("kernel: finit_module", libc::SYS_finit_module, "3, at, 0"),
    ("kernel: kexec_load", libc::SYS_kexec_load, "0, 0, 0, 0"),
    ("kernel: reboot", libc::SYS_reboot, "0, 0, 0, 0"),
    ("kernel: syslog", libc::SYS_syslog, "3, at, 4096"),
    ("kernel: acct", libc::SYS_acct, "at"),
    ("kernel: swapon", libc::SYS_swapon, "at, 0"),
    ("kernel: quotactl", libc::SYS_quotactl, "0, at, 0, at"),
    ("kernel: seccomp", libc::SYS_seccomp, "1, 0, at"),
    ("machine: sethostname", libc::SYS_sethostname, "at, 1"),
    ("machine: settimeofday", libc::SYS_settimeofday, "at, 0"),
    ("machine: clock_settime", libc::SYS_clock_settime, "0, at"),
    ("machine: clock_adjtime", libc::SYS_clock_adjtime, "0, at"),
    ("rights: capset", libc::SYS_capset, "at, at"),
    ("rights: setresuid", libc::SYS_setresuid, "0, 0, 0"),
    ("rights: setgroups", libc::SYS_setgroups, "0, at"),
    ("files: open by handle", libc::SYS_open_by_handle_at, "3, at, 0"),
    ("files: handle of a name", libc::SYS_name_to_handle_at, "-100, at, at, at, 0"),
    ("files: mknodat", libc::SYS_mknodat, "-100, at, 0x11b6, 0"),
    ("files: fanotify", libc::SYS_fanotify_init, "0, 0"),
    ("files: inotify", libc::SYS_inotify_init1, "0"),
    ("files: attributes", libc::SYS_setxattr, "at, at, at, 1, 0"),
    ("memory: memfd_create", libc::SYS_memfd_create, "at, 0"),
    ("memory: memfd_secret", libc::SYS_memfd_secret, "0"),
    ("memory: shmget", libc::SYS_shmget, "0, 1 << 30, 0x3b6"),
    ("memory: msgget", libc::SYS_msgget, "0, 0x3b6"),
    ("memory: semget", libc::SYS_semget, "0, 1, 0x3b6"),
    ("memory: mq_open", libc::SYS_mq_open, "at, 0x42, 0x1b6, 0"),
    ("memory: mlockall", libc::SYS_mlockall, "3"),
    ("memory: vmsplice", libc::SYS_vmsplice, "1, at, 1, 0"),
    ("memory: splice", libc::SYS_splice, "0, 0, 1, 0, 1, 0"),
    ("memory: mbind", libc::SYS_mbind, "at, 4096, 0, 0, 0, 0"),
    ("terminals: type a character", libc::SYS_ioctl, "0, 0x5412, at"),
    ("terminals: paste", libc::SYS_ioctl, "0, 0x541c, at"),
    ("terminals: type a character, high bits set", libc::SYS_ioctl, "0, 0x100005412, at"),
    ("terminals: take one", libc::SYS_ioctl, "0, 0x540e, 1"),
    ("sockets: bind", libc::SYS_bind, "3, at, 16"),
    ("sockets: connect", libc::SYS_connect, "3, at, 16"),
    ("sockets: listen", libc::SYS_listen, "3, 1"),
    ("sockets: a pair of the internet", libc::SYS_socketpair, "2, 1, 0, at"),
];

const FAMILIES: &[(&str, i32)] = &[
    ("sockets: unix", libc::AF_UNIX),
    ("sockets: internet", libc::AF_INET),
    ("sockets: internet 6", libc::AF_INET6),
    ("sockets: netlink", libc::AF_NETLINK),
    ("sockets: packet", libc::AF_PACKET),
    ("sockets: kernel crypto", libc::AF_ALG),
    ("sockets: virtual machine", libc::AF_VSOCK),
    ("sockets: bluetooth", libc::AF_BLUETOOTH),
    ("sockets: xdp", libc::AF_XDP),
    ("sockets: can", libc::AF_CAN),
];
