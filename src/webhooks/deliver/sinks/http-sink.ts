import type { lookup } from 'node:dns';
import { causeCode } from '../../../errors/cause-code.js';
import { type Cancellation, RequestContext } from '../../../http/request-context.js';
import { HttpClient, type ClientSettings } from '../../../http/outgoing/http-client.js';
import { ExchangeFault, OutgoingRequest, type IncomingAnswer } from '../../../http/outgoing/exchange.js';
import { retryAfterSeconds } from '../../../http/header-values.js';
import { Sink, type DeliveryMessage, type DeliveryOutcome, type SinkSettings } from './sink.js';

const ANSWER_BYTES_MAX = 1_048_576;

/** Delivers events over HTTP in the Standard Webhooks scheme, one event per request. Redirects are not followed. */
export class HttpSink extends Sink {
  private readonly client: HttpClient;

  constructor(settings: SinkSettings, calling: ClientSettings, now?: () => number, resolver?: typeof lookup) {
    super(settings, now, resolver);
    this.client = new HttpClient('event-sink', settings.url, calling, {
      connectionsMax: settings.concurrency,
      lookup: this.lookup,
    });
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  protected async send({ headers, body }: DeliveryMessage, stopping: Cancellation): Promise<DeliveryOutcome> {
    const { url, timeoutMs } = this.settings;
    try {
      const bounds = { timeoutMs, bodyBytesMax: ANSWER_BYTES_MAX, cancellation: stopping };
      const path = url.pathname + url.search;
      const request = new OutgoingRequest('POST', path, { ...headers }, bounds, body);
      return this.judge(await this.client.send(request, RequestContext.background()));
    } catch (error) {
      if (!(error instanceof ExchangeFault)) throw error;
      if (error.status > 0) return this.judge({ status: error.status, headers: {} });
      const code = causeCode(error.cause);
      return this.failed(code === undefined ? error.kind : `${error.kind} (${code})`, error.cause);
    }
  }

  /** By the status alone, which comes first. 410 is final; any other failure may be temporary, most 4xx included. */
  private judge({ status, headers }: Pick<IncomingAnswer, 'status' | 'headers'>): DeliveryOutcome {
    if (status >= 200 && status < 300) return { kind: 'delivered', status };
    const failed = { ...this.failed(`status ${status}`, undefined), status };
    if (status === 410) return { ...failed, kind: 'dead' };
    const wait = status === 429 || status === 503 ? retryAfterSeconds(headers['retry-after'], this.now()) : 0;
    return { ...failed, ...(wait && { retryAfterMs: wait * 1000 }), isTooLarge: status === 413 };
  }
}
