import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type Config } from '../../config/load-config.js';
import { PACKAGE_DIR } from '../../config/package-dir.js';
import type { RoleScopes } from '../../hirer-access/role-scopes.js';
import { logRoleWarnings } from '../../hirer-access/role-warnings.js';
import type { Log } from '../../telemetry/log.js';
import { loadOperations, RegisteredOperations } from './registered-operations.js';

/** The operations that the package carries. */
const OWN_FOLDER = join(PACKAGE_DIR, 'operations');

/**
 * The operations of `OPERATIONS_DIR`, or those that the package carries. They obey the rules of the interface too: one
 * that breaks them is refused, or reported once at start (`OPERATION_RULES`).
 * @throws ConfigError
 */
export function openOperations(
  { OPERATIONS_DIR, OPERATION_RULES }: Pick<Config, 'OPERATIONS_DIR' | 'OPERATION_RULES'>,
  roleScopes: RoleScopes,
  log: Log,
  ownFolder = OWN_FOLDER,
): RegisteredOperations {
  const operations = OPERATIONS_DIR === undefined ? loadOwn(ownFolder, log) : loadGiven(OPERATIONS_DIR);
  const roles = [...operations.all()].flatMap(({ compiled }) => compiled.roles ?? []);
  logRoleWarnings(log, 'operations', roleScopes.warningsFor(roles));
  const faults = [...operations.all()].flatMap(({ compiled }) =>
    compiled.arguments.inlined.map((sentence) => `${compiled.source}: ${sentence}`),
  );
  if (faults.length > 0 && OPERATION_RULES === 'enforce') throw new ConfigError(faults);
  if (faults.length > 0 && OPERATION_RULES === 'warn') {
    log.warn({ faults }, 'registered operations break rules of the interface');
  }
  log.info({ operations: operations.all().size }, 'registered operations');
  return operations;
}

/** Nobody asked for any, so that there may be none. */
function loadOwn(folder: string, log: Log): RegisteredOperations {
  const operations = existsSync(folder) ? loadOperations(folder) : new RegisteredOperations();
  if (operations.size === 0) {
    log.warn({ folder }, 'there are no registered operations: requests with a documentId are refused');
  }
  return operations;
}

function loadGiven(folder: string): RegisteredOperations {
  const operations = loadOperations(folder);
  if (operations.size > 0) return operations;
  throw new ConfigError([
    'OPERATIONS_DIR names a folder without operations: add .graphql files or manifests',
  ]);
}
