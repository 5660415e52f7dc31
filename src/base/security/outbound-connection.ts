/**
 * Opens the connection of one request by settings of its own: a local socket, TLS with further authorities, a client certificate,
 * or a certificate that is known by its fingerprint.
 */
import type { Agent } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { getErrorCode, getErrorMessage } from '../../contract/unknown.ts'
import { parseIp } from '../../net/ip.ts'
import { OutboundError } from './outbound-target.ts'

export type PeerCertificate = {
  readonly subject: string
  readonly issuer: string
  /** In capitals with colons. */
  readonly sha256: string
  readonly not_after: string
}

export type ConnectionSettings = {
  /** The path of a local socket, in place of the address. */
  readonly unixPath?: string
  /** Certificate authorities in addition to the system's, as PEM. */
  readonly ca?: string
  /** The SHA-256 of the certificate, in capitals with colons. It is then compared, and nothing else. */
  readonly fingerprint?: string
  /** PEM of the certificate and the key that the client shows. */
  readonly clientCertificate?: string
  readonly clientKey?: string
  /** Called with the certificate of each TLS connection, also of a refused one. */
  readonly onCertificate?: (certificate: PeerCertificate) => void
}

type Target = { readonly address: string; readonly host: string; readonly url: URL }

/** Errors below TLS: the system has no connection. */
const NO_CONNECTION = /^E(CONN|HOST|NET|TIMEDOUT|PIPE|ADDR|ACCES|PERM|NOENT)/

const createTlsError = (message: string, cause?: unknown): OutboundError =>
  new OutboundError(message, { failure: 'tls', ...(cause === undefined ? {} : { cause }) })

/** Resolves when the socket is connected, and destroys it if the signal aborts before. */
const waitFor = (socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => socket.destroy(new Error('aborted'))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    // The listener stays: an error of the socket before the request takes it would otherwise end the process.
    socket.on('error', reject).once('close', () => reject(new Error('the connection was closed')))
    socket.once(event, () => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
  })

const openPlain = async (to: { readonly path: string } | { readonly host: string; readonly port: number }) => {
  const { connect } = await import('node:net')
  return connect(to)
}

/** One line: a certificate may name itself by any characters. */
const formatName = (name: string): string =>
  name
    .trim()
    .replace(/\s*[\n\p{Cc}]+\s*/gu, ', ')
    .slice(0, 255)

const describeCertificate = async (raw: Buffer): Promise<PeerCertificate> => {
  const { X509Certificate } = await import('node:crypto')
  const { subject, issuer, fingerprint256, validTo } = new X509Certificate(raw)
  const end = new Date(validTo)
  return {
    subject: formatName(subject ?? ''),
    issuer: formatName(issuer ?? ''),
    sha256: fingerprint256,
    not_after: Number.isNaN(end.getTime()) ? validTo : end.toISOString(),
  }
}

/**
 * Connects without verification, because a refused certificate must be shown, and verifies before anything is sent.
 *
 * @throws OutboundError `tls`
 */
const openSecure = async (settings: ConnectionSettings, { address, host, url }: Target, signal: AbortSignal) => {
  const { checkServerIdentity, connect, getCACertificates } = await import('node:tls')
  // Bun itself trusts its own list, and the store of the system only if a variable of the environment says so.
  const listAuthorities = () => new Set([...getCACertificates('default'), ...getCACertificates('system')])
  const { ca, fingerprint, clientCertificate, clientKey, onCertificate } = settings
  const options = {
    host: address,
    port: Number(url.port || 443),
    ...(parseIp(host) ? {} : { servername: host }),
    ...(fingerprint ? {} : { ca: [...listAuthorities(), ...(ca ? [ca] : [])] }),
    ...(clientCertificate && clientKey ? { cert: clientCertificate, key: clientKey } : {}),
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  }
  let socket: TLSSocket
  try {
    socket = connect(options)
  } catch (error) {
    throw createTlsError(`cannot be asked with these certificates or this key: ${getErrorMessage(error)}`, error)
  }
  try {
    await waitFor(socket, 'secureConnect', signal).catch((error: unknown) => {
      if (signal.aborted || NO_CONNECTION.test(getErrorCode(error))) throw error
      throw createTlsError(`has no valid TLS: ${getErrorMessage(error)}`, error)
    })
    const peer = socket.getPeerCertificate()
    if (!peer?.raw) throw createTlsError('showed no certificate')
    const shown = await describeCertificate(peer.raw)
    onCertificate?.(shown)
    if (fingerprint) {
      if (shown.sha256 !== fingerprint)
        throw createTlsError(`shows another certificate: its SHA-256 is ${shown.sha256}`)
      return socket
    }
    const problem = socket.authorized ? checkServerIdentity(host, peer) : socket.authorizationError
    if (!socket.authorized || problem)
      throw createTlsError(
        `has a certificate that is not trusted (${problem ? getErrorMessage(problem) : 'unknown authority'}): its SHA-256 is ${shown.sha256}`,
      )
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/**
 * Returns an agent whose one connection is open and verified.
 *
 * @throws OutboundError `tls`; the error of the system, and the reason of the signal
 */
export const createAgent = async (
  settings: ConnectionSettings,
  target: Target,
  signal: AbortSignal,
): Promise<Agent> => {
  const { unixPath } = settings
  const { address, url } = target
  let socket: Socket
  if (unixPath === undefined && url.protocol === 'https:') socket = await openSecure(settings, target, signal)
  else {
    socket = await openPlain(
      unixPath === undefined ? { host: address, port: Number(url.port || 80) } : { path: unixPath },
    )
    await waitFor(socket, 'connect', signal)
  }
  const { Agent } = await import('node:http')
  // `createConnection` of a request itself is ignored by Bun, which then opens another connection.
  return Object.assign(new Agent({ keepAlive: false }), { createConnection: () => socket })
}
