import { randomUUID } from 'node:crypto';
import { ask, send, type Sender } from '../ask.js';
import { errorOfAnswer, errorOfGraphql, readHead, type GraphqlError } from '../bff-error.js';
import type { BffOptions } from '../bff-options.js';
import { withoutEmpty, type TypedText } from '../document.js';
import { readJson } from '../read-json.js';
import { pathOf } from '../sealed-link.js';

/** Gives the machine's token, such as {@link clientCredentials} makes. */
export type GetMachineToken = (request: {
  /** True when the token returned last has been refused: get a new one, or return the same one to give up. */
  readonly refresh: boolean;
}) => string | Promise<string>;

/** How a back end uses the service. */
export interface MachineOptions {
  /** Address of the service, with its base path if it has one: `https://bff.partner.example`. */
  readonly url: string;
  readonly getToken: GetMachineToken;
  /** The languages of answers (`Accept-Language`); the upstream's own by default. */
  readonly language?: string;
  /** How long an answer may take, and the first byte of a file, in milliseconds; 30,000 by default. */
  readonly timeoutMs?: number;
  /** For tests and unusual places. */
  readonly fetch?: typeof fetch;
}

/** Whose data, and until when. */
export interface CallOptions {
  /** The hirer of the event. Left out for operations of no hirer only (`@hirer(none: true)`). */
  readonly hirerId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A registered operation: its name or hash, or a document that `npm run operations -- types` wrote. */
type RegisteredDocument<Data, Variables> =
  string | (TypedText<Data, Variables> & { readonly documentId: string });

const TIMEOUT_MS = 30_000;

/**
 * A back end that asks the service as a machine (`MACHINE_SUBJECTS`): it calls registered operations and fetches files. A
 * token that is refused is renewed once.
 */
export class MachineClient {
  private readonly sender: Sender;
  private readonly timeoutMs: number;

  constructor({ getToken, language, timeoutMs = TIMEOUT_MS, ...rest }: MachineOptions) {
    const options: BffOptions = { ...rest, getUserToken: getToken };
    this.sender = { options, sessionId: randomUUID(), language };
    this.timeoutMs = timeoutMs;
  }

  /**
   * The data of a registered operation.
   * @param variables those without a value are left out (interface 4.3)
   * @throws BffError if the answer has errors; the partial data, if any, is its `data`
   */
  async call<Data, Variables extends object>(
    operation: RegisteredDocument<Data, Variables>,
    variables: Variables,
    { hirerId, signal }: CallOptions = {},
  ): Promise<Data> {
    const documentId = typeof operation === 'string' ? operation : operation.documentId;
    const either = withDeadline(this.timeoutMs, signal);
    const { response, requestId } = await send(this.sender, '/graphql', {
      body: { documentId, variables: withoutEmpty(variables) },
      signal: either,
      headers: hirerId === undefined ? {} : { 'X-Hirer-Id': hirerId },
    });
    const head = readHead(response, requestId);
    const body = (await readJson(response, either)) as Answer<Data> | undefined;
    if (body?.errors?.length) throw errorOfGraphql(head, body.errors, body.data);
    if (!response.ok || body?.data == null) throw errorOfAnswer(head, body);
    return body.data;
  }

  /**
   * The file behind a sealed link (`/attachments/…`, from an event's object or an operation's answer), to be stored as it
   * arrives: `timeoutMs` bounds the wait for its first byte, `signal` the whole. Choose its name yourself: the one in
   * `Content-Disposition` is the sender's.
   * @throws BffError `NOT_FOUND` when the link has expired; reading the body fails where it is broken off
   */
  async download(link: string, options: { readonly signal?: AbortSignal } = {}): Promise<Response> {
    const stop = new AbortController();
    const late = (): void => stop.abort(new DOMException('No byte arrives.', 'TimeoutError'));
    const timer = setTimeout(late, this.timeoutMs);
    const signal = options.signal ? AbortSignal.any([stop.signal, options.signal]) : stop.signal;
    try {
      const path = pathOf(this.sender.options.url, link);
      return (await ask(this.sender, path, { method: 'GET', signal })).response;
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Answer<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly GraphqlError[];
}

function withDeadline(timeoutMs: number, signal: AbortSignal | undefined): AbortSignal {
  const deadline = AbortSignal.timeout(timeoutMs);
  return signal ? AbortSignal.any([deadline, signal]) : deadline;
}
