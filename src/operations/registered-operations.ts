import { hash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config/load-config.js';
import { PACKAGE_DIR } from '../config/package-dir.js';
import { SHIPPED } from '../config/settings/proxy.js';
import { isObject } from '../json/is-object.js';
import type { CompiledOperation } from './compile/compile-operation.js';
import { compileOperation } from './compile/compile-operation.js';
import { DocumentFault } from './compile/document-fault.js';
import { RegisteredOperation } from './registered-operation.js';

/** The operations that the package carries. */
export const SHIPPED_FOLDER = join(PACKAGE_DIR, 'operations');

/** An operation of a later folder that counts in place of one of an earlier folder. */
export interface Replacement {
  readonly name: string;
  readonly source: string;
  /** File of the operation that does not count. */
  readonly instead: string;
}

/** The operations of `OPERATIONS_DIR`, by every identifier a caller may use. */
export class RegisteredOperations {
  private readonly byId = new Map<string, RegisteredOperation>();
  private readonly sources = new Map<string, string>();

  /** @param replaced what does not count, because a later folder has an operation of that name */
  constructor(readonly replaced: readonly Replacement[] = []) {}

  /** Number of identifiers. */
  get size(): number {
    return this.byId.size;
  }

  /** By name, `sha256:` of the text, or the identifier of a manifest. */
  find(documentId: string): RegisteredOperation | undefined {
    return this.byId.get(documentId);
  }

  /** Every operation once. */
  all(): ReadonlySet<RegisteredOperation> {
    return new Set(this.byId.values());
  }

  /** @throws DocumentFault when an identifier is taken */
  add(compiled: CompiledOperation, ids: readonly string[]): void {
    const operation = new RegisteredOperation(compiled, (name) => this.byId.get(name)!);
    for (const id of new Set(ids)) {
      const holder = this.sources.get(id);
      if (holder !== undefined) {
        throw new DocumentFault(`the identifier "${id}" belongs to ${holder} already`, 1);
      }
      this.byId.set(id, operation);
      this.sources.set(id, compiled.source);
    }
  }
}

/** An operation of a file, and the identifiers by which callers may name it. */
interface Entry {
  readonly compiled: CompiledOperation;
  readonly ids: readonly string[];
  readonly folder: string;
  /** Begins a message about the entry of a manifest. */
  readonly where: string;
}

/**
 * Reads `.graphql` files and `.json` manifests of the folders of `OPERATIONS_DIR`. Only that of the package may be empty,
 * or missing. Of two operations of one name that of the later folder counts, and no identifier leads to the other one;
 * within a folder they are a fault.
 * @throws ConfigError that lists every fault with its file and line
 */
export function loadOperations(
  folders: readonly string[],
  shippedFolder = SHIPPED_FOLDER,
): RegisteredOperations {
  const faults: string[] = [];
  const entries = folders.flatMap((folder, index) => {
    if (folders.lastIndexOf(folder) > index) return []; // it counts where it stands last
    if (folder === SHIPPED) return existsSync(shippedFolder) ? readFolder(shippedFolder, faults) : [];
    const found = readFolder(folder, faults);
    if (found.length + faults.length === 0) {
      faults.push(`OPERATIONS_DIR folder ${index + 1} holds no operation`);
    }
    return found;
  });
  const last = new Map(entries.map((entry) => [entry.compiled.name, entry]));
  const isReplaced = ({ compiled, folder }: Entry): boolean => last.get(compiled.name)!.folder !== folder;
  const operations = new RegisteredOperations(
    entries.filter(isReplaced).map(({ compiled: { name, source } }) => {
      return { name, source: last.get(name)!.compiled.source, instead: source };
    }),
  );
  for (const { compiled, ids, where } of entries.filter((one) => !isReplaced(one))) {
    collect(faults, compiled.source, where, () => operations.add(compiled, ids));
  }
  if (faults.length === 0) faults.push(...guardFaults(operations), ...eventFaults(operations));
  if (faults.length > 0) throw new ConfigError(faults);
  return operations;
}

/** The result of the work, or none and a fault of the file. @throws what is no fault of a file */
function collect<T>(faults: string[], source: string, where: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (error instanceof DocumentFault) faults.push(`${source}:${error.line}: ${where}${error.message}`);
    else if (syscall !== undefined) faults.push(`${source}: cannot be read (${code})`);
    else throw error;
    return undefined;
  }
}

function readFolder(folder: string, faults: string[]): Entry[] {
  const files = collect(faults, folder, '', () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort(),
  );
  return (files ?? []).flatMap((file) => {
    const source = join(folder, file);
    if (!/\.(graphql|json)$/.test(file)) return [];
    const bytes = collect(faults, source, '', () => readFileSync(source));
    if (!bytes) return [];
    const texts = file.endsWith('.graphql')
      ? [{ id: undefined, text: bytes.toString() }]
      : (collect(faults, source, '', () => readManifest(bytes.toString())) ?? []);
    return texts.flatMap(({ id, text }) => {
      const where = id === undefined ? '' : `entry ${id}: `;
      const compiled = collect(faults, source, where, () => compileOperation(text, source));
      if (!compiled) return [];
      const sha256 = `sha256:${hash('sha256', id === undefined ? bytes : text)}`;
      return { compiled, ids: [compiled.name, sha256, ...(id === undefined ? [] : [id])], folder, where };
    });
  });
}

const APOLLO_FORMAT = 'apollo-persisted-query-manifest';

/**
 * Reads a manifest: a map of identifiers to texts, as Relay and graphql-codegen write it, or Apollo's list of them.
 * @throws DocumentFault
 */
export function readManifest(content: string): { readonly id: string; readonly text: string }[] {
  let manifest: unknown;
  try {
    manifest = JSON.parse(content);
  } catch {
    throw new DocumentFault('is not JSON', 1);
  }
  if (!isObject(manifest)) throw new DocumentFault('is not a manifest', 1);
  const { format, operations } = manifest;
  const isApollo = format === APOLLO_FORMAT && Array.isArray(operations);
  const pairs = isApollo
    ? operations.map((entry: unknown) => (isObject(entry) ? [entry['id'], entry['body']] : []))
    : Object.entries(manifest);
  return pairs.map(([id, text]) => {
    if (typeof id === 'string' && id !== '' && typeof text === 'string') return { id, text };
    throw new DocumentFault('holds an entry that is not an identifier with a text', 1);
  });
}

/** A guard must be a query that proves ownership without a further query, and gets only variables that it has. */
function guardFaults(operations: RegisteredOperations): string[] {
  const faults: string[] = [];
  for (const { compiled } of operations.all()) {
    for (const binding of compiled.bindings) {
      if (binding.kind !== 'query') continue;
      const guard = operations.find(binding.query)?.compiled;
      const line = binding.node.loc?.startToken.line ?? 1;
      const fault = !guard
        ? `there is no registered query "${binding.query}"`
        : guardFault(guard, binding.variables);
      if (fault) faults.push(`${compiled.source}:${line}: ${fault}`);
    }
  }
  return faults;
}

/** One operation goes with a type of event. */
function eventFaults(operations: RegisteredOperations): string[] {
  const holders = new Map<string, string>();
  const faults: string[] = [];
  for (const { compiled } of operations.all()) {
    for (const { type, line } of compiled.events) {
      const holder = holders.get(type);
      if (holder === undefined) holders.set(type, compiled.name);
      else faults.push(`${compiled.source}:${line}: ${holder} has @event(type: "${type}") already`);
    }
  }
  return faults;
}

function guardFault(guard: CompiledOperation, given: ReadonlyMap<string, unknown>): string | undefined {
  if (guard.type !== 'query') return `"${guard.name}" is not a query`;
  if (!guard.bindings.some(({ kind }) => kind === 'path' || kind === 'anyPath')) {
    return `"${guard.name}" has no @hirer(path:) or @hirer(anyPath:)`;
  }
  if (guard.bindings.some(({ kind }) => kind === 'query')) return `"${guard.name}" needs a query itself`;
  const strange = [...given.keys()].find((name) => !guard.variables.has(name));
  return strange === undefined ? undefined : `"${guard.name}" has no variable "${strange}"`;
}
