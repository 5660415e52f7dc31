/** Feeds of one user while another one renders slow templates and does not read long lists, over real sockets. */
import { afterEach, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../src/app/compose.ts'
import { loadConfig } from '../../src/base/config/config.ts'
import { createLogger } from '../../src/base/runtime/log.ts'
import type { ServerChild, ServerFolder } from '../../testing/app/server-child.ts'
import { testAll } from '../../testing/cases.ts'
import { createUser, keyFor } from '../../testing/estates/identities.ts'
import { folderWithDevices, slowClient } from '../../testing/hostile/slow-clients.ts'
import { onSqlite, postgresDatabase } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const LIMIT_MS = 240_000
/** A list of 18 MB: the buffers of a socket never hold most of it. */
const DEVICES = 8000
const SLOW_TEMPLATES = 50
const SLOW_READERS = 8
/** The formats take some milliseconds without load. Other processes of the machine may take the rest. */
const MAX_ANSWER_MS = 3000
/** A stream is held for at least 15 s without a recall. */
const MAX_RECALLED_MS = 13_000
/** Only killing it at its time limit of 10 s ends it. */
const ENDLESS = `{% assign r = (1..10000) %}
{% assign inner = 'r | where_exp: "x", "false" | size' %}
{% assign middle = 'r | where_exp: "y", inner | size' %}
{{ r | where_exp: "z", middle | size }}`
const NETWORK_FEEDS = ['dnsmasq', 'isc-dhcp', 'kea', 'hosts', 'zone']

const open: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
}, LIMIT_MS)

type Started = {
  readonly server: ServerChild
  readonly admin: string
  readonly other: string
  readonly log: () => string
}

/** Creates the key of another user who may read feeds. */
const createOther = async ({ dir }: ServerFolder, env: Readonly<Record<string, string>>): Promise<string> => {
  const log = createLogger({ level: 'error', format: 'text', write: () => {} })
  const config = loadConfig({ env: { ...env, DATA_DIR: dir }, cwd: dir })
  const { db, close } = await openDatabase({ config, log, now: () => new Date() })
  const { id } = await createUser(db, { username: 'other', roles: ['operator'] })
  const key = await keyFor(db, id)
  await close()
  return key
}

const start = async (dialect: string, more: Readonly<Record<string, string>> = {}): Promise<Started> => {
  const env: Record<string, string> = { RATE_LIMIT_ENABLED: 'false', ...more }
  if (dialect === 'postgres') {
    const database = await postgresDatabase()
    open.push(database.drop)
    env.DATABASE_URL = database.url
  }
  const folder = await folderWithDevices(DEVICES, env)
  open.push(folder.remove)
  const other = await createOther(folder, env)
  let log = ''
  const onLog = (text: string) => {
    log += text
  }
  return { server: await folder.start({ onLog }), admin: folder.key, other, log: () => log }
}

type Answer = { readonly status: number; readonly text: string; readonly ms: number }

const createAsk =
  ({ url }: ServerChild) =>
  async (key: string, http: string, body?: object): Promise<Answer> => {
    const [method = '', path = ''] = http.split(' ')
    const startedMs = performance.now()
    const response = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, text, ms: performance.now() - startedMs }
  }

const createFeeds = async (ask: ReturnType<typeof createAsk>, key: string): Promise<void> => {
  const make = async (path: string, body: object) => {
    const { status, text } = await ask(key, `POST ${path}`, body)
    expect([status, text]).toMatchObject([201, expect.any(String)])
  }
  await make('/api/devices', {
    ...{ name: 'printer', hostname: 'printer.example.org', tags: ['dhcp'] },
    addresses: [{ ip: '10.0.0.1', mac_address: '52:54:00:00:00:01' }],
  })
  const file = { nameservers: ['ns1.example.org'], admin_email: 'hostmaster@example.org' }
  await make('/api/dns/zones', { id: 'zone', name: 'example.org', ...file })
  for (const format of NETWORK_FEEDS) {
    const filter = format === 'zone' ? { zone_id: 'zone' } : { tags: ['dhcp'] }
    await make('/api/feeds', { id: format, name: format, format, ...filter })
  }
  const template = '{% for device in devices %}{{ device.hostname }}{% endfor %}'
  await make('/api/feeds', { id: 'quick', name: 'quick', format: 'template', template, tags: ['dhcp'] })
  await make('/api/feeds', { id: 'slow', name: 'slow', format: 'template', template: ENDLESS, tags: ['dhcp'] })
}

describe.each(onSqlite())('on %s', (dialect) => {
  testAll(
    'a user with slow templates and unread lists does not delay the feeds of another user',
    async () => {
      const { server, admin, other } = await start(dialect)
      const ask = createAsk(server)
      await createFeeds(ask, admin)
      const read = (feed: string) => ask(other, `GET /api/feeds/${feed}/content`)
      await until('a computed zone', async () => (await read('zone')).text.includes('10.0.0.1') || undefined)
      const before = new Map<string, Answer>()
      for (const feed of NETWORK_FEEDS) before.set(feed, await read(feed))
      expect(before.get('dnsmasq')?.text).toContain('52:54:00:00:00:01')

      for (let count = 0; count < SLOW_READERS; count++) open.push(slowClient(server.url, admin).end)
      let ended = 0
      const refused: number[] = []
      for (let count = 0; count < SLOW_TEMPLATES; count++)
        void ask(admin, 'GET /api/feeds/slow/content').then(
          ({ status }) => {
            if (status === 503) refused.push(status)
            else ended++
          },
          () => {},
        )
      await until('a full queue', () => refused.length >= SLOW_TEMPLATES - 33 || undefined)

      for (const feed of NETWORK_FEEDS) {
        const { status, text, ms } = await read(feed)
        expect({ feed, status, text }).toEqual({ feed, status: 200, text: before.get(feed)?.text ?? '' })
        expect(ms).toBeLessThan(MAX_ANSWER_MS)
      }
      const endedBefore = ended
      expect(await read('quick')).toMatchObject({ status: 200, text: 'printer.example.org' })
      // The one that was running, and one that may have ended while the question was under way.
      expect(ended - endedBefore).toBeLessThanOrEqual(2)
    },
    LIMIT_MS,
  )

  test(
    'clients that do not read the text of a template hold no turn, and are cut off',
    async () => {
      const { server, admin, other, log } = await start(dialect, { STREAMS_PER_USER: '1' })
      const ask = createAsk(server)
      await createFeeds(ask, admin)
      const template = `{% for i in (1..10000) %}${'x'.repeat(1500)}{% endfor %}`
      const large = { id: 'large', name: 'large', format: 'template', template, tags: ['dhcp'] }
      expect((await ask(admin, 'POST /api/feeds', large)).status).toBe(201)
      const clients = [1, 2].map(() => slowClient(server.url, admin, '/api/feeds/large/content'))
      open.push(...clients.map(({ end }) => end))
      expect(await ask(other, 'GET /api/feeds/quick/content')).toMatchObject({ status: 200 })
      await until('an answer that is cut off', () => log().includes('answer cut off') || undefined, LIMIT_MS)
    },
    LIMIT_MS,
  )

  if (dialect === 'postgres')
    test(
      'the unread lists of a user delay its own feeds by a few seconds at most',
      async () => {
        const { server, admin } = await start(dialect)
        const ask = createAsk(server)
        await createFeeds(ask, admin)
        const clients = Array.from({ length: SLOW_READERS }, () => slowClient(server.url, admin))
        open.push(...clients.map(({ end }) => end))
        for (const client of clients) client.readAt(1, 100)
        // The user has half of the ten connections for streams.
        await until('five streams', () => clients.filter(({ received }) => received() > 0).length >= 5 || undefined)
        const { status, ms } = await ask(admin, 'GET /api/feeds/dnsmasq/content')
        expect(status).toBe(200)
        expect(ms).toBeLessThan(MAX_RECALLED_MS)
      },
      LIMIT_MS,
    )
})
