import { CommandFault, MISUSED } from '../command.js';
import { rowOf, select, type Selection, type SubscriptionsContext } from './upstream-subscriptions.js';

/**
 * `rotate`: has the upstream sign with the newest secret. The upstream keeps secrets to itself, so that it cannot be told
 * which one it has: every selected subscription is set, and setting the same one again does nothing.
 * @throws CommandFault where a webhook that is still signed with the previous secret would be refused
 */
export async function rotate(
  { upstream, secrets, print }: SubscriptionsContext,
  selection: Selection,
  { isForced, dryRun }: { readonly isForced: boolean; readonly dryRun: boolean },
): Promise<void> {
  const chosen = select(await upstream.list(), selection).filter(({ isSigned }) => isSigned);
  if (chosen.length === 0) {
    throw new CommandFault('No signed subscription matches: nothing was changed.', MISUSED);
  }
  const [newest, previous] = secrets;
  if (previous === undefined && !isForced) {
    throw new CommandFault(
      'The change takes up to 30 minutes, in which the upstream signs with the old secret. List it after the new one in WEBHOOK_SECRETS, here and at the service. --force: the old one is lost or known to others. Nothing was changed.',
      MISUSED,
    );
  }
  if (newest === undefined) {
    throw new CommandFault('Set WEBHOOK_SECRETS. Nothing was changed.', MISUSED);
  }
  for (const subscription of chosen) {
    if (!dryRun) await upstream.sign(subscription.id, newest);
    print(`${dryRun ? 'would set' : 'set'}\t${rowOf(subscription)}`);
  }
  if (dryRun) return;
  print(
    'Remove the previous secret after 30 minutes, once bff_webhook_signatures_total counts "secret 1" alone.',
  );
}
