"""The recipes of notifications: a mail and a chat, on loopback, with hostile text in them."""

import json
import os
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

HOOKS = Path(__file__).resolve().parents[3] / "examples" / "lab" / "hooks"
HOSTILE = "never woke``` @channel\r\nBcc: all@example.com"
TOLD = {
    "RESUME_RIG_EVENT": "end",
    "RESUME_RIG_STORE": "/srv/night\nBcc: all@example.com.rrs",
    "RESUME_RIG_VERDICT": "FAIL",
    "RESUME_RIG_TEXT": HOSTILE,
}


def run(*words: str, **more: str) -> None:
    plain = {name: text for name, text in os.environ.items() if "proxy" not in name.lower()}
    environment = {**plain, **TOLD, **more}
    words = (sys.executable, str(HOOKS / words[0]), *words[1:])
    ended = subprocess.run(
        words, env=environment, timeout=60, check=False, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr


@contextmanager
def served(server: socketserver.BaseServer) -> Iterator[int]:
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Smtp(socketserver.StreamRequestHandler):
    """As much of a mail server as one mail needs."""

    mails: ClassVar[list[str]] = []

    def handle(self) -> None:
        self.wfile.write(b"220 lab\r\n")
        for line in self.rfile:
            word = line.split()[0].upper() if line.split() else b""
            if word == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = iter(self.rfile.readline, b".\r\n")
                self.mails.append(b"".join(lines).decode())
            if word == b"QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            self.wfile.write(b"250 fine\r\n")


class Chat(BaseHTTPRequestHandler):
    """An incoming webhook."""

    posts: ClassVar[list[dict[str, str]]] = []

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.posts.append(json.loads(self.rfile.read(length)))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_mail_has_the_verdict_and_no_header_of_the_duts() -> None:
    with served(socketserver.TCPServer(("127.0.0.1", 0), Smtp)) as port:
        run("mail.py", "lab@example.com", SMTP_HOST="127.0.0.1", SMTP_PORT=str(port))

    (mail,) = Smtp.mails
    head, _, body = mail.partition("\r\n\r\n")
    assert "Subject: resume-rig end: " in head
    assert "FAIL" in head
    assert not any(line.startswith("Bcc") for line in head.splitlines())
    assert "never woke" in body


def test_a_chat_gets_the_text_in_a_block() -> None:
    with served(HTTPServer(("127.0.0.1", 0), Chat)) as port:
        run("chat.py", CHAT_WEBHOOK=f"http://127.0.0.1:{port}/hooks/x")

    (post,) = Chat.posts
    assert post["text"].startswith("resume-rig end FAIL\n```\n")
    assert post["text"].count("```") == 2
    assert socket.gethostname() not in post["text"]
