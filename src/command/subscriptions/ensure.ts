import { isDocumented } from '../../webhooks/webhook-event.js';
import { CommandFault, MISUSED } from '../command.js';
import { FLAG, TEXT, type Values } from '../read-arguments.js';
import {
  rowOf,
  typesOf,
  type Subscription,
  type SubscriptionsContext,
  type WantedSubscription,
} from './upstream-subscriptions.js';

export const ENSURE = {
  url: TEXT,
  types: TEXT,
  hirer: TEXT,
  scheme: TEXT,
  from: TEXT,
  'dry-run': FLAG,
} as const;

/** The step for one type. */
type Step =
  | { readonly kind: 'create'; readonly to: WantedSubscription }
  | { readonly kind: 'move' | 'sign' | 'keep'; readonly to: Subscription };

/**
 * `ensure`: creates and changes what is missing so that each type is delivered, signed, to the URL, and says each thing
 * that it did. A subscription to another URL is never touched unless it is the one to move from: it may be another
 * installation's.
 */
export async function ensure(context: SubscriptionsContext, values: Values<typeof ENSURE>): Promise<void> {
  const { upstream, secrets, print, warn } = context;
  const { url, 'dry-run': dryRun } = values;
  const types = typesOf(values.types ?? '');
  if (url === undefined || types.length === 0 || values.hirer === '') {
    throw new CommandFault('ensure needs --url and --types, and a --hirer is not empty.', MISUSED);
  }
  if (!URL.canParse(url)) throw new CommandFault('--url is not an address.', MISUSED);
  const [secret] = secrets;
  if (secret === undefined) {
    throw new CommandFault(
      'Set WEBHOOK_SECRETS: the upstream signs with the first of them, and the service verifies with it.',
      MISUSED,
    );
  }
  for (const type of types.filter((name) => !isDocumented(name))) {
    warn(`${type} is not a documented event type.`);
  }
  const existing = await upstream.list();
  const hirerId = values.hirer ?? null;
  for (const type of types) {
    const alike = existing.filter((one) => one.type === type && one.hirerId === hirerId);
    const base = alike.find((one) => one.url === url) ?? alike.find((one) => one.url === values.from);
    for (const step of planSteps(base, { type, url, hirerId })) {
      const done = dryRun ? `would ${step.kind}` : await take(context, step, secret);
      const row = step.kind === 'create' ? [type, hirerId ?? 'every hirer', url].join('\t') : rowOf(step.to);
      print(`${done}\t${row}`);
    }
  }
}

/** @param base the subscription that there is, at the URL or at the one to move from */
function planSteps(base: Subscription | undefined, wanted: WantedSubscription): Step[] {
  if (base === undefined) return [{ kind: 'create', to: wanted }];
  const to = { ...base, url: wanted.url, isSigned: true };
  const steps: Step[] = [];
  if (base.url !== to.url) steps.push({ kind: 'move', to });
  if (!base.isSigned) steps.push({ kind: 'sign', to });
  return steps.length > 0 ? steps : [{ kind: 'keep', to }];
}

async function take({ upstream }: SubscriptionsContext, step: Step, secret: string): Promise<string> {
  switch (step.kind) {
    case 'keep':
      return 'unchanged';
    case 'create':
      return (await upstream.create(step.to, secret)) ? 'created' : 'unchanged';
    case 'move': {
      const { id, type, url, maxEvents } = step.to;
      if (await upstream.deliver(id, url, maxEvents)) return 'moved';
      throw new CommandFault(
        `${type} was not changed: there is another subscription of this type to ${url}.`,
        MISUSED,
      );
    }
    case 'sign':
      await upstream.sign(step.to.id, secret);
      return 'signed';
  }
}
