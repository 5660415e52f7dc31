/**
 * kill -9 under load, repeatedly: acknowledged writes are stored, none is stored in part, and no address is allocated
 * twice.
 */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { z } from 'zod'
import { EMPTY_BLOCK, getBlock, getOffset, withBits } from '../../src/net/occupancy.ts'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'

/** 10 in `npm test`, 200 in `npm run test:crash`. */
const ROUNDS = Number(process.env.PLAT_CRASH_ROUNDS || 2)
const ROUND_TIMEOUT_MS = 12_000
const WRITERS = 8
/** The number of acknowledged writes after which a round ends, amid others. */
const writesOf = (round: number) => 40 + ((round * 67) % 200)

let folder: ServerFolder
const database = () => new Database(join(folder.dir, 'plat.db'), { readonly: true })

beforeAll(async () => {
  folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false', AUDIT_ENABLED: 'true' })
})
afterAll(() => folder.remove())

type Answer = { readonly status: number; readonly body: unknown; readonly requestId: string }

/** Returns undefined if the server was killed before it answered. */
const ask = async (
  url: string,
  http: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer | undefined> => {
  const [method = 'GET', path = '/'] = http.split(' ')
  const init = {
    method,
    headers: { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  }
  try {
    const response = await fetch(url + path, init)
    const text = await response.text()
    const requestId = response.headers.get('x-request-id') ?? ''
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), requestId }
  } catch {
    // Killed in between: nothing was acknowledged.
    return undefined
  }
}

const Device = z.object({ id: z.string(), description: z.string(), addresses: z.array(z.object({ ip: z.string() })) })
const Allocation = z.object({ ips: z.array(z.string()) })
const Entry = z.object({ request_id: z.string() })
const Verdict = z.object({ ok: z.boolean(), checked: z.number(), first_bad: z.unknown() })
const Reservation = z.object({ ip_address: z.string(), purpose: z.string() })

/** The clients' knowledge: acknowledged writes, and writes that may have happened. */
const known = {
  /** Per device: the last acknowledged version, and the one in progress. */
  versions: new Map<string, { acked: number; tried: number }>(),
  deleted: new Set<string>(),
  /** Deletes without an answer. */
  maybeDeleted: new Set<string>(),
  allocated: [] as string[],
  /** Keys of allocations without an answer. */
  unanswered: new Set<string>(),
  acks: 0,
  /** Requests of the round that were acknowledged. */
  ackedRequests: [] as string[],
}

const acked = (answer: Answer | undefined): answer is Answer => {
  if (answer === undefined) return false
  if (answer.status >= 400) throw new Error(`refused: ${JSON.stringify(answer)}`)
  known.acks++
  known.ackedRequests.push(answer.requestId)
  return true
}

/** Returns the tag of a round: `r7` of the writer `r7w0` and the device `r7w0-3`. */
const roundTag = (name: string): string => name.replace(/w.*$/, '')

/**
 * One client: creates a device, updates it, allocates addresses with and without it, and sometimes deletes it, until
 * the server is killed.
 */
const write = async (url: string, writer: string): Promise<void> => {
  for (let n = 0; ; n++) {
    const id = `${writer}-${n}`
    const version = { acked: -1, tried: 0 }
    known.versions.set(id, version)
    if (!acked(await ask(url, 'POST /api/devices', { id, name: id, description: '0', tags: [roundTag(writer)] })))
      return
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

/** Returns the deviations from the acknowledged state, of the devices with these ids. */
const lostOf = (ids: Iterable<string>, devices: readonly z.infer<typeof Device>[]): string[] => {
  const stored = new Map(devices.map((device) => [device.id, device]))
  const problems: string[] = []
  for (const id of ids) {
    const { acked, tried } = known.versions.get(id) ?? { acked: -1, tried: 0 }
    const device = stored.get(id)
    if (known.deleted.has(id)) {
      if (device) problems.push(`${id} is back`)
    } else if (!device) {
      if (acked >= 0 && !known.maybeDeleted.has(id)) problems.push(`${id} is lost`)
    } else if (Number(device.description) < acked || Number(device.description) > tried)
      problems.push(`${id} is at ${device.description}, not ${acked}..${tried}`)
  }
  return problems
}

const AUDIT_PAGE = 1000

/** Returns the requests since a time that the audit trail records as successful. */
const auditedSince = async (url: string, start: string): Promise<Set<string>> => {
  const found = new Set<string>()
  for (let offset = 0; ; offset += AUDIT_PAGE) {
    const query = `status=success&start_time=${encodeURIComponent(start)}&limit=${AUDIT_PAGE}&offset=${offset}`
    const page = z.array(Entry).parse((await ask(url, `GET /api/audit?${query}`))?.body)
    for (const { request_id } of page) found.add(request_id)
    if (page.length < AUDIT_PAGE) return found
  }
}

const integrity = (): unknown => {
  const db = database()
  const rows = db.query('PRAGMA integrity_check').all()
  db.close()
  return rows
}

/** Runs after the start that follows a round: acknowledged writes are stored and audited, and the file is sound. */
const checkRound = async (url: string, number: number, startedAt: string): Promise<void> => {
  const tag = `r${number}`
  const devices = z.array(Device).parse((await ask(url, `GET /api/devices?tags=${tag}`))?.body)
  const ids = [...known.versions.keys()].filter((id) => roundTag(id) === tag)
  expect(devices.length).toBeGreaterThan(0)
  expect(lostOf(ids, devices)).toEqual([])
  const audited = await auditedSince(url, startedAt)
  expect(known.ackedRequests.length).toBeGreaterThan(0)
  expect(known.ackedRequests.filter((request) => !audited.has(request))).toEqual([])
  expect(integrity()).toEqual([{ integrity_check: 'ok' }])
}

const round = async (number: number, { url, kill }: ServerChild): Promise<void> => {
  if (number === 0) {
    acked(await ask(url, 'POST /api/networks', { id: 'net', name: 'net', subnet: '10.0.0.0/8' }))
    const range = { start_ip: '10.0.0.0', end_ip: '10.0.255.255' }
    acked(await ask(url, 'POST /api/networks/net/pools', { id: 'pool', name: 'pool', ...range }))
  }
  const until = known.acks + writesOf(number)
  const writers = Array.from({ length: WRITERS }, (_, i) => write(url, `r${number}w${i}`))
  const enough = new Promise<void>((resolve) => {
    const look = () => (known.acks >= until ? resolve() : setImmediate(look))
    look()
  })
  await Promise.race([enough, Promise.all(writers)])
  await kill()
  await Promise.all(writers)
}

const title = `${ROUNDS} times killed under load, nothing that was acknowledged is lost, and all of it is on record`
const timeoutMs = Math.max(240_000, ROUNDS * ROUND_TIMEOUT_MS)

test(
  title,
  async () => {
    let server = await folder.start()
    for (let number = 0; number < ROUNDS; number++) {
      const startedAt = new Date().toISOString()
      known.ackedRequests = []
      await round(number, server)
      server = await folder.start()
      await checkRound(server.url, number, startedAt)
    }

    const { url, kill } = server
    const devices = z.array(Device).parse((await ask(url, 'GET /api/devices'))?.body)
    expect(lostOf(known.versions.keys(), devices)).toEqual([])
    const { acks } = known

    // Deleted devices release their addresses, which may be allocated again. All other allocated addresses are
    // recorded.
    const reservations = z.array(Reservation).parse((await ask(url, 'GET /api/reservations'))?.body)
    const recorded = [
      ...devices.flatMap(({ addresses }) => addresses.map(({ ip }) => ip)),
      ...reservations.map(({ ip_address }) => ip_address),
    ]
    expect(new Set(recorded).size).toBe(recorded.length)
    const lost = new Set(known.allocated).difference(new Set(recorded))
    expect(lost.size).toBeLessThanOrEqual(known.maybeDeleted.size)

    // A client without an answer retries with the same key, and has one address, not two.
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

    const verdict = Verdict.parse((await ask(url, 'GET /api/audit/verify'))?.body)
    expect(verdict).toMatchObject({ ok: true, first_bad: null })
    expect(verdict.checked).toBeGreaterThanOrEqual(acks)
    await kill()
  },
  timeoutMs,
)

test('the data file is whole', () => {
  const db = database()
  expect([db.query('PRAGMA integrity_check').all(), db.query('PRAGMA foreign_key_check').all()]).toEqual([
    [{ integrity_check: 'ok' }],
    [],
  ])
  db.close()
})

test('the bitmaps hold exactly the addresses of devices and reservations', () => {
  const db = database()
  const keys = db
    .query<{ ip_key: string }, []>('SELECT ip_key FROM addresses UNION SELECT ip_key FROM reservations')
    .all()
  const expected = new Map<string, string>()
  for (const { ip_key } of keys) {
    const block = getBlock(ip_key)
    expected.set(block, withBits(expected.get(block) ?? EMPTY_BLOCK, [getOffset(ip_key)], true))
  }
  const stored = db.query<{ block: string; taken: string }, []>('SELECT block, taken FROM address_blocks').all()
  const taken = new Map(stored.filter(({ taken }) => taken !== EMPTY_BLOCK).map(({ block, taken }) => [block, taken]))
  db.close()
  expect(taken).toEqual(expected)
})

test('the stored document of a device matches its rows', () => {
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

test('the search texts match the devices', () => {
  const db = new Database(join(folder.dir, 'plat.db'))
  // FTS5 compares its index with the content and fails if they differ.
  expect(() => db.run("INSERT INTO devices_search (devices_search, rank) VALUES ('integrity-check', 1)")).not.toThrow()
  db.close()
})

test('each change has its items, and each item its change', () => {
  const db = database()
  const alone = db.query<{ n: number }, []>(
    `SELECT (SELECT count(*) FROM changes WHERE seq NOT IN (SELECT seq FROM history))
          + (SELECT count(*) FROM history WHERE seq NOT IN (SELECT seq FROM changes)) AS n`,
  )
  expect(alone.get()).toEqual({ n: 0 })
  db.close()
})

test('the history of a device has every version of it, from its creation to its present document', () => {
  const db = database()
  const rows = db.query<{ id: string; before: string | null }, []>(
    "SELECT id, before FROM history WHERE kind = 'device' ORDER BY id, seq",
  )
  const present = new Map(
    db
      .query<{ id: string; doc: string }, []>('SELECT id, doc FROM devices')
      .all()
      .map(({ id, doc }) => [id, doc]),
  )
  const histories = Map.groupBy(rows.all(), ({ id }) => id)
  db.close()
  const versionOf = (doc: string): number => Number(Device.parse(JSON.parse(doc)).description)
  const incomplete = [...histories].filter(([id, entries]) => {
    const documents = [...entries.slice(1).map(({ before }) => before ?? ''), present.get(id) ?? '']
    const versions = documents.filter((doc) => doc !== '').map(versionOf)
    return entries[0]?.before !== null || versions.some((version, at) => version - (versions[at - 1] ?? 0) > 1)
  })
  expect([...present.keys()].filter((id) => !histories.has(id))).toEqual([])
  expect(incomplete).toEqual([])
})
