import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Attachment } from '../data/records.js';
import type { World } from '../data/world.js';
import type { AccessToken } from '../tokens/tokens.js';
import { documentOf } from './documents.js';
import { makeFile, MEDIA_TYPES } from './files.js';

const SCOPE = 'download:candidate-profile-attachments';

/** `GET` and `HEAD` of attachments (interface 15), with a partner token or a browser token of the scope. */
export const attachmentRoute: RouteOptions = {
  method: ['GET', 'HEAD'],
  url: '/anzPublicTest/applications/:profile/attachments/:attachment',
  config: { name: 'attachments', openToBrowsers: true },
  handler: (request, reply) => {
    const { credential } = request.exchange;
    if (credential.state !== 'valid') {
      reply.code(401).header('WWW-Authenticate', 'Bearer');
      return { message: 'A valid access token is required.' };
    }
    const world = request.state.world();
    const attachment = findAttachment(request, world);
    if (!mayDownload(credential.token, attachment?.hirerId, world)) {
      return reply.code(403).send({ message: 'The token does not allow this attachment.' });
    }
    if (attachment === undefined) return reply.code(404).send({ message: 'There is no such attachment.' });
    return sendFile(attachment, world, reply);
  },
};

function findAttachment({ params }: FastifyRequest, world: World): Attachment | undefined {
  const { profile, attachment: name } = params as Record<'profile' | 'attachment', string>;
  const attachment = world.attachments.get(`seekAnzPublicTest:attachment:applications:${name}`);
  return attachment?.profileId.endsWith(`:${profile}`) === true ? attachment : undefined;
}

/** With a browser token the hirer is checked here; a partner token reads every related hirer's, and the partner checks. */
function mayDownload(token: AccessToken, hirerId: string | undefined, world: World): boolean {
  if (token.kind === 'browser' && !token.scopes.has(SCOPE)) return false;
  if (hirerId === undefined) return true;
  if (token.kind === 'browser' && token.hirerId !== hirerId) return false;
  return world.hirers.get(hirerId)?.relationships.includes('ApplicationExport') ?? false;
}

function sendFile(attachment: Attachment, world: World, reply: FastifyReply): FastifyReply {
  const { format, bytes, fileName, modifiedMs } = attachment;
  const file = makeFile(format, documentOf(attachment, world), bytes);
  reply.headers({
    'Content-Type': MEDIA_TYPES[format],
    'Content-Length': file.bytes,
    'Content-Disposition': dispositionOf(fileName),
    'Last-Modified': new Date(modifiedMs).toUTCString(),
  });
  return reply.send(reply.request.method === 'HEAD' ? undefined : file.read());
}

/** Both forms of the name (RFC 6266, 4.3): ASCII for old clients, UTF-8 for the others. */
function dispositionOf(fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const encoded = encodeURIComponent(fileName).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
