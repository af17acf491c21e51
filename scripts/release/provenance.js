import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { git } from './tree.js';

/**
 * What was built, of which commit and by whom, as an in-toto statement with SLSA's predicate of provenance. It is not
 * signed, so it proves nothing by itself: the attestation that CI makes of the same files does.
 */
export function provenanceOf(version, digests) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: digests.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:partner-bff:build:artefacts:1',
        externalParameters: { version },
        internalParameters: {
          command: 'npm ci && npm run release:artefacts',
          node: process.version,
          npm: execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim(),
          platform: `${process.platform}-${process.arch}`,
          signature: 'none: this statement is signed by nobody',
        },
        resolvedDependencies: [
          { name: 'source', ...source(), digest: { gitCommit: git('rev-parse', 'HEAD') } },
          { name: 'package-lock.json', digest: { sha256: digestOf('package-lock.json') } },
        ],
      },
      runDetails: { builder: { id: builder() }, ...run() },
    },
  };
}

const {
  GITHUB_SERVER_URL: server,
  GITHUB_REPOSITORY: repository,
  GITHUB_WORKFLOW_REF: workflow,
} = process.env;

function source() {
  return repository ? { uri: `git+${server}/${repository}` } : {};
}

function builder() {
  return workflow ? `${server}/${workflow}` : 'urn:partner-bff:builder:by-hand';
}

function run() {
  const { GITHUB_RUN_ID: id } = process.env;
  return id ? { metadata: { invocationId: `${server}/${repository}/actions/runs/${id}` } } : {};
}

function digestOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
