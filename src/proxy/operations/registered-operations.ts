import { hash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../config/load-config.js';
import { compileOperation } from './compile-operation.js';
import { DocumentFault } from './document-fault.js';
import { readManifest } from './manifest.js';
import { RegisteredOperation, type CompiledOperation } from './registered-operation.js';

/** The operations of `OPERATIONS_DIR`, by every identifier a caller may use. */
export class RegisteredOperations {
  private readonly byId = new Map<string, RegisteredOperation>();
  private readonly sources = new Map<string, string>();

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

/**
 * Reads `.graphql` files and `.json` manifests of a folder.
 * @throws ConfigError that lists every fault with its file and line
 */
export function loadOperations(folder: string): RegisteredOperations {
  const operations = new RegisteredOperations();
  const faults: string[] = [];
  for (const file of listFiles(folder)) {
    const source = join(folder, file);
    try {
      if (file.endsWith('.graphql')) addFile(operations, source);
      else addManifest(operations, source);
    } catch (error) {
      faults.push(faultOf(error, source));
    }
  }
  if (faults.length === 0) faults.push(...guardFaults(operations));
  if (faults.length > 0) throw new ConfigError(faults);
  return operations;
}

function listFiles(folder: string): string[] {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return files.filter((file) => /\.(graphql|json)$/.test(file)).sort();
  } catch (error) {
    throw new ConfigError([faultOf(error, (error as NodeJS.ErrnoException).path ?? folder)]);
  }
}

/** @throws the error when it is none of a file */
function faultOf(error: unknown, source: string): string {
  if (error instanceof DocumentFault) return `${source}:${error.line}: ${error.message}`;
  const { syscall, code } = error as NodeJS.ErrnoException;
  if (syscall === undefined) throw error;
  return `${source}: cannot be read (${code})`;
}

function addFile(operations: RegisteredOperations, source: string): void {
  const bytes = readFileSync(source);
  const compiled = compileOperation(bytes.toString('utf8'), source);
  operations.add(compiled, [compiled.name, `sha256:${hash('sha256', bytes)}`]);
}

function addManifest(operations: RegisteredOperations, source: string): void {
  for (const { id, text } of readManifest(readFileSync(source, 'utf8'))) {
    try {
      const compiled = compileOperation(text, source);
      operations.add(compiled, [compiled.name, `sha256:${hash('sha256', text)}`, id]);
    } catch (error) {
      if (error instanceof DocumentFault) {
        throw new DocumentFault(`entry ${id}: ${error.message}`, error.line);
      }
      throw error;
    }
  }
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

function guardFault(guard: CompiledOperation, given: ReadonlyMap<string, unknown>): string | undefined {
  if (guard.type !== 'query') return `"${guard.name}" is not a query`;
  if (!guard.bindings.some(({ kind }) => kind === 'path' || kind === 'anyPath')) {
    return `"${guard.name}" has no @hirer(path:)`;
  }
  if (guard.bindings.some(({ kind }) => kind === 'query')) return `"${guard.name}" needs a query itself`;
  const strange = [...given.keys()].find((name) => !guard.variables.has(name));
  return strange === undefined ? undefined : `"${guard.name}" has no variable "${strange}"`;
}
