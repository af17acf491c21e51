import { Misuse, rowOf, secretsOf, select, type CommandContext, type Selection } from './command-context.js';

/**
 * `rotate`: has the upstream sign with the newest secret. The upstream keeps secrets to itself, so that it cannot be told
 * which one it has: every selected subscription is set, and setting the same one again does nothing.
 * @throws Misuse where a webhook that is still signed with the previous secret would be refused
 */
export async function rotate(
  { upstream, secrets, print }: CommandContext,
  selection: Selection,
  isForced: boolean,
): Promise<void> {
  const chosen = select(await upstream.list(), selection).filter(({ isSigned }) => isSigned);
  if (chosen.length === 0) throw new Misuse('No signed subscription matches: nothing was changed.');
  const lone = chosen.filter(({ id }) => secretsOf(secrets, id).length < 2);
  if (lone.length > 0 && !isForced) {
    throw new Misuse(
      'The change takes up to 30 minutes, in which the upstream signs with the old secret. List it after the new one in WEBHOOK_SECRETS, here and at the service (or in WEBHOOK_SUBSCRIPTION_SECRETS, for a subscription that stands there). --force: the old one is lost or known to others. Nothing was changed.',
    );
  }
  for (const subscription of chosen) {
    const [newest] = secretsOf(secrets, subscription.id);
    if (newest === undefined) throw new Misuse('Set WEBHOOK_SECRETS. Nothing was changed.');
    await upstream.sign(subscription.id, newest);
    print(`set\t${rowOf(subscription)}`);
  }
  print(
    'Remove the previous secret after 30 minutes, once bff_webhook_signatures_total counts "secret 1" alone.',
  );
}
