/** Random proposals, random other writes, then a merge: the estate is as the items said, or nothing has changed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { engines } from '../../testing/servers/servers.ts'
import { testsAll } from '../../testing/tests-all.ts'
import type { Proposal, ProposalItem } from './schema.ts'

const ROUNDS = testsAll ? 150 : 40
const LIMIT_MS = 600_000

/** Mulberry32: the same numbers for the same seed. */
const createRandom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

type Fields = Readonly<Record<string, unknown>>
/** The objects by kind and id. */
type Estate = ReadonlyMap<string, Fields>

const LISTS = { device: 'devices', datacenter: 'datacenters', reservation: 'reservations' } as const

const omit = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'updated_at' && !names.includes(name)))

describe.each(engines())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, withJobs: false })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const readEstate = async (): Promise<Estate> => {
    const estate = new Map<string, Fields>()
    for (const [kind, path] of Object.entries(LISTS))
      for (const one of (await (await admin.request('GET', `/api/${path}`)).json()) as (Fields & { id: string })[])
        estate.set(`${kind} ${one.id}`, one)
    return estate
  }

  /** Compares the estate after a merge with the one before, by the items. */
  const expectAsSaid = (before: Estate, after: Estate, items: readonly ProposalItem[]): void => {
    const said = new Map(items.map((item) => [`${item.kind} ${item.id}`, item]))
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      const [item, then, now] = [said.get(key), before.get(key), after.get(key)]
      if (!item) expect([key, now]).toEqual([key, then])
      else if (item.change === 'delete') expect([key, then === undefined, now]).toEqual([key, false, undefined])
      else {
        const names = Object.keys(item.fields)
        for (const name of names) expect([key, name, now?.[name]]).toEqual([key, name, item.fields[name]?.to])
        if (item.change === 'create') expect([key, then]).toEqual([key, undefined])
        else expect([key, omit(now ?? {}, names)]).toEqual([key, omit(then ?? {}, names)])
      }
    }
    for (const [key, { kind, change }] of said)
      if (Object.hasOwn(LISTS, kind) && change !== 'delete') expect([key, after.has(key)]).toEqual([key, true])
  }

  test.each(dialect === 'sqlite' ? [1, 2] : [3])(
    'with the seed %d',
    async (seed) => {
      const random = createRandom(seed)
      const network = await admin.api.networks.create({ name: `n${seed}`, subnet: `10.${70 + seed}.0.0/24` })
      const range = { start_ip: `10.${70 + seed}.0.10`, end_ip: `10.${70 + seed}.0.60` }
      const pool = await admin.api.pools.create({ name: `p${seed}`, network_id: network.id, ...range })
      for (let n = 0; n < 8; n++) await admin.api.devices.create({ id: `d${seed}-${n}`, name: `name ${n}` })
      const device = (): string => `d${seed}-${random(8)}`
      const address = () => ({ ip: `10.${70 + seed}.0.${100 + random(6)}` })
      const patches = [
        () => ({ os: `os${random(4)}` }),
        () => ({ description: `text ${random(4)}` }),
        () => ({ addresses: random(2) === 0 ? [] : [address()] }),
        () => ({ asset_tag: `A${random(5)}` }),
      ]
      const patch = (): object => Object.assign({}, ...patches.filter(() => random(2) === 0).map((one) => one()))
      const writes: (() => { readonly operation: string; readonly input: object })[] = [
        () => ({ operation: 'devices.create', input: { id: device(), name: `name ${random(99)}`, ...patch() } }),
        () => ({ operation: 'devices.update', input: { id: device(), ...patch() } }),
        () => ({ operation: 'devices.update', input: { id: device(), ...patch() } }),
        () => ({ operation: 'devices.delete', input: { id: device() } }),
        () => ({ operation: 'datacenters.create', input: { name: `dc ${random(6)}` } }),
        () => ({ operation: 'reservations.allocate', input: { id: pool.id, hostname: `h${random(9)}` } }),
      ]
      const draw = () => (writes[random(writes.length)] ?? (() => ({ operation: '', input: {} })))()
      const paths: Readonly<Record<string, (id: string) => [string, string]>> = {
        'devices.create': () => ['POST', '/api/devices'],
        'devices.update': (id) => ['PUT', `/api/devices/${id}`],
        'devices.delete': (id) => ['DELETE', `/api/devices/${id}`],
        'datacenters.create': () => ['POST', '/api/datacenters'],
        'reservations.allocate': (id) => ['POST', `/api/pools/${id}/allocate`],
      }
      /** Makes a random write by hand; some are refused. */
      const write = async (): Promise<void> => {
        const { operation, input } = draw()
        const { id = '', ...body } = input as { id?: string }
        const [method = '', path = ''] = paths[operation]?.(id) ?? []
        await admin.request(method, path, operation === 'devices.create' ? input : body)
      }
      const outcomes = new Map<number, number>()
      for (let round = 0; round < ROUNDS; round++) {
        await write()
        const operations = Array.from({ length: 1 + random(2) }, draw)
        const made = await admin.request('POST', '/api/proposals', { title: 'Random', open: true, operations })
        if (made.status !== 201) continue
        const { number } = (await made.json()) as Proposal
        for (let n = random(6); n > 0; n--) await write()
        if (random(4) === 0) await admin.request('POST', `/api/proposals/${number}/refresh`)
        const { fingerprint } = await admin.api.proposals.get({ id: `${number}` })
        const items = await admin.api.proposals.items({ id: `${number}` })
        const before = await readEstate()
        const given = fingerprint === '' ? {} : { fingerprint }
        const { status } = await admin.request('POST', `/api/proposals/${number}/merge`, given)
        outcomes.set(status, (outcomes.get(status) ?? 0) + 1)
        const after = await readEstate()
        if (status === 200) expectAsSaid(before, after, items)
        else {
          expect([409, 412]).toContain(status)
          expect(after).toEqual(before)
          await admin.request('POST', `/api/proposals/${number}/close`)
        }
      }
      // Both ends have occurred.
      expect(outcomes.get(200) ?? 0).toBeGreaterThan(2)
      expect((outcomes.get(409) ?? 0) + (outcomes.get(412) ?? 0)).toBeGreaterThan(0)
    },
    LIMIT_MS,
  )
})
