import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Routes } from '../../http/routes.js';
import { Attachments } from './attachments.js';

type AttachmentRequest = FastifyRequest<{ Params: { sealed: string } }>;

/** A file may be a page with a script: where a browser shows it, it runs nothing and belongs to no site. */
const HARMLESS = "sandbox; default-src 'none'";

/** `GET` and `HEAD /attachments/{sealed}`. */
@Injectable()
export class AttachmentRoutes implements OnModuleInit {
  constructor(
    private readonly routes: Routes,
    private readonly attachments: Attachments,
  ) {}

  onModuleInit(): void {
    this.routes.add({
      method: ['GET', 'HEAD'],
      url: '/attachments/:sealed',
      config: { access: 'end-user', audit: 'attachment' },
      handler: (request, reply) => this.answer(request as AttachmentRequest, reply),
    });
  }

  private async answer(request: AttachmentRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { context, params } = request;
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
    try {
      const file = {
        user: context.endUser,
        sealed: params.sealed,
        method,
        context,
        response: reply.raw,
      } as const;
      const { headers, body } = await this.attachments.fetch(file);
      reply.headers(headers).header('content-security-policy', HARMLESS);
      if (method === 'GET') return await reply.send(body);
      body.resume();
      return await reply.send();
    } catch (error) {
      if (context.cancellation.cancelled) return reply.hijack();
      throw error;
    }
  }
}
