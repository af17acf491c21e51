import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { SeededRandom } from '../../../playground/src/data/random.js';
import { portOf } from '../../support/machine.js';
import { calls, type CallJudge, type Report } from './call-judge.js';
import { UNAUTHENTICATED, drawFault, sendWith, type Fault } from './faults.js';
import type { Ledger, Operation } from './ledger.js';
import { DrillTokens, readGrant, type Grant } from './token-operations.js';
import type { World, DrillObject, Hirer } from './world.js';

const PARTNER_LIVES_SECONDS = [4, 30, 600] as const;
const BROWSER_LIVES_SECONDS = [2, 5, 60, 1_800] as const;
const LIE_SHARE = 0.05;
/** Operations whose answers must prove whose they are. */
const LIED_ABOUT: ReadonlySet<string> = new Set(['ObjectDetails', 'EventObject']);
const OWN_DIRECTIVE = /@(hirer|token|role|attachment|event)\b/;

/**
 * Upstream and issuer of the drill, on one port. It confines browser tokens as the real one does, has every object
 * ready for the partner token, fails at random, and has each call judged before it answers: a script would know of
 * operations alone.
 */
export class DrillUpstream {
  readonly tokens = new DrillTokens();
  /** Steps that were given anything but a right answer: what proves nothing is refused. */
  readonly misled = new Set<number>();
  /** Nonces of the mutations that ran. */
  private readonly executed = new Set<string>();
  private readonly random: SeededRandom;
  /** Its URL, once it listens. */
  origin = '';

  constructor(
    seed: string,
    private readonly world: World,
    private readonly ledger: Ledger,
    private readonly judge: CallJudge,
    private readonly report: Report,
  ) {
    this.random = new SeededRandom(`${seed} upstream`);
  }

  async listen(): Promise<string> {
    const server = createServer((request, response) => {
      const answer = (body: string): void => this.answer(request, body, response);
      void textOf(request).then(answer, () => undefined); // of a replica that was killed
    });
    return (this.origin = `http://127.0.0.1:${await portOf(server)}`);
  }

  private answer(request: IncomingMessage, body: string, response: ServerResponse): void {
    const url = request.url ?? '';
    const token = (request.headers.authorization ?? '').slice('Bearer '.length);
    if (url === '/issuer/token') return this.issue(response);
    if (url === '/auth/token') return this.mint(token, body, response);
    if (url === '/graphql') return this.graphql(token, body, request, response);
    if (url.startsWith('/attachments/')) return this.attachment(token, url, request, response);
    return this.report(`the upstream was asked for ${url}`);
  }

  private issue(response: ServerResponse): void {
    const life = this.random.pick(PARTNER_LIVES_SECONDS);
    const token = this.tokens.issuePartner(life);
    const answer = { access_token: token, expires_in: life, token_type: 'Bearer' };
    this.send(undefined, JSON.stringify(answer), response);
  }

  private mint(token: string, body: string, response: ServerResponse): void {
    const { hirerId, userId, scope } = JSON.parse(body) as Record<string, string>;
    const asked = { hirerId: hirerId!, userId: userId!, scopes: scope!.split(' ') };
    if (!this.tokens.claimsPartner(token)) {
      this.report('a browser token was asked for without the partner token');
    }
    this.judge.mint(asked);
    if (!this.tokens.isPartner(token)) return this.send('status 401', '', response);
    const fault = drawFault(this.random);
    const life = this.random.pick(BROWSER_LIVES_SECONDS);
    const isWrong = fault === 'wrong scope';
    const minted = this.tokens.mint(isWrong ? { ...asked, scopes: ['query:other'] } : asked, life);
    const answer = {
      access_token: minted,
      expires_in: life,
      token_type: 'Bearer',
      ...(isWrong && { scope: 'query:other' }),
    };
    this.send(fault, JSON.stringify(answer), response);
  }

  private graphql(token: string, body: string, request: IncomingMessage, response: ServerResponse): void {
    const sent = JSON.parse(body) as SentOperation | SentOperation[];
    const operations = [sent].flat();
    const grant = readGrant(token);
    const explaining = operations.flatMap((operation) => this.judgeOperation(operation, token, grant));
    const isGood = grant ? this.tokens.isGood(grant) : this.tokens.isPartner(token);
    const fault = isGood ? drawFault(this.random) : 'unauthenticated';
    const language = request.headers['accept-language'] ?? '';
    if (fault !== undefined && fault !== 'slow') for (const { step } of explaining) this.misled.add(step);
    const answers = operations.map((operation) => {
      if (fault === 'some unauthenticated' && this.random.chance(0.5)) return UNAUTHENTICATED;
      if (fault !== 'unauthenticated') this.countExecution(operation);
      return this.run(operation, grant, language, fault === undefined || fault === 'slow');
    });
    this.send(fault, Array.isArray(sent) ? `[${answers.join(',')}]` : answers[0]!, response);
  }

  /** @returns the operations of the drill that explain it */
  private judgeOperation(
    { operationName, query, variables = {} }: SentOperation,
    token: string,
    grant?: Grant,
  ): readonly Operation[] {
    const name = operationName ?? nameIn(query);
    if (OWN_DIRECTIVE.test(query)) this.report(`${name} was sent with a directive of ours`);
    if (grant) return this.judge.browser(grant, name, variables);
    if (this.tokens.claimsPartner(token)) return this.judge.partner(name, variables);
    this.report(`${name} was sent without a token`);
    return [];
  }

  /** Carries an operation out; now and then with another hirer's object in place of the one asked for. */
  private run(operation: SentOperation, grant: Grant | undefined, language: string, mayLie: boolean): string {
    const { id, nonce } = (operation.variables ?? {}) as Record<string, string | undefined>;
    const { operationName = '' } = operation;
    const [asking] = this.ledger.explaining(calls.partner(operationName, String(id), nonce));
    const isOwn = asking !== undefined && this.world.object(id)?.hirer === asking.hirer;
    const lies = mayLie && LIED_ABOUT.has(operationName) && isOwn && this.random.chance(LIE_SHARE);
    if (lies) this.misled.add(asking.step);
    const lie = lies ? this.random.pick(['other object', 'other object in an error'] as const) : undefined;
    return answerOperation(operation, { world: this.world, grant, language, origin: this.origin, lie });
  }

  /** A fault may have hit the answer only: what was not refused may have run. */
  private countExecution({ query, variables }: SentOperation): void {
    if (!query.startsWith('mutation')) return;
    const input = variables?.['input'] as { nonce?: string } | undefined;
    const nonce = input?.nonce ?? String(variables?.['nonce']);
    if (this.executed.has(nonce)) this.report(`the mutation ${nonce} ran again`);
    this.executed.add(nonce);
  }

  private attachment(token: string, url: string, request: IncomingMessage, response: ServerResponse): void {
    const object = this.world.object(url.slice('/attachments/'.length));
    if (!object) return this.report(`the upstream was asked for ${url}`);
    if (!this.tokens.claimsPartner(token)) this.report('a file was fetched without the partner token');
    this.judge.attachment(object);
    if (!this.tokens.isPartner(token)) return this.send('status 401', '', response);
    const drawn = drawFault(this.random);
    const text = `file of ${object.id}: ${object.marker}`;
    if (request.method === 'HEAD' && drawn === 'cut') return this.send('reset', '', response);
    if (drawn === 'unauthenticated' || drawn === 'noise') return this.send('status 500', '', response);
    this.send(MISSHAPES.has(drawn) ? undefined : drawn, text, response);
  }

  private send(fault: Fault | undefined, text: string, response: ServerResponse): void {
    sendWith(fault, text, response, this.random);
  }
}

/** Faults that only a GraphQL answer can have. */
const MISSHAPES: ReadonlySet<Fault | undefined> = new Set([
  'some unauthenticated',
  'wrong shape',
  'errors for all',
  'data for all',
  'too few',
  'wrong scope',
]);

/** A GraphQL request as the upstream receives it. */
interface SentOperation {
  readonly query: string;
  readonly operationName?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** The parts of an answer. */
interface Scene {
  readonly world: World;
  /** The contents of the browser token; undefined for the partner token. */
  readonly grant: Grant | undefined;
  readonly language: string;
  readonly origin: string;
  /** How the upstream wrongs the caller: another hirer's object, as the answer or in the text of an error. */
  readonly lie?: 'other object' | 'other object in an error' | undefined;
}

/** The answer to one operation. A browser token reads its own hirer only, the partner token everything. */
function answerOperation({ operationName, query, variables = {} }: SentOperation, scene: Scene): string {
  const answer = ANSWERS[operationName ?? nameIn(query)];
  return answer?.(scene, variables) ?? refused('There is no such operation.', 'BAD_USER_INPUT');
}

function nameIn(query: string): string {
  return /\w+ (\w+)/.exec(query)?.[1] ?? '';
}

const ANSWERS: Readonly<Record<string, (scene: Scene, variables: Variables) => string>> = {
  Mine: mine,
  Touch: mine,
  OwnSummary: mine,
  FreeObject: object,
  ObjectDetails: object,
  EventObject: object,
  ObjectOwner: object,
  ChangeObject: changed,
  HirerObjects: objects,
  RestrictedObjects: objects,
  HirerNames: names,
};

function mine({ world, grant, language }: Scene, variables: Variables): string {
  const [user, hirer] = [world.user(grant?.userId ?? ''), world.hirer(grant?.hirerId ?? '')];
  if (!grant || !user || !hirer) return data({ mine: null });
  const { hirerId, marker } = hirer;
  const { scopes } = grant;
  const userMarker = world.userMarker(user, hirer);
  return data({ mine: { nonce: variables['nonce'] ?? null, hirerId, marker, scopes, language, userMarker } });
}

function object(scene: Scene, variables: Variables): string {
  const found = scene.world.object(variables['id']);
  if (!found || (scene.grant && found.hirer.hirerId !== scene.grant.hirerId)) {
    return refused('The object is not yours.', 'FORBIDDEN');
  }
  const other = otherHirer(scene.world, found.hirer).objects[0]!;
  if (scene.lie === 'other object in an error') {
    return refused(`The object ${other.marker} is locked.`, 'LOCKED', ['object', 'hirer']);
  }
  return data({ object: view(scene.lie ? other : found, variables, scene) });
}

function changed({ world, ...scene }: Scene, variables: Variables): string {
  const input = (variables['input'] ?? {}) as Variables;
  const found = world.object(input['id']);
  return data({ changeObject: found ? view(found, input, { world, ...scene }) : null });
}

function objects(scene: Scene, variables: Variables): string {
  const hirer = scene.world.hirer(String(variables['hirerId']));
  return data({ objects: hirer?.objects.map((one) => view(one, variables, scene)) ?? [] });
}

function names({ world }: Scene, variables: Variables): string {
  const entries = Object.entries(variables).map(([variable, hirerId]) => {
    return [`h${variable.slice('id'.length)}`, { name: world.hirer(String(hirerId))?.name }];
  });
  return data(Object.fromEntries(entries));
}

/** An object whole: its title looks like the file of another hirer, and a member that nobody selects holds a marker. */
function view(
  { id, marker, hirer }: DrillObject,
  variables: Variables,
  { world, origin, grant }: Scene,
): unknown {
  const other = otherHirer(world, hirer);
  return {
    id,
    nonce: variables['nonce'] ?? null,
    marker,
    title: `${origin}/attachments/${other.objects[0]!.id}`,
    file: `${origin}/attachments/${id}`,
    hirer: { id: { value: hirer.hirerId } },
    ...(!grant && { unselected: other.marker }),
  };
}

function otherHirer({ hirers }: World, hirer: Hirer): Hirer {
  return hirers[(hirers.indexOf(hirer) + 1) % hirers.length]!;
}

type Variables = Readonly<Record<string, unknown>>;

function data(value: unknown): string {
  return JSON.stringify({ data: value });
}

function refused(message: string, code: string, path: readonly string[] = ['object']): string {
  return JSON.stringify({ data: { object: null }, errors: [{ message, path, extensions: { code } }] });
}
