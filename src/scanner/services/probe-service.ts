/** Identifies the service on one open TCP port: reads its banner, then sends one probe, over TLS where it speaks that. */
import type { FoundService } from '../protocol.ts'
import { cleanText, cut, decode } from './clean-text.ts'
import { type Answer, type Certificate, converse } from './conversation.ts'
import { buildHttpRequest, isHttp, isWholeHttp, readHttp } from './http.ts'
import { type Identity, identify, toTexts } from './identify.ts'
import { HTTP_PORTS, NEVER_ASKED, QUESTIONS, TLS_PORTS } from './questions.ts'

/** A service that speaks first does so at once. */
const QUIET_MS = 300
const BANNER_BYTES = 2048

export type ServiceProbe = {
  readonly ip: string
  readonly port: number
  readonly totalMs: number
  readonly signal: AbortSignal
  /** Further fingerprints, used if our own recognize only the kind of the service. */
  readonly refine?: (banner: string, identity: Identity | undefined) => Identity | undefined
}

export type ServiceFinding = {
  readonly service: FoundService
  /** The system that the service speaks for; empty when for none. */
  readonly os: string
  readonly certificate: Certificate | undefined
  readonly isSsh: boolean
}

const toLatin1 = (bytes: Buffer): string => bytes.toString('latin1')

/** Returns true if the answer suffices. HTTP is read up to its title; telnet negotiates before its banner. */
const isEnough = (bytes: Buffer): boolean => {
  const text = toLatin1(bytes)
  if (isHttp(text)) return isWholeHttp(text)
  if (bytes[0] === 0xff) return false
  return identify({ banner: text }) !== undefined
}

/** A TLS alert or handshake (RFC 8446 section 5.1), or a web server that demands TLS or hangs up. */
const wantsTls = ({ bytes, isConnected, isHungUp }: Answer): boolean =>
  (isConnected && isHungUp && bytes.length === 0) ||
  (bytes.length >= 3 && (bytes[0] === 0x15 || bytes[0] === 0x16) && bytes[1] === 3) ||
  /HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL-enabled|client sent an HTTP request to an HTTPS server/i.test(
    toLatin1(bytes),
  )

const getQuestion = (ip: string, port: number): Buffer | undefined => {
  if (NEVER_ASKED.has(port)) return undefined
  return QUESTIONS[port]?.(ip) ?? buildHttpRequest(ip, port)
}

const talk = ({ ip, port, totalMs, signal }: ServiceProbe, isTls: boolean): Promise<Answer> => {
  const isQuick = isTls || HTTP_PORTS.has(port) || QUESTIONS[port] !== undefined
  return converse({
    ip,
    port,
    isTls,
    probe: getQuestion(ip, port),
    // Mail over TLS greets first; other services on a TLS port wait for a request.
    quietMs: isQuick && ![465, 993, 995].includes(port) ? 0 : QUIET_MS,
    totalMs,
    isEnough,
    signal,
  })
}

const collectDetails = ({ bytes, certificate, tlsVersion }: Answer): Record<string, string> => {
  const details: Record<string, string> = {}
  const put = (name: string, value: string): void => {
    if (value !== '') details[name] = value
  }
  const text = toLatin1(bytes)
  if (isHttp(text)) {
    const { status, server, title, realm, location, poweredBy } = readHttp(decode(bytes))
    put('status', String(status))
    put('server', server)
    put('title', title)
    put('realm', realm)
    put('location', location)
    put('powered-by', poweredBy)
  }
  put('tls', cleanText(tlsVersion))
  if (certificate) {
    put('certificate', cleanText(certificate.subject))
    put('issuer', cleanText(certificate.issuer))
    put('names', cleanText(certificate.names.join(', '), 1024))
    put('valid-to', cleanText(certificate.validTo))
    put('sha256', certificate.sha256)
  }
  return details
}

const toBanner = (bytes: Buffer): string =>
  cut(cleanText(decode(bytes.subarray(0, BANNER_BYTES)), BANNER_BYTES), BANNER_BYTES)

const secured = (service: string, isTls: boolean): string => {
  if (!isTls) return service
  return service === '' ? 'tls' : service === 'http' ? 'https' : `${service}s`
}

export const probeService = async (probe: ServiceProbe): Promise<ServiceFinding> => {
  const { port, refine } = probe
  let isTls = TLS_PORTS.has(port)
  let answer = await talk(probe, isTls)
  if (isTls && !answer.isConnected && answer.isHungUp && !probe.signal.aborted) {
    // It is open, and no TLS: then it is asked plainly.
    isTls = false
    answer = await talk(probe, false)
  } else if (!isTls && wantsTls(answer) && !NEVER_ASKED.has(port)) {
    const secure = await talk(probe, true)
    if (secure.isConnected) {
      isTls = true
      answer = secure
    }
  }
  const text = toLatin1(answer.bytes)
  const own = text === '' ? undefined : identify(toTexts(text))
  const identity = refine && text !== '' ? (refine(text, own) ?? own) : own
  const hasTls = isTls && answer.isConnected
  return {
    service: {
      port,
      protocol: 'tcp',
      service: secured(identity?.service ?? '', hasTls),
      product: identity?.product ?? '',
      version: identity?.version ?? '',
      banner: toBanner(answer.bytes),
      details: collectDetails(answer),
    },
    os: identity?.os ?? '',
    certificate: answer.certificate,
    isSsh: identity?.service === 'ssh',
  }
}
