//! Programs that compute: the rows of the seed, and the part of Python that there is.

use crate::shop::{Shop, Test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("the_sum_of_the_seed_has_its_fields", Box::pin(the_sum_of_the_seed_has_its_fields())),
        ("the_language_computes_what_python_does", Box::pin(the_language())),
        (
            "an_absent_part_of_python_is_an_error_with_a_traceback",
            Box::pin(an_absent_part_of_python()),
        ),
        ("output_is_printed_and_cut", Box::pin(output_is_printed_and_cut())),
    ]
}

/// Rows B1 to B5.
async fn the_sum_of_the_seed_has_its_fields() {
    let ran = Shop::new().run("4 + 4").await;
    let expected = r#"{"execution_result":"8","execution_error":"","generated_code":"","output_files":[],"stdout":"","calls":[],"truncated":false}"#;
    assert_eq!(ran.0.to_string(), expected);
}

async fn the_language() {
    let (shop, mut wrong) = (Shop::new(), Vec::new());
    for (code, expected) in [
        ("2 ** 100", "1267650600228229401496703205376"),
        ("0.1 + 0.2", "0.30000000000000004"),
        ("'a' * 3", "aaa"),
        ("[x * x for x in range(4) if x % 2]", "[1,9]"),
        ("{'a': [1, None, True]}", r#"{"a":[1,null,true]}"#),
        ("f'{3.14159:.2f} {\"x\":>3}'", "3.14   x"),
        ("import json\njson.loads('{\"a\": 1}')['a']", "1"),
        ("import re\nre.findall(r'\\d+', 'a1b22')", r#"["1","22"]"#),
        ("import math\nmath.sqrt(16)", "4.0"),
        ("from datetime import date\nstr(date(2026, 11, 29))", "2026-11-29"),
        ("from collections import Counter\nCounter('aab')['a']", "2"),
        ("import base64\nbase64.b64encode(b'hi').decode()", "aGk="),
        ("import itertools\nlist(itertools.accumulate([1, 2, 3]))", "[1,3,6]"),
        (
            "class A:\n    def __init__(self, x): self.x = x\n    def double(self): return self.x * 2\nA(4).double()",
            "8",
        ),
        ("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    r = str(e)\nr", "division by zero"),
        ("def f(n): return 1 if n < 2 else n * f(n - 1)\nf(20)", "2432902008176640000"),
        ("sorted(['b', 'a'], key=lambda s: s)[0]", "a"),
        ("x = 5\nx", "5"),
        ("x = 5", ""),
        ("True", "True"),
    ] {
        let ran = shop.run(code).await;
        let is_right = ran.error().is_empty() && ran.text("execution_result") == expected;
        if !is_right {
            wrong.push(format!("{code}: {ran:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

async fn an_absent_part_of_python() {
    let (shop, mut wrong) = (Shop::new(), Vec::new());
    for (code, expected) in [
        ("match 1:\n    case 1: pass", "NotImplementedError"),
        ("class E(Exception): pass", "NotImplementedError"),
        ("d = {'a': 1}\ndel d['a']", "NotImplementedError"),
        ("{'a': 1} | {'b': 2}", "TypeError"),
        ("'%s' % ('a',)", "TypeError"),
        ("import asyncio\nawait asyncio.gather(return_exceptions=True)", "NotImplementedError"),
        ("from itertools import groupby", "ImportError"),
        ("import socket", "ModuleNotFoundError"),
        ("import random", "ModuleNotFoundError"),
        ("import decimal", "ModuleNotFoundError"),
        ("def f():\n    yield 1\nlist(f())", "NotImplementedError"),
        ("what is the sum of 4 and 4", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("undefined_name", "NameError"),
    ] {
        let ran = shop.run(code).await;
        let is_right = ran.error().contains(expected) && ran.text("execution_result").is_empty();
        if !is_right {
            wrong.push(format!("{code}: {ran:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(shop.run("x = 1\n1 / 0").await.error().contains("line 2"));
}

async fn output_is_printed_and_cut() {
    let shop = Shop::with(|settings| settings.limits.output = 1000, |builder| builder);
    let ran = shop.run("print('a', 1)\nprint('b', end='')").await;
    assert_eq!((ran.text("stdout"), ran.0["truncated"].as_bool()), ("a 1\nb", Some(false)));
    let ran = shop.run("for i in range(1000):\n    print('ä' * 10)\n'x' * 5000").await;
    assert_eq!(ran.text("execution_result").len(), 1000);
    assert!(ran.text("stdout").len() <= 1000);
    assert_eq!(ran.0["truncated"].as_bool(), Some(true));
}
