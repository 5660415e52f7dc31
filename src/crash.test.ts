/** kill -9 under load, again and again: what was acknowledged is there, nothing is half done, and no address is given twice. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { openDatabase } from './compose.ts'
import { blockOf, EMPTY_BLOCK, offsetOf, withBits } from './net/occupancy.ts'
import { loadConfig } from './platform/config.ts'
import { createLogger } from './platform/log.ts'
import { createUser, keyFor } from './testing/identities.ts'

const ROUNDS = 20
const WRITERS = 8
/** Acknowledged writes after which a round ends in the middle of others. */
const writesOf = (round: number) => 40 + ((round * 67) % 200)

const env = { LISTEN_ADDR: '127.0.0.1:0', LOG_FORMAT: 'json', RATE_LIMIT_ENABLED: 'false', AUDIT_ENABLED: 'true' }

const Listening = z.object({ message: z.literal('listening'), url: z.string() })

type Child = { readonly url: string; readonly kill: () => Promise<void> }

let dir: string
let key: string
const running = new Set<Bun.Subprocess>()

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'plat-crash-'))
  const config = loadConfig({ env: { ...env, DATA_DIR: dir }, cwd: dir })
  const log = createLogger({ level: 'error', format: 'text' })
  // Before the first start, which would make an admin and hash a password.
  const { db, close } = await openDatabase({ config, log, now: () => new Date() })
  const { id } = await createUser(db, { username: 'admin', roles: ['admin'] })
  key = await keyFor(db, id)
  await close()
})
afterAll(() => {
  // Of a test that failed half-way.
  for (const child of running) child.kill('SIGKILL')
  rmSync(dir, { recursive: true })
})

/** A whole server in a process of its own. */
const start = async (): Promise<Child> => {
  const command = [process.execPath, join(import.meta.dir, 'main.ts'), 'serve']
  const child = Bun.spawn(command, { env: { ...process.env, ...env, DATA_DIR: dir }, stdout: 'ignore', stderr: 'pipe' })
  running.add(child)
  let log = ''
  for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
    log += chunk
    const lines = log.split('\n').filter((line) => line.startsWith('{'))
    const listening = lines.flatMap((line) => Listening.safeParse(parsed(line)).data ?? [])[0]
    if (!listening) continue
    const kill = async () => {
      child.kill('SIGKILL')
      await child.exited
      running.delete(child)
    }
    return { url: listening.url, kill }
  }
  throw new Error(`the server did not start:\n${log}`)
}

/** A line may be half written. */
const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

type Answer = { readonly status: number; readonly body: unknown }

/** Undefined when the server was gone before it answered. */
const ask = async (
  url: string,
  http: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer | undefined> => {
  const [method = 'GET', path = '/'] = http.split(' ')
  const init = {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  }
  try {
    const response = await fetch(url + path, init)
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  } catch {
    // Killed in between: nothing was acknowledged.
    return undefined
  }
}

const Device = z.object({ id: z.string(), description: z.string(), addresses: z.array(z.object({ ip: z.string() })) })
const Allocation = z.object({ ips: z.array(z.string()) })
const Reservation = z.object({ ip_address: z.string(), purpose: z.string() })

/** What the clients know: what was acknowledged, and what may or may not have happened. */
const known = {
  /** Per device: the last acknowledged version, and the one that was under way. */
  versions: new Map<string, { acked: number; tried: number }>(),
  deleted: new Set<string>(),
  /** Deletes that were never answered. */
  maybeDeleted: new Set<string>(),
  allocated: [] as string[],
  /** Keys of allocations that were never answered. */
  unanswered: new Set<string>(),
  acks: 0,
}

const acked = (answer: Answer | undefined): answer is Answer => {
  if (answer === undefined) return false
  if (answer.status >= 400) throw new Error(`refused: ${JSON.stringify(answer)}`)
  known.acks++
  return true
}

/** One client: a device, its updates, addresses for it and for nobody, now and then a delete; until the server is gone. */
const write = async (url: string, writer: string): Promise<void> => {
  for (let n = 0; ; n++) {
    const id = `${writer}-${n}`
    const version = { acked: -1, tried: 0 }
    known.versions.set(id, version)
    if (!acked(await ask(url, 'POST /api/devices', { id, name: id, description: '0', tags: ['crash'] }))) return
    version.acked = 0
    for (let v = 1; v <= 3; v++) {
      version.tried = v
      if (!acked(await ask(url, `PUT /api/devices/${id}`, { description: `${v}` }))) return
      version.acked = v
    }
    for (const target of [{ device_id: id }, { purpose: id }]) {
      const idempotency = `${id}-${Object.keys(target)[0]}`
      known.unanswered.add(idempotency)
      const answer = await ask(url, 'POST /api/pools/pool/allocate', target, { 'Idempotency-Key': idempotency })
      if (!acked(answer)) return
      known.unanswered.delete(idempotency)
      known.allocated.push(...Allocation.parse(answer.body).ips)
    }
    if (n % 5 !== 4) continue
    const gone = `${writer}-${n - 1}`
    known.maybeDeleted.add(gone)
    if (!acked(await ask(url, `DELETE /api/devices/${gone}`))) return
    known.deleted.add(gone)
  }
}

const round = async (number: number): Promise<void> => {
  const server = await start()
  if (number === 0) {
    acked(await ask(server.url, 'POST /api/networks', { id: 'net', name: 'net', subnet: '10.0.0.0/8' }))
    acked(
      await ask(server.url, 'POST /api/networks/net/pools', {
        id: 'pool',
        name: 'pool',
        start_ip: '10.0.0.0',
        end_ip: '10.0.255.255',
      }),
    )
  }
  const until = known.acks + writesOf(number)
  const writers = Array.from({ length: WRITERS }, (_, i) => write(server.url, `r${number}w${i}`))
  const enough = new Promise<void>((resolve) => {
    const look = () => (known.acks >= until ? resolve() : setImmediate(look))
    look()
  })
  await Promise.race([enough, Promise.all(writers)])
  await server.kill()
  await Promise.all(writers)
}

test(`${ROUNDS} times killed under load, nothing that was acknowledged is lost`, async () => {
  for (let number = 0; number < ROUNDS; number++) await round(number)

  const { url, kill } = await start()
  const devices = new Map(
    z
      .array(Device)
      .parse((await ask(url, 'GET /api/devices'))?.body)
      .map((device) => [device.id, device]),
  )
  const problems: string[] = []
  for (const [id, { acked, tried }] of known.versions) {
    const device = devices.get(id)
    if (known.deleted.has(id)) {
      if (device) problems.push(`${id} is back`)
    } else if (!device) {
      if (acked >= 0 && !known.maybeDeleted.has(id)) problems.push(`${id} is lost`)
    } else if (Number(device.description) < acked || Number(device.description) > tried)
      problems.push(`${id} is at ${device.description}, not ${acked}..${tried}`)
  }
  expect(problems).toEqual([])

  // Deleted devices give their addresses back, to be handed out again; the rest of what was handed out is recorded.
  const reservations = z.array(Reservation).parse((await ask(url, 'GET /api/reservations'))?.body)
  const recorded = [
    ...[...devices.values()].flatMap(({ addresses }) => addresses.map(({ ip }) => ip)),
    ...reservations.map(({ ip_address }) => ip_address),
  ]
  expect(new Set(recorded).size).toBe(recorded.length)
  const lost = new Set(known.allocated).difference(new Set(recorded))
  expect(lost.size).toBeLessThanOrEqual(known.maybeDeleted.size)

  // Whoever got no answer asks again with the same key, and has one address, not two.
  for (const idempotency of known.unanswered) {
    const id = idempotency.replace(/-(device_id|purpose)$/, '')
    const target = idempotency.endsWith('-purpose') ? { purpose: id } : { device_id: id }
    acked(await ask(url, 'POST /api/pools/pool/allocate', target, { 'Idempotency-Key': idempotency }))
  }
  const purposes = z
    .array(Reservation)
    .parse((await ask(url, 'GET /api/reservations'))?.body)
    .map(({ purpose }) => purpose)
  expect(purposes.filter((purpose, i) => purposes.indexOf(purpose) !== i)).toEqual([])
  await kill()
}, 240_000)

const database = () => new Database(join(dir, 'plat.db'), { readonly: true })

test('the data file is whole', () => {
  const db = database()
  expect([db.query('PRAGMA integrity_check').all(), db.query('PRAGMA foreign_key_check').all()]).toEqual([
    [{ integrity_check: 'ok' }],
    [],
  ])
  db.close()
})

test('the addresses that are taken are those that a device or a reservation has', () => {
  const db = database()
  const keys = db
    .query<{ ip_key: string }, []>('SELECT ip_key FROM addresses UNION SELECT ip_key FROM reservations')
    .all()
  const expected = new Map<string, string>()
  for (const { ip_key } of keys) {
    const block = blockOf(ip_key)
    expected.set(block, withBits(expected.get(block) ?? EMPTY_BLOCK, [offsetOf(ip_key)], true))
  }
  const stored = db.query<{ block: string; taken: string }, []>('SELECT block, taken FROM address_blocks').all()
  const taken = new Map(stored.filter(({ taken }) => taken !== EMPTY_BLOCK).map(({ block, taken }) => [block, taken]))
  db.close()
  expect(taken).toEqual(expected)
})

test('a device as it is sent is the one that its rows describe', () => {
  const db = database()
  const rows = db
    .query<{ doc: string; description: string; ips: string | null }, []>(
      'SELECT doc, description, (SELECT group_concat(ip) FROM (SELECT ip FROM addresses WHERE device_id = id ORDER BY position)) AS ips FROM devices',
    )
    .all()
  db.close()
  const different = rows.filter(({ doc, description, ips }) => {
    const device = Device.parse(JSON.parse(doc))
    return device.description !== description || device.addresses.map(({ ip }) => ip).join() !== (ips ?? '')
  })
  expect(different).toEqual([])
})

test('what is searched is what there is', () => {
  const db = new Database(join(dir, 'plat.db'))
  // FTS5 compares its index with the content and fails if they differ.
  expect(() => db.run("INSERT INTO devices_search (devices_search, rank) VALUES ('integrity-check', 1)")).not.toThrow()
  db.close()
})
