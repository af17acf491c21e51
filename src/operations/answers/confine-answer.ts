import { BffError } from '../../errors/bff-error.js';
import {
  hasMoreValues,
  isDeeperThan,
  isObject,
  parseExactInSteps,
  type Steps,
} from '../../json/parse-json.js';
import { codeOf, RATE_LIMITED } from '../../upstream/upstream-answer.js';
import type { CompiledOperation } from '../compile/compile-operation.js';
import type { SelectionTree } from '../compile/selection-tree.js';
import { hasError, isFailure, type GraphqlResult } from '../transport/graphql-result.js';
import { judgeOwnership, valuesAt, type Verdict } from './ownership.js';

interface Reader {
  readonly hirerId: string;
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
const MASKED_MESSAGE = 'A part of the object could not be read.';
const CODE = /^[\w-]{1,64}$/;

/**
 * The answer to a registered operation that the caller may see: the members that were selected. It is parsed, walked
 * and written once, so that what is judged is what is sent; in steps, none of which holds the event loop for 50 ms.
 * @throws BffError unless every value at the bound paths is the hirer; `upstream_error` for what is no JSON, of
 * another form than was selected, or too large
 */
export function* confineInSteps(
  operation: CompiledOperation,
  result: GraphqlResult,
  reader: Reader,
): Steps<GraphqlResult> {
  const { data, errors, extensions } = yield* read(result.body, operation.selection, reader.mapText);
  if (judge(data, operation, reader.hirerId) === 'refused') {
    throw unproven(operation, result, data, reader.hirerId);
  }
  const shaped = Array.isArray(errors) ? shapeErrors(errors, data, operation) : undefined;
  yield;
  const body = JSON.stringify({ data, errors: shaped, extensions: readLatency(extensions) });
  return { ...result, body: Buffer.from(body) };
}

/** @throws BffError unless the answer of a guard proves that the object exists and is of the hirer */
export function* proveInSteps(
  operation: CompiledOperation,
  result: GraphqlResult,
  hirerId: string,
): Steps<void> {
  const { data } = yield* read(result.body, operation.selection, (text) => text);
  if (judge(data, operation, hirerId) !== 'owned') throw unproven(operation, result, data, hirerId);
}

/** Why an answer is withheld. Where the upstream failed to read a part, nothing says whose the object is. */
function unproven(
  { name, bindings }: CompiledOperation,
  result: GraphqlResult,
  data: unknown,
  hirerId: string,
): BffError {
  const paths = bindings.flatMap((one) =>
    one.kind === 'path' ? [one.path] : one.kind === 'anyPath' ? one.anyPath : [],
  );
  const isForeign = paths.some((path) => valuesAt(data, path).some((found) => found !== hirerId));
  const message = `an answer of ${name} does not prove that it is of the hirer`;
  if (!isForeign && hasError(result, RATE_LIMITED)) {
    const { retryAfter: retryAfterSeconds } = result;
    return new BffError('rate_limited', { message, refusedBy: 'upstream', retryAfterSeconds });
  }
  if (!isForeign && isFailure(result)) return new BffError('upstream_error', { message });
  return new BffError('hirer_forbidden', { message, detail: 'The object does not belong to this hirer.' });
}

/** @param reason for the log; quotes nothing of the answer */
function unusable(reason: string): BffError {
  return new BffError('upstream_error', { message: `the answer has ${reason}` });
}

function* read(
  body: Buffer | string,
  selection: SelectionTree,
  mapText: Reader['mapText'],
): Steps<Readonly<Record<string, unknown>>> {
  const answer = yield* parse(body.toString());
  yield;
  if (!isObject(answer)) throw unusable('no members');
  const { data = null } = answer;
  if (Array.isArray(data)) throw unusable('a list in the place of an object');
  let attachments = 0;
  const mapSome = (text: string): string => {
    attachments += 1;
    if (attachments > ATTACHMENTS_MAX) throw unusable('too many attachments');
    return mapText(text);
  };
  select(data, selection, mapSome);
  return answer;
}

function* parse(text: string): Steps<unknown> {
  if (hasMoreValues(text, VALUES_MAX)) throw unusable(`more than ${VALUES_MAX} values`);
  yield;
  try {
    const value = yield* parseExactInSteps(text);
    yield;
    if (!isDeeperThan(LEVELS_MAX, value)) return value;
  } catch (error) {
    if (error instanceof SyntaxError) throw unusable('a fault in its JSON');
    if (!(error instanceof RangeError)) throw error;
  }
  throw unusable('values that are nested too deeply');
}

/**
 * Removes every member that was not selected, in place, and seals attachments. Where members were selected there is an
 * object, lists of them or null; a leaf may be anything.
 */
function select(value: unknown, selection: SelectionTree, mapText: Reader['mapText']): void {
  if (value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) select(item, selection, mapText);
    return;
  }
  if (!isObject(value)) throw unusable('a value in the place of an object');
  for (const key in value) {
    const field = selection.get(key);
    if (!field) delete value[key];
    else if (field.below) select(value[key], field.below, mapText);
    else if (field.isAttachment) value[key] = mapUrls(value[key], mapText);
  }
}

function mapUrls(value: unknown, mapText: Reader['mapText']): unknown {
  if (Array.isArray(value)) return value.map((item) => mapUrls(item, mapText));
  if (isObject(value)) throw unusable('an object in the place of a URL');
  return typeof value === 'string' ? mapText(value) : value;
}

function judge(data: unknown, { bindings }: CompiledOperation, hirerId: string): Verdict {
  const verdicts = bindings.map((binding) => {
    if (binding.kind === 'path') return judgeOwnership(data, [binding.path], hirerId, true);
    return binding.kind === 'anyPath' ? judgeOwnership(data, binding.anyPath, hirerId, false) : 'owned';
  });
  if (verdicts.includes('refused')) return 'refused';
  return verdicts.includes('nothing') ? 'nothing' : 'owned';
}

/**
 * Message, path and code of each error. One beside data that must prove its owner may quote another hirer's object, so
 * its message is not shown, nor a code that is no plain word.
 */
function shapeErrors(
  errors: readonly unknown[],
  data: unknown,
  { bindings, ownedRootKeys, selection }: CompiledOperation,
): readonly unknown[] {
  if (errors.length > ERRORS_MAX) throw unusable('more errors than are accepted');
  const mustProve = bindings.some(({ kind }) => kind === 'path' || kind === 'anyPath');
  const present = new Set(isObject(data) ? Object.keys(data).filter((key) => data[key] !== null) : []);
  const isProven = (key: unknown): boolean => ownedRootKeys.some((one) => one === key && present.has(one));
  return errors.map((error) => {
    const path = selectedPath(error, selection);
    const { message } = isObject(error) ? error : {};
    const isShown = typeof message === 'string' && (!mustProve || isProven(path[0]));
    const code = codeOf(error);
    return {
      message: isShown ? message : MASKED_MESSAGE,
      path: path.length > 0 ? path : undefined,
      extensions: code !== undefined && (isShown || CODE.test(code)) ? { code } : undefined,
    };
  });
}

/** The leading part of an error's path that consists of selected fields and list positions, from a root field on. */
function selectedPath(error: unknown, selection: SelectionTree): readonly unknown[] {
  const path = isObject(error) && Array.isArray(error['path']) ? (error['path'] as unknown[]) : [];
  let below: SelectionTree | null | undefined = selection;
  const end = path.findIndex((step, index) => {
    if (typeof step !== 'string') return index === 0 || !Number.isSafeInteger(step);
    const field = below?.get(step);
    below = field?.below;
    return !field;
  });
  return end === -1 ? path : path.slice(0, end);
}

/** Of `extensions` the latency alone, if it is a number (interface 2.4). */
function readLatency(extensions: unknown): { requestLatency: unknown } | undefined {
  const { requestLatency } = isObject(extensions) ? extensions : {};
  const isNumber = typeof requestLatency === 'number' || JSON.isRawJSON(requestLatency);
  return isNumber ? { requestLatency } : undefined;
}
