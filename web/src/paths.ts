/**
 * Every address of the UI, `$` before what is filled in. The routes are made of them, and the build hands them to the server,
 * which answers 404 at any other.
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

/** Every component in its states; only in a build for those who work on them. */
export const STORIES = '/dev/components'

/** Outside of the frame that all the others are in. */
export const LOGIN = '/login'
/** Where clients send people, to be asked (RFC 6749 3.1); the server shows the page there while OAuth is on. */
export const CONSENT = '/mcp-oauth/authorize'
