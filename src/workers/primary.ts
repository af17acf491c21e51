import type { Worker } from 'node:cluster';
import type { Config } from '../config/load-config.js';
import type { Log } from '../telemetry/log.js';
import type { MetricData } from '../telemetry/sum-metrics.js';
import { DepartedCounts } from './departed-counts.js';
import type { FromPrimary, FromWorker } from './messages.js';
import { Place } from './place.js';
import { METRICS, PRESENCE } from './questions.js';
import { Relay, type Result, type Serving } from './relay.js';
import type { Answers } from './workers.js';

/** How long after its own bound a worker that still runs is killed: a second in all, with a margin. */
const KILLING_MS = 850;
/** How often workers are asked for a sign of life. */
const BEAT_MS = 3_000;
/** No question of a worker has this id. */
const BEAT: FromPrimary = { type: 'question', id: 0, name: PRESENCE.name, argument: undefined };

type Ask = Extract<FromWorker, { type: 'ask' }>;

/** What the primary needs of the process that it runs in. */
export interface PrimaryOptions {
  readonly count: number;
  readonly config: Pick<Config, 'SHUTDOWN_DELAY_MS' | 'SHUTDOWN_TIMEOUT_MS'>;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** True where a worker may be silent because a debugger has stopped it. */
  readonly isDebugged: boolean;
  /** Starts the process for a place. */
  readonly fork: (number: number) => Worker;
  /** Prints why the service cannot start. */
  readonly print: (message: string) => void;
}

/**
 * The process that starts the workers, and starts those again that end. It takes no request: connections go to the
 * workers in turn, which `node:cluster` does. A worker that ends before it has served once ends them all, as the start
 * of one process would.
 */
export class Primary {
  private readonly places: readonly Place<Worker>[];
  private readonly relay = new Relay();
  private readonly departed = new DepartedCounts();
  private readonly ended = Promise.withResolvers<number>();
  private exitCode = 0;
  private failure: string | undefined;
  private stopping = false;
  private opsUrl = '';

  constructor(private readonly options: PrimaryOptions) {
    this.places = Array.from({ length: options.count }, (_, index) => new Place<Worker>(index + 1));
  }

  /** Resolves with the exit code once every worker has ended. */
  run(): Promise<number> {
    for (const place of this.places) this.start(place);
    if (!this.options.isDebugged) setInterval(() => this.beat(), BEAT_MS).unref();
    return this.ended.promise;
  }

  /** Passes a signal to stop on. What still runs after the time that it allows is killed. */
  stop(signal: 'SIGTERM' | 'SIGINT'): void {
    const { SHUTDOWN_DELAY_MS, SHUTDOWN_TIMEOUT_MS } = this.options.config;
    this.stopping = true;
    for (const child of this.children) child.process.kill(signal);
    const delayMs = signal === 'SIGTERM' ? SHUTDOWN_DELAY_MS : 0;
    setTimeout(() => this.kill(), delayMs + SHUTDOWN_TIMEOUT_MS + KILLING_MS);
    this.endIfEmpty();
  }

  /** Passes SIGHUP on to the workers that serve; it would end one that is not that far. */
  reload(): void {
    for (const { child, serves } of this.places) if (serves) child?.process.kill('SIGHUP');
  }

  private get children(): Worker[] {
    return this.places.flatMap(({ child }) => child ?? []);
  }

  private start(place: Place<Worker>): void {
    if (this.stopping) return;
    const child = this.options.fork(place.number);
    place.fill(child, performance.now());
    child.on('message', (message: FromWorker) => void this.hear(place, child, message));
    child.once('exit', (code, signal) => void this.lose(place, child, code, signal));
    child.on('error', (error) =>
      this.options.log.warn({ err: error, worker: place.number }, 'a worker cannot be told something'),
    );
  }

  private async hear(place: Place<Worker>, child: Worker, message: FromWorker): Promise<void> {
    place.hear();
    switch (message.type) {
      case 'serving':
        return this.announce(place, message);
      case 'failed':
        return this.explain(place, message.message);
      case 'ask':
        return void send(child, {
          type: 'answers',
          id: message.id,
          answers: await this.ask(place.number, message),
        });
      case 'answer':
      case 'no answer':
        return this.relay.hear(message);
      default:
        return message satisfies never;
    }
  }

  private announce(
    place: Place<Worker>,
    { publicUrl, opsUrl }: Extract<FromWorker, { type: 'serving' }>,
  ): void {
    const { log, count } = this.options;
    const isFirst = !this.places.every(({ hasServed }) => hasServed);
    if (place.number === 1) this.opsUrl = opsUrl;
    place.serves = place.hasServed = true;
    if (!isFirst) {
      log.info({ worker: place.number }, 'the worker serves again');
    } else if (this.places.every(({ hasServed }) => hasServed)) {
      log.info({ public: publicUrl, ops: this.opsUrl, workers: count }, 'listening');
    }
  }

  /** Every worker fails at the start for the same reason, which is printed once. */
  private explain({ number, hasServed }: Place<Worker>, message: string): void {
    if (hasServed) {
      return this.options.log.error({ worker: number, fault: message }, 'the worker cannot start');
    }
    if (this.failure === undefined) this.options.print(message);
    this.failure ??= message;
  }

  private async lose(
    place: Place<Worker>,
    child: Worker,
    code: number | null,
    signal: string | null,
  ): Promise<void> {
    // Until then, it may say why. An error of the channel, which `once` of Node would take for a failure, is logged.
    if (child.isConnected()) await new Promise<void>((resolve) => child.once('disconnect', resolve));
    const { log } = this.options;
    const worker = place.number;
    const pauseMs = place.empty(performance.now());
    this.departed.depart(worker);
    this.relay.lose(worker);
    if (this.stopping) return this.endIfEmpty();
    if (!place.hasServed) {
      this.explain(place, `Worker ${worker} ended before it served (${signal ?? `exit code ${code}`}).`);
      this.exitCode = code || 1;
      return this.stop('SIGINT');
    }
    log.error({ worker, code, signal, pauseMs }, 'a worker ended; it is started again');
    setTimeout(() => this.start(place), pauseMs);
  }

  private async ask(asker: number, question: Ask): Promise<Answers<unknown>> {
    const results = await this.relay.ask(this.serving(asker), question);
    const answered = results.filter(({ answer }) => answer !== undefined);
    const answers = answered.map(({ answer }) => answer);
    const numbers = new Set(answered.map(({ number }) => number));
    const absent = this.places.filter(({ serves }) => !serves).map(({ number }) => number);
    if (question.name === METRICS.name) {
      if (question.argument === undefined) this.note(answered);
      answers.push(...this.departed.besides(numbers));
    }
    return {
      answers,
      silent: results
        .map(({ number }) => number)
        .filter((number) => !numbers.has(number) && !absent.includes(number)),
      absent,
    };
  }

  private note(answered: readonly Result[]): void {
    const present = answered.filter(({ number }) => this.places[number - 1]!.serves);
    for (const { number, answer } of present) this.departed.note(number, answer as readonly MetricData[]);
  }

  /** The workers that serve, and before them the asking one, whose ops listener opens a moment earlier. */
  private serving(asker: number): Serving[] {
    const serving = this.places.flatMap(({ number, child, serves }) =>
      (serves || number === asker) && child
        ? [{ number, send: (message: FromPrimary) => send(child, message) }]
        : [],
    );
    return serving.sort((one, other) => Number(other.number === asker) - Number(one.number === asker));
  }

  /**
   * Asks each worker for a sign of life, and kills one that hangs. It counts what was left unanswered, not the time: a
   * primary that was stopped too, with its machine, asks once for all of it. The others then have as long again.
   */
  private beat(): void {
    if (this.stopping) return;
    const hanging = this.places.find(({ hangs }) => hangs);
    if (hanging) {
      this.options.log.error({ worker: hanging.number }, 'the worker does not answer and is killed');
      hanging.child?.process.kill('SIGKILL');
      for (const place of this.places) place.hear();
    }
    for (const place of this.places) place.beat();
    for (const child of this.children) send(child, BEAT);
  }

  private kill(): void {
    const { children } = this;
    if (children.length > 0) {
      this.options.log.error({ workers: children.length }, 'workers that did not stop are killed');
    }
    for (const child of children) child.process.kill('SIGKILL');
  }

  private endIfEmpty(): void {
    if (this.children.length === 0) this.ended.resolve(this.exitCode);
  }
}

function send(child: Worker, message: FromPrimary): void {
  if (child.isConnected()) child.send(message);
}
