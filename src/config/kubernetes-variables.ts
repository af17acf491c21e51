import type { Environment } from './read-setting.js';

const LINK = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const LINK_URL = /^(tcp|udp|sctp):\/\//;

/**
 * An environment without what Kubernetes puts into a pod for each Service: of one called `ops`, `OPS_SERVICE_HOST`,
 * `OPS_PORT=tcp://…` and more, which are no settings.
 */
export function withoutServiceLinks(environment: Environment): Environment {
  const own = Object.entries(environment).filter(
    ([name, value = '']) => !LINK.test(name) && !(name.endsWith('_PORT') && LINK_URL.test(value)),
  );
  return Object.fromEntries(own);
}
