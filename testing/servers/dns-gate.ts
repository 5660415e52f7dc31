/** A TCP gate before a DNS server: closed, or losing the answers of the server. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** `open` relays. `closed` refuses. `mute` relays requests and keeps their answers back, as a server that dies after its work. */
type GateState = 'open' | 'closed' | 'mute'

export type DnsGate = {
  readonly port: number
  readonly set: (state: GateState) => void
  /** The number of answers that were kept back. */
  readonly lost: () => number
  /** The number of connections so far. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/** @param to the port of the server on this machine */
export const startDnsGate = async (to: number): Promise<DnsGate> => {
  const sockets = new Set<Socket>()
  let state: GateState = 'open'
  let [lost, count] = [0, 0]
  const server = createServer((near) => {
    count++
    near.on('error', () => {})
    if (state === 'closed') {
      near.destroy()
      return
    }
    const far = connect(to, '127.0.0.1')
    far.on('error', () => {})
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('close', () => {
        sockets.delete(from)
        other.destroy()
      })
    }
    near.on('data', (data) => far.write(data))
    far.on('data', (data) => {
      if (state === 'mute') lost++
      else near.write(data)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // A listening TCP server has an address with a port.
    port: (server.address() as AddressInfo).port,
    set: (next) => {
      state = next
      if (next !== 'mute') for (const socket of sockets) socket.destroy()
    },
    lost: () => lost,
    connections: () => count,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
