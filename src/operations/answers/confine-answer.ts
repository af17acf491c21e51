import { BffError } from '../../errors/bff-error.js';
import { isObject } from '../../json/is-object.js';
import {
  allAtOnce,
  hasMoreValues,
  isDeeperThan,
  parseExactInSteps,
  type Steps,
} from '../../json/exact-json.js';
import type { CompiledOperation } from '../compile/compile-operation.js';
import type { SelectionTree } from '../compile/selection-tree.js';
import type { GraphqlResult, Outcome } from '../transport/graphql-result.js';
import { shapeConfinedError, shapeError } from './answer-errors.js';
import { judgeOwnership, type Verdict } from './ownership.js';

/** For whom an answer is. */
interface Reader {
  readonly hirerId: string;
  /** The hirer that the stored copy of the event names; undefined when there is none, or it names none. */
  readonly eventHirerId?: string | undefined;
  /** Replaces an attachment's URL by a sealed link. */
  readonly mapText: (text: string) => string;
}

/** Values of an answer, at all depths. With them, it is handled in a third of the 50 ms that it may take. */
const VALUES_MAX = 60_000;
/** Levels of brackets, those of the answer included; readers and `JSON.stringify` are recursive. */
const LEVELS_MAX = 501;
/** Sealing a link takes as long as reading two kilobytes. */
const ATTACHMENTS_MAX = 1_000;
/** One of two bytes becomes a message of forty. */
const ERRORS_MAX = 1_000;

/** An answer that is not shown: no JSON, of another form than was selected, or too much of something. */
class UnusableAnswer extends BffError {
  /** @param reason for the log; quotes nothing of the answer */
  constructor(reason: string) {
    super('upstream_error', { message: `the answer has ${reason}` });
  }
}

/**
 * The answer to a registered operation that the caller may see: the members that were selected, and an error unless every
 * value at the bound paths is the hirer. It is parsed once, walked once and written once, so that what is judged is what
 * is sent.
 */
export function confineAnswer(operation: CompiledOperation, result: GraphqlResult, reader: Reader): Outcome {
  return allAtOnce(confineInSteps(operation, result, reader));
}

/** The same in steps, none of which holds the event loop for 50 ms. */
export function* confineInSteps(
  operation: CompiledOperation,
  result: GraphqlResult,
  reader: Reader,
): Steps<Outcome> {
  try {
    const { data, errors, extensions } = yield* read(result.body, operation.selection, reader.mapText);
    if (judge(data, operation, reader) === 'refused') {
      return new BffError('hirer_forbidden', {
        detail: 'The object does not belong to this hirer.',
        message: `an answer of ${operation.name} does not prove that it is of the hirer`,
      });
    }
    const shaped = Array.isArray(errors) ? shapeErrors(errors, data, operation) : undefined;
    const body = JSON.stringify({ data, errors: shaped, extensions: readLatency(extensions) });
    return { ...result, body: Buffer.from(body) };
  } catch (error) {
    if (error instanceof UnusableAnswer) return error;
    throw error;
  }
}

/** True if the answer of a query, run as a guard, proves that the object exists and belongs to the hirer. */
export function* proveInSteps(
  operation: CompiledOperation,
  { body }: GraphqlResult,
  hirerId: string,
): Steps<boolean> {
  try {
    const { data } = yield* read(body, operation.selection, (text) => text);
    return judge(data, operation, { hirerId }) === 'owned';
  } catch (error) {
    if (error instanceof UnusableAnswer) return false;
    throw error;
  }
}

/** The members of an answer, of its data only what was selected. @throws UnusableAnswer */
function* read(
  body: Buffer | string,
  selection: SelectionTree,
  mapText: Reader['mapText'],
): Steps<Readonly<Record<string, unknown>>> {
  const answer = yield* parse(body.toString());
  if (!isObject(answer)) throw new UnusableAnswer('no members');
  const { data = null } = answer;
  if (Array.isArray(data)) throw new UnusableAnswer('a list in the place of an object');
  let attachments = 0;
  const mapSome = (text: string): string => {
    attachments += 1;
    if (attachments > ATTACHMENTS_MAX) throw new UnusableAnswer('too many attachments');
    return mapText(text);
  };
  select(data, selection, mapSome);
  return answer;
}

function* parse(text: string): Steps<unknown> {
  if (hasMoreValues(text, VALUES_MAX)) throw new UnusableAnswer(`more than ${VALUES_MAX} values`);
  try {
    const value = yield* parseExactInSteps(text);
    yield;
    if (!isDeeperThan(LEVELS_MAX, value)) return value;
  } catch (error) {
    if (error instanceof SyntaxError) throw new UnusableAnswer('a fault in its JSON');
    if (!(error instanceof RangeError)) throw error;
  }
  throw new UnusableAnswer('values that are nested too deeply');
}

/**
 * Removes every member that was not selected, in place, and seals attachments. Where members were selected there is an
 * object, lists of them or null; a leaf may be anything, but not an object where it is the URL of an attachment.
 */
function select(value: unknown, selection: SelectionTree, mapText: Reader['mapText']): void {
  if (value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) select(item, selection, mapText);
    return;
  }
  if (!isObject(value)) throw new UnusableAnswer('a value in the place of an object');
  for (const key in value) {
    const field = selection.get(key);
    if (!field) delete value[key];
    else if (field.below) select(value[key], field.below, mapText);
    else if (field.isAttachment) value[key] = mapUrls(value[key], mapText);
  }
}

function mapUrls(value: unknown, mapText: Reader['mapText']): unknown {
  if (Array.isArray(value)) return value.map((item) => mapUrls(item, mapText));
  if (isObject(value)) throw new UnusableAnswer('an object in the place of a URL');
  return typeof value === 'string' ? mapText(value) : value;
}

function judge(
  data: unknown,
  { bindings }: CompiledOperation,
  { hirerId, eventHirerId }: Pick<Reader, 'hirerId' | 'eventHirerId'>,
): Verdict {
  const verdicts = bindings.map((binding) => {
    if (binding.kind === 'path') return judgeOwnership(data, [binding.path], { hirerId, isEach: true });
    if (binding.kind !== 'anyPath') return 'owned';
    const witness = binding.event === undefined ? undefined : eventHirerId;
    return judgeOwnership(data, binding.anyPath, { hirerId, witness });
  });
  if (verdicts.includes('refused')) return 'refused';
  return verdicts.includes('nothing') ? 'nothing' : 'owned';
}

function shapeErrors(
  errors: readonly unknown[],
  data: unknown,
  operation: CompiledOperation,
): readonly unknown[] {
  if (errors.length > ERRORS_MAX) throw new UnusableAnswer('more errors than are accepted');
  const isProven = operation.bindings.some(({ kind }) => kind === 'path' || kind === 'anyPath');
  return errors.map((error) => (isProven ? shapeConfinedError(error, data, operation) : shapeError(error)));
}

/** Of `extensions` the latency alone, if it is a number (interface 2.4). */
function readLatency(extensions: unknown): { requestLatency: unknown } | undefined {
  const { requestLatency } = isObject(extensions) ? extensions : {};
  const isNumber = typeof requestLatency === 'number' || JSON.isRawJSON(requestLatency);
  return isNumber ? { requestLatency } : undefined;
}
