"""A client that watches a run and counts: watch.py PORT. Prints one line of JSON when the run ends.
Reads into one buffer and looks at headers alone, so as to take as little of the machine as it can."""
import base64, json, os, socket, struct, sys, time

port = int(sys.argv[1])
s = socket.create_connection(("127.0.0.1", port))
s.sendall((f"GET /stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Protocol: jostle\r\n\r\n").encode())
head = b""
while not head.endswith(b"\r\n\r\n"):
    head += s.recv(1)
assert head.startswith(b"HTTP/1.1 101"), head


def say(line, opcode=1):
    key = os.urandom(4)
    s.sendall(bytes([0x80 | opcode, 0x80 | len(line)]) + key + bytes(b ^ key[k % 4] for k, b in enumerate(line)))


room = memoryview(bytearray(1 << 20))


def take(n):
    """The first 1 MB of n bytes; the rest is read and forgotten."""
    got, first = 0, b""
    while got < n:
        k = s.recv_into(room[got % len(room):], min(n - got, len(room) - got % len(room)))
        if k == 0:
            raise EOFError
        got += k
        if not first and got >= min(n, 4096):
            first = bytes(room[:min(n, 65536, got)])
    return first


say(b"want 1")
frames, size, total, begin, end, status, kind, length = 0, 0, 0, 0.0, 0.0, {}, 0, 0
try:
    while True:
        a, b = take(2)
        n = b & 127
        n = struct.unpack(">H", take(2))[0] if n == 126 else struct.unpack(">Q", take(8))[0] if n == 127 else n
        body = take(n) if n else b""
        total += n
        opcode = a & 15
        if opcode == 8:
            break
        if opcode == 9:
            say(body, 10)
        if opcode in (1, 2):
            kind, length = (struct.unpack("<I", body[:4])[0] if opcode == 2 else 0), 0
        if opcode == 1 and b'"status"' in body[:40] and a & 128:
            status = json.loads(body)
        length += n
        if opcode < 3 and a & 128 and kind == 3:
            frames, size, end = frames + 1, length, time.monotonic()
            begin = begin or end
except (EOFError, ConnectionError):
    pass
rate = (frames - 1) / (end - begin) if frames > 1 else 0
print(json.dumps({"frames": frames, "frame_bytes": size, "bytes": total, "frames_per_second": rate,
                  "viewer_seconds": status.get("viewer_seconds", 0)}))
