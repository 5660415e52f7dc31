/**
 * Observes a full disk and its recovery as a client, without a restart. The caller fills the disk. Run as a program it
 * fills a real, small file system.
 */
import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { compose, type OpenDatabase } from '../../src/app/compose.ts'
import { loadConfig } from '../../src/base/config/config.ts'
import { RESERVE_FILE } from '../../src/base/disk/reserve.ts'
import { createLogger } from '../../src/base/runtime/log.ts'
import { openDataFolder } from '../../src/database/disk/data-folder.ts'
import { migrations } from '../../src/database/migrations/index.ts'
import type { Tables } from '../../src/database/tables.ts'
import { createUser, keyFor } from '../estates/identities.ts'

export type Disk = {
  /** Leaves hardly any space. */
  readonly fill: (db: OpenDatabase['db']) => Promise<void>
  readonly empty: () => void
  readonly freeBytes?: () => number
}

/** Maximum number of devices to write until the disk must be full. */
const MOST_DEVICES = 5000
const now = () => new Date()

const ready = async (send: Send) => {
  const response = await send('GET', '/readyz')
  // The type of /readyz in the contract.
  const { checks } = (await response.json()) as { checks: { database: { message: string } } }
  return { status: response.status, message: checks.database.message }
}

type Send = (method: string, path: string, body?: unknown) => Promise<Response>

/** Returns the observations as plain data, so that another process can send them. */
export const watchFullDisk = async (dataDir: string, { fill, empty, freeBytes }: Disk) => {
  const entries: string[] = []
  const log = createLogger({ level: 'info', format: 'text', write: (entry) => entries.push(entry) })
  const config = loadConfig({ env: { DATA_DIR: dataDir, RATE_LIMIT_ENABLED: 'false' }, cwd: dataDir })
  const open = () =>
    openDataFolder<Tables>({ dataDir, migrations, now, log, ...(freeBytes === undefined ? {} : { freeBytes }) })
  const opened = await open()
  const { id } = await createUser(opened.db, { username: 'first', roles: ['admin'] })
  const key = await keyFor(opened.db, id)
  const plat = await compose({ config, log, now }, opened)
  const send: Send = async (method, path, body) =>
    plat.fetch(
      new Request(`http://plat.test${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
  const create = (name: string) => send('POST', '/api/devices', { name, description: 'x'.repeat(2000) })
  const hasBallast = () => existsSync(join(dataDir, RESERVE_FILE))

  await opened.maintain()
  const before = { ready: await ready(send), hasBallast: hasBallast() }
  await fill(opened.db)

  const acknowledged: string[] = []
  let refusal: Response | undefined
  while (!refusal && acknowledged.length < MOST_DEVICES) {
    // Several at once, so that they share commits.
    const answers = await Promise.all([1, 2, 3, 4].map((i) => create(`device-${acknowledged.length + i}`)))
    for (const answer of answers) {
      // The id of a created device.
      if (answer.status === 201) acknowledged.push(((await answer.json()) as { id: string }).id)
      else refusal ??= answer
    }
  }

  const readable = async () => {
    const answers = await Promise.all(acknowledged.map((one) => send('GET', `/api/devices/${one}`)))
    return answers.filter(({ status }) => status === 200).length
  }
  const pages = async () => {
    const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(opened.db.read)
    return rows[0]?.page_count ?? 0
  }
  const pagesWhenFull = await pages()
  for (const i of Array(40).keys()) {
    const answer = await create(`more-${i}`)
    // A device that fits into an existing page is accepted.
    if (answer.status === 201) acknowledged.push(((await answer.json()) as { id: string }).id)
  }
  const whileFull = {
    grownBy: (await pages()) - pagesWhenFull,
    refusal: { status: refusal?.status, body: await refusal?.json() },
    acknowledged: acknowledged.length,
    readable: await readable(),
    listed: (await send('GET', '/api/devices')).status,
    ready: await ready(send),
    hasBallast: hasBallast(),
    deleted: (await send('DELETE', `/api/devices/${acknowledged.pop()}`)).status,
  }

  empty()
  const after = {
    ready: await ready(send),
    created: (await create('after')).status,
    hasBallast: hasBallast(),
    readable: await readable(),
  }
  await plat.close()

  const reopened = await open()
  const { rows } = await sql<{ result: string }>`SELECT integrity_check AS result FROM pragma_integrity_check`.execute(
    reopened.db.read,
  )
  const kept = await reopened.db.read.selectFrom('devices').select('id').execute()
  await reopened.close()
  const ids = new Set(kept.map((device) => device.id))
  return {
    before,
    whileFull,
    after,
    lost: acknowledged.filter((one) => !ids.has(one)).length,
    integrity: rows.map(({ result }) => result),
    logged: entries.filter((entry) => /the disk/.test(entry)).map((entry) => entry.split(' ')[1]),
  }
}

if (import.meta.main) {
  const [mount = ''] = process.argv.slice(2)
  const dataDir = join(mount, 'data')
  const filler = join(mount, 'filler')
  mkdirSync(dataDir)
  const seen = await watchFullDisk(dataDir, {
    fill: async () => {
      const { bavail, bsize } = statfsSync(mount)
      writeFileSync(filler, new Uint8Array(bavail * bsize - 512 * 1024))
    },
    empty: () => rmSync(filler),
  })
  console.log(JSON.stringify(seen))
}
