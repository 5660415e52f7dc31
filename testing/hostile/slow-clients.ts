/** A server with a long list of devices, and clients that read it slowly or not at all. */
import { connect } from 'node:net'
import { openDatabase } from '../../src/app/compose.ts'
import { loadConfig } from '../../src/base/config/config.ts'
import { createLogger } from '../../src/base/runtime/log.ts'
import type { Db } from '../../src/database/database.ts'
import type { Tables } from '../../src/database/tables.ts'
import { type ServerFolder, serverFolder } from '../app/server-child.ts'

/** Makes each device 2 KB long. */
const TEXT = 'a place that takes long to describe '.repeat(57)
const ROWS_AT_ONCE = 250

/** Stores devices of 2 KB as they are sent; no search finds them. */
export const storeLongDevices = async (db: Pick<Db<Tables>, 'write'>, devices: number): Promise<void> => {
  const at = new Date().toISOString()
  const row = (n: number) => {
    const id = `device-${String(n).padStart(6, '0')}`
    const texts = { description: '', make_model: '', os: '', username: '', location: '', managed_by: '' }
    const device = { id, name: id, hostname: '', ...texts, status: 'active', datacenter_id: null } as const
    const rest = { tags: [], addresses: [], domains: [], refs: {}, created_at: at, updated_at: at }
    const { hostname, ...columns } = device
    return {
      ...columns,
      name_key: id,
      name_order: '',
      hostname_key: hostname,
      created_at: at,
      updated_at: at,
      search_text: '',
      doc: JSON.stringify({ ...device, location: `${n} ${TEXT}`, ...rest }),
    }
  }
  for (let from = 0; from < devices; from += ROWS_AT_ONCE) {
    const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, devices - from) }, (_, i) => row(from + i))
    await db.write((tx) => tx.db.insertInto('devices').values(rows).execute())
  }
}

/** Creates a folder with this many devices of 2 KB. */
export const folderWithDevices = async (
  devices: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServerFolder> => {
  const env = { RATE_LIMIT_ENABLED: 'false', ...settings }
  const folder = await serverFolder(env)
  const log = createLogger({ level: 'error', format: 'text', write: () => {} })
  const config = loadConfig({ env: { ...env, DATA_DIR: folder.dir }, cwd: folder.dir })
  const { db, close } = await openDatabase({ config, log, now: () => new Date() })
  await storeLongDevices(db, devices)
  await close()
  return folder
}

export type SlowClient = {
  /** Bytes received of the answer. */
  readonly received: () => number
  readonly isClosed: () => boolean
  /** From now on reads up to this many bytes per interval. */
  readonly readAt: (bytesPerTick: number, tickMs: number) => void
  /** The rows of the whole answer. @throws if the connection was aborted before its end */
  readonly whole: Promise<readonly unknown[]>
  readonly end: () => void
}

const END_OF_CHUNKS = '\r\n0\r\n\r\n'

/** Decodes the chunks of HTTP/1.1 (RFC 9112 7.1). */
const bodyOf = (answer: Buffer): Buffer => {
  const parts: Buffer[] = []
  let at = answer.indexOf('\r\n\r\n') + 4
  for (;;) {
    const lineEnd = answer.indexOf('\r\n', at)
    const size = Number.parseInt(answer.subarray(at, lineEnd).toString('latin1'), 16)
    if (!(size > 0)) return Buffer.concat(parts)
    parts.push(answer.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}

/** Requests a list, and reads nothing of the answer until `readAt`. */
export const slowClient = (url: string, key: string, path = '/api/devices'): SlowClient => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const parts: Buffer[] = []
  let received = 0
  let isClosed = false
  let timer: ReturnType<typeof setInterval> | undefined
  const { promise: whole, resolve, reject } = Promise.withResolvers<readonly unknown[]>()
  whole.catch(() => {})
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
    clearInterval(timer)
    reject(new Error(`the connection ended after ${received} bytes`))
  })
  let budget = 0
  socket.on('data', (bytes: Buffer) => {
    received += bytes.length
    parts.push(bytes)
    budget -= bytes.length
    // Unread bytes stay in the buffers of the sockets.
    if (budget <= 0) socket.pause()
    if (!Buffer.concat(parts.slice(-2)).subarray(-END_OF_CHUNKS.length).equals(Buffer.from(END_OF_CHUNKS))) return
    resolve(JSON.parse(bodyOf(Buffer.concat(parts)).toString()))
    socket.destroy()
  })
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  return {
    received: () => received,
    isClosed: () => isClosed,
    readAt: (bytesPerTick, tickMs) => {
      clearInterval(timer)
      timer = setInterval(() => {
        // A piece may be larger than the rest of the last budget.
        budget = Math.min(budget, 0) + bytesPerTick
        if (budget > 0) socket.resume()
      }, tickMs)
    },
    whole,
    end: () => {
      clearInterval(timer)
      socket.destroy()
    },
  }
}
