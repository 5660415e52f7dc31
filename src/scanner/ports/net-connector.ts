/** The same as `tcp-connector.ts` where the C library is not known: by Node's sockets, at more cost for each. */
import { connect as netConnect, type Socket } from 'node:net'
import type { Targets } from '../targets.ts'
import type { ConnectResult, TcpConnector } from './tcp-connector.ts'

const NOT_SENT = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL', 'ENOMEM', 'EAGAIN'])

export const createNetConnector = (targets: Targets, wanted: number): TcpConnector => {
  let capacity = wanted
  const sockets = new Set<Socket>()
  return {
    active: () => sockets.size,
    capacity: () => capacity,
    connect: ({ index, port, timeoutMs, onResult }) => {
      const startedAtMs = performance.now()
      const socket = netConnect({ host: targets.formatAddress(index), port })
      sockets.add(socket)
      const finish = (result: ConnectResult): void => {
        if (!sockets.delete(socket)) return
        clearTimeout(timer)
        socket.destroy()
        if (result === 'not-sent') capacity = Math.max(8, Math.floor(sockets.size / 2))
        onResult(result, performance.now() - startedAtMs)
      }
      const timer = setTimeout(() => finish('silent'), timeoutMs)
      socket.on('connect', () => finish('open'))
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') finish('refused')
        else if (error.code === 'ECONNRESET') finish('open')
        else finish(NOT_SENT.has(error.code ?? '') ? 'not-sent' : 'silent')
      })
    },
    poll: () => {},
    close: () => {
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
  }
}
