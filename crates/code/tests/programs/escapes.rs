//! Attempts of programs that are in vain: the system, memory, time, and the protocol of their worker.

use std::{fs, time::Duration};

use tokio::time::Instant;

use crate::shop::{Shop, Test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("nothing_of_the_system_is_there", Box::pin(nothing_of_the_system_is_there())),
        ("memory_and_time_end_the_program_alone", Box::pin(memory_and_time())),
    ]
}

/// Programs that look for the system.
const SYSTEM: [&str; 24] = [
    "open('/etc/passwd').read()",
    "open('/proc/self/environ').read()",
    "open('escaped.txt', 'w').write('x')",
    "import os\nos.environ['PATH']",
    "import os\nos.system('id')",
    "import os\nos.listdir('/')",
    "import os\nos.getenv('PATH', None).upper()",
    "import os\nos.fork()",
    "import os\nos.kill(1, 9)",
    "import subprocess",
    "import socket",
    "import ctypes",
    "import importlib",
    "import urllib.request",
    "from pathlib import Path\nPath('/etc/passwd').read_text()",
    "from pathlib import Path\nPath('escaped.txt').write_text('x')",
    "from pathlib import Path\nlist(Path('/').iterdir())",
    "__import__('os').system('id')",
    "eval('1 + 1')",
    "exec('import os')",
    "compile('1', 'f', 'eval')",
    "().__class__.__bases__[0].__subclasses__()",
    "(lambda: 0).__globals__['__builtins__']",
    "import sys\nsys.modules['os'].system('id')",
];

async fn nothing_of_the_system_is_there() {
    let shop = Shop::new();
    for code in SYSTEM {
        let ran = shop.run(code).await;
        assert_ne!(ran.error(), "", "{code}: {ran:?}");
        assert_eq!(ran.text("execution_result"), "", "{code}: {ran:?}");
    }
    assert!(!fs::exists("escaped.txt").unwrap());
    assert_eq!(shop.value("4 + 4").await, "8");
}

/// Programs that want more than they may have, each with what ends it.
const GREEDY: [(&str, &str); 22] = [
    ("while True: pass", "Time"),
    ("x = []\nwhile True: x.append('a' * 1000)", "Error"),
    ("'a' * 10**10", "MemoryError"),
    ("[0] * 10**10", "MemoryError"),
    ("b'a' * 10**9", "MemoryError"),
    ("x = 'a'\nwhile True: x += x", "MemoryError"),
    ("10 ** 10 ** 10", "Error"),
    ("x = 3\nwhile True: x = x * x", "Error"),
    ("1 << 10**12", "Error"),
    ("str(7 ** 1000000)", "Error"),
    ("int('9' * 10000000)", "Error"),
    ("def f(): return f()\nf()", "RecursionError"),
    ("def f(n): return [f(n + 1)]\nf(0)", "RecursionError"),
    ("x = []\nfor _ in range(10**6): x = [x]\nrepr(x)", ""),
    ("import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')", ""),
    ("import re\nre.match(r'(a|a)*b', 'a' * 100000)", ""),
    ("import json\njson.loads('[' * 100000)", "Error"),
    ("while True: print('a' * 100000)", "Time"),
    ("sorted(range(10**8))", "Error"),
    ("{i: str(i) for i in range(10**8)}", "Error"),
    ("list(range(10**9))", "Error"),
    ("sum(range(10**12))", ""),
];

async fn memory_and_time() {
    let shop =
        Shop::with(|settings| settings.limits.time = Duration::from_millis(500), |builder| builder);
    assert_eq!(shop.value("4 + 4").await, "8");
    let before = resident_bytes();
    let deep = ["(".repeat(100_000), "[".repeat(50_000) + &"]".repeat(50_000), "-".repeat(99_000)];
    let deep = deep.iter().map(|code| (code.as_str(), "Error"));
    let strings = "f'{".repeat(200);
    for (code, expected) in GREEDY.into_iter().chain(deep).chain([(strings.as_str(), "Error")]) {
        let started = Instant::now();
        let ran = shop.run(code).await;
        let (shown, time) = (code.get(..40).unwrap_or(code), started.elapsed());
        println!("  {shown:?}: {:?} in {time:?}", ran.error().lines().last().unwrap_or_default());
        assert!(expected.is_empty() || ran.error().contains(expected), "{shown}");
        assert!(time < Duration::from_secs(8), "{shown}: {time:?}");
        assert_eq!(shop.value("4 + 4").await, "8", "after {shown}");
    }
    let grown = resident_bytes().saturating_sub(before);
    println!("  grew by {} KiB", grown >> 10);
    assert!(grown <= 8 << 20, "{grown}");
}

/// The bytes of memory that this process has.
fn resident_bytes() -> usize {
    let pages = fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}
