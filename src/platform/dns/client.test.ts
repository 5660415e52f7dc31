/** The client against servers on loopback that answer late, wrongly, in parts or never. */
import { afterAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { createServer, connect as netConnect, type Server, type Socket } from 'node:net'
import { encodeQuery } from '../../net/dns/message.ts'
import { writeRecord } from '../../net/dns/record.ts'
import { appendTsig, type TsigKey, tsigVariables } from '../../net/dns/tsig.ts'
import { encodeValue } from '../../net/dns/value.ts'
import { WireReader, WireWriter } from '../../net/dns/wire.ts'
import { createDnsClient, type DnsClientOptions } from './client.ts'
import { DnsError, type DnsErrorKind } from './dns-error.ts'
import type { DnsConnect } from './stream.ts'

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

type Respond = (request: Buffer, socket: Socket) => void
/** Starts a server that is called with each request, without the length before it. */
const listen = async (respond: Respond): Promise<number> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (bytes) => respond(Buffer.from(bytes).subarray(2), socket))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

const connect: DnsConnect = ({ host, port }) =>
  new Promise((resolve, reject) => {
    const socket = netConnect({ host, port })
    socket.on('error', reject).once('connect', () => resolve(socket))
  })
const clientOf = async (respond: Respond, options: Partial<DnsClientOptions> = {}) =>
  createDnsClient({ connect, host: '127.0.0.1', port: await listen(respond), timeoutMs: 10_000, ...options })

const framed = (message: Uint8Array): Uint8Array => new WireWriter().u16(message.length).put(message).finish()
const SOA = 'ns.example.net admin.example.org 7 3600 600 86400 300'
const soa = { name: 'example.org', type: 'SOA', value: SOA }
const host = (index: number) => ({ name: `h${index}.example.org`, type: 'A', value: '192.0.2.1' })

type Given = { readonly name: string; readonly type: string; readonly value: string }
/** An answer to the request, with its id. */
const answer = (request: Buffer, records: readonly Given[], flags = 0x8400): Uint8Array => {
  const writer = new WireWriter().u16(new WireReader(request).u16()).u16(flags | (request.readUInt16BE(2) & 0x7800))
  writer.u16(0).u16(records.length).u16(0).u16(0)
  for (const { name, type, value } of records)
    writeRecord(writer, { name, type, recordClass: 1, ttl: 60, rdata: encodeValue(type, value) })
  return writer.finish()
}

const failureOf = async (work: Promise<unknown>): Promise<DnsError> => {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  if (!(error instanceof DnsError)) throw new Error(`no DnsError: ${error}`)
  return error
}
const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

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

  test('whose bytes come one after another, and too late, is an error', async () => {
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
    const port = await listen(() => undefined)
    await new Promise((resolve) => servers.pop()?.close(resolve))
    const error = await failureOf(createDnsClient({ connect, host: '127.0.0.1', port, timeoutMs: 10_000 }).serial('a'))
    expect([error.kind, error.message]).toEqual(['no_connection', expect.stringContaining('ECONNREFUSED')])
  })

  test('that is not made in time is an error', async () => {
    const never: DnsConnect = (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const client = createDnsClient({ connect: never, host: '127.0.0.1', port: 1, timeoutMs: 20 })
    const error = await failureOf(client.serial('a'))
    expect([error.kind, error.message]).toEqual(['no_connection', 'no connection within 0.02 s'])
  })
})

const KEY: TsigKey = { name: 'plat.key', algorithm: 'hmac-sha256', secret: new Uint8Array(32).fill(7) }
const FIELDS = { algorithm: KEY.algorithm, timeSigned: Math.floor(Date.now() / 1000), fudge: 300, error: 0 }

/** The signatures of one answer in several messages (RFC 8945 section 5.3.1). */
const signer = (request: Buffer) => {
  const { originalId, ...fields } = { ...FIELDS, other: new Uint8Array(), originalId: request.readUInt16BE(0) }
  // The record of TSIG ends with the id, the error and the length of no other data, after the MAC of 32 bytes.
  let prior: Uint8Array = request.subarray(-38, -6)
  let isFirst = true
  return (messages: readonly Uint8Array[]): Uint8Array => {
    const hmac = createHmac('sha256', KEY.secret).update(new WireWriter().u16(prior.length).put(prior).finish())
    for (const message of messages) hmac.update(message)
    hmac.update(
      isFirst ? tsigVariables(KEY.name, fields) : new WireWriter().u48(fields.timeSigned).u16(fields.fudge).finish(),
    )
    prior = hmac.digest()
    isFirst = false
    return appendTsig(messages.at(-1) ?? new Uint8Array(), KEY.name, { ...fields, mac: prior, originalId })
  }
}

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

describe('a transfer', () => {
  const names = async (respond: Respond, options?: Partial<DnsClientOptions>) =>
    (await all((await clientOf(respond, options)).transfer('example.org'))).map(({ name }) => name)

  test('of several messages yields the records between the two SOA', async () => {
    const respond: Respond = (request, socket) => {
      for (const part of [[soa, host(1)], [host(2), host(3)], [soa]]) socket.write(framed(answer(request, part)))
    }
    expect(await names(respond)).toEqual(['example.org', 'h1.example.org', 'h2.example.org', 'h3.example.org'])
  })

  test.each([
    ['breaks off', [[soa, host(1)]], 'no_answer'],
    ['does not begin with the SOA', [[host(1), soa]], 'bad_answer'],
    ['has an empty message', [[soa], []], 'bad_answer'],
  ] as const)('that %s is an error', async (_, parts, kind) => {
    const respond: Respond = (request, socket) => {
      for (const part of parts) socket.write(framed(answer(request, part)))
      socket.end()
    }
    expect((await failureOf(names(respond))).kind).toBe(kind)
  })

  test('with an error in a later message is an error', async () => {
    const respond: Respond = (request, socket) => {
      socket.write(framed(answer(request, [soa])))
      socket.write(framed(answer(request, [], 0x8402)))
    }
    expect((await failureOf(names(respond))).kind).toBe('failed')
  })

  const endless: Respond = (request, socket) => {
    socket.write(framed(answer(request, [soa])))
    const more = () => {
      const part = framed(
        answer(
          request,
          Array.from({ length: 100 }, (_, index) => host(index)),
        ),
      )
      while (!socket.destroyed && socket.write(part));
    }
    socket.on('drain', more)
    more()
  }
  test.each([{ maxRecords: 1000 }, { maxBytes: 10_000 }])('without an end stops at its limits: %j', async (limits) => {
    const client = await clientOf(endless)
    expect((await failureOf(all(client.transfer('example.org', limits)))).kind).toBe('too_large')
  })

  test('without an end stops at its time limit', async () => {
    const client = await clientOf(endless)
    expect((await failureOf(all(client.transfer('example.org', { maxWaitMs: 0 })))).kind).toBe('no_answer')
  })

  test('closes its connection when its reader stops', async () => {
    const closed = Promise.withResolvers<void>()
    const client = await clientOf((request, socket) => {
      socket.once('close', () => closed.resolve())
      endless(request, socket)
    })
    for await (const { type } of client.transfer('example.org')) {
      expect(type).toBe('SOA')
      break
    }
    await closed.promise
  })

  test('yields no record before a signature covers it', async () => {
    const respond: Respond = (request, socket) => {
      const sign = signer(request)
      const unsigned = [answer(request, [host(1)]), answer(request, [host(2)])]
      socket.write(framed(sign([answer(request, [soa])])))
      for (const part of unsigned) socket.write(framed(part))
      // The end is signed, but the first of the two before it is left out of the digest.
      socket.write(framed(sign([...unsigned.slice(1), answer(request, [soa])])))
    }
    const seen: string[] = []
    const client = await clientOf(respond, { key: KEY })
    const read = async () => {
      for await (const { name } of client.transfer('example.org')) seen.push(name)
    }
    expect((await failureOf(read())).kind).toBe('wrong_secret')
    expect(seen).toEqual(['example.org'])
  })

  test('may have messages without a signature before one with it', async () => {
    const respond: Respond = (request, socket) => {
      const sign = signer(request)
      const unsigned = [answer(request, [host(1)]), answer(request, [host(2)])]
      socket.write(framed(sign([answer(request, [soa])])))
      for (const part of unsigned) socket.write(framed(part))
      socket.write(framed(sign([...unsigned, answer(request, [soa])])))
    }
    expect(await names(respond, { key: KEY })).toEqual(['example.org', 'h1.example.org', 'h2.example.org'])
  })

  test('whose end is not signed is an error', async () => {
    const respond: Respond = (request, socket) => {
      socket.write(framed(signer(request)([answer(request, [soa])])))
      socket.write(framed(answer(request, [host(1), soa])))
    }
    const error = await failureOf(names(respond, { key: KEY }))
    expect([error.kind, error.message]).toEqual(['bad_answer', 'the end of the transfer is not signed'])
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
