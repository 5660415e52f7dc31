/** Checks the answers to one request: its id, its signature, then its response code. */
import { createHmac } from 'node:crypto'
import { formatTypeCode, OPCODE_QUERY } from '../../net/dns/codes.ts'
import { DnsFormatError } from '../../net/dns/format-error.ts'
import { type DnsMessage, parseMessage } from '../../net/dns/message.ts'
import { type CreateHmac, signRequest, type TsigKey } from '../../net/dns/tsig.ts'
import { createTsigVerifier, type TsigVerdict } from '../../net/dns/tsig-verifier.ts'
import { WireReader } from '../../net/dns/wire.ts'
import { DnsError } from './dns-error.ts'

const hmac: CreateHmac = (hash, secret) => createHmac(hash, secret)

/** A request that is ready to be sent, and the reader of its answers. */
export type DnsRequest = {
  readonly bytes: Uint8Array
  /**
   * Reads the next message of the answer. It is authentic if `isVerified`, else once a later one is.
   *
   * @throws DnsError on every answer that is not valid, or has a response code other than NOERROR and the codes of `accepted`
   */
  readonly read: (bytes: Uint8Array) => { readonly message: DnsMessage; readonly isVerified: boolean }
}

export type DnsRequestOptions = {
  /** The unsigned request. */
  readonly message: Uint8Array
  readonly key: TsigKey | undefined
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  /** Response codes that are no error, in addition to NOERROR. */
  readonly accepted?: readonly string[]
}

type Answered = { readonly rcode: string; readonly isSigned: boolean }

/** Returns the error of a response code (RFC 1035 section 4.1.1, RFC 2136 section 2.2). */
const toRcodeError = (answered: Answered, note = ''): DnsError => {
  const { rcode } = answered
  switch (rcode) {
    case 'YXRRSET':
    case 'YXDOMAIN':
    case 'NXRRSET':
      return new DnsError('prerequisite', `a prerequisite failed (${rcode})`, answered)
    case 'NXDOMAIN':
    case 'NOTAUTH':
    case 'NOTZONE':
      return new DnsError('zone_not_there', `the server does not serve the zone (${rcode})${note}`, answered)
    case 'REFUSED':
      return new DnsError('refused', `the server refused the request${note}`, answered)
    default:
      return new DnsError('failed', `the server answered ${rcode}${note}`, answered)
  }
}

/** Errors that servers may answer without a signature, and that change nothing. All other answers must have one. */
const UNSIGNED_ERRORS = new Set(['FORMERR', 'SERVFAIL', 'NOTIMP', 'REFUSED', 'NOTAUTH'])

/**
 * Returns the error of an answer that is not signed although the request was. Knot signs no answer about zones that it does not serve,
 * and refuses queries about them. PowerDNS signs none if the signature of the request was wrong.
 */
const toUnsignedError = (rcode: string, isQuery: boolean): DnsError => {
  if (!UNSIGNED_ERRORS.has(rcode)) return new DnsError('bad_answer', `the answer is not signed (${rcode})`, { rcode })
  if (rcode === 'NOTAUTH' && isQuery)
    return new DnsError('unknown_key', 'the server does not accept the key, its secret or its time', { rcode })
  return toRcodeError({ rcode, isSigned: false }, '; its answer is not signed, so the key may be wrong')
}

const toSignatureError = (verdict: TsigVerdict, rcode: string): DnsError => {
  if (verdict.kind === 'key') return new DnsError('unknown_key', 'the server does not know the key', { rcode })
  if (verdict.kind !== 'time')
    return new DnsError('wrong_secret', 'the signature is wrong: the secrets or algorithms differ', { rcode })
  const { secondsApart } = verdict
  const side = secondsApart > 0 ? 'ahead' : 'behind'
  const text = `the clocks are ${Math.abs(secondsApart)} s apart: the one of the server is ${side}`
  return new DnsError('clocks_apart', text, { rcode, secondsApart })
}

/** Converts the error of malformed bytes. */
export const toDnsError = (error: unknown): unknown =>
  error instanceof DnsFormatError ? new DnsError('bad_answer', `bad answer: ${error.message}`, { cause: error }) : error

/** Reads the parts of an own request that its answers are compared with. */
const requestHead = (message: Uint8Array) => {
  const reader = new WireReader(message)
  const id = reader.u16()
  const opcode = (reader.u16() >> 11) & 15
  reader.take(8)
  reader.name()
  return { id, opcode, isQuery: opcode === OPCODE_QUERY && formatTypeCode(reader.u16()) !== 'AXFR' }
}

export const createDnsRequest = ({ message, key, now, accepted = [] }: DnsRequestOptions): DnsRequest => {
  const seconds = () => Math.floor(now() / 1000)
  const signed = key && signRequest(message, { key, createHmac: hmac, now: seconds() })
  const verifier = key && signed && createTsigVerifier({ key, createHmac: hmac, requestMac: signed.mac, now: seconds })
  const own = requestHead(message)

  const read = (bytes: Uint8Array) => {
    // A message of another request has another signature, so its id is the better error.
    if (new WireReader(bytes).u16() !== own.id) throw new DnsFormatError('it belongs to another request')
    const answer = parseMessage(bytes)
    if (!answer.isResponse || answer.opcode !== own.opcode) throw new DnsFormatError('it is not an answer')
    const verdict: TsigVerdict = verifier?.verify(bytes, answer) ?? { kind: 'verified' }
    const isSigned = key !== undefined && verdict.kind === 'verified'
    if (verdict.kind === 'unsigned') throw toUnsignedError(answer.rcode, own.isQuery)
    if (verdict.kind !== 'verified' && verdict.kind !== 'pending') throw toSignatureError(verdict, answer.rcode)
    if (answer.rcode !== 'NOERROR' && !accepted.includes(answer.rcode))
      throw toRcodeError(
        { rcode: answer.rcode, isSigned },
        key || answer.rcode !== 'NOTAUTH' ? '' : '; it may require a key',
      )
    if (answer.isTruncated) throw new DnsFormatError('it is truncated')
    return { message: answer, isVerified: verdict.kind === 'verified' }
  }

  return {
    bytes: signed?.bytes ?? message,
    read: (bytes) => {
      try {
        return read(bytes)
      } catch (error) {
        throw toDnsError(error)
      }
    },
  }
}
