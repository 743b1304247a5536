//! Attempts by files that a program leaves, and by answers that it forges.

use callgate_code::python::Ending;

use crate::world::{Attempt, Expected};

pub(crate) fn attempts() -> Vec<Attempt> {
    let result = |(name, code): &(&str, &str)| Attempt::new(name, code, Expected::Result("left"));
    let killed =
        |(name, code): &(&str, &str)| Attempt::new(name, code, Expected::Ending(Ending::Killed));
    LEFT.iter().map(result).chain(FORGED.iter().map(killed)).collect()
}

/// Nothing of these is taken: `World` looks for the content of the files of the host in all that is.
const LEFT: &[(&str, &str)] = &[
    ("a link to the users", "import os; os.symlink('/etc/passwd', 'a.txt'); 'left'"),
    ("a link to a file of the host", "import os; os.symlink('HIDDEN', 'a.txt'); 'left'"),
    ("a link up to a file of the host", "import os; os.symlink('../../../../../..HIDDEN', 'a.txt'); 'left'"),
    ("a folder that is a link", "import os; os.symlink('/', 'a'); 'left'"),
    ("names that lead away", "
import os
for name in ['a\\n', 'b\\\\..\\\\c', '\\x1b[2J', '-rf', 'é' * 127, b'\\xff\\xfe'.decode(errors='surrogateescape')]:
    open(name, 'w')
'left'"),
    ("a sparse file", "
with open('a', 'wb') as f: f.truncate(15 << 20)
'left'"),
    ("a file that grows while it is taken", "
import threading
f = open('a', 'wb', buffering=0)
def grow():
    while True:
        f.write(bytes(1000)); f.truncate(0)
threading.Thread(target=grow, daemon=True).start()
'left'"),
    ("a file that becomes a link while it is taken", "
import os, threading
def swap():
    while True:
        open('b', 'w').close(); os.rename('b', 'a'); os.symlink('HIDDEN', 'b'); os.rename('b', 'a')
threading.Thread(target=swap, daemon=True).start()
'left'"),
    ("a thousand files", "
for i in range(1000): open(str(i), 'w').close()
'left'"),
    ("a disk that is full", "
try:
    with open('a', 'wb') as f:
        while True: f.write(bytes(1 << 16))
except OSError: pass
'left'"),
    ("a file longer than all disks", "
try:
    with open('a', 'wb') as f: f.truncate(1 << 50)
except OSError: pass
'left'"),
    ("an archive that unpacks to more than there is", "
import io, zipfile
with zipfile.ZipFile('a.zip', 'w', zipfile.ZIP_DEFLATED) as z:
    for i in range(200): z.writestr(f'{i}', bytes(1 << 20))
try: zipfile.ZipFile('a.zip').extractall('b')
except OSError as e: assert e.errno == 28
'left'"),
];

/// An answer in another form is none.
const FORGED: &[(&str, &str)] = &[
    ("words before the answer", "import os; os.write(3, b'ready\\n')"),
    ("a file with a path", "
import json, os
line = {'result': '', 'error': '', 'is_cut': False, 'files': [{'name': '../../HIDDEN', 'size': 1}], 'left_out': []}
os.write(3, json.dumps(line).encode() + b'\\nx'); os._exit(0)"),
    ("a file that is longer than the answer", "
import json, os
line = {'result': '', 'error': '', 'is_cut': False, 'files': [{'name': 'a', 'size': 1 << 62}], 'left_out': []}
os.write(3, json.dumps(line).encode() + b'\\nx'); os._exit(0)"),
    ("two answers", "
import json, os
line = {'result': '', 'error': '', 'is_cut': False, 'files': [], 'left_out': []}
os.write(3, json.dumps(line).encode() + b'\\n')"),
    ("another writer of answers", "import json; json.dumps = lambda _: '[' * 100000"),
    ("descriptors over the channel", "
import socket
socket.send_fds(socket.socket(fileno=3), [b'x'], [0, 1, 2] * 80)"),
    ("an answer without an end", "import os; os.write(3, b'{' * 3000000); os._exit(0)"),
];
