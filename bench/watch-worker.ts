/** The thread of watch.ts: asks for /healthz every few milliseconds and notes how long each answer took. */
import { Connection, requestBytes } from './connection.ts'

declare const self: Worker

const EVERY_MS = 2
let isRunning = true

const probe = async (port: number): Promise<void> => {
  const waits: number[] = []
  const connection = await Connection.open(port)
  const request = requestBytes({ path: '/healthz' })
  while (isRunning) {
    waits.push((await connection.send(request)).ms)
    await Bun.sleep(EVERY_MS)
  }
  connection.close()
  self.postMessage(waits)
}

self.onmessage = async ({ data }: MessageEvent<{ port: number } | 'stop'>) => {
  if (data === 'stop') isRunning = false
  else await probe(data.port)
}
