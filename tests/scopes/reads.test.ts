// A caller with a role in one scope reads one half of a doubled estate, and no byte of the other half.
import { describe, expect, test } from 'bun:test'
import { REPORTS } from '../../src/answers/reports/registry.ts'
import { contracts } from '../../src/app/contracts.ts'
import { RESOURCES } from '../../src/inventory/resources.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import { type AnyOperation, listPermissions } from '../../src/kernel/operation.ts'
import { isScopable } from '../../src/people/roles/catalogue.ts'
import type { ResourceFacts } from '../../src/resource/facts.ts'
import { toKind } from '../../src/resource/nouns.ts'
import { KINDS } from '../../testing/estates/kinds.ts'
import { people } from '../../testing/estates/people.ts'
import { expectNothingHidden, type Half, halves, pathOf } from '../../testing/hostile/halves.ts'
import { engines } from '../../testing/servers/servers.ts'

const limited = Object.values(contracts)
  .flatMap((set) => Object.values<AnyOperation>(set))
  // Reads that need a change are in the test of the history. The name of a pack or of a report is that of no object.
  .filter(
    ({ name, effect, scope }) =>
      scope !== undefined && effect === 'read' && !/^(history\.(get|items|diff)|packs\.get|reports\.show)$/.test(name),
  )
  .filter(({ access }) => listPermissions(access).some(isScopable))

const QUERIES: Readonly<Record<string, readonly string[]>> = {
  'devices.search': ['?q=machine', '?q=10.', '?q=omega', '?q=10.2.0.0/16', '?q=02:00:00:00:02:01'],
  'search.all': ['?q=machine', '?q=omega', '?q=10.2.0.10', '?q=10.2.0.0/16', '?q=02:00:00:00:02:01'],
  'networks.next-subnet': ['?prefix_length=28'],
  'devices.list': [
    ...['', '?limit=1', '?tags=shared', '?sort=updated_at', '?sort=-name', '?custom.owner=team', '?custom.owner=*'],
    ...['?q=machine', '?q=10.', '?q=omega', '?q=10.2.0.0/16', '?q=02:00:00:00:02:01'],
  ],
  'networks.list': ['', '?include=tree', '?sort=subnet', '?limit=1'],
  'networks.devices': ['', '?nested=true'],
  'networks.next-ip': ['', '?count=5'],
  'pools.next-ip': ['', '?count=5'],
  'devices.get': ['', '?include=networks'],
  'addresses.free': ['', '?limit=50', '?q=omega', '?q=10.2.0.11', '?q=10.', '?space_id=default', '?q=net'],
  'pools.all': ['', '?tags=shared', '?limit=1'],
  'ports.device': ['', '?include=peers'],
  'custom-fields.list': ['', '?include=usage'],
  'racks.list': ['', '?include=usage'],
  'discovery.list': ['?network_id=*', '?network_id=*&q=new', '?network_id=*&q=omega', '?network_id=*&limit=1'],
  'inbox.list': ['', '?bucket=new', '?limit=1', '?ignored=true'],
  'conflicts.list': ['', '?status=active', '?type=duplicate_ip', '?limit=1'],
}

/** The bodies of reads that no URL can hold. */
const BODIES: Readonly<Record<string, (own: Half) => object>> = {
  'impact.preview': ({ devices, datacenters, networks }) => ({
    ...{ device_ids: [devices], datacenter_ids: [datacenters], network_ids: [networks] },
  }),
}

describe.each(engines())('a scoped caller on %s', (dialect) => {
  const all = people(dialect)
  const estate = halves(all)

  test.each(limited.map((op): [string, AnyOperation] => [op.name, op]))('%s', async (name, op) => {
    const made = await estate()
    const { own, other, ada } = made
    const { [name]: queries = [''] } = QUERIES
    for (const query of queries) {
      const asked = `${parseHttp(op.http).method} ${pathOf(op, own)}${query}`
      const body = BODIES[name]?.(own)
      const answer = await ada.ask(asked, body)
      expect([asked, answer.status]).toEqual([asked, 200])
      // The word of a search is in no answer unless something is found.
      expectNothingHidden(made, asked, answer)
      const total = answer.headers.get('x-total-count')
      if (total !== null && !query.includes('limit'))
        expect([asked, Number(total)]).toEqual([asked, (answer.body as unknown[]).length])
      expect([asked, JSON.stringify((await all.admin.ask(asked, body)).body).length]).not.toEqual([asked, 0])
    }
    if (pathOf(op, own) === pathOf(op, other) || /^(custom-fields|device-types)\./.test(name)) return
    const [query = ''] = queries
    const nothing = Object.fromEntries(Object.keys(other).map((key) => [key, 'nothing']))
    const there = await ada.ask(`GET ${pathOf(op, other)}${query}`)
    const nowhere = await ada.ask(`GET ${pathOf(op, nothing)}${query}`)
    expect(there.status).toBe(404)
    const ids = new RegExp(Object.values(other).join('|'), 'g')
    expect(JSON.stringify(there.body).replace(ids, 'nothing')).toBe(JSON.stringify(nowhere.body))
  })

  test.each(REPORTS.map(({ name }) => name))('the report %s', async (name) => {
    const made = await estate()
    const query = '?days=0&min=0'
    const asked = `GET /api/reports/${name}${query}`
    const answer = await made.ada.ask(asked)
    expect([asked, answer.status]).toEqual([asked, 200])
    expectNothingHidden(made, asked, answer)
    expect(Number(answer.headers.get('x-total-count'))).toBe((answer.body as unknown[]).length)
    const count = async ({ ask }: Pick<typeof made.ada, 'ask'>) => ((await ask(asked)).body as unknown[]).length
    // Each object of the caller's half has a twin that is hidden.
    if (!['duplicate-macs', 'disagreements'].includes(name))
      expect(await count(all.admin)).toBeGreaterThanOrEqual(await count(made.ada))
  })

  test.each([
    ...['10.1.0.11', '10.1.0.60', '10.1.0.5', '10.1.0.77', '10.1.0.0%2F24', '10.1.0.64%2F26', '10.0.0.0%2F8'],
    ...[
      '10.2.0.11',
      '10.2.0.0%2F24',
      '10.2.0.50',
      '172.16.9.1',
      '172.16.9.0%2F24',
      '02:00:00:00:01:01',
      '02:00:00:00:02:01',
    ],
    ...[
      '00:00:0c:00:02:77',
      'alpha-new',
      'alpha.example',
      'alpha-reserved',
      'omega-new',
      'omega.example',
      'omega-reserved',
    ],
  ])('lookup of %s', async (subject) => {
    const made = await estate()
    const asked = `GET /api/lookup/${subject}`
    const { status, body, headers } = await made.ada.ask(asked)
    expect(status).toBe(200)
    const { query, summary, ways, ...found } = body as Record<string, unknown>
    // The answer repeats the query.
    const asText = String(query)
    const answer = { status, headers, body: { ...found, text: JSON.stringify([summary, ways]).replaceAll(asText, '') } }
    expectNothingHidden(made, asked, answer)
    expect(found.known).toBe(!/^(10\.2|02:00:00:00:02|00:00:0c:00:02|omega)/.test(asText))
  })

  test('a device shows no network outside of the scope, and a network no device outside', async () => {
    const { own, other, ada } = await estate()
    const body = {
      name: 'across',
      datacenter_id: own.datacenters,
      addresses: [{ ip: '10.2.0.77' }, { ip: '10.1.0.88' }],
    }
    const { id } = (await all.admin.ask('POST /api/devices', body)).body as { id: string }
    const networksOf = async (who: Pick<typeof ada, 'ask'>) =>
      ((await who.ask(`GET /api/devices/${id}?include=networks`)).body as { networks: { id: string }[] }).networks.map(
        (network) => network.id,
      )
    expect(await networksOf(all.admin)).toEqual([other.networks ?? '', own.networks ?? ''])
    expect(await networksOf(ada)).toEqual([own.networks ?? ''])
    const outside = { name: 'hidden', datacenter_id: other.datacenters, addresses: [{ ip: '10.1.0.89' }] }
    const { id: hidden } = (await all.admin.ask('POST /api/devices', outside)).body as { id: string }
    const at = `GET /api/networks/${own.networks}`
    const entries = (await ada.ask(`${at}/heatmap`)).body as { ip: string; device_id?: string }[]
    expect<unknown>(entries.filter(({ ip }) => ip === '10.1.0.88' || ip === '10.1.0.89')).toEqual([
      { ip: '10.1.0.88', status: 'used', device_id: id },
      { ip: '10.1.0.89', status: 'used' },
    ])
    const { body: free } = await ada.ask('GET /api/addresses/free?limit=50')
    expect((free as { network_id: string }[]).map(({ network_id }) => network_id)).not.toContain(other.networks)
    for (const made of [id, hidden]) await all.admin.ask(`DELETE /api/devices/${made}`)
  })

  test('lists hold what the scope holds', async () => {
    const { own, ada } = await estate()
    const ids = async (path: string) =>
      ((await ada.ask(`GET /api/${path}`)).body as { id: string }[]).map(({ id }) => id).sort()
    const more: Readonly<Record<string, readonly string[]>> = {
      ...{ datacenters: ['region'], networks: ['inSpace'], devices: ['child'], objects: ['ofKind'] },
    }
    for (const { resource } of KINDS.filter(({ facts }) => facts.scope !== 'everywhere' && facts.name !== 'ports')) {
      const expected = [resource, ...(more[resource] ?? [])].map((name) => own[name] ?? '').sort()
      expect([resource, await ids(resource)]).toEqual([resource, expected])
    }
    // A cable makes the ports of its ends.
    expect((await ids('ports')).length).toBe(3)
    expect(((await ada.ask('GET /api/relationships')).body as unknown[]).length).toBe(1)
    expect(await ids('discovery/rules')).toEqual([own['discovery-rules'] ?? ''])
    expect((await ids('discovery/devices?network_id=*')).length).toBe(2)
    expect((await ids('discovery/scans')).length).toBe(2)
    expect((await ids('discovery/inbox')).length).toBe(2)
    expect(((await ada.ask('GET /api/discovery/locks')).body as unknown[]).length).toBe(1)
    expect((await ada.ask(`GET /api/scopes`)).status).toBe(403)
  })

  test('the overview counts the part', async () => {
    const { own, ada } = await estate()
    const { body } = await ada.ask('GET /api/dashboard')
    expect(body).toMatchObject({
      ...{ devices: 2, networks: 2, pools: 1, datacenters: 2, running_scans: 0, webhooks: null, changes: null },
      conflicts: { duplicate_ip: 2, overlapping_subnet: 0 },
      inbox: { new: 1, changed: 1, gone: 0, conflict: 0 },
      fullest_pools: [{ id: own.pools }],
    })
    expect((body as { fullest_networks: { id: string }[] }).fullest_networks.map(({ id }) => id)).toEqual([
      own.networks ?? '',
    ])
  })

  test('the use of addresses counts the addresses of hidden devices', async () => {
    const { own, ada } = await estate()
    const use = async (http: string) => (await ada.ask(http)).body as Record<string, unknown>
    const wanted = await all.admin.ask(`GET /api/pools/${own.pools}/utilization/history`)
    expect(await use(`GET /api/pools/${own.pools}/utilization/history`)).toEqual(wanted.body as Record<string, unknown>)
    const [pool] = (await ada.ask('GET /api/pools?include=utilization')).body as { utilization: object }[]
    const [same] = (await all.admin.ask('GET /api/pools?name=alpha&include=utilization')).body as {
      utilization: object
    }[]
    expect(pool?.utilization).toEqual(same?.utilization ?? {})
    const { used_ips } = await use(`GET /api/networks/${own.networks}/utilization`)
    expect(used_ips).toBe(4)
    expect(await use('GET /api/lookup/10.1.0.48%2F28')).toMatchObject({ state: 'assigned', taken: 2, usable: 14 })
    expect((await use('GET /api/lookup/10.2.0.0%2F24')).taken).toBeUndefined()
  })

  test('a conflict names the members in the part, and speaks of others', async () => {
    const { own, ada } = await estate()
    const found = (await ada.ask('GET /api/conflicts')).body as { id: string; ip_address: string }[]
    expect(found.find(({ ip_address }) => ip_address === '10.1.0.60')).toMatchObject({
      device_ids: [own.child ?? ''],
      description: 'Devices inside and outside of your part of the inventory have the address 10.1.0.60',
    })
    const same = (await all.admin.ask(`GET /api/conflicts/${own.conflicts}`)).body
    expect(found.find(({ id }) => id === own.conflicts)).toEqual(same as (typeof found)[number])
    expect((await ada.ask('GET /api/conflicts/summary')).body).toMatchObject({ active: 2, duplicate_ip: 2 })
  })

  test('in an answer of several kinds, the caller sees the kinds whose permission they have', async () => {
    const { other, own, scope } = await estate()
    const { id: reader } = await all.role('search:read', 'dashboard:read', 'devices:list')
    const { id: elsewhere } = (
      await all.admin.ask('POST /api/scopes', { name: 'omega', datacenter_ids: [other.datacenters] })
    ).body as { id: string }
    const cleo = await all.person()
    for (const grant of [
      { role_id: 'viewer', scope_id: scope },
      { role_id: reader, scope_id: elsewhere },
    ])
      await all.admin.ask('POST /api/grants', { ...grant, user_id: cleo.id })
    const types = async (q: string) => {
      const { results } = (await cleo.ask(`GET /api/search?q=${q}`)).body as { results: { type: string }[] }
      return new Set(results.map(({ type }) => type))
    }
    const found = RESOURCES.filter((facts: ResourceFacts) => facts.search && facts.scope !== 'everywhere').map(
      ({ name }) => toKind(name),
    )
    expect(await types('alpha')).toEqual(new Set([...found, 'discovered_device']))
    expect(await types('omega')).toEqual(new Set(['device']))
    const { body } = await cleo.ask('GET /api/dashboard')
    expect(body).toMatchObject({ devices: 5, networks: 2, pools: 1, datacenters: 2 })
    expect((await cleo.ask('GET /api/lookup/10.1.0.11')).body).toMatchObject({ networks: [{ id: own.networks }] })
    const omega = (await cleo.ask('GET /api/lookup/10.2.0.11')).body
    expect(omega).toMatchObject({ state: 'assigned', devices: [{ id: other.devices }] })
    expect((omega as { networks?: unknown }).networks).toBeUndefined()
    // The space of a network that is seen is seen as well.
    const dora = await all.person()
    await all.admin.ask('POST /api/grants', { role_id: 'viewer', user_id: dora.id, scope_id: elsewhere })
    expect((await dora.ask('GET /api/spaces')).body).toMatchObject([{ id: other.spaces }])
    expect((await dora.ask(`GET /api/spaces/${other.spaces}`)).status).toBe(200)
    expect((await dora.ask(`GET /api/spaces/${own.spaces}`)).status).toBe(404)
  })

  test('all that is not limited needs the permission everywhere', async () => {
    const { ada } = await estate()
    const refused = async (http: string, body?: object) =>
      expect([http, (await ada.ask(http, body)).status]).toEqual([http, 403])
    await refused('POST /api/custom-fields', { resource: 'devices', name: 'x', type: 'text' })
    await refused('POST /api/spaces', { name: 'x' })
    await refused(`GET /api/devices?as_of=2026-01-01T00:00:00Z`)
  })

  test('a key limited to the scope reads the same part, whatever its owner may', async () => {
    const { own, other, ada, narrow } = await estate()
    expect((await narrow.ask('GET /api/devices')).body).toEqual((await ada.ask('GET /api/devices')).body)
    expect((await narrow.ask(`GET /api/devices/${own.devices}`)).status).toBe(200)
    expect((await narrow.ask(`GET /api/devices/${other.devices}`)).status).toBe(404)
    for (const http of ['GET /api/users', 'GET /api/audit', 'GET /api/webhooks', 'GET /api/keys', 'GET /api/scopes'])
      expect([http, (await narrow.ask(http)).status]).toEqual([http, 403])
    expect((await narrow.ask('POST /api/keys', { name: 'wider' })).status).toBe(403)
    expect((await narrow.ask('POST /api/devices', { name: 'x' })).status).toBe(403)
  })

  test('a lost grant, scope or membership is lost with the next request', async () => {
    const { own, scope } = await estate()
    const bea = await all.person()
    const sees = async () => (await bea.ask(`GET /api/devices/${own.devices}`)).status
    expect(await sees()).toBe(403)
    const { body } = await all.admin.ask('POST /api/groups', { name: 'alphas' })
    const { id: group } = body as { id: string }
    await all.admin.ask('POST /api/grants', { role_id: 'viewer', group_id: group, scope_id: scope })
    await all.admin.ask(`POST /api/groups/${group}/members`, { user_id: bea.id })
    expect(await sees()).toBe(200)
    await all.admin.ask(`PUT /api/scopes/${scope}`, { datacenter_ids: [], tags: ['alpha'] })
    expect(await sees()).toBe(200)
    await all.admin.ask(`PUT /api/scopes/${scope}`, { tags: [] })
    expect(await sees()).toBe(404)
    await all.admin.ask(`PUT /api/scopes/${scope}`, { subnets: ['10.1.0.0/24'] })
    expect(await sees()).toBe(200)
    await all.admin.ask(`DELETE /api/groups/${group}/members/${bea.id}`)
    expect(await sees()).toBe(403)
    await all.admin.ask(`POST /api/groups/${group}/members`, { user_id: bea.id })
    expect(await sees()).toBe(200)
    expect((await all.admin.ask(`DELETE /api/scopes/${scope}`)).status).toBe(204)
    expect(await sees()).toBe(403)
  })
})
