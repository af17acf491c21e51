#!/usr/bin/env python3
"""Receives events of the Partner BFF and keeps applications and their files, with Flask and requests.

    apt-get install python3-flask python3-requests
    python3 receiver.py      # beside a service in playground mode; the environment changes what stands in SETTINGS

Verified by the Standard Webhooks scheme, kept in SQLite once each, acknowledged only then. What fails is answered with an
error, and the service sends it again.
"""
import base64
import contextlib
import glob
import hashlib
import hmac
import json
import os
import re
import shutil
import sqlite3
import tempfile
import threading
import time

import requests
from flask import Flask, abort, jsonify, request
from werkzeug.http import parse_options_header
from werkzeug.serving import WSGIRequestHandler, make_server

SETTINGS = {
    "BFF_URL": "http://127.0.0.1:3000",
    "TOKEN_URL": "http://127.0.0.1:3011/demo/token",
    "CLIENT_ID": "demo-backend",
    "CLIENT_SECRET": "demo-backend-secret",
    "EVENT_SINK_SECRET": "whsec_cGxheWdyb3VuZC1vbmx5LXNlY3JldC0w",
    "DATA_DIR": "data",
    "PORT": "4000",
}
SETTINGS.update({name: os.environ[name] for name in SETTINGS if name in os.environ})
FOLDER = SETTINGS["DATA_DIR"]
TOLERANCE_SECONDS = 300
TIMEOUT_SECONDS = 30
TOKEN_MARGIN_SECONDS = 60
DELIVERY_BYTES_MAX = 4_194_304
FILE_BYTES_MAX = 20_971_520

app = Flask(__name__)


@app.post("/events")
def receive():
    delivery_id, kind, data = verified_delivery(SETTINGS["EVENT_SINK_SECRET"].split(","))
    with database() as db:
        is_known = db.execute("SELECT 1 FROM deliveries WHERE id = ?", (delivery_id,)).fetchone() is not None
    if kind == "CandidateApplicationCreated" and ("webhook-repeat" in request.headers or not is_known):
        keep_application(delivery_id, data)
    return "", 204


@app.get("/applications")
def applications():
    with database() as db:
        rows = db.execute("SELECT content FROM applications ORDER BY rowid").fetchall()
    return jsonify([json.loads(content) for (content,) in rows])


def verified_delivery(secrets):
    """The id and the content of a delivery that one of the secrets signed just now.

    By hand, because `standardwebhooks` is no Debian package:
    https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    """
    if request.content_length is None or request.content_length > DELIVERY_BYTES_MAX:
        abort(413)
    body = request.get_data()
    delivery_id = request.headers.get("webhook-id")
    sent_at = request.headers.get("webhook-timestamp", "")
    if not delivery_id or not re.fullmatch(r"[0-9]{1,12}", sent_at):
        abort(400, "a header of the delivery is missing")
    signed = f"{delivery_id}.{sent_at}.".encode("latin-1") + body
    given = request.headers.get("webhook-signature", "").encode("latin-1").split(b" ")
    keys = [base64.b64decode(secret.removeprefix("whsec_")) for secret in secrets]
    expected = [b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256")) for key in keys]
    if not any(hmac.compare_digest(one, signature) for one in expected for signature in given):
        abort(401, "no secret fits the signature")
    if abs(time.time() - int(sent_at)) > TOLERANCE_SECONDS:
        abort(401, "the delivery is too old, or the clock is wrong")
    try:
        content = json.loads(body)
        return delivery_id, content["type"], content["data"]
    except (ValueError, KeyError, TypeError):
        abort(400, "the body is no {type, timestamp, data}")


class Machine:
    """Asks the service as a machine. A token goes to the service and to nobody that it might redirect to."""

    def __init__(self):
        self.token, self.end, self.lock = None, 0.0, threading.Lock()

    def _token(self, refused):
        with self.lock:
            if self.token in (None, refused) or time.time() >= self.end:
                client = {"client_id": SETTINGS["CLIENT_ID"], "client_secret": SETTINGS["CLIENT_SECRET"]}
                form = {"grant_type": "client_credentials", **client}
                answer = requests.post(SETTINGS["TOKEN_URL"], form, timeout=TIMEOUT_SECONDS, allow_redirects=False)
                content = require_ok(answer).json()
                life = content.get("expires_in", 0)
                self.token = content["access_token"]
                self.end = time.time() + max(life - TOKEN_MARGIN_SECONDS, life / 2)
            return self.token

    def send(self, method, path, refused=None, **options):
        """The answer, not read yet. A token that is refused is renewed once."""
        token = self._token(refused)

        def sign(sent):  # instead of a header alone, which would give way to a .netrc
            sent.headers["Authorization"] = f"Bearer {token}"
            return sent

        url = SETTINGS["BFF_URL"].rstrip("/") + path
        defaults = {"auth": sign, "timeout": TIMEOUT_SECONDS, "allow_redirects": False, "stream": True}
        answer = requests.request(method, url, **defaults, **options)
        if answer.status_code != 401 or refused is not None:
            return answer
        answer.close()
        return self.send(method, path, refused=token, **options)


machine = Machine()


def require_ok(answer):
    if answer.status_code != 200:
        raise requests.HTTPError(f"{answer.status_code} from {answer.url}", response=answer)
    return answer


def sent_application(data):
    """What goes with the event; asked for where the event had to go without. Empty where it is not ours to see."""
    found = data.get("object")
    if "object" not in data:
        variables = {"id": data["candidateApplicationProfileId"]}
        body = {"documentId": "DeliveredApplication", "variables": variables}
        with machine.send("POST", "/graphql", json=body, headers={"X-Hirer-Id": data["hirerId"]}) as answer:
            if answer.status_code == 403:
                return {}
            content = require_ok(answer).json()
        codes = [error["extensions"]["code"] for error in content.get("errors") or []]
        if codes and "FORBIDDEN" not in codes:
            raise IOError(f"the application cannot be read: {codes[0]}")
        found = None if codes else content["data"]
    return (found or {}).get("candidateProfile") or {}


def save_file(attachment):
    """Streams a file to the disk, where it appears when it is complete, under a name that no candidate chose."""
    path = os.path.join(FOLDER, hashlib.sha256(attachment["id"]["value"].encode()).hexdigest())
    missing = {"role": attachment.get("seekRoleCode") or "", "name": "", "path": ""}
    if not re.fullmatch(r"/attachments/[\w-]+", attachment["url"], re.ASCII):
        return missing  # kept elsewhere
    with machine.send("GET", attachment["url"], headers={"Accept-Encoding": "identity"}) as answer:
        if answer.status_code == 404:
            return missing  # deleted meanwhile
        with tempfile.TemporaryDirectory(dir=FOLDER, suffix=".part") as scratch:
            part = os.path.join(scratch, "file")
            download(require_ok(answer), part)
            os.replace(part, path)
    _, options = parse_options_header(answer.headers.get("Content-Disposition"))
    return {**missing, "name": options.get("filename", ""), "path": path}


def download(answer, file):
    length = 0
    with open(file, "wb") as part:
        for chunk in answer.iter_content(65_536):
            length += part.write(chunk)
            if length > FILE_BYTES_MAX:
                raise IOError("the file is too large")
        part.flush()
        os.fsync(part.fileno())
    if answer.headers.get("Content-Length") not in (None, str(length)):
        raise IOError("the file did not arrive completely")


@contextlib.contextmanager
def database():
    """What happens within is kept as a whole or not at all."""
    with contextlib.closing(sqlite3.connect(os.path.join(FOLDER, "applications.db"), timeout=TIMEOUT_SECONDS)) as db, db:
        yield db


def keep_application(delivery_id, data):
    """Files first: when the application stands in the table, they are on the disk.

    A later copy takes the place of the first, unless it is empty: what is gone upstream stays here.
    """
    if "candidateApplicationProfileId" not in data or "hirerId" not in data:
        return  # names no application: nothing to keep
    sent = sent_application(data)
    person = (sent.get("candidate") or {}).get("person") or {}
    emails = (person.get("communication") or {}).get("email") or [{}]
    application = {
        "id": data["candidateApplicationProfileId"],
        "hirerId": data["hirerId"],
        "position": (sent.get("associatedPositionProfile") or {}).get("positionTitle", ""),
        "candidate": (person.get("name") or {}).get("formattedName", ""),
        "email": emails[0].get("address", ""),
        "answers": answers_of(sent),
        "files": [save_file(attachment) for attachment in sent.get("attachments") or []],
    }
    known = "DO UPDATE SET content = excluded.content" if sent else "DO NOTHING"
    row = (application["id"], json.dumps(application))
    with database() as db:
        db.execute(f"INSERT INTO applications VALUES (?, ?) ON CONFLICT {known}", row)
        db.execute("INSERT OR IGNORE INTO deliveries VALUES (?)", (delivery_id,))


def answers_of(sent):
    responses = (sent.get("seekQuestionnaireSubmission") or {}).get("responses") or []
    asked = [one for one in responses if one["__typename"] == "ApplicationQuestionResponse"]
    texts = [", ".join(answer["answer"] for answer in one["answers"]) for one in asked]
    return [{"question": one["component"]["questionHtml"], "answer": text} for one, text in zip(asked, texts)]


def prepare():
    os.makedirs(FOLDER, mode=0o700, exist_ok=True)
    for left in glob.glob(os.path.join(FOLDER, "*.part")):  # by a process that was killed during a download
        shutil.rmtree(left)
    with database() as db:
        db.execute("CREATE TABLE IF NOT EXISTS applications (id TEXT PRIMARY KEY, content TEXT NOT NULL)")
        db.execute("CREATE TABLE IF NOT EXISTS deliveries (id TEXT PRIMARY KEY)")


if __name__ == "__main__":
    prepare()
    WSGIRequestHandler.timeout = TIMEOUT_SECONDS
    server = make_server("127.0.0.1", int(SETTINGS["PORT"]), app, threaded=True)
    address = f"http://127.0.0.1:{server.server_port}"
    print(f"Events are received at {address}/events; see {address}/applications", flush=True)
    server.serve_forever()
