//! Attempts on files, the environment, the network, processes and limits.

use callgate_code::python::Ending;
use callgate_testkit::rows;

use crate::world::{Attempt, Expected};

pub(crate) fn attempts() -> Vec<Attempt> {
    let error =
        |[name, code, part]: [&'static str; 3]| Attempt::of_line(name, code, Expected::Error(part));
    let result = |[name, code, part]: [&'static str; 3]| {
        Attempt::of_line(name, code, Expected::Result(part))
    };
    let mut attempts: Vec<_> = rows(ERRORS).map(error).collect();
    attempts.extend(rows(RESULTS).map(result));
    attempts.extend(SEVERAL.iter().map(|(name, code, part)| {
        Attempt::new(name, code, Expected::Result(part)).with_processes(8)
    }));
    let shadow = "raise SystemExit('ESCAPED')".as_bytes().to_vec();
    let shadows = ["json.py", "sitecustomize.py", "traceback.py", "usercustomize.py", "ast.py"];
    attempts.extend(shadows.iter().map(|name| {
        let code = "import traceback, ast, json; 1 / 0";
        Attempt::new(name, code, Expected::Error("ZeroDivisionError"))
            .with_file(name, shadow.clone())
    }));
    attempts.extend(Attempt::ending(KILLED, Ending::Killed));
    attempts
}

/// Each with its program and a part of the error.
const ERRORS: &str = r"
    users of the machine => open('/etc/passwd').read() => FileNotFoundError
    passwords of the machine => open('/etc/shadow').read() => FileNotFoundError
    homes => import os; os.listdir('/root') => FileNotFoundError
    a file of the host => open('HIDDEN').read() => FileNotFoundError
    a file above the root => open('/../../../../HIDDEN').read() => FileNotFoundError
    a file that is only shown is written => open('SHOWN', 'w') => Read-only file system
    a file that is only shown is removed => import os; os.remove('SHOWN') => Read-only file system
    the mode of a file that is only shown => import os; os.chmod('SHOWN', 0) => Read-only file system
    a library is written => open('/usr/lib/os.py', 'w') => Read-only file system
    the root is written => open('/x', 'w') => Read-only file system
    devices are written => open('/dev/x', 'w') => Read-only file system
    a hard link to a file of the host => import os; os.link('SHOWN', 'a') => Invalid cross-device link
    the first process => open('/proc/1/environ').read() => FileNotFoundError
    its own environment => open('/proc/self/environ').read() => FileNotFoundError
    its own memory => open('/proc/self/mem', 'r+b') => FileNotFoundError
    the switches of the kernel => open('/proc/sys/kernel/core_pattern', 'w') => No such file
    the trigger of the kernel => open('/proc/sysrq-trigger', 'w') => No such file
    devices of the kernel => import os; os.listdir('/sys') => FileNotFoundError
    control groups => open('/sys/fs/cgroup/release_agent', 'w') => No such file
    the memory of the machine => open('/dev/mem', 'rb') => FileNotFoundError
    a disk => open('/dev/vda', 'rb') => FileNotFoundError
    a terminal => open('/dev/tty', 'w') => Read-only file system
    new terminals => import os; os.openpty() => FileNotFoundError
    a device is made => import os; os.mknod('d', 0o20666, os.makedev(1, 1)) => not implemented
    a listener of the host => import socket; socket.create_connection(('127.0.0.1', PORT), 2) => OSError
    a page of the host => import urllib.request; urllib.request.urlopen('http://127.0.0.1:PORT') => URLError
    a name => import socket; socket.getaddrinfo('example.com', 80) => gaierror
    another user => import os; os.setuid(0) => not implemented
    owner of a file => import os; open('a', 'w'); os.chown('a', 0, 0) => not implemented
    another process => import os; os.fork() => not implemented
    a shell => import subprocess; subprocess.run(['/bin/sh', '-c', 'echo ESC' 'APED']) => not implemented
    a shell by the C library => import os; os.popen('echo ESC' 'APED').read() => not implemented
    the limit of memory => import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1)) => not allowed to raise
    the limit of processes => import resource; resource.setrlimit(resource.RLIMIT_NPROC, (999, 999)) => not allowed to raise
    the limit of files => import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1)) => not allowed to raise
    a module that is not offered => import numpy => no module named 'numpy' here
    a signal to the parent => import os; os.kill(PARENT, 9) => ProcessLookupError
    a signal to all => import os; os.kill(-1, 9) => ProcessLookupError
    memory at once => bytearray(1 << 40) => MemoryError
    memory bit by bit => a = []\nwhile True: a.append(bytearray(1 << 20)) => MemoryError
    memory by doubling => a = 'x'\nwhile True: a += a => MemoryError
    memory of maps => import mmap\na = []\nwhile True: a.append(mmap.mmap(-1, 1 << 24)) => Cannot allocate memory
    a huge integer => str(10 ** 100000) => Exceeds the limit
    a huge value => 'x' * (1 << 40) => MemoryError
    recursion => def f(): f()\nf() => RecursionError
    a nested text => eval('(' * 100000 + ')' * 100000) => Error
    threads without end => import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(99,), daemon=True).start() => can't start new thread
    an error whose text fails => class E(Exception):\n  def __str__(self): raise E\nraise E => exception str() failed
    a group of errors => raise ExceptionGroup('g', [ValueError('a')] * 9999) => ExceptionGroup
    the way out of an answer => import sys; sys.exit('bye') => SystemExit: bye
    locks of other processes => import multiprocessing; multiprocessing.Process(target=print).start() => not implemented
    ";

const RESULTS: &str = r"
    the environment => import os; sorted(os.environ) => ['HOME', 'LANG', 'MKL_NUM_THREADS', 'MPLBACKEND', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'PATH', 'PWD', 'TMPDIR']
    the root => import os; sorted(os.listdir('/')) => ['bin', 'dev', 'etc', 'lib',
    the folder of settings => import os; sorted(set(os.listdir('/etc')) - {'alternatives', 'ld.so.cache', 'matplotlibrc'}) => []
    users and the machine's name => import os; os.getuid(), os.getgid(), os.getgroups(), os.getpid(), os.getppid(), os.uname().nodename => (65534, 65534, [], 1, 0, 'sandbox')
    descriptors of the parent => import os\nfound = []\nfor fd in range(4, 1024):\n    try: found.append((fd, os.fstat(fd)))\n    except OSError: pass\nfound => []
    the descriptor of a file of the host => import os\ntry: answer = os.pread(DESCRIPTOR, 99, 0)\nexcept OSError as e: answer = e.strerror\nanswer => Bad file descriptor
    shared memory of the host => import os; [name for name in os.listdir('/dev/shm') if not name.startswith('.tmp')] => []
    names of devices => import os; sorted(os.listdir('/dev')) => ['null', 'random', 'shm', 'urandom', 'zero']
    the memory of devices => import os\ntry:\n    with open('/dev/shm/a', 'wb') as f:\n        while True: f.write(bytes(1 << 20))\nexcept OSError as e: answer = e.strerror\nanswer => File too large
    programs with rights => import os, stat\ndef has(path):\n    mode = os.lstat(path).st_mode\n    return stat.S_ISREG(mode) and mode & stat.S_ISUID\npaths = [os.path.join('/usr/bin', name) for name in os.listdir('/usr/bin')]\n{bool(os.statvfs(path).f_flag & os.ST_NOSUID) for path in paths if has(path)} - {True} => set()
    a handler of signals => import signal, os\nos.kill(0, signal.SIGCONT)\n'alone' => alone
    ";

/// Attempts with eight processes.
const SEVERAL: &[(&str, &str, &str)] = &[
    ("processes without end", "
import os, time
n = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(99)
            os._exit(0)
        n += 1
except BlockingIOError: pass
n", "7"),
    ("a process that stays", "
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True: time.sleep(99)
    os._exit(0)
'left alone'", "left alone"),
    ("a program with rights", "
import subprocess
subprocess.run(['/bin/mount', '-t', 'tmpfs', 'none', '/tmp']).returncode != 0", "True"),
    ("a shell", "
import subprocess
subprocess.run('id -u; cat HIDDEN /etc/passwd; echo x > /usr/x', shell=True, capture_output=True, text=True).stdout", "65534"),
    ("the memory of a child", "
import subprocess, sys
subprocess.run([sys.executable, '-c', 'bytearray(1 << 31)'], capture_output=True, text=True).stderr", "MemoryError"),
    ("a listener of the host from a child", "
import subprocess
subprocess.run(['bash', '-c', 'echo > /dev/tcp/127.0.0.1/PORT'], capture_output=True).returncode", "1"),
    ("the channel from a child", "
import subprocess
subprocess.run('echo ESCAPED >&3', shell=True, capture_output=True, text=True).returncode != 0", "True"),
];

const KILLED: &str = r"
    a core dump => import os; os.abort()
    an address that is none => import ctypes; ctypes.string_at(0)
    recursion in C => import sys\nsys.setrecursionlimit(1 << 30)\na = []\nfor _ in range(1 << 20): a = [a]\nrepr(a)
    an exit without an answer => import os; os._exit(0)
    another program in its stead => import os; os.execv('/bin/true', ['true'])
    a signal to itself => import os, signal; os.kill(os.getpid(), signal.SIGSEGV); signal.raise_signal(9); os.execv('/bin/false', ['false'])
    the channel is closed => import os; os.close(3)
    ";
