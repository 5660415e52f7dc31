/** Zone transfers from servers on loopback: in parts, broken off, without an end, and with signatures between them. */
import { afterAll, describe, expect, test } from 'bun:test'
import {
  answer,
  clientOf,
  closeServers,
  failureOf,
  framed,
  host,
  KEY,
  type Respond,
  signer,
  soa,
} from '../../../testing/servers/dns-answers.ts'
import type { DnsClientOptions } from './client.ts'

afterAll(closeServers)

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

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
    ['breaks off', [[soa, host(1)]], 'cut_off'],
    ['breaks off before it begins', [], 'no_answer'],
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
  test.each([
    ['records', { maxRecords: 1000 }, {}, 'the zone has more than 1,000 records: the bound is DNS_MAX_RECORDS=1000'],
    [
      'bytes',
      {},
      { maxBytes: 10_000 },
      'the zone has more than 10,000 bytes: the bound is DNS_MAX_RECORDS=500000, with 256 bytes for each',
    ],
  ])('without an end stops at its bound of %s', async (_, options, limits, message) => {
    const client = await clientOf(endless, options)
    const error = await failureOf(all(client.transfer('example.org', limits)))
    expect([error.kind, error.message]).toEqual(['too_large', message])
  })

  test('counts the records outside of its zone', async () => {
    const foreign = { name: 'a.example.net', type: 'A', value: '192.0.2.1' }
    const respond: Respond = (request, socket) => {
      socket.write(framed(answer(request, [soa])))
      for (let count = 0; count < 20; count++) socket.write(framed(answer(request, new Array(100).fill(foreign))))
    }
    const client = await clientOf(respond, { maxRecords: 1000 })
    expect((await failureOf(all(client.transfer('example.org')))).kind).toBe('too_large')
  })

  test('leaves the event loop a turn while messages are there', async () => {
    const respond: Respond = (request, socket) => {
      const parts = [framed(answer(request, [soa]))]
      for (let count = 0; count < 5000; count++) parts.push(framed(answer(request, [host(count)])))
      socket.end(Buffer.concat([...parts, framed(answer(request, [soa]))]))
    }
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    const records = await all((await clientOf(respond)).transfer('example.org'))
    clearInterval(timer)
    expect(records).toHaveLength(5001)
    expect(turns).toBeGreaterThan(5)
  })

  test('without an end stops at its time limit', async () => {
    const client = await clientOf(endless)
    expect((await failureOf(all(client.transfer('example.org', { maxWaitMs: 0 })))).kind).toBe('cut_off')
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

  test('a transfer with an unsigned end is an error', async () => {
    const respond: Respond = (request, socket) => {
      socket.write(framed(signer(request)([answer(request, [soa])])))
      socket.write(framed(answer(request, [host(1), soa])))
    }
    const error = await failureOf(names(respond, { key: KEY }))
    expect([error.kind, error.message]).toEqual(['bad_answer', 'the end of the transfer is not signed'])
  })
})
