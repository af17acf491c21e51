import 'reflect-metadata';
import {
  Body,
  Controller,
  ForbiddenException,
  Get,
  HttpCode,
  Module,
  Post,
  Req,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthGuard, PassportModule, PassportStrategy } from '@nestjs/passport';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { IsString, MaxLength } from 'class-validator';
import { ExtractJwt, Strategy } from 'passport-jwt';

/** The peer: the same job written the way the framework's own guide has it, with a guard and a pipe on each request. */
const MEMBERS = new Map([[process.env['SUBJECT'], new Set([process.env['HIRER_ID']])]]);
const TOKENS = new Map<string, string>();

class JwtStrategy extends PassportStrategy(Strategy) {
  constructor() {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      secretOrKey: process.env['PUBLIC_KEY']!,
      algorithms: ['ES256'],
      issuer: process.env['ISSUER']!,
      audience: process.env['AUDIENCE']!,
    });
  }

  validate(claims: { sub: string }): { sub: string } {
    return claims;
  }
}

class TokenDto {
  @IsString()
  @MaxLength(255)
  hirerId!: string;

  @IsString()
  @MaxLength(512)
  scope!: string;
}

@Controller()
class TokenController {
  @Get()
  up(): string {
    return 'up';
  }

  @Post('auth/token')
  @HttpCode(200)
  @UseGuards(AuthGuard('jwt'))
  issue(
    @Req() request: { user: { sub: string } },
    @Body(
      new ValidationPipe({
        expectedType: TokenDto,
        transform: true,
        whitelist: true,
        forbidNonWhitelisted: true,
      }),
    )
    body: TokenDto,
  ): object {
    if (!MEMBERS.get(request.user.sub)?.has(body.hirerId)) throw new ForbiddenException();
    const key = JSON.stringify([request.user.sub, body.hirerId, body.scope.split(' ').sort()]);
    if (!TOKENS.has(key)) TOKENS.set(key, 'a'.repeat(48));
    return { access_token: TOKENS.get(key), expires_in: 3599, token_type: 'Bearer' };
  }
}

@Module({
  imports: [PassportModule],
  controllers: [TokenController],
  providers: [{ provide: JwtStrategy, useFactory: () => new JwtStrategy() }],
})
class PlainModule {}

const app = await NestFactory.create(PlainModule, new FastifyAdapter(), { logger: false });
await app.listen(Number(process.env['PORT']), '127.0.0.1');
