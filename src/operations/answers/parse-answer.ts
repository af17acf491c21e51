import { isObject } from '../../json/is-object.js';
import { measureJson, type JsonSize } from '../../json/measure-json.js';
import { parseMarked, restoreNumbers } from '../../json/parse-exact.js';

/** Values of an answer, at all depths. */
const VALUES_MAX = 60_000;
/** Levels of brackets, those of the answer and of one of its members included; readers and `JSON.stringify` are recursive. */
const LEVELS_MAX = 501;

/** An answer that is not shown: no JSON, of another form than was selected, or too much of something. */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer';

  /** @param reason for the log; quotes nothing of the answer */
  constructor(reason: string) {
    super(`the answer has ${reason}`);
  }
}

/**
 * An answer's members, with numbers that keep their digits.
 * @param turn waits for the next turn of the event loop, for an answer that is handled in several
 * @throws UnusableAnswer for what is no object, is too much, or has a member twice: readers differ in which one they take
 */
export async function parseAnswer(
  text: string,
  turn?: () => Promise<void>,
): Promise<Readonly<Record<string, unknown>>> {
  const size = measureJson(text, VALUES_MAX);
  const { values, levels } = size;
  if (values > VALUES_MAX) throw new UnusableAnswer(`more than ${VALUES_MAX} values`);
  if (levels > LEVELS_MAX) throw new UnusableAnswer('values that are nested too deeply');
  if (turn) await turn();
  const marked = parse(text, size);
  if (turn) await turn();
  const answer = restoreNumbers(marked, size);
  if (!isObject(answer)) throw new UnusableAnswer('no members');
  if (countParsed(answer) < values) throw new UnusableAnswer('a member twice');
  return answer;
}

function parse(text: string, size: JsonSize): unknown {
  try {
    return parseMarked(text, size);
  } catch (error) {
    throw error instanceof SyntaxError ? new UnusableAnswer('a fault in its JSON') : error;
  }
}

/** How many of the values that were measured are still there after parsing, which keeps one of two members of a name. */
function countParsed(value: object): number {
  if (JSON.isRawJSON(value)) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += 1 + countBelow(item);
  } else {
    const members = value as Readonly<Record<string, unknown>>;
    for (const name in members) count += 1 + countBelow(members[name]); // three times as fast as the list of names
  }
  return Math.max(1, count);
}

function countBelow(value: unknown): number {
  return typeof value === 'object' && value !== null ? countParsed(value) : 0;
}
