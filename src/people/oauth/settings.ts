/** Derives the addresses and lifetimes of the authorization server from the configuration. */
import type { Config } from '../../base/config/config.ts'
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
  /** The metadata address that a 401 names (RFC 9728 3.1). */
  readonly resourceMetadata: string
  readonly accessTokenTtlMs: number
  readonly refreshTokenTtlMs: number
  readonly graceMs: number
}

/** Returns undefined when OAuth is off. */
export const toSettings = (config: OauthConfig): Settings | undefined => {
  const { mcpOauthEnabled, mcpOauthIssuerUrl: issuer } = config
  // Validation refuses a configuration without an issuer at the start.
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
