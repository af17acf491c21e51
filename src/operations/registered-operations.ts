import { hash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { GraphQLError, type ASTNode } from 'graphql';
import { ConfigError, type Config } from '../config/load-config.js';
import { PACKAGE_DIR } from '../config/version.js';
import { SHIPPED } from '../config/settings/proxy.js';
import { MACHINE_ROLE } from '../http/end-user.js';
import type { RoleScopes } from '../hirer-access/role-scopes.js';
import type { Log } from '../telemetry/log.js';
import { compileOperation, type CompiledOperation } from './compile/compile-operation.js';
import type { QueryBinding } from './compile/directives.js';
import { RegisteredOperation } from './registered-operation.js';

const SHIPPED_FOLDER = join(PACKAGE_DIR, 'operations');

interface Entry {
  readonly compiled: CompiledOperation;
  readonly sha256: string;
}

/** The operations of `OPERATIONS_DIR`, by name and by `sha256:` of the file. */
export class RegisteredOperations {
  private readonly byId = new Map<string, RegisteredOperation>();

  constructor(
    entries: Iterable<Entry>,
    /** Sentences on operations of a later folder that count in place of one of an earlier folder. */
    readonly replaced: readonly string[],
  ) {
    for (const { compiled, sha256 } of entries) {
      const operation = new RegisteredOperation(compiled, (query) => this.byId.get(query)!);
      this.byId.set(compiled.name, operation).set(`sha256:${sha256}`, operation);
    }
  }

  find(documentId: string): RegisteredOperation | undefined {
    return this.byId.get(documentId);
  }

  all(): ReadonlySet<RegisteredOperation> {
    return new Set(this.byId.values());
  }
}

/**
 * Reads the `.graphql` files of the folders of `OPERATIONS_DIR`. Of two operations of one name that of the later folder
 * counts, and no identifier leads to the other one; within a folder they are a fault.
 * @throws ConfigError that lists every fault with its file and line
 */
export function loadOperations(folders: readonly string[]): RegisteredOperations {
  const faults: string[] = [];
  const replaced: string[] = [];
  const counted = new Map<string, Entry>();
  for (const [index, folder] of folders.entries()) {
    const found = readFolder(folder === SHIPPED ? SHIPPED_FOLDER : folder, faults);
    if (found.length + faults.length === 0) {
      faults.push(`OPERATIONS_DIR folder ${index + 1} holds no operation: there is no .graphql file`);
    }
    for (const entry of found) {
      const { name: operation, source } = entry.compiled;
      const other = counted.get(operation);
      if (other && found.includes(other)) {
        faults.push(`${source}:1: the name "${operation}" belongs to ${other.compiled.source} already`);
      } else if (other) {
        replaced.push(
          `the registered operation ${operation} of ${source} replaces that of ${other.compiled.source}`,
        );
      }
      counted.set(operation, entry);
    }
  }
  const operations = new RegisteredOperations(counted.values(), replaced);
  if (faults.length === 0) faults.push(...guardFaults(operations), ...eventFaults(operations));
  if (faults.length > 0) throw new ConfigError(faults);
  return operations;
}

/** The operations of `OPERATIONS_DIR`. @throws ConfigError also for one that goes with events and is closed to machines */
export function openOperations(
  { OPERATIONS_DIR }: Pick<Config, 'OPERATIONS_DIR'>,
  roleScopes: RoleScopes,
  log: Log,
): RegisteredOperations {
  const operations = loadOperations(OPERATIONS_DIR);
  for (const sentence of operations.replaced) log.info(sentence);
  const roles = [MACHINE_ROLE]; // events are delivered as a machine
  const machine = { roles, scopes: roleScopes.scopesFor(roles) };
  const faults = [...operations.all()].flatMap((operation) => {
    const { name, events } = operation.compiled;
    if (events.length === 0 || !operation.refusalFor(machine)) return [];
    const advice = 'name "machine" in @role or in ROLE_SCOPES';
    return sentenceAt(events[0]!.node, `${name} has @event and is not open to machines: ${advice}`);
  });
  if (faults.length > 0) throw new ConfigError(faults);
  log.info({ operations: operations.all().size }, 'registered operations');
  return operations;
}

/** The result of the work, or none and a fault of the file. @throws what is no fault of a file */
function collect<T>(faults: string[], source: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (error instanceof GraphQLError) {
      faults.push(`${source}:${error.locations?.[0]?.line ?? 1}: ${error.message}`);
    } else if (syscall !== undefined) {
      faults.push(`${source}: cannot be read (${code})`);
    } else {
      throw error;
    }
    return undefined;
  }
}

/** A fault with its file and line. */
function sentenceAt({ loc }: ASTNode, message: string): string {
  return `${loc!.source.name}:${loc!.startToken.line}: ${message}`;
}

/** A file or folder that no listing shows: a mounted volume, a file manager or an editor keeps its own there. */
const HIDDEN = /(^|[\\/])\./;

function readFolder(folder: string, faults: string[]): Entry[] {
  const files = collect(faults, folder, () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort(),
  );
  return (files ?? []).flatMap((file) => {
    const source = join(folder, file);
    if (HIDDEN.test(file) || !file.endsWith('.graphql')) return [];
    const bytes = collect(faults, source, () => readFileSync(source));
    const compiled = bytes && collect(faults, source, () => compileOperation(bytes.toString(), source));
    return compiled ? [{ compiled, sha256: hash('sha256', bytes) }] : [];
  });
}

/** A guard must be a query that proves ownership without a further query, and gets only variables that it has. */
function guardFaults(operations: RegisteredOperations): string[] {
  return [...operations.all()].flatMap(({ compiled: { bindings } }) =>
    bindings.flatMap((binding) => {
      const fault = binding.kind === 'query' && guardFault(binding, operations.find(binding.query)?.compiled);
      return fault ? [sentenceAt(binding.node, fault)] : [];
    }),
  );
}

function guardFault(
  { query, variables }: QueryBinding,
  guard: CompiledOperation | undefined,
): string | undefined {
  if (!guard) return `there is no registered query "${query}"`;
  if (guard.type !== 'query') return `"${guard.name}" is not a query`;
  if (!guard.bindings.some(({ kind }) => kind === 'path' || kind === 'anyPath')) {
    return `"${guard.name}" has no @hirer(path:) or @hirer(anyPath:)`;
  }
  if (guard.bindings.some(({ kind }) => kind === 'query')) return `"${guard.name}" needs a query itself`;
  const strange = [...variables.keys()].find((name) => !guard.variables.has(name));
  return strange === undefined ? undefined : `"${guard.name}" has no variable "${strange}"`;
}

/** One operation goes with a type of event. */
function eventFaults(operations: RegisteredOperations): string[] {
  const triggers = [...operations.all()].flatMap(({ compiled: { name, events } }) =>
    events.map(({ type, node }) => ({ type, name, node })),
  );
  return [...Map.groupBy(triggers, ({ type }) => type).values()].flatMap(([holder, ...others]) =>
    others.map(({ type, node }) => sentenceAt(node, `${holder!.name} has @event(type: "${type}") already`)),
  );
}
