import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Routes } from '../http/routes.js';
import { TokenIssuance } from './token-issuance.js';

/** `POST /auth/token`. */
@Injectable()
export class TokenRoutes implements OnModuleInit {
  constructor(
    private readonly routes: Routes,
    private readonly issuance: TokenIssuance,
  ) {}

  onModuleInit(): void {
    this.routes.add({
      method: 'POST',
      url: '/auth/token',
      config: { access: 'end-user', audit: 'token', onEnd: (context) => this.issuance.count(context) },
      handler: (request) => this.issuance.issue(request.body, request.context),
    });
  }
}
