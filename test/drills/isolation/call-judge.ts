import type { Ledger, Operation } from './ledger.js';
import { now, type Memberships } from './memberships.js';
import type { Grant } from './token-operations.js';
import {
  ROLES_OF_OPERATION,
  scopesOf,
  type DrillObject,
  type Hirer,
  type User,
  type World,
} from './world.js';

/** Keys of upstream calls: an operation announces them, and the judge makes them of the calls. */
export const calls = {
  mint: ({ userId }: { userId: string }, { hirerId }: { hirerId: string }): string =>
    `mint ${userId} ${hirerId}`,
  browser: (
    { userId }: { userId: string },
    { hirerId }: { hirerId: string },
    name: string,
    nonce = '',
  ): string => `${name} ${userId} ${hirerId} ${nonce}`,
  partner: (name: string, subject: string, nonce = ''): string => `${name} ${subject} ${nonce}`,
  name: ({ hirerId }: { hirerId: string }): string => `name ${hirerId}`,
  attachment: ({ id }: DrillObject): string => `attachment ${id}`,
};

/** Reports what must not be; the drill ends with it. */
export type Report = (fault: string, user?: User, hirer?: Hirer) => void;

/**
 * Judges every call that the upstream receives: an operation that was under way must have announced it, and the user
 * must have been a member, with roles that fit, at some moment since it began.
 */
export class CallJudge {
  constructor(
    private readonly world: World,
    private readonly memberships: Memberships,
    private readonly ledger: Ledger,
    private readonly report: Report,
  ) {}

  mint(asked: Pick<Grant, 'userId' | 'hirerId' | 'scopes'>): void {
    const [user, hirer] = [this.world.user(asked.userId), this.world.hirer(asked.hirerId)];
    if (!user || !hirer) return this.report(`a token was asked for nobody known: ${JSON.stringify(asked)}`);
    if (asked.scopes.length === 0) return this.report('a token without a scope was asked for', user, hirer);
    const wanted = asked.scopes.join(' ');
    const fits = (operation: Operation) => (roles: readonly string[]) => {
      const scopes = scopesOf(roles);
      return operation.text.startsWith('token ')
        ? operation.text === `token ${wanted}` && asked.scopes.every((scope) => scopes.includes(scope))
        : scopes.join(' ') === wanted;
    };
    this.explain(calls.mint(user, hirer), `a token was minted with ${wanted}`, user, hirer, fits);
  }

  /** @returns the operations that explain it */
  browser(grant: Grant, name: string, variables: Readonly<Record<string, unknown>>): readonly Operation[] {
    const [user, hirer] = [this.world.user(grant.userId), this.world.hirer(grant.hirerId)];
    if (!user || !hirer) return this.refuse(`a token of nobody known was used: ${JSON.stringify(grant)}`);
    const key = calls.browser(user, hirer, name, variables['nonce'] as string | undefined);
    const granted = grant.scopes.join(' ');
    const fits = () => (roles: readonly string[]) => scopesOf(roles).join(' ') === granted;
    return this.explain(key, `${name} was sent with the token of ${granted}`, user, hirer, fits);
  }

  /** @returns the operations that explain it */
  partner(name: string, variables: Readonly<Record<string, unknown>>): readonly Operation[] {
    if (name === 'HirerNames') return this.names(Object.values(variables));
    const rolesFit = ROLES_OF_OPERATION[name];
    if (!rolesFit) return this.refuse(`${name} was sent with the partner token`);
    const { hirerId, id, nonce, input } = variables as Record<string, string>;
    const { id: inputId, nonce: inputNonce } = (input ?? {}) as { id?: string; nonce?: string };
    const key = calls.partner(name, hirerId ?? id ?? inputId ?? '', nonce ?? inputNonce);
    const what = `${key} was sent with the partner token`;
    const explaining = this.explain(key, what, undefined, undefined, () => rolesFit);
    const [first] = explaining;
    if (first && inputId !== undefined && this.world.object(inputId)?.hirer !== first.hirer) {
      this.report(`${name} changed an object of another hirer`, first.user, first.hirer);
    }
    return explaining;
  }

  attachment(object: DrillObject): void {
    this.explain(calls.attachment(object), `the file of ${object.id} was fetched`);
  }

  private refuse(fault: string): readonly Operation[] {
    this.report(fault);
    return [];
  }

  private names(hirerIds: readonly unknown[]): readonly Operation[] {
    for (const hirerId of hirerIds) {
      const hirer = this.world.hirer(String(hirerId));
      if (!hirer) this.report(`a name was asked for nobody known: ${String(hirerId)}`);
      else this.explain(calls.name(hirer), `the name of ${hirer.hirerId} was asked`, undefined, hirer);
    }
    return [];
  }

  /** The operations under way that may have caused a call; a violation when there are none. */
  private explain(
    key: string,
    what: string,
    user?: User,
    hirer?: Hirer,
    fits: (operation: Operation) => (roles: readonly string[]) => boolean = () => () => true,
  ): readonly Operation[] {
    const announcing = this.ledger.explaining(key);
    const end = now();
    const explaining = announcing.filter((operation) => {
      const span = { start: operation.span.start, end };
      const where = hirer ?? operation.hirer;
      return where && this.memberships.judge(operation.user, where, span, fits(operation)) !== 'never';
    });
    if (explaining.length > 0) return explaining;
    const [asking] = announcing;
    const why = asking ? 'but nobody who asked for it was entitled' : 'but nobody asked for it';
    this.report(
      `the upstream saw a call that nothing explains: ${what}, ${why}`,
      user ?? asking?.user,
      hirer ?? asking?.hirer,
    );
    return [];
  }
}
