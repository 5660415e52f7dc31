/** A TCP relay that a test can block: sent data waits without an error, as in a failing network. */

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

export type Relay = {
  readonly port: number
  readonly block: () => void
  readonly unblock: () => void
  readonly close: () => Promise<void>
}

export const startRelay = async (to: { readonly hostname: string; readonly port: number }): Promise<Relay> => {
  const sockets = new Set<Socket>()
  let isBlocked = false
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    // An aborted connection is aborted at both ends.
    socket.on('error', () => {})
    if (isBlocked) socket.pause()
  }
  const server = createServer((near) => {
    const far = connect(to.port, to.hostname)
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      keep(from)
      from.on('data', (data) => other.write(data))
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
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
