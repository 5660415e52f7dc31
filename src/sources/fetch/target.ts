/** The target of a source: its URL, and which addresses and local sockets it may reach. */

import { parseAddressOrCidr } from '../../base/config/values.ts'
import {
  checkTarget,
  createListedTargetRules,
  createTargetRules,
  OutboundError,
  parseTarget,
  type TargetRules,
} from '../../base/security/outbound-target.ts'
import { FetchError } from './fetch-error.ts'
import type { TargetSettings } from './protocol.ts'

const UNIX = 'unix:'
/** The host in requests to a local socket. Servers want one, and ignore it. */
const UNIX_ORIGIN = 'http://localhost'
const SETTING = 'SOURCE_TARGETS'

type Rules = Pick<TargetSettings, 'allowPrivate' | 'targets'>

/** Returns the path of `unix:/path`; undefined for another URL. */
export const getUnixPath = (url: string): string | undefined =>
  url.startsWith(UNIX) ? url.slice(UNIX.length) : undefined

/** Returns the rules of the addresses of a source. */
export const createSourceRules = ({ allowPrivate, targets }: Rules): TargetRules =>
  createListedTargetRules(
    { ...createTargetRules(allowPrivate), privateSetting: 'allow_private' },
    { listed: targets.filter((one) => !one.startsWith(UNIX)).map(parseAddressOrCidr), exceptions: SETTING },
  )

const findUnixProblem = (path: string, targets: readonly string[]): string | undefined => {
  if (!/^\/[^/]/.test(path)) return 'must name a socket by its absolute path: unix:/run/podman/podman.sock'
  if (!targets.includes(UNIX + path))
    return `${UNIX}${path} is refused as a socket that ${SETTING} does not list: the operator of the server sets it`
  return undefined
}

/**
 * Returns the error of the URL of a source that is saved; undefined for a valid one, and for a name that does not resolve yet.
 *
 * @param allowsQuery true if the URL names a document
 */
export const findTargetProblem = async (
  settings: Rules & Pick<TargetSettings, 'url'>,
  { allowsQuery = false }: { readonly allowsQuery?: boolean } = {},
): Promise<string | undefined> => {
  const { url, targets } = settings
  const path = getUnixPath(url)
  if (path !== undefined) return findUnixProblem(path, targets)
  if (url.includes('#')) return 'must have no fragment'
  if (!allowsQuery && url.includes('?')) return 'must have no query'
  return await checkTarget(createSourceRules(settings), url)
}

/** @throws FetchError `target` */
export const requireTarget = ({ url, targets }: Pick<TargetSettings, 'url' | 'targets'>): void => {
  const path = getUnixPath(url)
  const problem = path === undefined ? undefined : findUnixProblem(path, targets)
  if (problem !== undefined) throw new FetchError('target', problem)
}

/** The URL below which the paths of requests are. */
export type Base = {
  /** @throws FetchError for a path that leads to another host */
  readonly resolve: (path: string) => URL
  /** Returns a URL without its origin where that is the one of the base. */
  readonly show: (url: URL) => string
}

/** @throws FetchError `target` */
export const parseBase = (text: string): Base => {
  let base: URL
  try {
    base = getUnixPath(text) === undefined ? parseTarget(text) : new URL(UNIX_ORIGIN)
  } catch (error) {
    if (error instanceof OutboundError) throw new FetchError('target', error.message, undefined, { cause: error })
    throw error
  }
  const prefix = base.origin + base.pathname.replace(/\/+$/, '')
  return {
    resolve: (path) => {
      if (path === '') return base
      const url = URL.parse(path.startsWith('/') ? prefix + path : path)
      // Secrets are sent along: they stay at the host that the source names.
      if (url?.origin !== base.origin)
        throw new FetchError('bad_answer', `${path.slice(0, 200)} is no path of the source`)
      return url
    },
    show: (url) => (url.origin === base.origin ? url.pathname + url.search : url.href),
  }
}
