/** DNS servers of tests that answer late, wrongly, in parts or never, and the answers that they send. */
import { createHmac } from 'node:crypto'
import { createServer, connect as netConnect, type Server, type Socket } from 'node:net'
import { createDnsClient, type DnsClientOptions } from '../../src/dns/client/client.ts'
import { DnsError } from '../../src/dns/client/dns-error.ts'
import type { DnsConnect } from '../../src/dns/client/stream.ts'
import { writeRecord } from '../../src/net/dns/record.ts'
import { appendTsig, encodeTsigVariables, type TsigKey } from '../../src/net/dns/tsig.ts'
import { encodeValue } from '../../src/net/dns/value.ts'
import { WireReader, WireWriter } from '../../src/net/dns/wire.ts'

const servers: Server[] = []
/** Ends all servers of `listen`. */
export const closeServers = (): void => {
  for (const server of servers) server.close()
}

export type Respond = (request: Buffer, socket: Socket) => void
/** Starts a server that is called with each request, without the length before it. */
export const listen = async (respond: Respond): Promise<number> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (bytes) => respond(Buffer.from(bytes).subarray(2), socket))
  })
  servers.push(server)
  // A test that has ended may have left a connection.
  server.unref()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Returns the port of a server that has ended. */
export const unusedPort = async (): Promise<number> => {
  const port = await listen(() => undefined)
  await new Promise((resolve) => servers.pop()?.close(resolve))
  return port
}

export const connect: DnsConnect = ({ host, port }) =>
  new Promise((resolve, reject) => {
    const socket = netConnect({ host, port })
    socket.on('error', reject).once('connect', () => resolve(socket))
  })
export const clientOf = async (respond: Respond, options: Partial<DnsClientOptions> = {}) =>
  createDnsClient({ connect, host: '127.0.0.1', port: await listen(respond), timeoutMs: 10_000, ...options })

export const framed = (message: Uint8Array): Uint8Array => new WireWriter().u16(message.length).put(message).finish()
export const SOA = 'ns.example.net admin.example.org 7 3600 600 86400 300'
export const soa = { name: 'example.org', type: 'SOA', value: SOA }
export const host = (index: number) => ({ name: `h${index}.example.org`, type: 'A', value: '192.0.2.1' })

type Given = { readonly name: string; readonly type: string; readonly value: string }
/** Creates an answer to the request, with its id. */
export const answer = (request: Buffer, records: readonly Given[], flags = 0x8400): Uint8Array => {
  const writer = new WireWriter().u16(new WireReader(request).u16()).u16(flags | (request.readUInt16BE(2) & 0x7800))
  writer.u16(0).u16(records.length).u16(0).u16(0)
  for (const { name, type, value } of records)
    writeRecord(writer, { name, type, recordClass: 1, ttl: 60, rdata: encodeValue(type, value) })
  return writer.finish()
}

export const failureOf = async (work: Promise<unknown>): Promise<DnsError> => {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  if (!(error instanceof DnsError)) throw new Error(`no DnsError: ${error}`)
  return error
}
export const KEY: TsigKey = { name: 'plat.key', algorithm: 'hmac-sha256', secret: new Uint8Array(32).fill(7) }
const FIELDS = { algorithm: KEY.algorithm, fudge: 300, error: 0 }

/** Creates the signatures of one answer in several messages (RFC 8945 section 5.3.1). */
export const signer = (request: Buffer) => {
  // The time of the answer: other tests of the process may have run for longer than the fudge.
  const timeSigned = Math.floor(Date.now() / 1000)
  const { originalId, ...fields } = {
    ...{ ...FIELDS, timeSigned, other: new Uint8Array() },
    originalId: request.readUInt16BE(0),
  }
  // The record of TSIG ends with the id, the error and the length of no other data, after the MAC of 32 bytes.
  let prior: Uint8Array = request.subarray(-38, -6)
  let isFirst = true
  return (messages: readonly Uint8Array[]): Uint8Array => {
    const hmac = createHmac('sha256', KEY.secret).update(new WireWriter().u16(prior.length).put(prior).finish())
    for (const message of messages) hmac.update(message)
    hmac.update(
      isFirst
        ? encodeTsigVariables(KEY.name, fields)
        : new WireWriter().u48(fields.timeSigned).u16(fields.fudge).finish(),
    )
    prior = hmac.digest()
    isFirst = false
    return appendTsig(messages.at(-1) ?? new Uint8Array(), KEY.name, { ...fields, mac: prior, originalId })
  }
}
