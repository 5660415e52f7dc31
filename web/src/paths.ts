/**
 * All paths of the UI, with `$` before parameters. Routes use them, and the build passes them to the server, which
 * answers 404 for others.
 */
export const PATHS = [
  '/',
  '/account',
  '/audit',
  '/conflicts',
  '/connect',
  '/credentials',
  '/datacenters',
  '/datacenters/$id',
  '/devices',
  '/devices/$id',
  '/found',
  '/import',
  '/inbox',
  '/keys',
  '/networks',
  '/networks/$id',
  '/oauth',
  '/pools',
  '/pools/$id',
  '/reservations',
  '/roles',
  '/roles/$id',
  '/rules',
  '/scans',
  '/scans/$id',
  '/topology',
  '/users',
  '/users/$id',
  '/webhooks',
  '/webhooks/$id',
] as const

export type Path = (typeof PATHS)[number]

/** All components in their states, only in a build for development. */
export const STORIES = '/dev/components'

/** Outside of the shell. */
export const LOGIN = '/login'
/**
 * The page to which clients redirect users for consent (RFC 6749, section 3.1). The server serves it while OAuth is
 * on.
 */
export const CONSENT = '/mcp-oauth/authorize'
