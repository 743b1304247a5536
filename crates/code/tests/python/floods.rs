//! Attempts to keep the gateway busy: with output, with answers, with time.

use std::time::Duration;

use callgate_code::python::Ending;

use crate::{
    endings::STAYS,
    world::{Attempt, Expected},
};

pub(crate) fn attempts() -> Vec<Attempt> {
    let flood = |(name, code): &(&str, &str)| {
        Attempt::new(name, code, Expected::Ending(Ending::OutputLimit))
    };
    let late = |(name, code): &(&str, &str)| {
        let attempt = Attempt::new(name, code, Expected::Ending(Ending::TimeLimit));
        attempt.within(Duration::from_millis(400))
    };
    let finished =
        |(name, code): &(&str, &str)| Attempt::new(name, code, Expected::Ending(Ending::Finished));
    let mut attempts: Vec<_> = FLOODS.iter().map(flood).collect();
    attempts.extend(LATE.iter().map(late));
    attempts.extend(LATE_CHILDREN.iter().map(|row| late(row).with_processes(8)));
    attempts.extend(
        FILES
            .iter()
            .map(|(name, code)| Attempt::new(name, code, Expected::Ending(Ending::FileLimit))),
    );
    attempts.extend(FINISHED.iter().map(finished));
    attempts
}

const FLOODS: &[(&str, &str)] = &[
    ("output without end", "while True: print('x' * 1000)"),
    ("messages without end", "import sys\nwhile True: print('x' * 1000, file=sys.stderr)"),
    ("an answer without end", "import os\nwhile True: os.write(3, bytes(1 << 16))"),
];

const LATE: &[(&str, &str)] = &[
    ("a loop", "while True: pass"),
    ("a sleep", "import time; time.sleep(1 << 20)"),
    ("a program that ignores signals", STAYS),
    ("an expression that never matches", "import re; re.match('(a+)+$', 'a' * 64 + 'b')"),
    ("a huge power", "pow(7, 10 ** 9) % 2"),
    (
        "a value whose text has no end",
        "
class V:
    def __repr__(self):
        while True: pass
V()",
    ),
    (
        "an error whose text has no end",
        "
class E(Exception):
    def __str__(self):
        while True: pass
raise E",
    ),
    ("a trickle of output", "import time\nwhile True: print('x'); time.sleep(0.1)"),
    ("an end without an end", "import os, time\nos._exit = lambda _: time.sleep(99)"),
    ("streams that are closed", "import os, time; os.closerange(0, 4); time.sleep(99)"),
    ("a stop", "import os, signal\nwhile True: os.kill(0, signal.SIGSTOP)"),
];

const LATE_CHILDREN: &[(&str, &str)] = &[(
    "a fork in every process",
    "
import os
while True:
    try: os.fork()
    except OSError: pass",
)];

const FILES: &[(&str, &str)] = &[
    (
        "files without end",
        "
n = 0
while True:
    open(str(n), 'w').close(); n += 1",
    ),
    (
        "folders without end",
        "
import os
while True: os.mkdir('a'); os.chdir('a')",
    ),
    (
        "links without end",
        "
import os
n = 0
while True: os.symlink('x' * 100, f'/dev/shm/{n}'); n += 1",
    ),
];

const FINISHED: &[(&str, &str)] = &[
    ("a result longer than its limit", "'x' * 20000000"),
    ("an error longer than its limit", "import sys; sys.stderr.write('x' * 1000000)"),
    ("output in pieces", "for i in range(100000): print(i)"),
    (
        "threads that go on",
        "
import threading
def work():
    while True: pass
for _ in range(4): threading.Thread(target=work).start()",
    ),
];
