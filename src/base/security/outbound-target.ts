/** Validates the target of an outgoing request: the text of its URL, then every address of its name. Sends nothing. */
import { type Cidr, cidrHolds, parseCidr } from '../../net/cidr.ts'
import { parseIp } from '../../net/ip.ts'
import { computeReach, type Reach } from '../../net/reach.ts'

export const MAX_URL = 2048
/** Time limit of name resolution when a target is saved. When a request is sent, its own deadline applies. */
const SAVE_LOOKUP_MS = 2000

/** Why there is no answer: the target may not be asked, does not answer, or its certificate is not trusted. */
export type OutboundFailure = 'refused' | 'unreachable' | 'timeout' | 'tls'

/** A request that may not be sent, or that got no answer. The message is for users. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly failure: OutboundFailure

  constructor(message: string, { failure = 'refused', ...options }: ErrorOptions & { failure?: OutboundFailure } = {}) {
    super(message, options)
    this.failure = failure
  }
}

export type TargetRules = {
  /** True if private addresses (RFC 1918 and similar) are allowed. */
  readonly allowsPrivate: boolean
  /** Resolves all addresses of a name. @throws if it has none */
  readonly resolve: (name: string) => Promise<readonly string[]>
  readonly reach: (ip: string) => Reach
  /** The setting that permits single addresses, for the messages. */
  readonly exceptions?: string
  /** The setting that permits private addresses, for the messages. */
  readonly privateSetting?: string
  /** True if this machine may be reached by its names. */
  readonly allowsLoopback?: true
}

/** Uses the system's resolver, hosts file included; zone ids are removed. */
const resolveName = async (name: string): Promise<readonly string[]> => {
  const { lookup } = await import('node:dns/promises')
  const found = await lookup(name, { all: true, verbatim: true })
  return found.map(({ address }) => address.replace(/%.*$/, ''))
}

const LOOPBACK = ['127.0.0.0/8', '::1/128'].flatMap((text) => parseCidr(text) ?? [])

/**
 * Returns the rules of targets that an administrator names: private addresses are allowed, and loopback addresses if `allowsLoopback`.
 */
export const createNamedTargetRules = (
  rules: TargetRules,
  { allowsLoopback }: { allowsLoopback: boolean },
): TargetRules => {
  const named = { ...rules, allowsPrivate: true }
  if (!allowsLoopback) return named
  const isLoopback = (address: string): boolean => {
    const ip = parseIp(address)
    return ip !== undefined && LOOPBACK.some((block) => cidrHolds(block, ip))
  }
  return {
    ...named,
    allowsLoopback,
    reach: (address) => (isLoopback(address) ? 'private' : rules.reach(address)),
  }
}

/** Text that is not an address has no reach. */
const parseReach = (text: string): Reach => {
  const ip = parseIp(text)
  return ip ? computeReach(ip) : 'blocked'
}

/**
 * Returns the rules of targets for which an operator lists addresses: each of them is allowed, whatever it reaches.
 *
 * @param exceptions the setting with the list
 */
export const createListedTargetRules = (
  rules: TargetRules,
  { listed, exceptions }: { readonly listed: readonly Cidr[]; readonly exceptions: string },
): TargetRules => {
  const isListed = (address: string): boolean => {
    const ip = parseIp(address)
    return ip !== undefined && listed.some((block) => cidrHolds(block, ip))
  }
  return { ...rules, exceptions, reach: (address) => (isListed(address) ? 'public' : rules.reach(address)) }
}

export const createTargetRules = (allowsPrivate: boolean): TargetRules => ({
  allowsPrivate,
  resolve: resolveName,
  reach: parseReach,
})

// The parser silently removes tabs and line ends, and takes \ for /.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const UNSEEN = /[\u0000-\u0020\u007f]/

/** Parses a target: http or https, a host, no user, a port from 1 on. @throws OutboundError */
export const parseTarget = (text: string): URL => {
  if ([...text].length > MAX_URL) throw new OutboundError(`must be at most ${MAX_URL} characters`)
  if (UNSEEN.test(text)) throw new OutboundError('must not contain blanks or control characters')
  if (!/^https?:\/\/[^/?#]/i.test(text)) throw new OutboundError('must begin with http:// or https:// and a host')
  const url = URL.parse(text)
  if (!url?.hostname) throw new OutboundError('is not a URL')
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#\\]*@/i.test(text))
    throw new OutboundError('must not contain a user name or password: give them in their fields')
  if (url.port === '0') throw new OutboundError('must have a port from 1 to 65535')
  return url
}

/** Returns the host of a URL in the form for resolvers and certificates: without brackets and without the final dot. */
export const getHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

const validateAddress = (rules: TargetRules, host: string, address: string): string => {
  const { allowsPrivate, reach, exceptions, privateSetting = 'SSRF_ALLOW_PRIVATE_TARGETS=true' } = rules
  const found = reach(address)
  const what = host === address ? address : `${host} is ${address}, which`
  if (found === 'blocked')
    throw new OutboundError(
      `${what} is refused as a loopback, link-local, multicast or reserved address${exceptions ? ` that ${exceptions} does not list` : ''}`,
    )
  if (found === 'private' && !allowsPrivate)
    throw new OutboundError(
      `${what} is a private address: only with ${privateSetting}${exceptions ? `, or listed in ${exceptions}` : ''}`,
    )
  return address
}

/** Names that always mean this machine, regardless of the resolver (RFC 6761 section 6.3). */
const isLocalName = (host: string): boolean => /(^|\.)localhost$/i.test(host)

/** Settles with the work or with the abort, whichever is first. The other is ignored. */
const within = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted()
  return await new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/**
 * Validates all addresses of a host, a name or an address, and returns them in the resolver's order: at least one.
 *
 * @throws OutboundError
 */
export const resolveAddresses = async (
  rules: TargetRules,
  host: string,
  signal: AbortSignal,
): Promise<readonly [string, ...string[]]> => {
  if (isLocalName(host) && !rules.allowsLoopback)
    throw new OutboundError(
      `${host} is this machine, and is refused${rules.exceptions ? `: list its address in ${rules.exceptions} and use that` : ''}`,
    )
  if (parseIp(host)) return [validateAddress(rules, host, host)]
  const addresses = await within(rules.resolve(host), signal).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new OutboundError(`${host} does not resolve`, { cause: error, failure: 'unreachable' })
  })
  const [first, ...more] = addresses.map((address) => validateAddress(rules, host, address))
  if (first === undefined) throw new OutboundError(`${host} does not resolve`, { failure: 'unreachable' })
  return [first, ...more]
}

/** Validates all addresses of the name, and returns the first. @throws OutboundError */
export const resolveAddress = async (rules: TargetRules, url: URL, signal: AbortSignal): Promise<string> =>
  (await resolveAddresses(rules, getHost(url), signal))[0]

/** Returns the error of a host when it is saved; undefined for a name that does not resolve yet. */
export const checkHost = async (rules: TargetRules, host: string): Promise<string | undefined> => {
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
    await resolveAddresses({ ...rules, resolve }, host, new AbortController().signal)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (!isUnknown) return error.message
  }
  return undefined
}

/** Returns the error of a target when it is saved. It is validated again before each use. */
export const checkTarget = async (rules: TargetRules, text: string): Promise<string | undefined> => {
  try {
    return await checkHost(rules, getHost(parseTarget(text)))
  } catch (error) {
    if (error instanceof OutboundError) return error.message
    throw error
  }
}
