"""Data-parallel softmax regression: a parameter server and its workers talk over TCP.

Rounds are synchronous: the server waits for the gradients of all workers before it makes a step.
"""

import argparse
import multiprocessing as mp
import pickle
import socket
import struct
import time
import zlib

import numpy as np

CLASSES, FEATURES = 6, 20


def send(sock, obj):
    payload = pickle.dumps(obj)
    sock.sendall(struct.pack("!I", len(payload)) + payload)


def receive_exactly(sock, size):
    parts = []
    while size:
        part = sock.recv(size)
        if not part:
            raise ConnectionError("peer has gone")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def receive(sock):
    (size,) = struct.unpack("!I", receive_exactly(sock, 4))
    return pickle.loads(receive_exactly(sock, size))


def dataset(n, seed):
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(7).normal(0, 0.7, (CLASSES, FEATURES))
    y = rng.integers(0, CLASSES, n)
    return centres[y] + rng.normal(0, 1.0, (n, FEATURES)), y


def softmax(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def worker(address):
    sock = socket.create_connection(address)
    hello = receive(sock)
    x, y = dataset(hello["rows"], hello["shard"])
    # every worker augments its shard with noise of its own
    rng = np.random.default_rng(zlib.crc32(hello["name"].encode()))
    while True:
        weights = receive(sock)
        if weights is None:
            break
        pick = rng.integers(0, len(x), hello["batch"])
        xb = x[pick] + rng.normal(0, 0.2, (len(pick), FEATURES))
        p = softmax(xb @ weights)
        p[np.arange(len(pick)), y[pick]] -= 1
        send(sock, xb.T @ p / len(pick))
    sock.close()


class Server:
    def __init__(self, workers):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.workers = workers
        self.peers = []

    @property
    def address(self):
        return self.listener.getsockname()

    def gather(self, rows, batch):
        connected = {}
        while len(connected) < self.workers:
            sock, (host, port) = self.listener.accept()
            connected[f"{host}:{port}"] = sock
        for shard, name in enumerate(sorted(connected)):
            hello = {"name": name, "shard": shard, "rows": rows, "batch": batch}
            send(connected[name], hello)
            self.peers.append(connected[name])

    def round(self, weights, lr):
        for sock in self.peers:
            send(sock, weights)
        gradients = [receive(sock) for sock in self.peers]
        return weights - lr * np.mean(gradients, axis=0)

    def close(self):
        for sock in self.peers:
            send(sock, None)
            sock.close()
        self.listener.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=150)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.3)
    args = parser.parse_args()
    np.random.seed(0)
    server = Server(args.workers)
    processes = [mp.Process(target=worker, args=(server.address,)) for _ in range(args.workers)]
    for p in processes:
        p.start()
    server.gather(rows=400, batch=args.batch)
    weights = np.zeros((FEATURES, CLASSES))
    x, y = dataset(2000, 99)
    began = time.time()
    for r in range(args.rounds):
        weights = server.round(weights, args.lr / (1 + 0.01 * r))
        if (r + 1) % 50 == 0:
            p = softmax(x @ weights)
            loss = -np.log(p[np.arange(len(y)), y]).mean()
            print(f"round {r + 1:4d} loss {loss:.8f} accuracy {(p.argmax(1) == y).mean():.4f}")
    print(f"{args.rounds / (time.time() - began):.0f} rounds/s")
    server.close()
    for p in processes:
        p.join()
    np.savez("weights.npz", weights=weights)
    print(f"final loss {loss:.8f}")


if __name__ == "__main__":
    main()
