/** Documents of three address spaces that hold the same subnets and addresses: apply, diff, export, prune and import. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const TIMEOUT_MS = 120_000

/** The rows of one space, which has the same as the others. */
const site = (name: string, space: { space?: string }) => {
  const network = space.space === undefined ? 'lan' : { name: 'lan', ...space }
  const pool = space.space === undefined ? 'p' : { name: 'p', network }
  return {
    networks: [{ name: 'lan', subnet: '10.0.0.0/24', ...space }],
    pools: [{ name: 'p', network, start_ip: '10.0.0.10', end_ip: '10.0.0.20' }],
    devices: [
      {
        name: `${name}-1`,
        addresses: [
          { ip: '10.0.0.5', network },
          { ip: '10.0.0.11', network, pool: 'p' },
          { ip: '10.0.0.30', ...space },
          { ip: '192.0.2.1', ...space },
        ],
      },
    ],
    reservations: [{ pool: space.space === undefined ? { name: 'p', network } : pool, ip_address: '10.0.0.12' }],
  }
}

const joined = (...parts: readonly ReturnType<typeof site>[]) => ({
  networks: parts.flatMap((part) => part.networks),
  pools: parts.flatMap((part) => part.pools),
  devices: parts.flatMap((part) => part.devices),
  reservations: parts.flatMap((part) => part.reservations),
})

type Applied = { changes: { action: string; resource: string; name: string }[]; summary: string; error?: string }

describe.each(onSqlite())('on %s', (dialect) => {
  const apps: TestApp[] = []
  let first: TestCaller
  let second: TestCaller
  beforeAll(async () => {
    for (let i = 0; i < 2; i++) apps.push(await testApp({ dialect }))
    const [one, two] = apps
    if (!one || !two) throw new Error('there are two servers')
    first = await one.as('admin')
    second = await two.as('admin')
  }, TIMEOUT_MS)
  afterAll(() => Promise.all(apps.map((app) => app.close())), TIMEOUT_MS)

  const answered = async (to: TestCaller, body: object, query = '') => {
    const response = await to.request('POST', `/api/estate/apply${query}`, body)
    return { status: response.status, body: (await response.json()) as Applied & { details: { field: string }[] } }
  }
  const applied = async (to: TestCaller, body: object, query = ''): Promise<Applied> => {
    const answer = await answered(to, body, query)
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
    return answer.body
  }
  const changesOf = async (to: TestCaller, body: object) => (await applied(to, body, '?dry_run=true')).changes
  const exported = async (from: TestCaller, query = ''): Promise<string> =>
    (await from.request('GET', `/api/estate/export${query}`)).text()

  const named = async ({ api }: TestCaller, name: string) =>
    (await api.devices.list({})).find((device) => device.name === name)

  const own = site('own', {})
  const all = {
    spaces: [{ name: 'red', reachable: true }, { name: 'Blue' }],
    ...joined(site('blue', { space: 'blue' }), own, site('red', { space: ' RED ' })),
  }

  test('the same rows of each space make their own objects, and what the default space has stays', async () => {
    await applied(first, own)
    const before = await exported(first)
    expect(before).not.toContain('space')
    const [lan] = await first.api.networks.list({})
    await applied(first, all)
    expect(await changesOf(first, all)).toEqual([])
    // A document without spaces means the default one, also where others have the same names.
    expect(await changesOf(first, own)).toEqual([])
    const spaces = new Map((await first.api.spaces.list({})).map(({ id, name }) => [id, name]))
    const networks = await first.api.networks.list({})
    expect(networks.map(({ space_id = '' }) => spaces.get(space_id) ?? '').sort()).toEqual(['', 'Blue', 'red'])
    expect(networks.find(({ space_id }) => space_id === undefined)?.id).toBe(lan?.id ?? '')
    const device = await named(first, 'red-1')
    const red = [...spaces].find(([, name]) => name === 'red')?.[0]
    expect(device?.addresses.map(({ space_id }) => space_id)).toEqual([red, red, red, red])
    for (const space_id of [red, 'default'])
      expect((await first.api.devices.list({ space_id })).map(({ name }) => name)).toEqual([
        space_id === red ? 'red-1' : 'own-1',
      ])
    const { spaces: _, ...rest } = JSON.parse(await exported(first)) as Record<string, { name: string }[]>
    expect(rest.devices?.find(({ name }) => name === 'own-1')).toEqual(
      (JSON.parse(before) as { devices: { name: string }[] }).devices[0] ?? { name: '' },
    )
  })

  test('an export applies without a change, and makes the same bytes on an empty server', async () => {
    for (const query of ['', '?resource=networks', '?resource=devices', '?resource=reservations'])
      expect(await changesOf(first, JSON.parse(await exported(first, query)) as object)).toEqual([])
    const text = await exported(first)
    for (const id of ['"id"', 'space_id', 'network_id', 'pool_id']) expect(text).not.toContain(id)
    await applied(second, JSON.parse(text) as object)
    expect(await exported(second)).toBe(text)
  })

  test('rows of lists mean networks by name, subnet and space', async () => {
    const rows = await first.api.networks.list({})
    const load = async (resource: string, body: readonly object[]) => {
      const response = await second.request('POST', `/api/estate/import?resource=${resource}`, body)
      const lines = (await response.text()).trim().split('\n')
      return JSON.parse(lines.at(-1) ?? '') as { result: object }
    }
    const ids = new Map((await second.api.spaces.list({})).map(({ name, id }) => [name, id]))
    const names = new Map((await first.api.spaces.list({})).map(({ name, id }) => [id, name]))
    const moved = rows.map(({ id: _, space_id, ...row }) => ({
      ...row,
      description: names.get(space_id ?? '') ?? 'default',
      ...(space_id && { space_id: ids.get(names.get(space_id) ?? '') }),
    }))
    expect(await load('networks', moved)).toMatchObject({ result: { created: 0, updated: 3, failed: 0 } })
    for (const { space_id = '', description } of await second.api.networks.list({}))
      expect([...ids].find(([, id]) => id === space_id)?.[0] ?? 'default').toBe(description)
  })

  test('an address says its space only where its network does not, and never another one', async () => {
    const at = (address: object) => ({ devices: [{ name: 'odd', addresses: [{ ip: '10.0.0.77', ...address }] }] })
    const { status, body } = await answered(first, at({ network: { name: 'lan', space: 'red' }, space: 'blue' }))
    expect([status, body.details.map(({ field }) => field)]).toEqual([400, ['devices[0].addresses[0].space']])
    const unknown = await answered(first, at({ space: 'green' }))
    expect(unknown.body.details.map(({ field }) => field)).toEqual(['devices[0].addresses[0].space'])
    await applied(first, at({ network: 'lan', space: 'red' }))
    const odd = await named(first, 'odd')
    expect(odd?.addresses[0]?.space_id).toBe((await first.api.spaces.list({ name: 'red' }))[0]?.id)
    for (const same of [{ network: { name: 'lan', space: 'red' } }, { space: 'red', network: '10.0.0.0/24' }])
      expect(await changesOf(first, at(same))).toEqual([])
    await first.api.devices.delete({ id: odd?.id ?? '' })
  })

  test('a network that a ref names moves with its addresses, and one undo moves them back', async () => {
    const doc = (space: string) => ({
      networks: [{ name: 'moving', subnet: '10.9.0.0/24', refs: { cmdb: 'n1' }, space }],
      pools: [{ name: 'm', network: 'moving', start_ip: '10.9.0.1', end_ip: '10.9.0.9' }],
      devices: [{ name: 'moves', addresses: [{ ip: '10.9.0.2', network: 'moving', pool: 'm' }] }],
      reservations: [{ pool: 'm', ip_address: '10.9.0.3' }],
    })
    await applied(first, doc('default'))
    const before = await exported(first)
    await applied(first, doc('red'))
    expect(await changesOf(first, doc('red'))).toEqual([])
    const [change] = await first.api.history.list({ limit: 1 })
    await first.api.history.undo({ id: change?.id ?? '' })
    expect(await exported(first)).toBe(before)
    expect(await changesOf(first, doc('default'))).toEqual([])
  })

  test('prune deletes a space after its networks', async () => {
    const body = { managed_by: 'git', spaces: [{ name: 'gone' }], ...site('gone', { space: 'gone' }) }
    await applied(second, body)
    const left = { managed_by: 'git', spaces: [], prune: true, allow_empty: true }
    expect((await applied(second, left)).summary).toBe('deletes 1 space, 1 network, 1 pool, 1 device and 1 reservation')
    expect((await second.api.spaces.list({ name: 'gone' })).length).toBe(0)
  })
})
