"""Compares callgate with counterparts of Amazon's services that are not ours: the signatures of botocore, and a moto server
that holds secrets and checks signatures. Usage: check.py CALLGATE"""

import pathlib
import sys
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).parent.parent))

import secrets_manager
import services
import signatures
from amazon import Amazon
from calling import Callgate, Checks

told = Checks()
with tempfile.TemporaryDirectory(prefix="callgate-aws-") as name:
    callgate = Callgate(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(name))
    signatures.check(callgate, told)
    amazon = Amazon(callgate.folder)
    try:
        secrets_manager.check(callgate, amazon, told)
        services.check(callgate, amazon, told)
    finally:
        amazon.stop()
    told("callgate wrote no secret", "canary" not in callgate.wrote and amazon.reader["secret_access_key"] not in callgate.wrote)
sys.exit(1 if told.failures else 0)
