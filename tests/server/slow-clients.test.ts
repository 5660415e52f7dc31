/**
 * Clients that read slowly or not at all, over real sockets against a real server. They are aborted if they take too
 * many resources, and get their whole answer if they are only slow. Neither blocks the write-ahead log or a connection
 * to PostgreSQL for others.
 */
import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerChild, ServerFolder } from '../../testing/app/server-child.ts'
import { testAll } from '../../testing/cases.ts'
import { folderWithDevices, type SlowClient, slowClient } from '../../testing/hostile/slow-clients.ts'
import { engines, onSqlite, postgresDatabase } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const SLOW_TEST_MS = 120_000
/** Ten seconds without a read, and as long as a busy machine takes to look. */
const CUT_OFF_WITHIN_MS = SLOW_TEST_MS / 2
/** A list of 13 MB. */
const DEVICES = 6000
/** A list of 40 MB: the buffers of two sockets never hold most of it. */
const DEVICES_OF_LONG_LIST = 18_000

const open: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

type Started = { readonly folder: ServerFolder; readonly server: ServerChild; readonly log: () => string }

const started = async (env: Readonly<Record<string, string>> = {}, devices = DEVICES): Promise<Started> => {
  const folder = await folderWithDevices(devices, env)
  open.push(folder.remove)
  let log = ''
  const onLog = (text: string) => {
    log += text
  }
  return { folder, server: await folder.start({ onLog }), log: () => log }
}

const client = ({ server, folder }: Started): SlowClient => {
  const one = slowClient(server.url, folder.key)
  open.push(one.end)
  return one
}

type Entry = { readonly level: string; readonly message: string; readonly [field: string]: unknown }
const cutOff = ({ log }: Started): Entry[] =>
  log()
    .split('\n')
    .filter((line) => line.includes('answer cut off') && line.endsWith('}'))
    // Written by the server's own logger.
    .map((line) => JSON.parse(line) as Entry)

const ask = ({ server, folder }: Started, path: string, init: RequestInit = {}) =>
  fetch(server.url + path, {
    ...init,
    headers: { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' },
  })

/** Writes until stopped. */
const writing = (to: Started): (() => Promise<void>) => {
  let isOn = true
  const work = (async () => {
    for (let n = 0; isOn; n++) {
      const body = JSON.stringify({ name: `written-${n}`, description: `${n} `.repeat(500) })
      await (await ask(to, '/api/devices', { method: 'POST', body })).text()
    }
  })()
  return async () => {
    isOn = false
    await work
  }
}

describe.each(onSqlite())('on %s', (dialect) => {
  const settings = async (): Promise<Record<string, string>> => {
    if (dialect === 'sqlite') return {}
    const database = await postgresDatabase()
    open.push(database.drop)
    return { DATABASE_URL: database.url }
  }

  testAll(
    'lists that one user does not read continue up to the limit; the log names the others',
    async () => {
      const to = await started({ ...(await settings()), STREAMS_PER_USER: '3' })
      for (let i = 0; i < 8; i++) client(to)
      await until('five that are cut off', () => cutOff(to).length >= 5 || undefined, CUT_OFF_WITHIN_MS)
      expect(cutOff(to).slice(0, 5)).toEqual(
        Array(5).fill(
          expect.objectContaining({ level: 'warn', user: 'admin', route: '/api/devices', bytes: expect.any(Number) }),
        ),
      )
    },
    SLOW_TEST_MS,
  )

  test(
    'a client that reads nothing for ten seconds is cut off, even if it is the only one',
    async () => {
      // A list of 13 MB may fit into the buffers of the sockets, and nothing is left to cut off.
      const to = await started(await settings(), DEVICES_OF_LONG_LIST)
      const one = client(to)
      const entry = await until('one that is cut off', () => cutOff(to)[0], CUT_OFF_WITHIN_MS)
      expect(entry).toMatchObject({ reason: 'its client reads too slowly', user: 'admin' })
      one.readAt(1_000_000, 1)
      await expect(one.whole).rejects.toThrow('ended after')
    },
    SLOW_TEST_MS,
  )

  testAll(
    'a slow client gets its whole list, beside clients that are cut off',
    async () => {
      const to = await started({ ...(await settings()), STREAMS_PER_USER: '1' })
      const slow = client(to)
      slow.readAt(120_000, 100)
      client(to)
      client(to)
      expect(await slow.whole).toHaveLength(DEVICES)
    },
    SLOW_TEST_MS,
  )

  testAll(
    'a client at 18 KB/s is not cut off, and neither is one that pauses for half a minute after a fast start',
    async () => {
      const to = await started(await settings(), DEVICES_OF_LONG_LIST)
      const paused = client(to)
      paused.readAt(1_000_000, 1)
      await until('a fast start', () => paused.received() > 4_000_000 || undefined)
      paused.readAt(0, 1000)
      const slow = client(to)
      slow.readAt(1800, 100)
      await until('half a minute', () => slow.received() > 30 * 18_000 || undefined, SLOW_TEST_MS / 2)
      expect([cutOff(to), paused.isClosed(), slow.isClosed()]).toEqual([[], false, false])
      paused.readAt(10_000_000, 1)
      expect(await paused.whole).toHaveLength(DEVICES_OF_LONG_LIST)
    },
    SLOW_TEST_MS,
  )

  testAll(
    'fifty concurrent lists of one user are answered if they are read',
    async () => {
      const to = await started(await settings())
      const lists = await Promise.all(
        Array.from({ length: 50 }, async () => (await ask(to, '/api/devices?limit=1000')).json() as Promise<unknown[]>),
      )
      expect(lists.map((rows) => rows.length)).toEqual(Array(50).fill(1000))
    },
    SLOW_TEST_MS,
  )

  testAll(
    'a server with unread answers stops in time',
    async () => {
      const to = await started(await settings())
      for (let i = 0; i < 4; i++) client(to)
      await (await ask(to, '/api/devices?limit=1')).text()
      const from = performance.now()
      expect(await to.server.stop()).toBe(0)
      expect(performance.now() - from).toBeLessThan(12_000)
    },
    SLOW_TEST_MS,
  )
})

describe.if(engines().includes('sqlite'))('the write-ahead log', () => {
  const logPages = ({ folder }: Started): number => {
    const database = new Database(join(folder.dir, 'plat.db'))
    try {
      return database.query<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)').get()?.log ?? 0
    } finally {
      database.close()
    }
  }

  testAll(
    "restarts while a slow client reads, which gets the list of its request's revision",
    async () => {
      const to = await started({}, DEVICES_OF_LONG_LIST)
      const slow = client(to)
      slow.readAt(60_000, 100)
      const stop = writing(to)
      open.push(stop)
      let before = 0
      await until('a log that has begun again', () => {
        const now = logPages(to)
        const isShorter = now < before && before > 2000
        before = now
        return isShorter || undefined
      })
      expect(slow.isClosed()).toBe(false)
      slow.readAt(10_000_000, 1)
      const rows = await slow.whole
      await stop()
      expect(rows).toHaveLength(DEVICES_OF_LONG_LIST)
      expect(readdirSync(to.folder.dir).filter((name) => name.startsWith('plat-answer-'))).toEqual([])
    },
    SLOW_TEST_MS,
  )
})

describe.if(engines().includes('postgres'))('the connections to PostgreSQL', () => {
  testAll(
    'of slow clients are free for others before the clients have their lists',
    async () => {
      const database = await postgresDatabase()
      open.push(database.drop)
      // One connection for streams.
      const to = await started({ DATABASE_URL: database.url, DATABASE_CONNECTIONS: '2' }, DEVICES_OF_LONG_LIST)
      const slow = client(to)
      slow.readAt(60_000, 100)
      await until('a list that has begun', () => slow.received() > 0 || undefined)
      const rows = (await (await ask(to, '/api/devices')).json()) as unknown[]
      expect([rows.length, slow.isClosed()]).toEqual([DEVICES_OF_LONG_LIST, false])
      slow.readAt(10_000_000, 1)
      expect(await slow.whole).toHaveLength(DEVICES_OF_LONG_LIST)
    },
    SLOW_TEST_MS,
  )
})
