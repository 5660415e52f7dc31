// Transaction signatures (RFC 8945): keys, and the signing of requests. Answers are verified in tsig-verifier.ts.

import { CLASS_ANY, parseTypeCodeOrThrow } from './codes.ts'
import { DnsFormatError } from './format-error.ts'
import type { DnsRecord } from './record.ts'
import { MESSAGE_MAX, WireReader, WireWriter } from './wire.ts'

export const TSIG_ALGORITHMS = ['hmac-sha1', 'hmac-sha256', 'hmac-sha384', 'hmac-sha512'] as const
export type TsigAlgorithm = (typeof TSIG_ALGORITHMS)[number]

export type TsigKey = { readonly name: string; readonly algorithm: TsigAlgorithm; readonly secret: Uint8Array }

export type HashName = 'sha1' | 'sha256' | 'sha384' | 'sha512'
/** An HMAC (RFC 2104) in progress, as of `createHmac` of node:crypto. */
export type Hmac = { readonly update: (bytes: Uint8Array) => unknown; readonly digest: () => Uint8Array }
export type CreateHmac = (hash: HashName, secret: Uint8Array) => Hmac

export type TsigFields = {
  readonly algorithm: string
  /** Seconds since 1970. */
  readonly timeSigned: number
  /** Seconds that the clocks may be apart. */
  readonly fudge: number
  readonly mac: Uint8Array
  readonly originalId: number
  readonly error: number
  readonly other: Uint8Array
}

/** RFC 8945 section 3. */
export const BADSIG = 16
export const BADKEY = 17
export const BADTIME = 18

const FUDGE_SECONDS = 300
const ADDITIONAL_COUNT_AT = 10

const HASHES: Readonly<Record<TsigAlgorithm, HashName>> = {
  'hmac-sha1': 'sha1',
  'hmac-sha256': 'sha256',
  'hmac-sha384': 'sha384',
  'hmac-sha512': 'sha512',
}

/** Starts the HMAC of a key. */
export function startHmac({ algorithm, secret }: TsigKey, createHmac: CreateHmac): Hmac {
  return createHmac(HASHES[algorithm], secret)
}

/**
 * Reads the rdata of a TSIG record (RFC 8945 section 4.2).
 *
 * @throws DnsFormatError
 */
export function parseTsig({ rdata }: DnsRecord): TsigFields {
  const reader = new WireReader(rdata)
  const algorithm = reader.name()
  const [timeSigned, fudge] = [reader.u48(), reader.u16()]
  const mac = reader.take(reader.u16())
  const [originalId, error] = [reader.u16(), reader.u16()]
  const other = reader.take(reader.u16())
  if (reader.left > 0) throw new DnsFormatError('a TSIG record is too long')
  return { algorithm, timeSigned, fudge, mac, originalId, error, other }
}

/** Writes the variables of a digest (RFC 8945 section 4.3.3). */
export function encodeTsigVariables(keyName: string, fields: Omit<TsigFields, 'mac' | 'originalId'>): Uint8Array {
  const { algorithm, timeSigned, fudge, error, other } = fields
  return new WireWriter()
    .name(keyName)
    .u16(CLASS_ANY)
    .u32(0)
    .name(algorithm)
    .u48(timeSigned)
    .u16(fudge)
    .u16(error)
    .u16(other.length)
    .put(other)
    .finish()
}

/** Appends a TSIG record to a message, and counts it. */
export function appendTsig(message: Uint8Array, keyName: string, fields: TsigFields): Uint8Array {
  const { algorithm, timeSigned, fudge, mac, originalId, error, other } = fields
  const rdata = new WireWriter().name(algorithm).u48(timeSigned).u16(fudge)
  rdata.u16(mac.length).put(mac).u16(originalId).u16(error).u16(other.length).put(other)
  const writer = new WireWriter().put(message).name(keyName)
  writer.u16(parseTypeCodeOrThrow('TSIG')).u16(CLASS_ANY).u32(0).u16(rdata.size).put(rdata.finish())
  if (writer.size > MESSAGE_MAX) throw new RangeError(`A signed message of ${writer.size} bytes is too long`)
  const additionals = new WireReader(message, ADDITIONAL_COUNT_AT).u16()
  writer.setU16(ADDITIONAL_COUNT_AT, additionals + 1)
  return writer.finish()
}

/**
 * Signs a request (RFC 8945 section 5.1).
 *
 * @param now seconds since 1970
 * @returns the signed message, and its MAC, with which the answer is verified
 * @throws RangeError when the signed message has more than 65,535 bytes
 */
export function signRequest(
  message: Uint8Array,
  { key, createHmac, now }: { key: TsigKey; createHmac: CreateHmac; now: number },
): { bytes: Uint8Array; mac: Uint8Array } {
  const fields = { algorithm: key.algorithm, timeSigned: now, fudge: FUDGE_SECONDS, error: 0, other: new Uint8Array() }
  const hmac = startHmac(key, createHmac)
  hmac.update(message)
  hmac.update(encodeTsigVariables(key.name, fields))
  const mac = hmac.digest()
  const originalId = new WireReader(message).u16()
  return { bytes: appendTsig(message, key.name, { ...fields, mac, originalId }), mac }
}
