import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { LoadRequest } from './load.js';

const HEAD_END = '\r\n\r\n';
const READ_BYTES = 16_384;

/**
 * A keep-alive connection with at most one request under way. Every answer must declare its length. Reads into one
 * buffer: Node's own 64 kB for each read would have to be collected during a load.
 */
class Connection {
  private received = '';
  private onAnswer: (() => void) | undefined;
  private readonly socket: Socket;

  private constructor(
    port: number,
    private readonly status: number,
  ) {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const receive = (bytes: number): boolean => {
      this.receive(buffer.toString('latin1', 0, bytes));
      return true;
    };
    const onread = { buffer, callback: receive };
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
  }

  static async open(port: number, status: number): Promise<Connection> {
    const connection = new Connection(port, status);
    await once(connection.socket, 'connect');
    return connection;
  }

  send(request: string, onAnswer: () => void): void {
    this.onAnswer = onAnswer;
    this.socket.write(request);
  }

  close(): void {
    this.socket.destroy();
  }

  private receive(text: string): void {
    this.received += text;
    const headEnd = this.received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.received)?.[1]);
    if (this.received.length < headEnd + HEAD_END.length + length) return;
    const status = Number(this.received.slice(9, 12));
    if (status !== this.status) throw new Error(`answered ${status}`);
    this.received = '';
    this.onAnswer?.();
  }
}

/** How many requests, how many a second (Infinity: each as soon as a connection is free), and over how many connections. */
export interface Pace {
  readonly count: number;
  /** As many more come first, and are not counted: the first requests of new connections are not a steady load. */
  readonly settling?: number;
  readonly ratePerSecond: number;
  readonly connections: number;
}

/**
 * Sends requests at fixed times, whether or not earlier ones are answered, and gives how long each took from the time it
 * was due, in milliseconds: a request that waits for a free connection waits as its caller would (no coordinated
 * omission). Spins, so that no timer's resolution is part of the result: it needs a core of its own.
 */
export async function sendAtRate(
  { origin, path, headers, body, status = 200 }: LoadRequest,
  { count, settling = 0, ratePerSecond, connections }: Pace,
): Promise<Float64Array> {
  const total = settling + count;
  const { port, host } = new URL(origin);
  const all = { host, ...headers, 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
  const opened = await Promise.all(
    Array.from({ length: connections }, () => Connection.open(Number(port), status)),
  );
  const free = [...opened];
  const latencies = new Float64Array(total);
  const startedAt = performance.now();
  let [sent, answered] = [0, 0];
  const sendOne = (connection: Connection): void => {
    const index = sent;
    sent += 1;
    const dueAt = startedAt + (index * 1000) / ratePerSecond;
    connection.send(request, () => {
      latencies[index] = performance.now() - dueAt;
      answered += 1;
      free.push(connection);
    });
  };
  await new Promise<void>((resolve) => {
    const spin = (): void => {
      const due = Math.floor(((performance.now() - startedAt) / 1000) * ratePerSecond) + 1;
      while (sent < Math.min(total, due) && free.length > 0) sendOne(free.pop()!);
      if (answered < total) setImmediate(spin);
      else resolve();
    };
    spin();
  });
  for (const connection of opened) connection.close();
  return latencies.subarray(settling).sort();
}

/** A quantile of sorted values, between 0 and 1. */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
