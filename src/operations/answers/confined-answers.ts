import { setImmediate as nextTurn } from 'node:timers/promises';
import { BffError } from '../../errors/bff-error.js';
import type { Cancellation } from '../../http/cancellation.js';
import { ExchangeFault } from '../../http/outgoing/exchange.js';
import { isObject } from '../../json/is-object.js';
import { measureJson, parseMarked, restoreNumbers } from '../../json/exact-json.js';
import type { CompiledOperation } from '../compile/compile-operation.js';
import type { HirerBinding, ProofBinding } from '../compile/hirer-binding.js';
import type { SelectionTree } from '../compile/selection-tree.js';
import { judgeAnyOwnership, judgeOwnership, type Verdict } from './ownership.js';
import type { GraphqlResult, Outcome } from '../transport/graphql-result.js';
import { shapeConfinedError, shapeError } from './shaped-error.js';

type MapText = (text: string) => string;

/** How an answer is shaped on its way back. */
interface AnswerHandling {
  readonly hirerId: string;
  /** The hirer that the stored copy of the event names; undefined when there is none, or it names none. */
  readonly eventHirerId?: string | undefined;
  /** Replaces an attachment's URL by a sealed link. */
  readonly mapText?: MapText;
  /** Called for each member that was not selected. */
  readonly onRemoved?: () => void;
  /** Nothing more is done for a caller who has disconnected. */
  readonly cancellation?: Cancellation | undefined;
}

/** Values of an answer, at all depths. */
const VALUES_MAX = 60_000;
/** Levels of brackets, those of the answer and of one of its members included; readers and `JSON.stringify` are recursive. */
const LEVELS_MAX = 501;
/** Sealing a link takes as long as reading two kilobytes. */
const ATTACHMENTS_MAX = 1_000;
/** One of two bytes becomes a message of forty. */
const ERRORS_MAX = 1_000;
/** A larger answer is measured, parsed, walked and written in several turns of the event loop. */
const LARGE_BYTES = 65_536;

/** An answer that is not shown: no JSON, of another form than was selected, or too much of something. */
class UnusableAnswer extends BffError {
  /** @param reason for the log; quotes nothing of the answer */
  constructor(reason: string) {
    super('upstream_error', { message: `the answer has ${reason}` });
  }
}

/**
 * The answers to one registered operation: what proves that one is of the hirer, and what of it the caller may see. An
 * answer is parsed once, walked once and written once, so that what is judged is what is sent.
 */
export class ConfinedAnswers {
  private readonly proofs: readonly ProofBinding[];

  constructor(private readonly compiled: CompiledOperation) {
    this.proofs = compiled.bindings.filter(isProof);
  }

  /**
   * The answer that the caller may see: the members that were selected, and an error unless every value at the bound
   * paths is the hirer.
   * @throws ExchangeFault of kind `aborted` when the caller has disconnected
   */
  async shape(result: GraphqlResult, handling: AnswerHandling): Promise<Outcome> {
    try {
      const { data, errors, extensions } = await this.read(result.body, handling);
      if (this.judge(data, handling) === 'refused') {
        return new BffError('hirer_forbidden', {
          detail: 'The object does not belong to this hirer.',
          message: `an answer of ${this.compiled.name} does not prove that it is of the hirer`,
        });
      }
      if (result.body.length > LARGE_BYTES) await ownTurn(handling.cancellation);
      const shaped = Array.isArray(errors) ? this.shapeErrors(errors, data) : undefined;
      const body = JSON.stringify({ data, errors: shaped, extensions: readLatency(extensions) });
      return { ...result, body: Buffer.from(body) };
    } catch (error) {
      if (error instanceof UnusableAnswer) return error;
      throw error;
    }
  }

  /** True if the answer of this query, run as a guard, proves that the object exists and belongs to the hirer. */
  async proves({ body }: GraphqlResult, hirerId: string): Promise<boolean> {
    try {
      const { data } = await this.read(body, { hirerId });
      return this.judge(data, { hirerId }) === 'owned';
    } catch (error) {
      if (error instanceof UnusableAnswer) return false;
      throw error;
    }
  }

  /**
   * The members of an answer, of its data only what was selected, with numbers that keep their digits.
   * @throws UnusableAnswer also for a member that is there twice: readers differ in which one they take
   */
  private async read(
    body: Buffer | string,
    handling: AnswerHandling,
  ): Promise<Readonly<Record<string, unknown>>> {
    const turn = body.length > LARGE_BYTES ? () => ownTurn(handling.cancellation) : undefined;
    if (turn) await turn();
    const text = body.toString();
    const size = measureJson(text, VALUES_MAX);
    if (size.values > VALUES_MAX) throw new UnusableAnswer(`more than ${VALUES_MAX} values`);
    if (size.levels > LEVELS_MAX) throw new UnusableAnswer('values that are nested too deeply');
    if (turn) await turn();
    const marked = parseOrRefuse(() => parseMarked(text, size));
    if (turn) await turn();
    const answer = restoreNumbers(marked, size);
    if (!isObject(answer)) throw new UnusableAnswer('no members');
    if (countParsed(answer) < size.values) throw new UnusableAnswer('a member twice');
    if (turn) await turn();
    const { data = null } = answer;
    if (Array.isArray(data)) throw new UnusableAnswer('a list in the place of an object');
    select(data, this.compiled.selection, {
      ...handling,
      mapText: atMost(ATTACHMENTS_MAX, handling.mapText),
    });
    return answer;
  }

  private judge(data: unknown, { hirerId, eventHirerId }: AnswerHandling): Verdict {
    const verdicts = this.proofs.map((binding) => {
      if (binding.kind === 'path') return judgeOwnership(data, binding.path, hirerId);
      const witness = binding.event === undefined ? undefined : eventHirerId;
      return judgeAnyOwnership(data, binding.anyPath, hirerId, witness);
    });
    if (verdicts.includes('refused')) return 'refused';
    return verdicts.includes('nothing') ? 'nothing' : 'owned';
  }

  private shapeErrors(errors: readonly unknown[], data: unknown): readonly unknown[] {
    if (errors.length > ERRORS_MAX) throw new UnusableAnswer('more errors than are accepted');
    if (this.proofs.length === 0) return errors.map(shapeError);
    return errors.map((error) => shapeConfinedError(error, data, this.compiled));
  }
}

/**
 * Removes every member that was not selected, in place, and seals attachments. Where members were selected there is an
 * object, lists of them or null; a leaf may be anything, but not an object where it is the URL of an attachment.
 */
function select(value: unknown, selection: SelectionTree, handling: AnswerHandling): void {
  if (value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) select(item, selection, handling);
    return;
  }
  if (!isObject(value)) throw new UnusableAnswer('a value in the place of an object');
  for (const key in value) {
    const field = selection.get(key);
    if (!field) {
      delete value[key];
      handling.onRemoved?.();
    } else if (field.below) {
      select(value[key], field.below, handling);
    } else if (field.isAttachment) {
      value[key] = mapUrls(value[key], handling.mapText!);
    }
  }
}

function mapUrls(value: unknown, mapText: MapText): unknown {
  if (Array.isArray(value)) return value.map((item) => mapUrls(item, mapText));
  if (isObject(value)) throw new UnusableAnswer('an object in the place of a URL');
  return typeof value === 'string' ? mapText(value) : value;
}

/** Maps as many texts as an answer may have. */
function atMost(max: number, mapText: MapText = (text) => text): MapText {
  let mapped = 0;
  return (text) => {
    mapped += 1;
    if (mapped > max) throw new UnusableAnswer('too many attachments');
    return mapText(text);
  };
}

let lastTurn = Promise.resolve();

/** Waits for a turn of the event loop in which no other large answer is handled. */
async function ownTurn(cancellation: Cancellation | undefined): Promise<void> {
  if (cancellation?.cancelled) throw new ExchangeFault('aborted');
  lastTurn = lastTurn.then(() => nextTurn());
  await lastTurn;
  if (cancellation?.cancelled) throw new ExchangeFault('aborted');
}

function parseOrRefuse(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    throw error instanceof SyntaxError ? new UnusableAnswer('a fault in its JSON') : error;
  }
}

/** How many of the values that were measured are still there after parsing, which keeps one of two members of a name. */
function countParsed(value: unknown): number {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += 1 + countParsed(item);
  } else {
    const members = value as Readonly<Record<string, unknown>>;
    for (const name in members) count += 1 + countParsed(members[name]); // three times as fast as the list of names
  }
  return Math.max(1, count);
}

function isProof(binding: HirerBinding): binding is ProofBinding {
  return binding.kind === 'path' || binding.kind === 'anyPath';
}

/** Of `extensions` the latency alone, if it is a number (interface 2.4). */
function readLatency(extensions: unknown): { requestLatency: unknown } | undefined {
  const { requestLatency } = isObject(extensions) ? extensions : {};
  const isNumber = typeof requestLatency === 'number' || JSON.isRawJSON(requestLatency);
  return isNumber ? { requestLatency } : undefined;
}
