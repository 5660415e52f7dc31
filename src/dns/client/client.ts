/** A client of one DNS server, over TCP: queries, updates (RFC 2136) and zone transfers (RFC 5936), signed with its key. */

import { createBreathe } from '../../base/runtime/pause.ts'
import { type DnsMessage, encodeQuery, type Question } from '../../net/dns/message.ts'
import type { DnsRecord } from '../../net/dns/record.ts'
import { createTransferReader } from '../../net/dns/transfer.ts'
import type { TsigKey } from '../../net/dns/tsig.ts'
import { encodeUpdate, type Update } from '../../net/dns/update.ts'
import { createDnsRequest, type DnsRequest, toDnsError } from './answer.ts'
import { DnsError } from './dns-error.ts'
import { type DnsConnect, type DnsStream, openDnsStream } from './stream.ts'

export type DnsClientOptions = {
  readonly connect: DnsConnect
  readonly host: string
  readonly port: number
  /** Signs requests; their answers must be signed too. */
  readonly key?: TsigKey | undefined
  /** Time limit of the connection, and then of each message. */
  readonly timeoutMs: number
  /** Returns milliseconds since 1970; the time of this machine by default. */
  readonly now?: () => number
  /** The value of DNS_MAX_RECORDS: the most records of a transfer. */
  readonly maxRecords?: number
}

export type TransferLimits = {
  /** The most bytes of messages, and the most characters and bytes that their records are decoded to. */
  readonly maxBytes?: number
  /** Time limit of all waiting for the server together. */
  readonly maxWaitMs?: number
}

/** Each call opens a connection. All reject with DnsError, or with the reason of an aborted signal. */
export type DnsClient = {
  /** Resolves for the response codes NOERROR and NXDOMAIN. */
  readonly query: (question: Question, signal?: AbortSignal) => Promise<DnsMessage>
  /** Returns the serial of a zone with a canonical name. */
  readonly serial: (zone: string, signal?: AbortSignal) => Promise<number>
  /** Resolves after all changes were made. @throws RangeError on invalid names and values, and above 65,535 bytes */
  readonly update: (update: Update, signal?: AbortSignal) => Promise<void>
  /** Yields the records of a zone with a canonical name, its SOA first, each after the signature of its message. */
  readonly transfer: (zone: string, limits?: TransferLimits, signal?: AbortSignal) => AsyncGenerator<DnsRecord, void>
}

/** The default of DNS_MAX_RECORDS. */
const MAX_RECORDS = 500_000
/** The bytes of a transfer for each record that it may have. A common record takes a third. */
const BYTES_PER_RECORD = 256
const MAX_WAIT_MS = 300_000

const inGroups = new Intl.NumberFormat('en')

const toCutOff = (error: unknown): unknown =>
  error instanceof DnsError && error.kind === 'no_answer'
    ? new DnsError('cut_off', `the transfer was cut off: ${error.message}`, { cause: error })
    : error

/** Adds up the messages of a transfer. `add` throws DnsError `too_large` beyond a bound. */
const createSizeCheck = ({ maxRecords, maxBytes }: { readonly maxRecords: number; readonly maxBytes: number }) => {
  let [records, received, decoded] = [0, 0, 0]
  const setting = `the bound is DNS_MAX_RECORDS=${maxRecords}`
  return {
    isEmpty: () => received === 0,
    add: (bytes: Uint8Array, { answers, authorities, additionals, decodedBytes }: DnsMessage): void => {
      // Records outside of the zone are dropped, but the server could send them without an end.
      records += answers.length + authorities.length + additionals.length
      received += bytes.length
      decoded += decodedBytes
      if (records > maxRecords)
        throw new DnsError('too_large', `the zone has more than ${inGroups.format(maxRecords)} records: ${setting}`)
      if (Math.max(received, decoded) > maxBytes)
        throw new DnsError(
          'too_large',
          `the zone has more than ${inGroups.format(maxBytes)} bytes: ${setting}, with ${BYTES_PER_RECORD} bytes for each`,
        )
    },
  }
}

const generateId = (): number => crypto.getRandomValues(new Uint16Array(1))[0] ?? 0

export const createDnsClient = (options: DnsClientOptions): DnsClient => {
  const { key, now = Date.now, maxRecords = MAX_RECORDS } = options

  const open = async (request: DnsRequest, signal: AbortSignal | undefined): Promise<DnsStream> => {
    const stream = await openDnsStream({ ...options, signal })
    stream.send(request.bytes)
    return stream
  }
  const readNext = async (stream: DnsStream): Promise<Uint8Array> => {
    const bytes = await stream.next().catch((error: unknown) => {
      throw toDnsError(error)
    })
    if (bytes === undefined) throw new DnsError('no_answer', 'no answer: the server closed the connection')
    return bytes
  }
  const ask = async (request: DnsRequest, signal: AbortSignal | undefined): Promise<DnsMessage> => {
    const stream = await open(request, signal)
    try {
      return request.read(await readNext(stream)).message
    } finally {
      stream.close()
    }
  }

  const query = async (question: Question, signal?: AbortSignal): Promise<DnsMessage> => {
    const message = encodeQuery(generateId(), question)
    return await ask(createDnsRequest({ message, key, now, accepted: ['NXDOMAIN'] }), signal)
  }

  const serial = async (zone: string, signal?: AbortSignal): Promise<number> => {
    const { answers, rcode } = await query({ name: zone, type: 'SOA' }, signal)
    const soa = answers.find(({ name, type }) => name === zone && type === 'SOA')
    if (soa === undefined)
      throw new DnsError('zone_not_there', `the server has no zone ${zone}`, { rcode, isSigned: key !== undefined })
    return Number(soa.value.split(' ')[2])
  }

  const update = async (changes: Update, signal?: AbortSignal): Promise<void> => {
    await ask(createDnsRequest({ message: encodeUpdate(generateId(), changes), key, now }), signal)
  }

  async function* transfer(
    zone: string,
    { maxBytes = maxRecords * BYTES_PER_RECORD, maxWaitMs = MAX_WAIT_MS }: TransferLimits = {},
    signal?: AbortSignal,
  ): AsyncGenerator<DnsRecord, void> {
    const request = createDnsRequest({ message: encodeQuery(generateId(), { name: zone, type: 'AXFR' }), key, now })
    const reader = createTransferReader(zone)
    const stream = await open(request, signal)
    const size = createSizeCheck({ maxRecords, maxBytes })
    let waited = 0
    // Records of messages that a later signature covers (RFC 8945 section 5.3.1).
    let unverified: DnsRecord[] = []
    let isVerified = false
    const take = (message: DnsMessage): DnsRecord[] => {
      try {
        return reader.take(message)
      } catch (error) {
        throw toDnsError(error)
      }
    }
    const breathe = createBreathe()
    try {
      while (!reader.isComplete()) {
        const start = performance.now()
        const bytes = await readNext(stream).catch((error: unknown) => {
          throw size.isEmpty() ? error : toCutOff(error)
        })
        waited += performance.now() - start
        const answer = request.read(bytes)
        isVerified = answer.isVerified
        size.add(bytes, answer.message)
        if (waited > maxWaitMs) throw new DnsError('cut_off', `the transfer took longer than ${maxWaitMs / 1000} s`)
        unverified.push(...take(answer.message))
        // Messages that have already arrived are read without a turn of the event loop.
        await breathe()
        if (!isVerified) continue
        yield* unverified
        unverified = []
      }
      if (!isVerified) throw new DnsError('bad_answer', 'the end of the transfer is not signed')
    } finally {
      stream.close()
    }
  }

  return { query, serial, update, transfer }
}
