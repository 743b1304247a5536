"""A moto server that recomputes the signature of every request, with users, a role and secrets in it, all made by boto3."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import time

import boto3
from ports import free_port

REGION = "eu-west-1"
# What the first user is made with; from then on moto checks signatures and policies.
UNCHECKED = 3


class Amazon:
    """The server and what is in it."""

    def __init__(self, folder):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        program = pathlib.Path(sys.executable).with_name("moto_server")
        environment = os.environ | {"INITIAL_NO_AUTH_ACTION_COUNT": str(UNCHECKED)}
        self.log = (folder / "moto.log").open("w")
        self.process = subprocess.Popen(
            [program, "--host", "127.0.0.1", "--port", str(port)], env=environment, stdout=self.log, stderr=self.log
        )
        until = time.monotonic() + 180
        while not is_open(port):
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"moto does not start: {(folder / 'moto.log').read_text()}")
            time.sleep(0.1)
        nobody = {"access_key_id": "first", "secret_access_key": "first"}
        self.admin = self.user("admin", "*", nobody)
        self.reader = self.user("reader", ["secretsmanager:GetSecretValue", "iot:*", "s3:*", "sts:*"], self.admin)
        self.stranger = self.user("stranger", "sts:GetCallerIdentity", self.admin)
        self.role = self.assumed()

    def client(self, service, keys=None):
        keys = keys or self.admin
        return boto3.client(
            service,
            endpoint_url=self.url,
            region_name=REGION,
            aws_access_key_id=keys["access_key_id"],
            aws_secret_access_key=keys["secret_access_key"],
            aws_session_token=keys.get("session_token"),
        )

    def user(self, name, actions, keys):
        """Makes a user who may do these actions, and keys of it."""
        iam = self.client("iam", keys)
        iam.create_user(UserName=name)
        iam.put_user_policy(UserName=name, PolicyName="p", PolicyDocument=policy({"Action": actions, "Resource": "*"}))
        return named(iam.create_access_key(UserName=name)["AccessKey"])

    def assumed(self):
        """Keys of a role, which go with a session token."""
        iam = self.client("iam")
        anyone = policy({"Action": "sts:AssumeRole", "Principal": {"AWS": "*"}})
        arn = iam.create_role(RoleName="role", AssumeRolePolicyDocument=anyone)["Role"]["Arn"]
        iam.put_role_policy(RoleName="role", PolicyName="p", PolicyDocument=policy({"Action": "*", "Resource": "*"}))
        return named(self.client("sts").assume_role(RoleArn=arn, RoleSessionName="session")["Credentials"])

    def rotate(self, name, value):
        """Makes a new version the current one; answers the id of the one before. Not by moving the labels of a pending
        version as a rotation does: moto then answers the old one to whoever names no version."""
        secrets = self.client("secretsmanager")
        before = secrets.describe_secret(SecretId=name)["VersionIdsToStages"]
        secrets.put_secret_value(SecretId=name, SecretString=value)
        return next(version for version, stages in before.items() if "AWSCURRENT" in stages)

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
        self.log.close()


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def policy(statement):
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]})


def named(keys):
    """Keys as boto3 answers them, by the names of callgate."""
    known = {
        "access_key_id": keys["AccessKeyId"],
        "secret_access_key": keys["SecretAccessKey"],
        "session_token": keys.get("SessionToken"),
    }
    return {name: value for name, value in known.items() if value}


def references(keys):
    """The same as literals of a configuration."""
    return {name: f"literal:{value}" for name, value in keys.items()}
