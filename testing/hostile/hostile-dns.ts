/** A DNS server of tests that answers queries and updates, and sends a scripted transfer. */
import type { Socket } from 'node:net'
import { formatTypeCode, OPCODE_UPDATE, parseTypeCodeOrThrow } from '../../src/net/dns/codes.ts'
import { WireReader, WireWriter } from '../../src/net/dns/wire.ts'
import { answer, framed, listen, type Respond, SOA, soa } from '../servers/dns-answers.ts'

export type HostileDns = {
  readonly port: number
  /** The number of transfers that have begun. */
  readonly transfers: () => number
  /** Replaces the script of the next transfers. */
  readonly send: (transfer: Respond) => void
  /** Gives the zone another serial, so that a check transfers it. */
  readonly raise: () => void
}

export const startHostileDns = async (first: Respond): Promise<HostileDns> => {
  let transfer = first
  let [transfers, serial] = [0, 7]
  const port = await listen((request, socket) => {
    const reader = new WireReader(request, 2)
    const opcode = (reader.u16() >> 11) & 15
    reader.take(8)
    reader.name()
    const type = formatTypeCode(reader.u16())
    if (opcode !== OPCODE_UPDATE && type === 'AXFR') {
      transfers++
      transfer(request, socket)
      return
    }
    const value = SOA.replace(' 7 ', ` ${serial} `)
    socket.end(framed(answer(request, type === 'SOA' && opcode !== OPCODE_UPDATE ? [{ ...soa, value }] : [])))
  })
  return {
    port,
    transfers: () => transfers,
    send: (next) => {
      transfer = next
    },
    raise: () => {
      serial++
    },
  }
}

const MESSAGE_BYTES = 65_535

/** Returns the wire format of the labels of a name in bytes that are escaped as text, each of four characters. */
const escapedLabels = (sizes: readonly number[]): WireWriter => {
  const writer = new WireWriter()
  for (const size of sizes) writer.u8(size).put(new Uint8Array(size).fill(1))
  return writer
}

export type Filler = {
  /** The labels before the name of the zone, by their sizes. */
  readonly labels: readonly number[]
  /** True for a label of its own in each name; otherwise all records have one name. */
  readonly isUnique: boolean
  readonly type: string
  readonly rdata: readonly number[]
}

/** Returns a function that fills each message with records that all point to one long name. */
export const createFiller = ({ labels, isUnique, type, rdata }: Filler): ((request: Buffer) => Uint8Array) => {
  let total = 0
  return (request) => {
    const writer = new WireWriter().u16(request.readUInt16BE(0)).u16(0x8400).u16(0)
    const countAt = writer.size
    writer.u16(0).u16(0).u16(0)
    const nameAt = writer.size
    writer.put(escapedLabels(labels).name('example.org').finish())
    writer.u16(parseTypeCodeOrThrow('TXT')).u16(1).u32(60).u16(1).u8(0)
    let count = 1
    for (; writer.size + 30 + rdata.length <= MESSAGE_BYTES; count++) {
      if (isUnique) writer.u8(6).put(Buffer.from((total++).toString(36).padStart(6, '0')))
      writer
        .u16(0xc000 | nameAt)
        .u16(parseTypeCodeOrThrow(type))
        .u16(1)
        .u32(60)
        .u16(rdata.length)
        .put(Uint8Array.from(rdata))
    }
    writer.setU16(countAt, count)
    return writer.finish()
  }
}

/** Sends the SOA, then such messages up to a number of bytes, then the SOA again. */
export const fillZone =
  (filler: Filler, bytes: number): Respond =>
  (request, socket) => {
    const fill = createFiller(filler)
    let left = bytes
    socket.write(framed(answer(request, [soa])))
    const more = (): void => {
      while (!socket.destroyed && left > 0) {
        const message = framed(fill(request))
        left -= message.length
        if (!socket.write(message)) break
      }
      if (left > 0) return
      socket.off('drain', more)
      socket.end(framed(answer(request, [soa])))
    }
    socket.on('drain', more)
    more()
  }

/** Sends the SOA, and then one record after another, without an end. */
export const sendSlowly =
  (everyMs: number): Respond =>
  (request, socket: Socket) => {
    socket.write(framed(answer(request, [soa])))
    let count = 0
    const timer = setInterval(() => {
      if (socket.destroyed) clearInterval(timer)
      else socket.write(framed(answer(request, [{ name: `s${count++}.example.org`, type: 'A', value: '192.0.2.1' }])))
    }, everyMs)
    timer.unref()
  }
