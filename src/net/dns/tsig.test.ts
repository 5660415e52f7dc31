// Signatures: requests, answers of one and of several messages, forged ones, and the errors of servers.

import { describe, expect, test } from 'bun:test'
import { createHmac as nodeHmac } from 'node:crypto'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import { DnsFormatError } from './format-error.ts'
import { encodeQuery, parseMessage } from './message.ts'
import {
  appendTsig,
  BADKEY,
  BADSIG,
  BADTIME,
  type CreateHmac,
  encodeTsigVariables,
  parseTsig,
  signRequest,
  startHmac,
  TSIG_ALGORITHMS,
  type TsigKey,
} from './tsig.ts'
import { createTsigVerifier, type TsigVerdict } from './tsig-verifier.ts'
import { WireWriter } from './wire.ts'

const createHmac: CreateHmac = (hash, secret) => nodeHmac(hash, secret)
const NOW = 1_700_000_000
const KEY: TsigKey = { name: 'plat.key', algorithm: 'hmac-sha256', secret: new Uint8Array(32).fill(7) }
const query = encodeQuery(0x1234, { name: 'example.org', type: 'SOA' })
const request = signRequest(query, { key: KEY, createHmac, now: NOW })

/** A server's answer: any message will do, because signatures are over bytes. */
const answerOf = (id: number): Uint8Array => encodeQuery(id, { name: `n${id}.example.org`, type: 'A' })

type Signing = { key?: TsigKey; time?: number; error?: number; other?: Uint8Array; originalId?: number }

/** Signs as a server does (RFC 8945 section 5.3): the messages since the last signature, each but the first by its timers. */
const serverSigner = (requestMac: Uint8Array) => {
  let prior = requestMac
  let isFirst = true
  return (messages: readonly Uint8Array[], signing: Signing = {}): Uint8Array => {
    const { key = KEY, time = NOW, error = 0, other = new Uint8Array(), originalId = 0x1234 } = signing
    const fields = { algorithm: key.algorithm, timeSigned: time, fudge: 300, error, other }
    const hmac = startHmac(key, createHmac)
    hmac.update(new WireWriter().u16(prior.length).put(prior).finish())
    for (const message of messages) hmac.update(message)
    hmac.update(isFirst ? encodeTsigVariables(key.name, fields) : new WireWriter().u48(time).u16(300).finish())
    prior = hmac.digest()
    isFirst = false
    return appendTsig(messages.at(-1) ?? new Uint8Array(), key.name, { ...fields, mac: prior, originalId })
  }
}

const verifier = (now = NOW) => createTsigVerifier({ key: KEY, createHmac, requestMac: request.mac, now: () => now })
const verdictsOf = (messages: readonly Uint8Array[], now = NOW): TsigVerdict[] => {
  const { verify } = verifier(now)
  return messages.map((bytes) => verify(bytes, parseMessage(bytes)))
}
const first = answerOf(0x1234)

describe('a signed request', () => {
  test('has the record of TSIG at its end', () => {
    const { tsig, questions, additionals } = parseMessage(request.bytes)
    expect([questions, additionals, tsig?.start]).toEqual([[{ name: 'example.org', type: 'SOA' }], [], query.length])
    expect(tsig?.record).toMatchObject({ name: 'plat.key', type: 'TSIG', recordClass: 255, ttl: 0 })
    expect(tsig && parseTsig(tsig.record)).toEqual({
      ...{ algorithm: 'hmac-sha256', timeSigned: NOW, fudge: 300, mac: request.mac, originalId: 0x1234, error: 0 },
      other: new Uint8Array(),
    })
  })

  test('has the digest of RFC 8945 section 4.3', () => {
    const variables = [
      ...['04706c6174036b657900', '00ff', '00000000', '0b686d61632d73686132353600'],
      ...['00006553f100', '012c', '0000', '0000'],
    ].join('')
    const digest = nodeHmac('sha256', KEY.secret).update(query).update(Buffer.from(variables, 'hex')).digest()
    expect(Buffer.from(request.mac).equals(digest)).toBe(true)
  })

  test.each(TSIG_ALGORITHMS.map((algorithm, index) => [algorithm, [20, 32, 48, 64][index] ?? 0] as const))(
    'of %s has a MAC of %p bytes',
    (algorithm, size) => {
      expect(signRequest(query, { key: { ...KEY, algorithm }, createHmac, now: NOW }).mac.length).toBe(size)
    },
  )

  test('of more than 65,535 bytes is refused', () => {
    expect(() => signRequest(new Uint8Array(65_500), { key: KEY, createHmac, now: NOW })).toThrow('is too long')
  })
})

describe('an answer', () => {
  test('that is signed is verified', () => {
    expect(verdictsOf([serverSigner(request.mac)([first])])).toEqual([{ kind: 'verified' }])
  })

  test('an answer is verified by a key with another spelling of its name', () => {
    const { verify } = createTsigVerifier({
      ...{ key: { ...KEY, name: 'Plat.KEY.' }, createHmac, requestMac: request.mac, now: () => NOW },
    })
    const bytes = serverSigner(request.mac)([first])
    expect(verify(bytes, parseMessage(bytes))).toEqual({ kind: 'verified' })
  })

  test('an answer is verified by the original id if a proxy has changed the id', () => {
    const bytes = serverSigner(request.mac)([first])
    bytes[0] = 0xff
    expect(verdictsOf([bytes])).toEqual([{ kind: 'verified' }])
  })

  test.each([
    ['without a signature', first, 'unsigned'],
    [
      'of another secret',
      serverSigner(request.mac)([first], { key: { ...KEY, secret: new Uint8Array(32) } }),
      'signature',
    ],
    ['of another key', serverSigner(request.mac)([first], { key: { ...KEY, name: 'other.key' } }), 'signature'],
    [
      'of another algorithm',
      serverSigner(request.mac)([first], { key: { ...KEY, algorithm: 'hmac-sha1' } }),
      'signature',
    ],
    ['to another request', serverSigner(new Uint8Array(32))([first]), 'signature'],
    ['with an error of the future', serverSigner(request.mac)([first], { error: 22 }), 'signature'],
  ])('%s is refused', (_, bytes, kind) => {
    expect(verdictsOf([bytes])).toEqual([{ kind: kind as 'unsigned' | 'signature' }])
  })

  test('with any changed byte is not verified', () => {
    const signed = serverSigner(request.mac)([first])
    fc.assert(
      fc.property(fc.nat(signed.length - 1), fc.integer({ min: 1, max: 255 }), (at, difference) => {
        const bytes = signed.slice()
        bytes[at] = (bytes[at] ?? 0) ^ difference
        try {
          const message = parseMessage(bytes)
          // The id is restored, upper case in names is the same name, and class and TTL of the record are constants.
          const isHarmless = at < 2 || (difference === 32 && /[a-z]/i.test(String.fromCharCode(bytes[at] ?? 0)))
          const constants = (message.tsig?.start ?? 0) + 10
          if (isHarmless || (at >= constants + 2 && at < constants + 8)) return
          expect(verifier().verify(bytes, message).kind).not.toBe('verified')
        } catch (error) {
          expect(error).toBeInstanceOf(DnsFormatError)
        }
      }),
      { numRuns: countCases(2000) },
    )
  })

  test.each([
    [BADKEY, 'key' as const],
    [BADSIG, 'signature' as const],
  ])('with the error %p has no MAC', (error, kind) => {
    const fields = { algorithm: KEY.algorithm, timeSigned: NOW, fudge: 300, error, other: new Uint8Array() }
    const bytes = appendTsig(first, KEY.name, { ...fields, mac: new Uint8Array(), originalId: 0x1234 })
    expect(verdictsOf([bytes])).toEqual([{ kind }])
  })

  test('with BADTIME tells the time of the server', () => {
    const other = new WireWriter().u48(NOW + 4000).finish()
    expect(verdictsOf([serverSigner(request.mac)([first], { error: BADTIME, other })])).toEqual([
      { kind: 'time', secondsApart: 4000 },
    ])
  })

  test('with a forged BADTIME is refused', () => {
    const forged = {
      error: BADTIME,
      other: new WireWriter().u48(NOW).finish(),
      key: { ...KEY, secret: new Uint8Array(9) },
    }
    expect(verdictsOf([serverSigner(request.mac)([first], forged)])).toEqual([{ kind: 'signature' }])
  })

  test('with BADTIME and no time is malformed', () => {
    const bytes = serverSigner(request.mac)([first], { error: BADTIME })
    expect(() => verdictsOf([bytes])).toThrow(DnsFormatError)
  })

  test.each([
    [-301, { kind: 'time' as const, secondsApart: -301 }],
    [301, { kind: 'time' as const, secondsApart: 301 }],
    [300, { kind: 'verified' as const }],
    [-300, { kind: 'verified' as const }],
  ])('signed %p seconds from now is judged by its fudge', (seconds, verdict) => {
    expect(verdictsOf([serverSigner(request.mac)([first], { time: NOW + seconds })])).toEqual([verdict])
  })
})

describe('an answer of several messages', () => {
  const many = (count: number): Uint8Array[] => Array.from({ length: count }, (_, index) => answerOf(0x1234 + index))

  test('is verified message by message', () => {
    const sign = serverSigner(request.mac)
    const signed = many(4).map((message, index) => sign([message], { originalId: 0x1234 + index }))
    expect(verdictsOf(signed).map(({ kind }) => kind)).toEqual(['verified', 'verified', 'verified', 'verified'])
  })

  test('may have 99 messages without a signature between two with one', () => {
    const sign = serverSigner(request.mac)
    const [head = first, ...rest] = many(101)
    const last = sign([head])
    const messages = [last, ...rest.slice(0, -1), sign(rest, { originalId: 0x1234 + 100 })]
    const kinds = verdictsOf(messages).map(({ kind }) => kind)
    expect(kinds).toEqual(['verified', ...rest.slice(0, -1).map(() => 'pending' as const), 'verified'])
  })

  test('may not have 100', () => {
    const sign = serverSigner(request.mac)
    const [head = first, ...rest] = many(101)
    const kinds = verdictsOf([sign([head]), ...rest]).map(({ kind }) => kind)
    expect([kinds[99], kinds[100]]).toEqual(['pending', 'unsigned'])
  })

  test('is refused if a message was taken out, added or exchanged', () => {
    const sign = serverSigner(request.mac)
    const [a = first, b = first, c = first, d = first] = many(4)
    const [head, tail] = [sign([a]), sign([b, c, d], { originalId: 0x1234 + 3 })]
    const lastOf = (messages: Uint8Array[]) => verdictsOf(messages).at(-1)?.kind
    expect(lastOf([head, b, c, tail])).toBe('verified')
    expect(lastOf([head, c, tail])).toBe('signature')
    expect(lastOf([head, b, c, c, tail])).toBe('signature')
    expect(lastOf([head, c, b, tail])).toBe('signature')
    expect(lastOf([tail])).toBe('signature')
  })
})
