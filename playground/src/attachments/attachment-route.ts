import type { Attachment } from '../data/records.js';
import type { World } from '../data/world.js';
import { json, type Answer, type Incoming, type Route } from '../http/exchange.js';
import type { Credential, Tokens } from '../tokens/tokens.js';
import { documentOf } from './application-documents.js';
import { makeFile, MEDIA_TYPES } from './file-content.js';

const PATH = /^\/anzPublicTest\/applications\/([^/]+)\/attachments\/([^/]+)$/;
const SCOPE = 'download:candidate-profile-attachments';

/** `GET` and `HEAD` of attachments (interface 15), with a partner token or a browser token of the scope. */
export function attachmentRoute({ tokens, world: theWorld }: { tokens: Tokens; world: () => World }): Route {
  return {
    name: 'attachments',
    path: PATH,
    methods: ['GET', 'HEAD'],
    openToBrowsers: true,
    handle: (incoming) => {
      const credential = tokens.read(incoming.headers.authorization);
      if (credential.state !== 'valid') {
        return json(401, { message: 'A valid access token is required.' }, { 'WWW-Authenticate': 'Bearer' });
      }
      const world = theWorld();
      const attachment = findAttachment(incoming.path, world);
      if (!mayDownload(credential, attachment?.hirerId, world)) {
        return json(403, { message: 'The token does not allow this attachment.' });
      }
      if (attachment === undefined) return json(404, { message: 'There is no such attachment.' });
      return answer(attachment, world, incoming);
    },
  };
}

function findAttachment(path: string, world: World): Attachment | undefined {
  const [, profile, name] = PATH.exec(path) ?? [];
  const attachment = world.attachments.get(`seekAnzPublicTest:attachment:applications:${String(name)}`);
  return attachment?.profileId.endsWith(`:${String(profile)}`) === true ? attachment : undefined;
}

/** With a browser token the hirer is checked here; a partner token reads every related hirer's, and the partner checks. */
function mayDownload(
  credential: Credential & { state: 'valid' },
  hirerId: string | undefined,
  world: World,
): boolean {
  const { token } = credential;
  if (token.kind === 'browser' && !token.scopes.has(SCOPE)) return false;
  if (hirerId === undefined) return true;
  if (token.kind === 'browser' && token.hirerId !== hirerId) return false;
  return world.hirers.get(hirerId)?.relationships.includes('ApplicationExport') ?? false;
}

function answer(attachment: Attachment, world: World, { method }: Incoming): Answer {
  const { format, bytes, fileName, modifiedMs } = attachment;
  const file = makeFile(format, documentOf(attachment, world), bytes);
  const headers = {
    'Content-Type': MEDIA_TYPES[format],
    'Content-Length': String(file.bytes),
    'Content-Disposition': dispositionOf(fileName),
    'Last-Modified': new Date(modifiedMs).toUTCString(),
  };
  return method === 'HEAD' ? { status: 200, headers } : { status: 200, headers, body: file.read() };
}

/** Both forms of the name (RFC 6266, 4.3): ASCII for old clients, UTF-8 for the others. */
function dispositionOf(fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const encoded = encodeURIComponent(fileName).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
