import { CommandFault, MISUSED } from '../command.js';
import {
  rowOf,
  type Subscription,
  type SubscriptionsContext,
  type WantedSubscription,
} from './upstream-subscriptions.js';

/** The options of `ensure`. */
export interface EnsureOptions {
  readonly url: string;
  readonly types: readonly string[];
  readonly hirer: string | undefined;
  /** The URL that subscriptions are moved from. */
  readonly from: string | undefined;
  readonly maxEvents: number | undefined;
  readonly dryRun: boolean;
}

/** The step for one type. */
type Step =
  | { readonly kind: 'create'; readonly wanted: WantedSubscription }
  | {
      readonly kind: 'move' | 'resize' | 'sign' | 'keep';
      readonly existing: Subscription;
      readonly to: Subscription;
    };

/**
 * What is missing so that each type is delivered, signed, to the URL. A subscription to another URL is never touched
 * unless it is the one to move from: it may be another installation's.
 */
function planSteps(existing: readonly Subscription[], options: EnsureOptions): Step[] {
  return options.types.flatMap((type) => {
    const hirerId = options.hirer ?? null;
    const alike = existing.filter((one) => one.type === type && one.hirerId === hirerId);
    const here = alike.find(({ url }) => url === options.url);
    const before = alike.find(({ url }) => url === options.from);
    const { url, maxEvents } = options;
    const base = here ?? before;
    if (base === undefined) return [{ kind: 'create', wanted: { type, url, hirerId, maxEvents } }];
    const to = { ...base, url, maxEvents: maxEvents ?? base.maxEvents, isSigned: true };
    const steps: Step[] = [];
    if (base.url !== to.url) steps.push({ kind: 'move', existing: base, to });
    else if (base.maxEvents !== to.maxEvents) steps.push({ kind: 'resize', existing: base, to });
    if (!base.isSigned) steps.push({ kind: 'sign', existing: base, to });
    return steps.length > 0 ? steps : [{ kind: 'keep', existing: base, to }];
  });
}

/** `ensure`: creates and changes what is missing, and says each thing that it did. */
export async function ensure(context: SubscriptionsContext, options: EnsureOptions): Promise<void> {
  const { upstream, secrets } = context;
  if (secrets.length === 0) {
    throw new CommandFault(
      'Set WEBHOOK_SECRETS: the upstream signs with the first of them, and the service verifies with it.',
      MISUSED,
    );
  }
  for (const step of planSteps(await upstream.list(), options)) {
    const row =
      step.kind === 'create'
        ? [step.wanted.type, step.wanted.hirerId ?? 'every hirer', step.wanted.url].join('\t')
        : rowOf(step.to);
    const done = options.dryRun ? `would ${step.kind}` : await take(context, step);
    context.print(`${done}\t${row}`);
  }
}

async function take(context: SubscriptionsContext, step: Step): Promise<string> {
  const { upstream, secrets } = context;
  switch (step.kind) {
    case 'keep':
      return 'unchanged';
    case 'create':
      return (await upstream.create(step.wanted, secrets[0]!)) ? 'created' : 'unchanged';
    case 'move':
    case 'resize': {
      const { id, url, maxEvents } = step.to;
      if (await upstream.deliver(id, url, maxEvents)) return step.kind === 'move' ? 'moved' : 'resized';
      throw new CommandFault(
        `${step.existing.type} was not changed: there is another subscription of this type to ${url}.`,
        MISUSED,
      );
    }
    case 'sign': {
      await upstream.sign(step.to.id, secrets[0]!);
      return 'signed';
    }
  }
}
