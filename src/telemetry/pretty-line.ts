import { styleText } from 'node:util';

type Colour = Parameters<typeof styleText>[0];

const LOCAL_TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const LEVEL_COLOURS: Readonly<Record<string, Colour>> = { warn: 'yellow', error: 'red', fatal: 'red' };
const CONTROL = /\p{Cc}/gu;
/** Properties that are in the line already, in the request's line, or only in JSON. */
const OMITTED = new Set(
  'level time service version replica msg err route method status ms user requestId traceId'.split(' '),
);

/**
 * A line of the log for a terminal, such as `20:39:43 POST /auth/token 200 27 ms` and the user's pseudonym, without what nobody asked for in
 * person: successful reads without an end user are the files of a page, its polls, and probes.
 * @param json as pino writes it
 * @returns '' for what is left out
 */
export function prettyLine(json: string): string {
  const line = JSON.parse(json) as Record<string, unknown>;
  const text = line['msg'] === 'request' ? requestText(line) : recordText(line) + errorText(line);
  return text && `${paint('dim', LOCAL_TIME.format(new Date(line['time'] as string)))} ${text}\n`;
}

function requestText(line: Record<string, unknown>): string {
  const { method, route, ms, code, reason } = line as Readonly<Record<string, string>>;
  const [status, user] = [line['status'] as number, line['user'] as string | undefined];
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  if (isRead && status < 400 && user === undefined) return '';
  const colour = status < 400 ? 'green' : status < 500 ? 'yellow' : 'red';
  return [method, route, paint(colour, String(status)), ms, 'ms', user, code, reason]
    .filter((part) => part !== undefined)
    .join(' ');
}

function recordText(line: Record<string, unknown>): string {
  const level = String(line['level']);
  const colour = LEVEL_COLOURS[level];
  const members = Object.entries(line)
    .filter(([name]) => !OMITTED.has(name))
    .map(([name, value]) => `${name}=${visible(typeof value === 'string' ? value : JSON.stringify(value))}`);
  const parts = [
    colour && paint(colour, level.toUpperCase()),
    visible((line['msg'] as string | undefined) ?? ''),
    ...members,
  ];
  return parts.filter(Boolean).join(' ');
}

interface LoggedError {
  readonly chain?: readonly { readonly name: string; readonly message: string; readonly code?: string }[];
  readonly stack?: string;
}

/** The causes; the stack only where no code says what failed. */
function errorText({ err }: Record<string, unknown>): string {
  const { chain = [], stack = '' } = (err ?? {}) as LoggedError;
  const causes = chain.map(({ name, message }) => `\n  ${visible(`${name}: ${message}`)}`).join('');
  const isExpected = chain[0]?.code !== undefined && !/^(ERR_|internal_error$)/.test(chain[0].code);
  const places = isExpected ? [] : (stack.match(/^ +at .*$/gm) ?? []);
  return causes + places.map((place) => `\n${place}`).join('');
}

/** Control characters in a text draw nothing on the terminal, and begin no line. */
function visible(text: string): string {
  return text.replaceAll(CONTROL, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function paint(colour: Colour, text: string): string {
  return styleText(colour, text, { stream: process.stdout });
}
