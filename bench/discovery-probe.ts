/** The thread of discovery.ts that asks the measured server: so many requests a second of each kind in turn, whatever becomes of them. */
import { Connection } from './connection.ts'

declare const self: Worker

const EVERY_MS = 5
const CONNECTIONS = 16

export type Kind = { readonly name: string; readonly requests: readonly Uint8Array[] }
export type Times = Readonly<Record<string, readonly number[]>>

let isRunning = true

const probe = async (port: number, kinds: readonly Kind[]): Promise<void> => {
  const times: Record<string, number[]> = Object.fromEntries(kinds.map(({ name }) => [name, []]))
  const free = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(port)))
  const all = [...free]
  const waiting: ((connection: Connection) => void)[] = []
  const release = (connection: Connection) => {
    const next = waiting.shift()
    if (next) next(connection)
    else free.push(connection)
  }
  const ask = async (name: string, request: Uint8Array): Promise<void> => {
    // From here on: one that finds no connection free waits for the server as well.
    const askedAt = performance.now()
    // The connection with the longest rest is taken: the server closes connections that rest for too long.
    const connection = free.shift() ?? (await new Promise<Connection>((resolve) => waiting.push(resolve)))
    const { status, head } = await connection.send(request)
    if (status !== 200) throw new Error(`${name}: ${head.split('\r\n')[0]}`)
    times[name]?.push(performance.now() - askedAt)
    release(connection)
  }
  const open: Promise<void>[] = []
  for (let i = 0; isRunning; i++) {
    const kind = kinds[i % kinds.length]
    const request = kind?.requests[Math.floor(i / kinds.length) % kind.requests.length]
    if (kind && request) open.push(ask(kind.name, request))
    await Bun.sleep(EVERY_MS)
  }
  await Promise.all(open)
  for (const connection of all) connection.close()
  self.postMessage(times)
}

self.onmessage = async ({ data }: MessageEvent<{ port: number; kinds: readonly Kind[] } | 'stop'>) => {
  if (data === 'stop') isRunning = false
  else await probe(data.port, data.kinds)
}
