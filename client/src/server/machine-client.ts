import { randomUUID } from 'node:crypto';
import { ask, send, type Sender } from '../ask.js';
import { errorOfAnswer, errorOfGraphql, readHead, type GraphqlError } from '../bff-error.js';
import type { BffOptions } from '../bff-options.js';
import { withoutEmpty, type TypedText } from '../document.js';
import { readJson } from '../read-json.js';
import { fileOf, pathOf } from '../sealed-link.js';
import { saveAnswer, type SavedFile } from './save-answer.js';

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
  /** How long an answer may take, and how long a file may bring no byte, in milliseconds; 30,000 by default. */
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

/** How to save a file. */
export interface SaveOptions {
  /** A larger file is refused; no limit by default. */
  readonly bytesMax?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A registered operation: its name or hash, or a document that `npm run operations -- types` wrote. */
export type RegisteredDocument<Data, Variables> =
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
   * Saves the file behind a sealed link (`/attachments/…`, from an event's object or an operation's answer), readable by
   * this process's user alone. The file appears when it is complete, in place of one of that name; a download that fails
   * leaves nothing. A process that is killed meanwhile leaves a file that ends in `.part`.
   * @param file its path. Choose it yourself: the name that the sender gave the file is only told
   * @throws BffError `NOT_FOUND` when the link has expired, `NETWORK_ERROR` when the file did not arrive completely
   * @throws Error of the file system
   */
  async save(
    link: string,
    file: string,
    { bytesMax = Infinity, signal }: SaveOptions = {},
  ): Promise<SavedFile> {
    const stop = new AbortController();
    const either = signal ? AbortSignal.any([stop.signal, signal]) : stop.signal;
    const late = (): void => stop.abort(new DOMException('The file brings nothing.', 'TimeoutError'));
    const timer = setTimeout(late, this.timeoutMs);
    try {
      const path = pathOf(this.sender.options.url, link);
      const { response } = await ask(this.sender, path, { method: 'GET', signal: either });
      const bytes = await saveAnswer(response, file, { bytesMax, onChunk: () => timer.refresh() });
      return { ...fileOf(response), bytes };
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
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
