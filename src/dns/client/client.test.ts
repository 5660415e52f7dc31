/** The client against servers on loopback that answer late, wrongly, in parts or never. */
import { afterAll, describe, expect, test } from 'bun:test'
import {
  answer,
  clientOf,
  closeServers,
  connect,
  failureOf,
  framed,
  host,
  KEY,
  type Respond,
  signer,
  soa,
  unusedPort,
} from '../../../testing/servers/dns-answers.ts'
import { encodeQuery } from '../../net/dns/message.ts'
import { createDnsClient } from './client.ts'
import type { DnsErrorKind } from './dns-error.ts'
import type { DnsConnect } from './stream.ts'

afterAll(closeServers)

describe('an answer', () => {
  test('may come byte by byte', async () => {
    const client = await clientOf((request, socket) => {
      for (const byte of framed(answer(request, [soa]))) socket.write(Uint8Array.of(byte))
    })
    expect(await client.serial('example.org')).toBe(7)
  })

  const REFUSALS: readonly (readonly [string, Respond, DnsErrorKind, string])[] = [
    ['that is malformed', (_, socket) => socket.write(framed(new Uint8Array(30).fill(255))), 'bad_answer', 'another'],
    ['that is empty', (_, socket) => socket.write(new Uint8Array(2)), 'bad_answer', 'a message is empty'],
    ['that is too short', (_, socket) => socket.write(framed(new Uint8Array(1))), 'bad_answer', 'cut off'],
    ['that is the request', (request, socket) => socket.write(framed(request)), 'bad_answer', 'not an answer'],
    [
      'to another request',
      (request, socket) => {
        const bytes = answer(request, [soa])
        bytes[0] = (bytes[0] ?? 0) ^ 1
        socket.write(framed(bytes))
      },
      'bad_answer',
      'another request',
    ],
    [
      'that is truncated',
      (request, socket) => socket.write(framed(answer(request, [], 0x8600))),
      'bad_answer',
      'truncated',
    ],
    ['that is cut off', (_, socket) => socket.end(Uint8Array.of(0, 9, 1)), 'bad_answer', 'within a message'],
    ['that never comes', (_, socket) => socket.end(), 'no_answer', 'closed the connection'],
    ['with REFUSED', (request, socket) => socket.write(framed(answer(request, [], 0x8405))), 'refused', 'refused'],
    ['with SERVFAIL', (request, socket) => socket.write(framed(answer(request, [], 0x8402))), 'failed', 'SERVFAIL'],
    [
      'with NXDOMAIN',
      (request, socket) => socket.write(framed(answer(request, [], 0x8403))),
      'zone_not_there',
      'no zone',
    ],
    ['without the SOA', (request, socket) => socket.write(framed(answer(request, []))), 'zone_not_there', 'no zone'],
    [
      'with NOTAUTH',
      (request, socket) => socket.write(framed(answer(request, [], 0x8409))),
      'zone_not_there',
      'it may require a key',
    ],
  ]
  test.each(REFUSALS)('%s is an error', async (_, respond, kind, text) => {
    const client = await clientOf(respond)
    const error = await failureOf(client.serial('example.org'))
    expect([error.kind, error.message]).toEqual([kind, expect.stringContaining(text)])
  })

  test.each([
    [6, 'YXDOMAIN', 'prerequisite'],
    [7, 'YXRRSET', 'prerequisite'],
    [8, 'NXRRSET', 'prerequisite'],
    [10, 'NOTZONE', 'zone_not_there'],
    [15, 'RCODE15', 'failed'],
  ])('to an update with the code %p is %s', async (code, rcode, kind) => {
    const client = await clientOf((request, socket) => socket.write(framed(answer(request, [], 0x8400 | code))))
    const error = await failureOf(client.update({ zone: 'example.org', prerequisites: [], changes: [] }))
    expect([error.rcode, error.kind]).toEqual([rcode, kind as DnsErrorKind])
  })

  test('that does not come in time is an error', async () => {
    const client = await clientOf(() => undefined, { timeoutMs: 20 })
    const error = await failureOf(client.serial('example.org'))
    expect([error.kind, error.message]).toEqual(['no_answer', 'no answer within 0.02 s'])
  })

  test('an answer is an error if its bytes come one after another, and too late', async () => {
    const client = await clientOf(
      (request, socket) => {
        const bytes = framed(answer(request, [soa]))
        // The last byte is missing, so only the limit for the whole message ends it.
        socket.write(bytes.subarray(0, -1))
      },
      { timeoutMs: 20 },
    )
    expect((await failureOf(client.serial('example.org'))).kind).toBe('no_answer')
  })

  test('is not waited for after an abort', async () => {
    const controller = new AbortController()
    const client = await clientOf(() => controller.abort(new Error('shutdown')))
    const work = client.query({ name: 'example.org', type: 'SOA' }, controller.signal)
    expect(await work.catch((error: unknown) => error)).toMatchObject({ message: 'shutdown' })
  })
})

describe('a connection', () => {
  test('is not made after an abort', async () => {
    const client = await clientOf(() => undefined)
    const work = client.serial('a', AbortSignal.abort(new Error('shutdown')))
    expect(await work.catch((error: unknown) => error)).toMatchObject({ message: 'shutdown' })
  })

  test('that is refused is an error', async () => {
    const port = await unusedPort()
    const error = await failureOf(createDnsClient({ connect, host: '127.0.0.1', port, timeoutMs: 10_000 }).serial('a'))
    expect([error.kind, error.message]).toEqual([
      'no_connection',
      expect.stringMatching(/^no connection to \S+ port \d+: connection refused$/),
    ])
  })

  test('that is not made in time is an error', async () => {
    const never: DnsConnect = (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const client = createDnsClient({ connect: never, host: '127.0.0.1', port: 1, timeoutMs: 20 })
    const error = await failureOf(client.serial('a'))
    expect([error.kind, error.message]).toEqual(['no_connection', 'no connection within 0.02 s'])
  })
})

describe('an answer to a signed request', () => {
  test.each([
    ['NOERROR', 0x8400, 'bad_answer', 'not signed'],
    ['NXDOMAIN', 0x8403, 'bad_answer', 'not signed'],
    ['REFUSED', 0x8405, 'refused', 'the key may be wrong'],
    ['NOTAUTH', 0x8409, 'unknown_key', 'does not accept the key'],
  ])('with %s that is not signed is an error', async (_, flags, kind, text) => {
    const client = await clientOf((request, socket) => socket.write(framed(answer(request, [], flags))), { key: KEY })
    const error = await failureOf(client.serial('example.org'))
    expect([error.kind, error.message, error.isSigned]).toEqual([
      kind as DnsErrorKind,
      expect.stringContaining(text),
      false,
    ])
  })

  test('with YXRRSET that is not signed is an error, and no failed prerequisite', async () => {
    const client = await clientOf((request, socket) => socket.write(framed(answer(request, [], 0x8407))), { key: KEY })
    const update = { zone: 'example.org', prerequisites: [], changes: [] }
    expect((await failureOf(client.update(update))).kind).toBe('bad_answer')
  })

  test('with REFUSED that is signed shows that the key is right', async () => {
    const client = await clientOf(
      (request, socket) => socket.write(framed(signer(request)([answer(request, [], 0x8405)]))),
      { key: KEY },
    )
    expect(await failureOf(client.serial('example.org'))).toMatchObject({ kind: 'refused', isSigned: true })
  })
})

test('a query has no flags, and the id of its answer', async () => {
  const requests: Buffer[] = []
  const client = await clientOf((request, socket) => {
    requests.push(request)
    socket.write(framed(answer(request, [host(1)])))
  })
  const { answers, id } = await client.query({ name: 'h1.example.org', type: 'A' })
  expect(answers.map(({ value, ttl }) => [value, ttl])).toEqual([['192.0.2.1', 60]])
  expect(requests).toEqual([Buffer.from(encodeQuery(id, { name: 'h1.example.org', type: 'A' }))])
})
