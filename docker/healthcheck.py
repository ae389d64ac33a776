"""Exit status 0 when askwire answers a client's first message on the port it listens on, else 1 and why."""

import os
import socket
import struct
import sys

SSL_REQUEST = struct.pack("!II", 8, 80877103)


def main() -> int:
    """Ask whether TLS is offered: anyone who answers S or N speaks PostgreSQL's protocol."""
    port = os.environ.get("ASKWIRE_LISTEN", "127.0.0.1:6432").rpartition(":")[2]
    try:
        with socket.create_connection(("127.0.0.1", int(port)), timeout=2) as connection:
            connection.sendall(SSL_REQUEST)
            answer = connection.recv(1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        sys.stderr.write(f"askwire does not answer on port {port}: {reason}\n")
        return 1
    if answer in (b"S", b"N"):
        return 0
    sys.stderr.write(f"port {port} answers {answer!r}, which is not askwire\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
