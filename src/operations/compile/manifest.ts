import { hash } from 'node:crypto';
import { DocumentFault } from './document-fault.js';
import { isObject } from '../../json/is-object.js';

/** An operation of a manifest, under the identifier its clients send. */
export interface ManifestEntry {
  readonly id: string;
  readonly text: string;
}

const APOLLO_FORMAT = 'apollo-persisted-query-manifest';
/** The hash of an identifier by its number of hexadecimal digits: Relay's, graphql-codegen's, Apollo's by default. */
const ALGORITHMS: Readonly<Record<number, string>> = { 32: 'md5', 40: 'sha1', 64: 'sha256' };

/**
 * Reads a manifest as Apollo (`generate-persisted-query-manifest`), Relay (a map, or pairs) or graphql-codegen
 * (`persisted-documents.json`, a map) write it. An identifier that looks like a hash must be the hash of its text.
 * @throws DocumentFault
 */
export function readManifest(content: string): readonly ManifestEntry[] {
  const entries = toEntries(parse(content));
  for (const { id, text } of entries) checkIdentifier(id, text);
  return entries;
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw new DocumentFault('is not JSON', 1);
  }
}

function toEntries(manifest: unknown): ManifestEntry[] {
  if (Array.isArray(manifest)) {
    return manifest.map((pair: unknown) =>
      Array.isArray(pair) ? toEntry(pair[0], pair[1]) : toEntry(pair, pair),
    );
  }
  if (!isObject(manifest)) throw new DocumentFault('is not a manifest', 1);
  if (manifest['format'] === undefined) {
    return Object.entries(manifest).map(([id, text]) => toEntry(id, text));
  }
  const { format, version, operations } = manifest;
  if (format !== APOLLO_FORMAT || version !== 1 || !Array.isArray(operations)) {
    throw new DocumentFault(`is not an ${APOLLO_FORMAT} of version 1`, 1);
  }
  return operations.map((entry: unknown) =>
    isObject(entry) ? toEntry(entry['id'], entry['body']) : toEntry(entry, entry),
  );
}

function toEntry(id: unknown, text: unknown): ManifestEntry {
  if (typeof id === 'string' && id !== '' && typeof text === 'string') return { id, text };
  throw new DocumentFault('holds an entry that is not an identifier with a text', 1);
}

function checkIdentifier(id: string, text: string): void {
  const digest = /^(?:sha256:)?([\da-f]+)$/i.exec(id)?.[1]?.toLowerCase();
  const algorithm = ALGORITHMS[digest?.length ?? 0];
  if (algorithm && hash(algorithm, text) !== digest) {
    throw new DocumentFault(`entry ${id} is not the ${algorithm} of its text`, 1);
  }
}
