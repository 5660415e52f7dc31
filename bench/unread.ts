/**
 * Memory and log that clients which read nothing hold: `bun bench/unread.ts [--devices 100000] [--seconds 40]`. 120 lists of all devices are
 * opened and not read, while 16 writers write.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { authorized, plain, type Result } from './bench.ts'
import { Connection } from './connection.ts'
import { megabytes } from './numbers.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import { prepare } from './setup.ts'
import { device } from './works/write.ts'

const CLIENTS = 120
const WRITERS = 16
const GOAL_LOG_BYTES = 80_000_000

const { values } = parseArgs({
  options: { devices: { type: 'string', default: '100000' }, seconds: { type: 'string', default: '40' } },
})

const unread = ({ port }: Server, request: Uint8Array) => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write(request)
  return socket
}

const measure = async (server: Server, key: string, dataDir: string): Promise<Result[]> => {
  const request = authorized(key)
  const before = await server.memory()
  const list = request({ path: '/api/devices' })
  const clients = Array.from({ length: CLIENTS }, () => unread(server, list))
  const endMs = performance.now() + Number(values.seconds) * 1000
  let peak = 0
  let peakLog = 0
  const write = async () => {
    const connection = await Connection.open(server.port)
    while (performance.now() < endMs)
      await connection.send(request({ method: 'POST', path: '/api/devices', body: JSON.stringify(device()) }))
    connection.close()
  }
  const logBytes = () => statSync(join(dataDir, 'plat.db-wal'), { throwIfNoEntry: false })?.size ?? 0
  const look = async () => {
    while (performance.now() < endMs) {
      peak = Math.max(peak, await server.memory())
      peakLog = Math.max(peakLog, logBytes())
      await Bun.sleep(500)
    }
  }
  await Promise.all([look(), ...Array.from({ length: WRITERS }, write)])
  const after = await server.memory()
  for (const client of clients) client.destroy()
  return [
    plain({
      work: `memory that ${CLIENTS} lists take that are not read`,
      ours: `${megabytes(peak - before)} at most, ${megabytes(Math.max(0, after - before))} at the end`,
      goal: '',
      isMet: undefined,
      numbers: { peak_bytes: peak - before, bytes: after - before },
    }),
    plain({
      work: `  the write-ahead log beside ${WRITERS} writers`,
      ours: `${megabytes(peakLog)} at most, ${megabytes(logBytes())} at the end`,
      goal: `< ${megabytes(GOAL_LOG_BYTES)} at the end`,
      isMet: logBytes() < GOAL_LOG_BYTES,
      numbers: { peak_log_bytes: peakLog, log_bytes: logBytes() },
    }),
  ]
}

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-unread-'))
try {
  const { dataDir, key } = await prepare(workDir, Number(values.devices))
  const server = await startPlat(dataDir)
  publish(await measure(server, key, dataDir))
  await server.stop()
} finally {
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
