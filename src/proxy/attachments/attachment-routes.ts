import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ListenersAdapter } from '../../http/incoming/listeners-adapter.js';
import { Attachments } from './attachments.js';
import { OneUseLinks } from './one-use-links.js';

/** What the last segment of the two paths is called. */
type FileParams = Record<'sealed' | 'link', string>;

/** Headers of the upstream's answer that are passed on, with the value of a missing one. */
const HEADERS: Readonly<Record<string, string | undefined>> = {
  'content-disposition': 'attachment',
  'content-length': undefined,
  'content-type': 'application/octet-stream',
  'last-modified': undefined,
};

/** A file may be a page with a script. A browser that shows it must run nothing, and treat it as a foreign origin. */
const HARMLESS = "sandbox; default-src 'none'";

/** The files that GraphQL answers link to. A Nest controller cannot omit `HEAD`, which would use a link up. */
@Injectable()
export class AttachmentRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost<ListenersAdapter>,
    private readonly attachments: Attachments,
    private readonly links: OneUseLinks,
  ) {}

  onModuleInit(): void {
    const { publicListener } = this.host.httpAdapter;
    /**
     * A file that a GraphQL answer links to, streamed.
     * @produces any
     */
    publicListener.route({
      method: ['GET', 'HEAD'],
      url: '/attachments/:sealed',
      config: { access: 'end-user', audit: 'attachment' },
      handler: (request, reply) => this.answer((request.params as FileParams).sealed, request, reply),
    });
    /** A URL of the same file that works once, within a minute, without credentials. */
    publicListener.route({
      method: 'POST',
      url: '/attachments/links',
      config: { access: 'end-user', audit: 'attachment-link' },
      handler: ({ body, context }) => this.links.create(body, context),
    });
    /**
     * The file behind a link that works once.
     * @produces any
     */
    publicListener.route({
      method: 'GET',
      url: '/attachments/links/:link',
      exposeHeadRoute: false,
      config: { access: 'open', audit: 'attachment' },
      handler: async (request, reply) => {
        const sealed = await this.links.use((request.params as FileParams).link, request.context);
        return this.answer(sealed, request, reply.header('referrer-policy', 'no-referrer'));
      },
    });
  }

  private async answer(sealed: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { headers, body } = await this.attachments.fetch(sealed, request, reply);
    for (const [name, fallback] of Object.entries(HEADERS)) {
      const value = headers[name] ?? fallback;
      if (typeof value === 'string') reply.header(name, value);
    }
    reply.header('content-security-policy', HARMLESS);
    return await reply.send(body);
  }
}
