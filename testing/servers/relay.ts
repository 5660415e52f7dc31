/** A TCP relay that a test can block: sent data waits without an error, as in a failing network. It counts round trips. */

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

export type Relay = {
  readonly port: number
  readonly block: () => void
  readonly unblock: () => void
  /** Resets the connections of the next answers, in place of sending them. */
  readonly cutAnswers: (count: number) => void
  /** How often a client has sent data after an answer, by connection. With a delay, data sent without waiting does not count. */
  readonly trips: () => readonly number[]
  /** The index in `trips` of the connection on which a client has lately sent this text; -1 if none has. */
  readonly senderOf: (text: string) => number
  readonly close: () => Promise<void>
}

/** The number of characters of a connection that are searched for a text. */
const REMEMBERED = 65_536

type Target = { readonly hostname: string; readonly port: number }

/** @param delayMs of every answer */
export const startRelay = async (to: Target, { delayMs = 0 } = {}): Promise<Relay> => {
  const sockets = new Set<Socket>()
  const trips: number[] = []
  const sent: string[] = []
  let isBlocked = false
  let cuts = 0
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    // An aborted connection is aborted at both ends.
    socket.on('error', () => {})
    if (isBlocked) socket.pause()
  }
  const server = createServer((near) => {
    const far = connect(to.port, to.hostname)
    const at = trips.push(0) - 1
    let isAnswered = true
    const ask = (data: Buffer): void => {
      if (isAnswered) trips[at] = (trips[at] ?? 0) + 1
      isAnswered = false
      sent[at] = ((sent[at] ?? '') + data.toString('latin1')).slice(-REMEMBERED)
      far.write(data)
    }
    const answer = (data: Buffer): void => {
      isAnswered = true
      if (cuts === 0) near.write(data)
      else {
        cuts--
        near.resetAndDestroy()
      }
    }
    near.on('data', ask)
    far.on('data', delayMs === 0 ? answer : (data) => setTimeout(answer, delayMs, data))
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      keep(from)
      from.on('close', () => {
        sockets.delete(from)
        other.destroy()
      })
      if (isBlocked) from.pause()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // A listening TCP server has an address with a port.
    port: (server.address() as AddressInfo).port,
    block: () => {
      isBlocked = true
      for (const socket of sockets) socket.pause()
    },
    unblock: () => {
      isBlocked = false
      for (const socket of sockets) socket.resume()
    },
    cutAnswers: (count) => {
      cuts = count
    },
    trips: () => [...trips],
    senderOf: (text) => sent.findIndex((all) => all?.includes(text)),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
