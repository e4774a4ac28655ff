"""peer: a peer that the controller must refuse: speaks NNG's wire format (SP over TLS) by hand, wrongly.

usage: peer.py garbage|oversize|version HOST PORT [AGENT_STATE]

garbage  plain TCP, random bytes; ends well when the controller closes the connection
oversize an enrolled agent's certificate, a request that announces 2 MiB; ends well when the connection is closed
version  an enrolled agent's certificate, a request of protocol version 99; prints the readable parts of the reply
"""

import os
import socket
import ssl
import struct
import sys

REQ = 0x30


def connect(host, port):
    connection = socket.create_connection((host, port), timeout=10)
    connection.settimeout(10)
    return connection


def connect_as_agent(host, port, state):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(os.path.join(state, "ca.crt"))
    context.load_cert_chain(os.path.join(state, "agent.crt"), os.path.join(state, "agent.key"))
    connection = context.wrap_socket(connect(host, port), server_hostname="nasline-controller")
    connection.sendall(b"\0SP\0" + struct.pack(">HH", REQ, 0))
    receive(connection, 8)
    return connection


def receive(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise ConnectionResetError("closed by the controller")
        data += part
    return data


def send(connection, body, announced=None):
    message = struct.pack(">I", 0x80000001) + body
    connection.sendall(struct.pack(">Q", announced or len(message)) + message)


def expect_closed(connection, payload):
    try:
        for _ in range(64):
            connection.sendall(payload)
        while connection.recv(65536):
            pass
    except (ConnectionError, ssl.SSLError):
        pass
    print("the controller closed the connection")


def main():
    kind, host, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if kind == "garbage":
        expect_closed(connect(host, port), os.urandom(4096))
    elif kind == "oversize":
        connection = connect_as_agent(host, port, sys.argv[4])
        send(connection, b"", announced=2 << 20)
        expect_closed(connection, bytes(32768))
    elif kind == "version":
        connection = connect_as_agent(host, port, sys.argv[4])
        send(connection, b"\x08\x63" + b"\x5a\x03\x0a\x01x")  # version 99; hello of agent "x"
        (length,) = struct.unpack(">Q", receive(connection, 8))
        reply = receive(connection, length)
        print("".join(chr(byte) if 32 <= byte < 127 else "\n" for byte in reply))
    else:
        sys.exit(__doc__)


main()
