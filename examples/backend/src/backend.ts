import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import Fastify, { type FastifyInstance } from 'fastify';
import {
  BffError,
  DeliveryRefused,
  verifyDelivery,
  type CandidateApplicationCreated,
  type DeliveryRequest,
  type MachineClient,
} from 'partner-bff-client/server';
import type { Application, Applications } from './applications.ts';

/** The parts of the back end. */
export interface Parts {
  /** `EVENT_SINK_SECRET` of the service; during a rotation, the new one and the old one. */
  readonly secrets: readonly string[];
  readonly machine: MachineClient;
  readonly applications: Applications;
  /** Where files are saved. */
  readonly folder: string;
}

type Delivered = NonNullable<CandidateApplicationCreated['data']['object']>;
type Sent = NonNullable<Delivered['candidateProfile']>;

const DELIVERY_BYTES_MAX = 4_194_304;
const FILE_SECONDS_MAX = 60;

/**
 * Handles a delivery: keeps the application that it brings, with its files, once.
 * @throws DeliveryRefused for what is no delivery; anything else where it is to be delivered again
 */
export async function receive(parts: Parts, sent: DeliveryRequest): Promise<void> {
  const delivery = verifyDelivery(sent, parts.secrets);
  const isDone = delivery.repeat === undefined && parts.applications.knows(delivery.id);
  if (!isDone && delivery.type === 'CandidateApplicationCreated') await keep(parts, delivery);
}

/** The receiver of events: keeps applications and their files, and lists them. An event that fails is sent again. */
export function openBackend(parts: Parts): FastifyInstance {
  const { applications } = parts;
  const server = Fastify({ bodyLimit: DELIVERY_BYTES_MAX });
  // The signature covers the bytes as they came, so they are not parsed here.
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.post('/events', async (request, reply) => {
    await receive(parts, request);
    return reply.code(204).send();
  });
  server.get('/applications', () => applications.list());
  server.addHook('onClose', () => applications.close());
  server.setErrorHandler((error, _request, reply) => {
    const { statusCode = 503 } = error as { statusCode?: number }; // of Fastify: a body that is too large, say
    const status = error instanceof DeliveryRefused ? error.status : statusCode;
    process.stderr.write(`${status}: ${String(error)}\n`);
    return reply.code(status).send();
  });
  return server;
}

/** Files first: when the application stands in the table, they are on the disk. */
async function keep(parts: Parts, { id, data }: CandidateApplicationCreated): Promise<void> {
  const { candidateApplicationProfileId: applicationId, hirerId, object } = data;
  if (applicationId === undefined || hirerId === undefined) return; // names no application: nothing to keep
  const sent =
    object === undefined ? await fetchSent(parts, applicationId, hirerId) : object?.candidateProfile;
  const files: Application['files'][number][] = [];
  for (const attachment of sent?.attachments ?? []) files.push(await save(parts, attachment));
  const application: Application = {
    id: applicationId,
    hirerId,
    position: sent?.associatedPositionProfile?.positionTitle ?? '',
    candidate: sent?.candidate.person.name.formattedName ?? '',
    email: sent?.candidate.person.communication.email[0]?.address ?? '',
    answers: answersOf(sent),
    files,
  };
  parts.applications.keep(id, application, sent == null);
}

/** An event that had to go without its object is asked for here; null where the upstream says that it is not ours to see. */
async function fetchSent({ machine }: Parts, id: string, hirerId: string): Promise<Sent | null> {
  try {
    const data = await machine.call<Delivered, { id: string }>('DeliveredApplication', { id }, { hirerId });
    return data.candidateProfile;
  } catch (error) {
    if (error instanceof BffError && error.code === 'FORBIDDEN') return null;
    throw error;
  }
}

/** The name on the disk is ours: the candidate chose the file's own. */
async function save(
  { machine, folder }: Parts,
  attachment: Sent['attachments'][number],
): Promise<Application['files'][number]> {
  const path = join(folder, createHash('sha256').update(attachment.id.value).digest('hex'));
  const role = attachment.seekRoleCode ?? '';
  if (!attachment.url.startsWith('/attachments/')) return { role, name: '', path: '' }; // kept elsewhere
  try {
    const file = await machine.download(attachment.url, {
      signal: AbortSignal.timeout(FILE_SECONDS_MAX * 1000),
    });
    await store(file.body as ReadableStream | null, path);
    return { role, name: attachment.descriptions[0] ?? '', path };
  } catch (error) {
    if (error instanceof BffError && error.code === 'NOT_FOUND') return { role, name: '', path: '' }; // deleted meanwhile
    throw error;
  }
}

/** The file appears under its path when it is complete. */
async function store(body: ReadableStream | null, path: string): Promise<void> {
  const part = `${path}.part`;
  try {
    await pipeline(
      body === null ? [] : Readable.fromWeb(body),
      createWriteStream(part, { mode: 0o600, flush: true }),
    );
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

function answersOf(sent: Sent | null | undefined): Application['answers'] {
  const responses = sent?.seekQuestionnaireSubmission?.responses ?? [];
  return responses.flatMap((response) =>
    response.__typename === 'ApplicationQuestionResponse'
      ? [
          {
            question: response.component.questionHtml,
            answer: response.answers.map(({ answer }) => answer).join(', '),
          },
        ]
      : [],
  );
}
