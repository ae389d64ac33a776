"""Certificates for tests, made with the `openssl` program."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

OPENSSL = shutil.which("openssl")


@dataclass(frozen=True)
class Certificates:
    """PEM files: an authority, a certificate it signed for a host name, and another authority.

    `other_key` belongs to another certificate; `locked_key` is the right key behind a passphrase.
    """

    authority: Path
    certificate: Path
    key: Path
    other_authority: Path
    other_key: Path
    locked_key: Path


def make(folder: Path, host: str, names: str = "", *, rsa: int = 0) -> Certificates:
    """Certificates in a folder; the certificate is valid for `host` alone, or for `names` in its place.

    Those are written as a subjectAltName of OpenSSL's configuration. The key of the certificate has `rsa`
    bits, or is of a curve.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _authority(folder, "authority")
    _authority(folder, "other")
    request, certificate, key = folder / "host.csr", folder / "host.pem", folder / "host.key"
    _openssl("req", "-new", *_key(key, rsa), "-subj", f"/CN={host}", "-out", str(request))
    extension = folder / "host.ext"
    extension.write_text(f"subjectAltName={names or f'DNS:{host}'}\n")
    _openssl(
        *("x509", "-req", "-in", str(request), "-days", "2", "-out", str(certificate)),
        *("-CA", str(folder / "authority.pem"), "-CAkey", str(folder / "authority.key"), "-CAcreateserial"),
        *("-extfile", str(extension)),
    )
    key.chmod(0o600)
    locked = folder / "locked.key"
    _openssl("pkcs8", "-topk8", "-in", str(key), "-out", str(locked), "-passout", "pass:word")
    other = folder / "other"
    return Certificates(
        folder / "authority.pem",
        certificate,
        key,
        other.with_suffix(".pem"),
        other.with_suffix(".key"),
        locked,
    )


def _authority(folder: Path, name: str) -> None:
    out = str(folder / f"{name}.pem")
    # who verifies strictly, as Python does from 3.13 on, wants to know what its key is for
    usage = ("-addext", "keyUsage=critical,keyCertSign,cRLSign")
    subject = ("-subj", f"/CN={name}", "-days", "2", "-out", out)
    _openssl("req", "-x509", *_key(folder / f"{name}.key"), *usage, *subject)


def _key(path: Path, rsa: int = 0) -> tuple[str, ...]:
    if rsa:
        return ("-newkey", f"rsa:{rsa}", "-nodes", "-keyout", str(path))
    return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", str(path))


def _openssl(*arguments: str) -> None:
    assert OPENSSL
    # what sanitizes Python would slow down this program too
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    subprocess.run([OPENSSL, *arguments], check=True, capture_output=True, env=environment)
