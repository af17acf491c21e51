#!/usr/bin/env python3
"""Receives events of the Partner BFF and keeps applications and their files, with Python's standard library alone.

    python3 receiver.py      # beside a service in playground mode; the environment changes what stands in SETTINGS

Verified by the Standard Webhooks scheme, kept in SQLite once each, acknowledged only then. What fails is answered with an
error, and the service sends it again.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sqlite3
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SETTINGS = {
    "BFF_URL": "http://127.0.0.1:3000",
    "TOKEN_URL": "http://127.0.0.1:3011/demo/token",
    "CLIENT_ID": "demo-backend",
    "CLIENT_SECRET": "demo-backend-secret",
    "EVENT_SINK_SECRET": "whsec_cGxheWdyb3VuZC1vbmx5LXNlY3JldC0w",
    "DATA_DIR": "data",
    "PORT": "4000",
}
TOLERANCE_SECONDS = 300
TIMEOUT_SECONDS = 30
TOKEN_MARGIN_SECONDS = 60
DELIVERY_BYTES_MAX = 4_194_304
FILE_BYTES_MAX = 20_971_520
CHUNK_BYTES = 65_536


class Refused(Exception):
    """A request that is no delivery; `status` answers it."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


def verify_delivery(headers, body, secrets, now=time.time):
    """The id and the content of a delivery that one of the secrets signed just now.

    https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    """
    delivery_id, sent_at = headers.get("webhook-id"), headers.get("webhook-timestamp") or ""
    if not delivery_id or not re.fullmatch(r"[0-9]{1,12}", sent_at):
        raise Refused(400, "a header of the delivery is missing")
    given = [part[3:] for part in headers.get("webhook-signature", "").split(" ") if part.startswith("v1,")]
    signed = f"{delivery_id}.{sent_at}.".encode("latin-1") + body
    fits = False
    for secret in secrets:
        key = base64.urlsafe_b64decode(secret.removeprefix("whsec_").replace("+", "-").replace("/", "_") + "==")
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        for signature in given:
            fits |= hmac.compare_digest(expected, signature.encode("latin-1"))
    if not fits:
        raise Refused(401, "no secret fits the signature")
    if abs(now() - int(sent_at)) > TOLERANCE_SECONDS:
        raise Refused(401, "the delivery is too old, or the clock is wrong")
    try:
        content = json.loads(body)
        return delivery_id, content["type"], content["data"]
    except (ValueError, KeyError, TypeError) as error:
        raise Refused(400, "the body is no {type, timestamp, data}") from error


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token is sent to the service and to nobody that it might name."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


class Machine:
    """Fetches files from the service as a machine. A token that is refused is renewed once."""

    def __init__(self, settings):
        self.settings, self.token, self.end, self.lock = settings, None, 0.0, threading.Lock()

    def _token(self, refused=None):
        with self.lock:
            if self.token is None or self.token == refused or time.time() >= self.end:
                form = {
                    "grant_type": "client_credentials",
                    "client_id": self.settings["CLIENT_ID"],
                    "client_secret": self.settings["CLIENT_SECRET"],
                }
                data = urllib.parse.urlencode(form).encode()
                with OPENER.open(self.settings["TOKEN_URL"], data, timeout=TIMEOUT_SECONDS) as answer:
                    body = json.load(answer)
                life = body.get("expires_in", 0)
                self.token = body["access_token"]
                self.end = time.time() + max(life - TOKEN_MARGIN_SECONDS, life / 2)
            return self.token

    def _send(self, path, headers=None, body=None):
        """The answer; a token that is refused is renewed once."""
        url = self.settings["BFF_URL"].rstrip("/") + path
        token = self._token()
        for last in (False, True):
            sent = {**(headers or {}), "Authorization": f"Bearer {token}"}
            try:
                return OPENER.open(urllib.request.Request(url, body, sent), timeout=TIMEOUT_SECONDS)
            except urllib.error.HTTPError as error:
                if error.code != 401 or last:
                    raise
                token = self._token(refused=token)

    def call(self, operation, variables, hirer_id):
        """The data of a registered operation; None where it is not ours to see."""
        body = json.dumps({"documentId": operation, "variables": variables}).encode()
        headers = {"Content-Type": "application/json", "X-Hirer-Id": hirer_id}
        try:
            with self._send("/graphql", headers, body) as answer:
                content = json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 403:
                raise
            return None
        errors = content.get("errors") or []
        if any(error["extensions"]["code"] == "FORBIDDEN" for error in errors):
            return None
        if errors:
            raise IOError(errors[0]["message"])
        return content["data"]

    def save(self, link, file):
        """Streams the file behind a sealed link to the disk; it appears when it is complete. Returns its own name."""
        if not re.fullmatch(r"/attachments/[\w-]+", link, re.ASCII):
            raise ValueError("this is not a link to an attachment")
        answer = self._send(link)
        with answer, tempfile.NamedTemporaryFile(dir=os.path.dirname(file), suffix=".part", delete=False) as part:
            try:
                length = copy(answer, part)
                if answer.headers["content-length"] not in (None, str(length)):
                    raise IOError("the file did not arrive completely")
                part.flush()
                os.fsync(part.fileno())
                os.replace(part.name, file)
            except BaseException:
                os.unlink(part.name)
                raise
            return answer.headers.get_filename() or ""


def copy(answer, part):
    length = 0
    while chunk := answer.read(CHUNK_BYTES):
        length += len(chunk)
        if length > FILE_BYTES_MAX:
            raise IOError("the file is too large")
        part.write(chunk)
    return length


class Applications:
    """The table of applications: each stands there once, however often its event is delivered."""

    def __init__(self, file):
        self.lock = threading.Lock()
        self.database = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
        self.database.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
            "CREATE TABLE IF NOT EXISTS applications (id TEXT PRIMARY KEY, content TEXT NOT NULL);"
            "CREATE TABLE IF NOT EXISTS deliveries (id TEXT PRIMARY KEY);"
        )

    def knows(self, delivery_id):
        with self.lock:
            query = "SELECT 1 FROM deliveries WHERE id = ?"
            return self.database.execute(query, (delivery_id,)).fetchone() is not None

    def keep(self, delivery_id, application, is_empty):
        """Keeps the application and the delivery that brought it, both or neither.

        A later copy takes the place of the first, unless it is empty: what is gone upstream stays here.
        """
        known = "DO NOTHING" if is_empty else "DO UPDATE SET content = excluded.content"
        row = (application["id"], json.dumps(application))
        with self.lock:
            self.database.execute("BEGIN IMMEDIATE")
            try:
                self.database.execute(f"INSERT INTO applications VALUES (?, ?) ON CONFLICT {known}", row)
                self.database.execute("INSERT OR IGNORE INTO deliveries VALUES (?)", (delivery_id,))
                self.database.execute("COMMIT")
            except BaseException:
                self.database.execute("ROLLBACK")
                raise

    def list(self):
        with self.lock:
            rows = self.database.execute("SELECT content FROM applications ORDER BY rowid").fetchall()
        return [json.loads(content) for (content,) in rows]


def keep_application(delivery_id, data, machine, applications, folder):
    """Files first: when the application stands in the table, they are on the disk."""
    if "candidateApplicationProfileId" not in data or "hirerId" not in data:
        return  # names no application: nothing to keep
    sent = sent_application(data, machine)
    person = (sent.get("candidate") or {}).get("person") or {}
    emails = (person.get("communication") or {}).get("email") or [{}]
    application = {
        "id": data["candidateApplicationProfileId"],
        "hirerId": data["hirerId"],
        "position": (sent.get("associatedPositionProfile") or {}).get("positionTitle", ""),
        "candidate": (person.get("name") or {}).get("formattedName", ""),
        "email": emails[0].get("address", ""),
        "answers": answers_of(sent),
        "files": [save_file(attachment, machine, folder) for attachment in sent.get("attachments") or []],
    }
    applications.keep(delivery_id, application, not sent)


def sent_application(data, machine):
    """What goes with the event; asked for where the event had to go without."""
    if "object" in data:
        found = data["object"]
    else:
        variables = {"id": data["candidateApplicationProfileId"]}
        found = machine.call("DeliveredApplication", variables, data["hirerId"])
    return (found or {}).get("candidateProfile") or {}


def save_file(attachment, machine, folder):
    """The name on the disk is ours: the candidate chose the file's own."""
    path = os.path.join(folder, hashlib.sha256(attachment["id"]["value"].encode()).hexdigest())
    role = attachment.get("seekRoleCode") or ""
    if not attachment["url"].startswith("/attachments/"):
        return {"role": role, "name": "", "path": ""}  # kept elsewhere
    try:
        return {"role": role, "name": machine.save(attachment["url"], path), "path": path}
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        return {"role": role, "name": "", "path": ""}  # deleted meanwhile


def answers_of(sent):
    responses = (sent.get("seekQuestionnaireSubmission") or {}).get("responses") or []
    return [
        {
            "question": response["component"]["questionHtml"],
            "answer": ", ".join(answer["answer"] for answer in response["answers"]),
        }
        for response in responses
        if response["__typename"] == "ApplicationQuestionResponse"
    ]


def handler_of(secrets, machine, applications, folder):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = TIMEOUT_SECONDS

        def do_POST(self):
            try:
                self.answer(self.receive())
            except Refused as refused:
                self.log_error("refused: %s", refused)
                self.answer(refused.status)
            except Exception as error:  # sent again by the service
                self.log_error("failed: %r", error)
                self.answer(503)

        def do_GET(self):
            if self.path != "/applications":
                return self.answer(404)
            self.answer(200, json.dumps(applications.list()).encode())

        def receive(self):
            length = self.headers.get("content-length") or ""
            if self.path != "/events" or not length.isdecimal() or int(length) > DELIVERY_BYTES_MAX:
                self.close_connection = True
                raise Refused(404 if self.path != "/events" else 413, "no delivery")
            body = self.rfile.read(int(length))
            delivery_id, kind, data = verify_delivery(self.headers, body, secrets)
            is_done = "webhook-repeat" not in self.headers and applications.knows(delivery_id)
            if kind == "CandidateApplicationCreated" and not is_done:
                keep_application(delivery_id, data, machine, applications, folder)
            return 204

        def answer(self, status, body=b""):
            self.send_response(status)
            if status != 204:
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_request(self, *_):
            pass

    return Handler


def main():
    settings = {name: os.environ.get(name, default) for name, default in SETTINGS.items()}
    folder = settings["DATA_DIR"]
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for name in os.listdir(folder):
        if name.endswith(".part"):  # left by a process that was killed in the middle of a download
            os.unlink(os.path.join(folder, name))
    applications = Applications(os.path.join(folder, "applications.db"))
    secrets = settings["EVENT_SINK_SECRET"].split(",")
    handler = handler_of(secrets, Machine(settings), applications, folder)
    server = ThreadingHTTPServer(("127.0.0.1", int(settings["PORT"])), handler)
    address = f"http://127.0.0.1:{server.server_address[1]}"
    print(f"Events are received at {address}/events; see {address}/applications", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
