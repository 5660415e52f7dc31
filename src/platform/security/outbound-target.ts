/** Where a request that leaves Plat may go: the text of a URL, then every address behind its name. Sends nothing. */
import { parseIp } from '../../net/ip.ts'
import { type Reach, reachOf } from '../../net/reach.ts'

export const MAX_URL = 2048
/** How long a name may take at save; at send the deadline of the request holds. */
const SAVE_LOOKUP_MS = 2000

/** A request that may not be sent, or that got no answer. The message is for people. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
}

export type TargetRules = {
  /** Whether inside addresses (RFC 1918 and the like) are allowed. */
  readonly allowsPrivate: boolean
  /** All addresses of a name. @throws when it has none */
  readonly resolve: (name: string) => Promise<readonly string[]>
  readonly reach: (ip: string) => Reach
}

/** The system's resolver, hosts file included; zone ids are dropped. */
const resolveName = async (name: string): Promise<readonly string[]> => {
  const { lookup } = await import('node:dns/promises')
  const found = await lookup(name, { all: true, verbatim: true })
  return found.map(({ address }) => address.replace(/%.*$/, ''))
}

/** What is no address reaches nothing. */
const reachOfText = (text: string): Reach => {
  const ip = parseIp(text)
  return ip ? reachOf(ip) : 'blocked'
}

export const targetRules = (allowsPrivate: boolean): TargetRules => ({
  allowsPrivate,
  resolve: resolveName,
  reach: reachOfText,
})

// The parser drops tabs and line ends silently, and takes \ for /.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSEEN = /[\u0000-\u0020\u007f]/

/**
 * Reads the text of a target: http or https, a host, no user, a port from 1 on.
 *
 * @throws OutboundError
 */
export const parseTarget = (text: string): URL => {
  if (text.length > MAX_URL) throw new OutboundError(`must be at most ${MAX_URL} characters`)
  if (UNSEEN.test(text)) throw new OutboundError('must not contain blanks or control characters')
  if (!/^https?:\/\/[^/?#]/i.test(text)) throw new OutboundError('must begin with http:// or https:// and a host')
  const url = URL.parse(text)
  if (!url?.hostname) throw new OutboundError('is not a URL')
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#\\]*@/i.test(text))
    throw new OutboundError('must not contain a user name or password: use a header')
  if (url.port === '0') throw new OutboundError('must have a port from 1 to 65535')
  return url
}

/** Host of a URL as a resolver and a certificate know it: without brackets, without the dot of the root. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

const validated = ({ allowsPrivate, reach }: TargetRules, host: string, address: string): string => {
  const found = reach(address)
  const what = host === address ? address : `${host} is ${address}, which`
  if (found === 'blocked')
    throw new OutboundError(`${what} is never connected to: loopback, link-local, multicast or reserved`)
  if (found === 'private' && !allowsPrivate)
    throw new OutboundError(`${what} is a private address: only with SSRF_ALLOW_PRIVATE_TARGETS=true`)
  return address
}

/** A name of this machine, whatever a resolver says (RFC 6761 section 6.3). */
const isLocalName = (host: string): boolean => /(^|\.)localhost$/i.test(host)

/** Ends with what comes first; the other is let go. */
const within = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted()
  return await new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/**
 * The address to connect to: every address of the name is judged, and the first is taken.
 *
 * @throws OutboundError
 */
export const addressOf = async (rules: TargetRules, url: URL, signal: AbortSignal): Promise<string> => {
  const host = hostOf(url)
  if (isLocalName(host)) throw new OutboundError(`${host} is this machine, which is never connected to`)
  if (parseIp(host)) return validated(rules, host, host)
  const addresses = await within(rules.resolve(host), signal).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new OutboundError(`${host} does not resolve`, { cause: error })
  })
  const [first] = addresses.map((address) => validated(rules, host, address))
  if (first === undefined) throw new OutboundError(`${host} does not resolve`)
  return first
}

/**
 * Judges a target when it is saved. A name that does not resolve now may do so later, and is judged when it is used.
 *
 * @returns what is wrong with it, or undefined
 */
export const targetProblem = async (rules: TargetRules, text: string): Promise<string | undefined> => {
  let isUnknown = false
  const resolve = async (name: string) => {
    try {
      return await within(rules.resolve(name), AbortSignal.timeout(SAVE_LOOKUP_MS))
    } catch (error) {
      isUnknown = true
      throw error
    }
  }
  try {
    await addressOf({ ...rules, resolve }, parseTarget(text), new AbortController().signal)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (!isUnknown) return error.message
  }
  return undefined
}
