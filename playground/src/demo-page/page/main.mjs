import { startChoices } from './choices.mjs';
import { h } from './dom.mjs';
import { startExchanges } from './exchange-view.mjs';
import { startProxy } from './proxy-view.mjs';
import { startTabs } from './tabs.mjs';
import { startTerminal } from './terminal.mjs';

const byId = (id) => document.getElementById(id);

startTabs(document.querySelector('[role=tablist]'));
const config = await (await fetch('/demo/config.json')).json();

const showTerminal = startTerminal(byId('terminal'), config);
const choices = startChoices(byId('choices'), config, (choice) => void showTerminal(choice));
startExchanges(byId('exchange'), byId('choices'), config, choices.read);
void showTerminal(choices.read());
startProxy(byId('proxy-choice'), byId('experiments'), config);
byId('ops').append(...opsLinks(config.opsUrl, config.upstreamUrl));

function opsLinks(opsUrl, upstreamUrl) {
  const links = [
    [`${opsUrl}/`, 'Dashboard', 'what the service is doing'],
    [`${opsUrl}/readyz`, 'Health', 'each dependency and its state'],
    [`${opsUrl}/metrics`, 'Metrics', 'for Prometheus'],
    [`${opsUrl}/audit`, 'Audit', 'who asked for what, allowed or refused'],
    [`${upstreamUrl}/`, 'Explorer', 'every operation of the upstream, with an example'],
    [`${upstreamUrl}/playground/calls`, 'Call log', 'what reached the emulated upstream and issuer'],
  ];
  return links.map(([href, name, about]) =>
    h('li', {}, h('a', { href, target: '_blank', rel: 'noopener' }, name), ` ${about}`),
  );
}
