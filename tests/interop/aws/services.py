"""Signed calls of Amazon's services: right keys are taken, wrong ones refused, by a server that signs again. Calls without
a body are of S3 only: to other services moto 5.2.5 refuses them, from boto3 as well."""

import pathlib

from amazon import REGION, references

HERE = str(pathlib.Path(__file__).parent)
KEY = "grüße/日本 a+b~c.txt"


def check(callgate, amazon, told):
    amazon.client("s3").create_bucket(Bucket="bucket", CreateBucketConfiguration={"LocationConstraint": REGION})

    def called(keys, calls):
        toolsets = {
            service: {
                "openapi": f"{HERE}/amazon.json",
                "server": amazon.url,
                "auth": {"aws_sigv4": {"service": service, "region": REGION, **references(keys)}},
            }
            for service in ("sts", "iot", "s3")
        }
        return callgate.calls({"toolsets": toolsets}, calls)

    thing = {"attributePayload": {"attributes": {"k": "v:w/x,y"}}}
    right = [
        ("sts-identity", {"body": {"Action": "GetCallerIdentity", "Version": "2011-06-15"}}, "arn:aws:"),
        ("iot-createThing", {"thing": "a:b_c-1", "body": thing}, "a:b_c-1"),
        ("iot-updateThing", {"thing": "a:b_c-1", "body": {}}, ""),
        ("s3-putObject", {"bucket": "bucket", "key": KEY, "body": "hällo", "x_amz_meta_note": "a  b"}, ""),
        ("s3-getObject", {"bucket": "bucket", "key": KEY, "response_content_type": "text/plain; charset=utf-8"}, "hällo"),
        ("s3-listObjects", {"bucket": "bucket", "list_type": 2, "prefix": "grüße/", "delimiter": ""}, "a+b~c.txt"),
    ]
    calls = [(tool, arguments) for tool, arguments, _ in right]
    for who, keys in (("a user", amazon.reader), ("a role with a session token", amazon.role)):
        for (tool, _, expected), answer in zip(right, called(keys, calls), strict=True):
            told(f"{who}: {tool}", answer.get("status") == 200 and expected in str(answer), str(answer))

    forged = amazon.reader | {"secret_access_key": "canary-of-a-wrong-key"}
    unknown = amazon.reader | {"access_key_id": "AKIANOBODYKNOWSTHIS0"}
    other = amazon.role | {"session_token": "canary-of-another-token"}
    refused = [
        ("a wrong key", forged, "SignatureDoesNotMatch"),
        ("an unknown key", unknown, "InvalidClientTokenId"),
        ("another session token", other, "InvalidClientTokenId"),
    ]
    for who, keys, name in refused:
        for answer in called(keys, calls[:2]):
            told(f"{who}: {name}", answer.get("status") == 403 and name in str(answer), str(answer))
