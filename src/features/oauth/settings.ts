/** What the configuration makes of the authorization server: its addresses, and how long things last. */
import type { Config } from '../../platform/runtime/config/config.ts'
import type { Server } from './authorization.ts'

export type OauthConfig = Pick<
  Config,
  | 'mcpOauthEnabled'
  | 'mcpOauthIssuerUrl'
  | 'mcpOauthAccessTokenTtlMs'
  | 'mcpOauthRefreshTokenTtlMs'
  | 'mcpOauthRefreshGraceMs'
>

export type Settings = Server & {
  /** Where a client without a token is told to look (RFC 9728 3.1). */
  readonly resourceMetadata: string
  readonly accessTokenTtlMs: number
  readonly refreshTokenTtlMs: number
  readonly graceMs: number
}

/** Undefined where OAuth is off. */
export const settingsOf = (config: OauthConfig): Settings | undefined => {
  const { mcpOauthEnabled, mcpOauthIssuerUrl: issuer } = config
  // Without an issuer the configuration is refused at the start.
  if (!mcpOauthEnabled || issuer === undefined) return undefined
  return {
    issuer,
    resource: `${issuer}/mcp`,
    resourceMetadata: `${issuer}/.well-known/oauth-protected-resource/mcp`,
    accessTokenTtlMs: config.mcpOauthAccessTokenTtlMs,
    refreshTokenTtlMs: config.mcpOauthRefreshTokenTtlMs,
    graceMs: config.mcpOauthRefreshGraceMs,
  }
}
