/**
 * The areas in the tables equal the one definition after random changes of objects, networks and scopes. The changes include restarts,
 * imports, and on PostgreSQL two instances that write at once.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { countCases } from '../../../testing/cases.ts'
import { definedAreas, rowsOf, storedAreas } from '../../../testing/estates/areas.ts'
import { estateChanges } from '../../../testing/estates/estate-changes.ts'
import { type Instance, instanceBeside } from '../../../testing/servers/instances.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { testsAll } from '../../../testing/tests-all.ts'

/** Fewer on PostgreSQL, where a step takes three times as long, and two instances make it. */
const STEPS = { sqlite: countCases(1000), postgres: testsAll ? 500 : 200 } as const
/** The number of changes between two comparisons. */
const ROUND = 25
/** The number of rounds between two restarts. After each restart, the next first scope is created. */
const ROUNDS_A_RUN = 8
const LIMIT_MS = 300_000

const SUBNETS = ['10.0.0.0/8', '10.1.0.0/16', '10.1.2.0/24', '10.1.2.64/26', '2001:db8:1::/48', '192.0.2.0/24']
const TAGS = ['Prod', 'édge', 'a', 'b-1', 'c']

type Caller = Pick<TestCaller, 'request'>

/** Random changes by a seed: changes of the estate, of scopes, and of many objects at once. */
const changesOf = (caller: Caller, seed: number) => {
  const estate = estateChanges(caller, seed, Date.now)
  let state = seed
  const below = (n: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const some = <T>(list: readonly T[]): T[] => list.filter(() => below(4) === 0)
  const counts = { done: 0, refused: 0 }
  const send = async (method: string, path: string, body?: object): Promise<void> => {
    const response = await caller.request(method, `/api/${path}`, body)
    const text = await response.text()
    expect([method, path, response.status < 500, text]).toEqual([method, path, true, expect.anything()])
    if (response.ok && !text.includes('{"error"')) counts.done++
    else counts.refused++
  }
  const ids = async (resource: string) => (await rowsOf(caller, resource)).map(({ id }) => id)
  const idOf = async (resource: string) => one([...(await ids(resource)), 'none'])
  const name = () => `${one(['n', 'm'])}${below(999)}`
  const scope = async () => ({
    datacenter_ids: some(await ids('datacenters')),
    space_ids: some(await ids('spaces')),
    subnets: some(SUBNETS),
    tags: some(TAGS),
  })
  const newScope = async () => send('POST', 'scopes', { name: `scope ${below(99_999)}`, ...(await scope()) })
  const device = () => ({ name: name(), tags: some(TAGS), addresses: [{ ip: `10.1.2.${below(255)}` }] })
  const network = () => ({ name: name(), subnet: `10.${below(3)}.${below(9)}.0/${one([22, 24, 25])}` })
  const changes: readonly (readonly [weight: number, change: () => Promise<void>])[] = [
    [50, estate.change],
    [4, newScope],
    [3, async () => send('PUT', `scopes/${await idOf('scopes')}`, await scope())],
    [1, async () => send('DELETE', `scopes/${await idOf('scopes')}`)],
    [3, async () => send('POST', `networks/${await idOf('networks')}/split`, { prefix_length: 23 + below(5) })],
    [
      2,
      async () => {
        // The halves of a network make up one block.
        const all = await rowsOf(caller, 'networks')
        const half = one(all)
        const [base, length] = String(half?.subnet).split('/')
        const other = all.find(({ id, subnet }) => id !== half?.id && String(subnet).endsWith(`/${length}`))
        await send('POST', 'networks/merge', { network_ids: [half?.id ?? base, other?.id ?? 'none'] })
      },
    ],
    [2, async () => send('POST', `networks/${await idOf('networks')}/allocate`, { prefix_length: 26, count: 2 })],
    [3, async () => send('PUT', `networks/${await idOf('networks')}`, { space_id: one([null, await idOf('spaces')]) })],
    [
      3,
      async () =>
        send('POST', 'devices/bulk', {
          atomic: below(2) === 0,
          operations: [
            { op: 'create', device: device() },
            { op: 'update', id: await idOf('devices'), device: { tags: some(TAGS) } },
            { op: 'delete', id: await idOf('devices') },
          ],
        }),
    ],
    [
      2,
      async () =>
        send('POST', 'networks/bulk', {
          atomic: false,
          operations: [
            { op: 'create', network: network() },
            { op: 'update', id: await idOf('networks'), network: { datacenter_id: await idOf('datacenters') } },
          ],
        }),
    ],
    [
      6,
      async () => {
        const network = one(await rowsOf(caller, 'networks'))
        const base = String(network?.subnet).replace(/\d+\/\d+$/, '')
        const hosts = [1, 2, 3].map((i) => ({ ip: `${base}${i * 20}`, mac_address: `00:00:0c:00:00:0${i}` }))
        await send('POST', `discovery/networks/${network?.id ?? 'none'}/results`, { hosts: some(hosts) })
      },
    ],
    [
      5,
      async () => {
        const network = one(await rowsOf(caller, 'networks'))
        const base = String(network?.subnet).split('.').slice(0, 2).join('.')
        const hosts = [0, 0, 0].map(() => ({
          ip: `${base}.${one([0, 1, 2])}.${one([1, 65, 66, 70, 130, below(255)])}`,
        }))
        await send('POST', `discovery/networks/${network?.id}/results`, { hosts })
      },
    ],
    [3, async () => send('POST', 'estate/import?resource=devices', [device(), device(), device()])],
    [6, async () => send('PUT', `datacenters/${await idOf('datacenters')}`, { parent_id: await idOf('datacenters') })],
    [2, async () => send('PUT', `datacenters/${await idOf('datacenters')}`, { parent_id: null })],
    [2, async () => send('POST', 'datacenters', { name: name(), parent_id: await idOf('datacenters') })],
    [1, async () => send('DELETE', `datacenters/${await idOf('datacenters')}`)],
    [
      3,
      async () =>
        send('POST', 'estate/apply', {
          datacenters: [{ name: 'applied', parent: one([null, 'below']) }, { name: 'below' }],
          networks: [{ name: 'applied', subnet: '10.2.0.0/24', datacenter: one([null, 'applied']) }],
          pools: [{ network: 'applied', name: 'p', start_ip: '10.2.0.10', end_ip: '10.2.0.30', tags: some(TAGS) }],
          devices: [{ ...device(), datacenter: one([null, 'applied']) }],
        }),
    ],
    [
      3,
      async () => {
        const changed = await rowsOf(caller, 'history?limit=5')
        await send('POST', `history/${one(changed)?.id}/undo`, {})
      },
    ],
  ]
  const all = changes.flatMap(([weight, change]) => Array.from({ length: weight }, () => change))
  return {
    counts,
    begin: estate.begin,
    change: () => one(all)(),
    newScope,
    /** Leaves no scope, so that the next one is the first. */
    deleteScopes: async () => {
      for (const id of await ids('scopes')) await send('DELETE', `scopes/${id}`)
    },
  }
}

describe.each(engines())('areas on %s', (dialect) => {
  const steps = STEPS[dialect]
  const seed = Number(process.env.PLAT_TEST_SEED ?? (dialect === 'sqlite' ? 5 : 2))
  const dataDir = mkdtempSync(join(tmpdir(), 'plat-areas-'))
  let app: TestApp
  let other: Instance | undefined
  const start = () => testApp({ dialect, ...(dialect === 'sqlite' && { env: { DATA_DIR: dataDir } }) })
  beforeAll(async () => {
    app = await start()
  }, LIMIT_MS)
  afterAll(async () => {
    await other?.close()
    await app.close()
    rmSync(dataDir, { recursive: true })
  }, LIMIT_MS)

  test(
    `follow every change (PLAT_TEST_SEED=${seed})`,
    async () => {
      const { key } = await app.as('admin')
      const headers = { Authorization: `Bearer ${key}` }
      /** The key opens all instances. The handlers of the present ones answer. */
      const first: Caller = {
        request: async (method, path, body) =>
          app.fetch(
            new Request(`http://plat.test${path}`, {
              method,
              headers: { ...headers, 'Content-Type': 'application/json' },
              ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            }),
          ),
      }
      const second: Caller = {
        request: async (method, path, body) => {
          if (!other) throw new Error('there is one instance')
          return other.fetch(method, path, headers, body)
        },
      }
      const hasTwo = dialect === 'postgres'
      if (hasTwo) other = await instanceBeside(app)
      const writers = [first, ...(hasTwo ? [second] : [])].map((caller, i) => changesOf(caller, seed + 10 * i))
      const [one] = writers
      await one?.begin()
      const restart = async () => {
        if (other) {
          await other.close()
          other = await instanceBeside(app)
          return
        }
        await app.close()
        app = await start()
      }
      const compare = async (round: number) => {
        const defined = await definedAreas(first, app.db)
        const stored = await storedAreas(app.db)
        const wrong = [...defined]
          .map(([id, scopes]) => ({ id, defined: scopes, stored: stored.get(id) }))
          .filter((one) => one.stored !== one.defined)
        expect({ seed, round, wrong, objects: stored.size }).toEqual({ seed, round, wrong: [], objects: defined.size })
        return defined
      }
      let inScopes = 0
      for (let round = 1; round <= steps / ROUND; round++) {
        if (round % ROUNDS_A_RUN === 0) {
          await one?.deleteScopes()
          await restart()
        }
        await Promise.all(
          writers.map(async ({ change, newScope }, i) => {
            for (let step = 0; step < ROUND / writers.length; step++)
              await (i === 0 && step === 4 && round % ROUNDS_A_RUN === 0 ? newScope() : change())
          }),
        )
        const defined = await compare(round)
        inScopes += [...defined.values()].filter((scopes) => scopes !== '').length
      }
      expect(inScopes).toBeGreaterThan(steps / 2)
      for (const { counts } of writers) expect(counts.done).toBeGreaterThan(counts.refused)
    },
    LIMIT_MS,
  )
})
