// Verifies the signatures of the answers to one signed request (RFC 8945 sections 5.2 to 5.4).

import { DnsFormatError } from './format-error.ts'
import type { DnsMessage } from './message.ts'
import { decodeName, encodeNameOrThrow } from './name.ts'
import {
  BADKEY,
  BADSIG,
  BADTIME,
  type CreateHmac,
  encodeTsigVariables,
  parseTsig,
  startHmac,
  type TsigFields,
  type TsigKey,
} from './tsig.ts'
import { WireReader, WireWriter } from './wire.ts'

/**
 * `verified`: it and all messages before it are authentic. `pending`: without a signature, which a later message must have.
 * `unsigned`: without a signature where one is required. `key`: the server does not know the key. `signature`: the server has
 * found the signature wrong, or this side has. `time`: the clocks are too far apart; the seconds are positive if the other
 * clock is ahead.
 */
export type TsigVerdict =
  | { readonly kind: 'verified' | 'pending' | 'unsigned' | 'key' | 'signature' }
  | { readonly kind: 'time'; readonly secondsApart: number }

export type TsigVerifier = {
  /**
   * Verifies the next message of the answer.
   *
   * @param bytes the message, parsed as `message`
   * @throws DnsFormatError on a malformed TSIG record
   */
  readonly verify: (bytes: Uint8Array, message: DnsMessage) => TsigVerdict
}

export type TsigVerifierOptions = {
  readonly key: TsigKey
  readonly createHmac: CreateHmac
  /** The MAC of the request. */
  readonly requestMac: Uint8Array
  /** Returns seconds since 1970. */
  readonly now: () => number
}

/** RFC 8945 section 5.3.1. */
const UNSIGNED_MAX = 99
const ADDITIONAL_COUNT_AT = 10

/** Takes the same time for all contents. */
const isEqual = (a: Uint8Array, b: Uint8Array): boolean => {
  let difference = a.length ^ b.length
  for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at] ?? 0)
  return difference === 0
}

/** Returns the message as it was before its TSIG record was appended (RFC 8945 section 4.3.2). */
const removeTsig = (bytes: Uint8Array, start: number, originalId: number): Uint8Array => {
  const writer = new WireWriter().put(bytes.subarray(0, start))
  writer.setU16(0, originalId)
  writer.setU16(ADDITIONAL_COUNT_AT, new WireReader(bytes, ADDITIONAL_COUNT_AT).u16() - 1)
  return writer.finish()
}

const readOtherTime = ({ other }: TsigFields): number => {
  const reader = new WireReader(other)
  const time = reader.u48()
  if (reader.left > 0) throw new DnsFormatError('the time of a TSIG record is too long')
  return time
}

/**
 * Verifies the messages of one answer, in order.
 *
 * @throws RangeError when the key has no valid name
 */
export function createTsigVerifier({ key, createHmac, requestMac, now }: TsigVerifierOptions): TsigVerifier {
  const { name: keyName } = decodeName(encodeNameOrThrow(key.name), 0)
  const startAfter = (mac: Uint8Array) => {
    const hmac = startHmac(key, createHmac)
    hmac.update(new WireWriter().u16(mac.length).put(mac).finish())
    return hmac
  }
  let hmac = startAfter(requestMac)
  let isFirst = true
  let unsignedCount = 0

  const withoutSignature = (bytes: Uint8Array): TsigVerdict => {
    unsignedCount += 1
    if (isFirst || unsignedCount > UNSIGNED_MAX) return { kind: 'unsigned' }
    hmac.update(bytes)
    return { kind: 'pending' }
  }

  const isAuthentic = (bytes: Uint8Array, start: number, fields: TsigFields): boolean => {
    hmac.update(removeTsig(bytes, start, fields.originalId))
    const timers = () => new WireWriter().u48(fields.timeSigned).u16(fields.fudge).finish()
    hmac.update(isFirst ? encodeTsigVariables(key.name, fields) : timers())
    return isEqual(hmac.digest(), fields.mac)
  }

  return {
    verify: (bytes, { tsig }) => {
      if (tsig === undefined) return withoutSignature(bytes)
      const fields = parseTsig(tsig.record)
      // The server can't sign without a common key (RFC 8945 section 5.3.2).
      if (fields.error === BADKEY) return { kind: 'key' }
      const isOther = tsig.record.name !== keyName || fields.algorithm !== key.algorithm
      if (fields.error === BADSIG || isOther || !isAuthentic(bytes, tsig.start, fields)) return { kind: 'signature' }
      if (fields.error === BADTIME) return { kind: 'time', secondsApart: readOtherTime(fields) - fields.timeSigned }
      if (fields.error !== 0) return { kind: 'signature' }
      const secondsApart = fields.timeSigned - now()
      if (Math.abs(secondsApart) > fields.fudge) return { kind: 'time', secondsApart }
      hmac = startAfter(fields.mac)
      isFirst = false
      unsignedCount = 0
      return { kind: 'verified' }
    },
  }
}
