//! Attempts to keep the gateway busy: with output, with answers, with time.

use std::time::Duration;

use callgate_code::python::Ending;

use crate::{
    endings::STAYS,
    world::{Attempt, Expected},
};

pub(crate) fn attempts() -> Vec<Attempt> {
    let late = |attempt: Attempt| attempt.within(Duration::from_millis(400));
    let mut attempts: Vec<_> = Attempt::ending(FLOODS, Ending::OutputLimit).collect();
    attempts.extend(Attempt::ending(LATE, Ending::TimeLimit).map(late));
    let stays =
        Attempt::new("a program that ignores signals", STAYS, Expected::Ending(Ending::TimeLimit));
    attempts.push(late(stays));
    let children = Attempt::ending(LATE_CHILDREN, Ending::TimeLimit).map(late);
    attempts.extend(children.map(|attempt| attempt.with_processes(8)));
    attempts.extend(Attempt::ending(FILES, Ending::FileLimit));
    attempts.extend(Attempt::ending(FINISHED, Ending::Finished));
    attempts
}

const FLOODS: &str = r"
    output without end => while True: print('x' * 1000)
    messages without end => import sys\nwhile True: print('x' * 1000, file=sys.stderr)
    an answer without end => import os\nwhile True: os.write(3, bytes(1 << 16))
    ";

const LATE: &str = r"
    a loop => while True: pass
    a sleep => import time; time.sleep(1 << 20)
    an expression that never matches => import re; re.match('(a+)+$', 'a' * 64 + 'b')
    a huge power => pow(7, 10 ** 9) % 2
    a value whose text has no end => class V:\n    def __repr__(self):\n        while True: pass\nV()
    an error whose text has no end => class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E
    a trickle of output => import time\nwhile True: print('x'); time.sleep(0.1)
    an end without an end => import os, time\nos._exit = lambda _: time.sleep(99)
    streams that are closed => import os, time; os.closerange(0, 4); time.sleep(99)
    a stop => import os, signal\nwhile True: os.kill(0, signal.SIGSTOP)
    ";

const LATE_CHILDREN: &str = r"
    a fork in every process => import os\nwhile True:\n    try: os.fork()\n    except OSError: pass
    ";

const FILES: &str = r"
    files without end => n = 0\nwhile True:\n    open(str(n), 'w').close(); n += 1
    folders without end => import os\nwhile True: os.mkdir('a'); os.chdir('a')
    links without end => import os\nn = 0\nwhile True: os.symlink('x' * 100, f'/dev/shm/{n}'); n += 1
    ";

const FINISHED: &str = r"
    a result longer than its limit => 'x' * 20000000
    an error longer than its limit => import sys; sys.stderr.write('x' * 1000000)
    output in pieces => for i in range(100000): print(i)
    threads that go on => import threading\ndef work():\n    while True: pass\nfor _ in range(4): threading.Thread(target=work).start()
    ";
