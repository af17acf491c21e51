import { readSettings, type Environment } from '../../config/load-config.js';
import { CommandFault, MISUSED, type Output } from '../command.js';
import { PartnerAccess } from '../partner-access.js';
import { FLAG, readSubcommand, type Values } from '../read-arguments.js';
import { RunningService } from '../store/running-service.js';
import { ensure, ENSURE } from './ensure.js';
import { replay, REPLAY } from './replay.js';
import { listRequests, REQUESTED } from './requests.js';
import {
  CHOICE,
  rowOf,
  select,
  UpstreamSubscriptions,
  type SubscriptionsContext,
} from './upstream-subscriptions.js';

const FORMS = {
  list: { options: CHOICE },
  ensure: { options: ENSURE },
  rotate: { options: { ...CHOICE, force: FLAG, 'dry-run': FLAG } },
  replay: { options: REPLAY },
  requests: { options: REQUESTED },
} as const;

/**
 * The command `subscriptions`. It ends with 1 for events never received.
 * @throws ConfigError for settings that are wrong; CommandFault with exit code 1 for a failure, with 2 for a command line
 *   that is wrong, or where the scheme or `WEBHOOK_SECRETS` is missing
 */
export async function subscriptions(
  argv: readonly string[],
  environment: Environment,
  output: Output,
  now: () => number = Date.now,
): Promise<number> {
  const words = readSubcommand('subscriptions', argv, FORMS);
  const settings = readSettings(['EVENTS_SCHEME_ID', 'WEBHOOK_SECRETS'], environment);
  const schemeId = words.values.scheme ?? settings.EVENTS_SCHEME_ID;
  if (schemeId === undefined) {
    throw new CommandFault('Name the scheme with --scheme, or set EVENTS_SCHEME_ID.', MISUSED);
  }
  const access = PartnerAccess.open(environment);
  const upstream = new UpstreamSubscriptions(access, schemeId);
  const context = { ...output, upstream, secrets: settings.WEBHOOK_SECRETS, now };
  try {
    if (words.name === 'list') await list(context, words.values);
    else if (words.name === 'ensure') await ensure(context, words.values);
    else if (words.name === 'rotate') await rotate(context, words.values);
    else if (words.name === 'replay') await replay(context, words.values);
    else return await listRequests(context, RunningService.at({}, environment), words.values);
    return 0;
  } finally {
    await access.close();
  }
}

async function list(
  { upstream, print, warn }: SubscriptionsContext,
  choice: Values<typeof CHOICE>,
): Promise<void> {
  const found = select(await upstream.list(), choice);
  for (const subscription of found) print(rowOf(subscription));
  if (found.length === 0) warn('No subscriptions.');
}

/**
 * `rotate`: has the upstream sign with the newest secret. The upstream keeps secrets to itself, so that it cannot be told
 * which one it has: every selected subscription is set, and setting the same one again does nothing.
 * @throws CommandFault where a webhook that is still signed with the previous secret would be refused
 */
async function rotate(
  { upstream, secrets: [newest, previous], print }: SubscriptionsContext,
  { force: isForced, 'dry-run': dryRun, ...choice }: Values<typeof FORMS.rotate.options>,
): Promise<void> {
  const chosen = select(await upstream.list(), choice).filter(({ isSigned }) => isSigned);
  if (chosen.length === 0) {
    throw new CommandFault('No signed subscription matches: nothing was changed.', MISUSED);
  }
  if (previous === undefined && !isForced) {
    throw new CommandFault(
      'The change takes up to 30 minutes, in which the upstream signs with the old secret. List it after the new one in WEBHOOK_SECRETS, here and at the service. --force: the old one is lost or known to others. Nothing was changed.',
      MISUSED,
    );
  }
  if (newest === undefined) throw new CommandFault('Set WEBHOOK_SECRETS. Nothing was changed.', MISUSED);
  for (const subscription of chosen) {
    if (!dryRun) await upstream.sign(subscription.id, newest);
    print(`${dryRun ? 'would set' : 'set'}\t${rowOf(subscription)}`);
  }
  if (dryRun) return;
  print(
    'Remove the previous secret after 30 minutes, once bff_webhook_signatures_total no longer counts up for "secret 2".',
  );
}
