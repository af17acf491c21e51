import { ConfigError, type Config } from '../config/load-config.js';
import { MACHINE_ROLE } from '../http/end-user.js';
import type { RoleScopes } from '../hirer-access/role-scopes.js';
import type { Log } from '../telemetry/log.js';
import { loadOperations, SHIPPED_FOLDER, type RegisteredOperations } from './registered-operations.js';

/**
 * The operations of `OPERATIONS_DIR`. They obey the rules of the interface too: one that breaks them is refused, or
 * reported once at start (`OPERATION_RULES`).
 * @throws ConfigError
 */
export function openOperations(
  { OPERATIONS_DIR, OPERATION_RULES }: Pick<Config, 'OPERATIONS_DIR' | 'OPERATION_RULES'>,
  roleScopes: RoleScopes,
  log: Log,
  shippedFolder = SHIPPED_FOLDER,
): RegisteredOperations {
  const operations = loadOperations(OPERATIONS_DIR, shippedFolder);
  for (const replacement of operations.replaced) {
    const { name: operation, source, instead } = replacement;
    log.info({ operation, source, instead }, 'a registered operation replaces that of an earlier folder');
  }
  if (operations.size === 0) {
    const folder = shippedFolder;
    log.warn({ folder }, 'there are no registered operations: requests with a documentId are refused');
  }
  const named = [...operations.all()].flatMap(({ compiled }) => compiled.roles ?? []);
  const roles = named.filter((role) => role !== MACHINE_ROLE); // it needs no scope to call what names it
  const unnamed = roleScopes.unnamed(roles);
  if (unnamed.length > 0) {
    log.warn({ roles: unnamed }, 'roles in @role that ROLE_SCOPES does not name have no scope');
  }
  refuseClosedEvents(operations, roleScopes);
  const faults = [...operations.all()].flatMap(({ compiled }) =>
    [...compiled.arguments.inlined].map(([sentence, line]) => `${compiled.source}:${line}: ${sentence}`),
  );
  if (faults.length > 0 && OPERATION_RULES === 'enforce') throw new ConfigError(faults);
  if (faults.length > 0 && OPERATION_RULES === 'warn') {
    log.warn({ faults }, 'registered operations break rules of the interface');
  }
  log.info({ operations: operations.all().size }, 'registered operations');
  return operations;
}

/** Events are delivered as a machine: an operation that goes with them must be open to its role. */
function refuseClosedEvents(operations: RegisteredOperations, roleScopes: RoleScopes): void {
  const roles = [MACHINE_ROLE];
  const machine = { roles, scopes: roleScopes.scopesFor(roles) };
  const closed = [...operations.all()].filter(
    (operation) => operation.compiled.events.length > 0 && operation.refusalFor(machine),
  );
  if (closed.length === 0) return;
  throw new ConfigError(
    closed.map(
      ({ compiled: { source, name, events } }) =>
        `${source}:${events[0]!.line}: ${name} has @event and is not open to machines: name "machine" in @role or in ROLE_SCOPES`,
    ),
  );
}
