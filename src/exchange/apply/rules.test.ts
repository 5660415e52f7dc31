// The rules of an apply: matching, owners, pruning, rights, fingerprints, refusals.
import { describe, expect, test } from 'bun:test'
import { ask, inventory } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

type Body = Readonly<Record<string, unknown>>

describe.each(onSqlite())('on %s', (dialect) => {
  const inv = inventory(dialect, { AUDIT_ENABLED: 'true' })
  const apply = async (body: Body) => (await inv.ask('POST /api/estate/apply', body)).body as Record<string, unknown>
  const counts = async (body: Body) => {
    const { counts, code, error } = await apply(body)
    return code ? { code, error } : counts
  }
  const details = async (body: Body) => {
    const { status, body: answer } = await inv.ask('POST /api/estate/apply', body)
    return [status, ...((answer as { details?: { field: string; message: string }[] }).details ?? [])]
  }
  const row = (more: Body) => ({ created: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0, ...more })

  test('a device with a unique name keeps its id when it moves to another datacenter', async () => {
    await apply({ datacenters: [{ name: 'm1' }, { name: 'm2' }], devices: [{ name: 'mover', datacenter: 'm1' }] })
    const [before] = (await inv.api.devices.list({})).filter(({ name }) => name === 'mover')
    expect(await counts({ devices: [{ name: 'MOVER ', datacenter: 'm2' }] })).toEqual({ devices: row({ updated: 1 }) })
    const [after] = (await inv.api.devices.list({})).filter(({ name }) => name === 'MOVER')
    expect(after?.id).toBe(before?.id ?? '')
  })

  test('devices of one name are told apart by their datacenter', async () => {
    const devices = [
      { name: 'twin', datacenter: 'm1', os: 'a' },
      { name: 'twin', datacenter: 'm2', os: 'b' },
      { name: 'twin', datacenter: null, os: 'c' },
    ]
    expect(await counts({ devices })).toEqual({ devices: row({ created: 3 }) })
    expect(await counts({ devices: devices.toReversed() })).toEqual({ devices: row({ unchanged: 3 }) })
    const message = '3 devices are called "twin": give the datacenter, the id or a ref'
    expect(await details({ devices: [{ name: 'twin' }] })).toEqual([400, { field: 'devices[0].name', message }])
  })

  test('networks of one name are told apart by their subnet, then by their datacenter', async () => {
    const networks = [
      { name: 'lan', subnet: '10.50.0.0/24', datacenter: 'm1' },
      { name: 'lan', subnet: '10.50.0.0/24', datacenter: 'm2' },
      { name: 'lan', subnet: '10.51.0.0/24' },
    ]
    expect(await counts({ networks })).toEqual({ networks: row({ created: 3 }) })
    expect(await counts({ networks: [...networks].reverse() })).toEqual({ networks: row({ unchanged: 3 }) })
    expect(await counts({ networks: [{ name: 'lan', subnet: '10.51.0.9/24', vlan_id: 7 }] })).toEqual({
      networks: row({ updated: 1 }),
    })
    const [status, first] = await details({ networks: [{ name: 'lan', subnet: '10.50.0.0/24' }] })
    expect([status, (first as { field: string }).field]).toEqual([400, 'networks[0].name'])
  })

  test('objects that refs tell apart stay apart', async () => {
    const devices = [1, 2, 3].map((n) => ({ name: 'sw-1', refs: { netbox: `dcim.device.${n}` } }))
    expect(await counts({ devices })).toEqual({ devices: row({ created: 3 }) })
    expect(await counts({ devices: devices.toReversed() })).toEqual({ devices: row({ unchanged: 3 }) })
    expect(await counts({ devices: [{ name: 'sw-one', refs: { netbox: 'dcim.device.1' } }] })).toEqual({
      devices: row({ updated: 1 }),
    })
    const both = { refs: { netbox: 'dcim.device.2', other: 'x' } }
    await apply({ devices: [{ name: 'y', refs: { other: 'x' } }] })
    expect(await details({ devices: [both] })).toEqual([
      400,
      { field: 'devices[0].refs', message: 'are those of 2 devices' },
    ])
  })

  test('an id is kept by a new object, and finds an old one', async () => {
    expect(await counts({ devices: [{ id: 'chosen', name: 'c' }] })).toEqual({ devices: row({ created: 1 }) })
    expect(await counts({ devices: [{ id: 'chosen', name: 'renamed' }] })).toEqual({ devices: row({ updated: 1 }) })
    expect((await inv.api.devices.get({ id: 'chosen' })).name).toBe('renamed')
  })

  test.each([
    ['a row twice', { devices: [{ name: 'd' }, { name: ' D' }] }, 'devices[1]', 'is the same device as devices[0]'],
    [
      'a field that is none',
      { devices: [{ name: 'd', hostnam: 'x' }] },
      'devices[0].hostnam',
      'is not a field of a device; did you mean hostname?',
    ],
    ['a list that is none', { devicess: [] }, 'devicess', 'is no list of an estate document; did you mean devices?'],
    ['no object', { devices: ['d'] }, 'devices[0]', 'must be an object'],
    [
      'an unknown name',
      { devices: [{ name: 'd', datacenter: 'nowhere' }] },
      'devices[0].datacenter',
      'there is no datacenter called "nowhere"',
    ],
    [
      'an unknown id',
      { devices: [{ name: 'd', datacenter_id: 'x' }] },
      'devices[0].datacenter_id',
      'there is no datacenter with id "x"',
    ],
    [
      'both forms',
      { devices: [{ name: 'd', datacenter: 'm1', datacenter_id: 'x' }] },
      'devices[0].datacenter',
      'stands beside datacenter_id; give one of them',
    ],
    [
      'a nested name',
      { devices: [{ name: 'd', addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2', network: 'none' }] }] },
      'devices[0].addresses[1].network',
      'there is no network called "none"',
    ],
    [
      'a several of a name',
      {
        reservations: [{ pool: 'p', ip_address: '10.0.0.1' }],
        pools: ['lan'].flatMap(() =>
          [1, 2].map((n) => ({
            name: 'p',
            network: { subnet: '10.50.0.0/24', datacenter: `m${n}` },
            start_ip: '10.50.0.1',
            end_ip: '10.50.0.9',
          })),
        ),
      },
      'reservations[0].pool',
      'there are 2 pools called "p": give its network, its id or a ref',
    ],
    [
      'a pool without network',
      { pools: [{ name: 'q', start_ip: '10.50.0.1', end_ip: '10.50.0.9' }] },
      'pools[0].network',
      'is required',
    ],
    ['a bad value', { devices: [{ name: 'd', addresses: [{ ip: 'x' }] }] }, 'devices[0].addresses[0].ip', undefined],
    [
      'a key of a reference that is none',
      { devices: [{ name: 'd', datacenter: { nam: 'm1' } }] },
      'devices[0].datacenter.nam',
      'is not a field of a reference; did you mean name?',
    ],
    [
      'prune without owner',
      { devices: [], prune: true },
      'prune',
      'needs managed_by: it deletes the other objects of an owner',
    ],
    ['prune without rows', { devices: [], prune: true, managed_by: 'git' }, 'prune', undefined],
  ])('%s is refused with its field', async (_, body, field, message) => {
    const [status, first] = await details(body)
    const found = first as { field: string; message: string }
    expect([status, found.field]).toEqual([400, field])
    if (message !== undefined) expect(found.message).toBe(message)
  })

  test('every bad row is named, and nothing is applied', async () => {
    const devices = [{ name: 'good-1' }, { name: '' }, { name: 'good-2', status: 'odd' }]
    const found = await details({ devices })
    expect(found.slice(1).map((one) => (one as { field: string }).field)).toEqual([
      'devices[1].name',
      'devices[2].status',
    ])
    expect((await inv.api.devices.list({})).filter(({ name }) => name.startsWith('good'))).toEqual([])
    const partly = await apply({ devices, atomic: false })
    expect(partly).toMatchObject({ counts: { devices: row({ created: 1, failed: 2 }) } })
    expect((partly.errors as unknown as { row: number }[]).map(({ row }) => row)).toEqual([1, 2])
  })

  test('the answer names the row that a rule refuses', async () => {
    await apply({
      networks: [{ name: 'r', subnet: '10.60.0.0/24' }],
      pools: [{ name: 'r', network: 'r', start_ip: '10.60.0.10', end_ip: '10.60.0.20' }],
      devices: [{ name: 'holder', addresses: [{ ip: '10.60.0.10', network: 'r', pool: 'r' }] }],
    })
    const devices = [{ name: 'other', addresses: [{ ip: '10.60.0.10', network: 'r', pool: 'r' }] }]
    const [status, first] = await details({ devices })
    expect([status, (first as { field: string }).field]).toEqual([400, 'devices[0]'])
    expect(await apply({ devices, atomic: false, dry_run: true })).toMatchObject({
      counts: { devices: row({ failed: 1 }) },
      errors: [{ resource: 'devices', row: 0, name: 'other', code: 'IP_NOT_AVAILABLE' }],
    })
  })

  test('two devices exchange their pool addresses without a conflict', async () => {
    const at = (ip: string) => [{ ip, network: 'r', pool: 'r' }]
    const devices = (a: string, b: string) => [
      { name: 'swap-a', addresses: at(a) },
      { name: 'swap-b', addresses: at(b) },
      { name: 'swap-new', addresses: [] },
    ]
    await apply({ devices: devices('10.60.0.11', '10.60.0.12') })
    const since = (await inv.api.conflicts.list({})).length
    expect(await counts({ devices: devices('10.60.0.12', '10.60.0.11') })).toEqual({
      devices: row({ updated: 2, unchanged: 1 }),
    })
    expect((await inv.api.conflicts.list({})).length).toBe(since)
  })

  test('an owner keeps its objects: others are refused, and prune deletes only these', async () => {
    const first = { managed_by: 'git', devices: [{ name: 'own-1' }, { name: 'own-2' }], datacenters: [{ name: 'm1' }] }
    expect(await apply(first)).toMatchObject({
      counts: { datacenters: row({ updated: 1 }), devices: row({ created: 2 }) },
      changes: [{ action: 'update', resource: 'datacenters', managed_by: { from: '', to: 'git' }, fields: {} }, {}, {}],
    })
    await apply({ managed_by: 'cmdb', devices: [{ name: 'foreign' }] })
    const message = 'is managed by "cmdb"'
    expect(await details({ managed_by: 'git', devices: [{ name: 'foreign' }] })).toEqual([
      400,
      { field: 'devices[0].managed_by', message },
    ])
    expect(await apply({ managed_by: 'git', devices: [{ name: 'own-1' }] })).toMatchObject({
      changed: false,
      extra: { datacenters: 1, devices: 1 },
    })
    const pruned = {
      managed_by: 'git',
      prune: true,
      devices: [{ name: 'own-1' }, { name: 'foreign' }],
      take_over: true,
    }
    expect(await counts(pruned)).toEqual({
      datacenters: row({ deleted: 1 }),
      devices: row({ unchanged: 1, updated: 1, deleted: 1 }),
    })
    const names = (await inv.api.devices.list({})).map(({ name }) => name)
    expect(names).toContain('foreign')
    expect(names).not.toContain('own-2')
    expect(names).toContain('MOVER')
    expect(await counts({ managed_by: 'git', prune: true, allow_empty: true, devices: [] })).toEqual({
      devices: row({ deleted: 2 }),
    })
  })

  test('a row that fails keeps everything from being pruned', async () => {
    await apply({ managed_by: 'partly', devices: [{ name: 'left' }, { name: 'gone' }] })
    const devices = [
      { name: 'left', os: 'x' },
      { name: 'taker', addresses: [{ ip: '10.60.0.10', network: 'r', pool: 'r' }] },
    ]
    expect(await counts({ managed_by: 'partly', prune: true, atomic: false, devices })).toEqual({
      devices: row({ updated: 1, failed: 1 }),
    })
    expect((await inv.api.devices.list({})).map(({ name }) => name)).toContain('gone')
  })

  test('a reference to an object that is pruned is refused', async () => {
    await apply({ managed_by: 'net', networks: [{ name: 'old', subnet: '10.70.0.0/24' }], devices: [{ name: 'n1' }] })
    const body = { managed_by: 'net', devices: [{ name: 'n1', addresses: [{ ip: '10.70.0.1', network: 'old' }] }] }
    expect(await details({ ...body, prune: true })).toEqual([
      400,
      { field: 'devices[0].addresses[0].network', message: 'there is no network called "old"' },
    ])
    expect(await counts({ ...body, dry_run: true })).toEqual({ devices: row({ updated: 1 }) })
  })

  test('what goes along is counted, and an edit between plan and apply is refused', async () => {
    await apply({
      managed_by: 'along',
      networks: [{ name: 'al', subnet: '10.80.0.0/24' }],
      pools: [{ name: 'al', network: 'al', start_ip: '10.80.0.1', end_ip: '10.80.0.9', managed_by: 'along' }],
    })
    await apply({ reservations: [{ pool: 'al', ip_address: '10.80.0.5' }] })
    const prune = { managed_by: 'along', prune: true, allow_empty: true, networks: [] }
    const plan = await apply({ ...prune, dry_run: true })
    expect(plan).toMatchObject({ also: { delete: { reservation: 1 } }, counts: { networks: row({ deleted: 1 }) } })
    const again = await apply({ ...prune, dry_run: true })
    expect(again.fingerprint).toBe(plan.fingerprint)
    await apply({ reservations: [{ pool: 'al', ip_address: '10.80.0.5', notes: 'changed' }] })
    const late = await inv.ask('POST /api/estate/apply', { ...prune, expect: plan.fingerprint })
    expect([late.status, (late.body as { code: string }).code]).toEqual([412, 'PRECONDITION_FAILED'])
    const { fingerprint } = await apply({ ...prune, dry_run: true })
    expect(await apply({ ...prune, expect: fingerprint })).toMatchObject({ applied: true, changes_total: 2 })
  })

  test('a dry run needs to list, and tells what is lacking; an apply needs the exact permissions', async () => {
    const reader = await inv.app.as(['devices:list', 'datacenters:list'])
    const body = { devices: [{ name: 'by-reader', datacenter: 'm2' }] }
    const dry = await ask(reader, 'POST /api/estate/apply?dry_run=true', body)
    expect([dry.status, (dry.body as { lacking: string[] }).lacking]).toEqual([200, ['devices:create']])
    expect((await ask(reader, 'POST /api/estate/apply', body)).status).toBe(403)
    const named = { devices: [{ name: 'by-reader', addresses: [{ ip: '10.0.0.1', network: 'r' }] }] }
    expect((await ask(reader, 'POST /api/estate/apply?dry_run=true', named)).status).toBe(403)
    const creator = await inv.app.as(['devices:create'])
    expect((await ask(creator, 'POST /api/estate/apply', body)).status).toBe(200)
    expect((await ask(creator, 'POST /api/estate/apply', { devices: [{ name: 'by-reader', os: 'x' }] })).status).toBe(
      403,
    )
    const deleter = await inv.app.as(['devices:create', 'devices:update'])
    const prune = { managed_by: 'partly', prune: true, devices: [{ name: 'left' }] }
    expect((await ask(deleter, 'POST /api/estate/apply', prune)).status).toBe(403)
  })

  test('an apply is one change with its events, and one entry of the audit trail', async () => {
    const response = await inv.admin.request('POST', '/api/estate/apply', {
      managed_by: 'auditor',
      devices: [{ name: 'told' }, { name: 'told-2' }],
    })
    const change = response.headers.get('x-change-id') ?? ''
    const { items = [], operation } = await inv.api.history.get({ id: change })
    expect([operation, items.map(({ name }) => name)]).toEqual(['estate.apply', ['told', 'told-2']])
    const [entry] = await inv.api.audit.list({ resource: 'estate', limit: 1 })
    expect([entry?.change_id, JSON.parse(entry?.changes ?? '')]).toEqual([
      change,
      {
        managed_by: 'auditor',
        counts: { devices: row({ created: 2 }) },
        devices: [{ name: 'told' }, { name: 'told-2' }],
      },
    ])
    const body = { managed_by: 'auditor', devices: [{ name: 'told' }] }
    const same = await inv.admin.request('POST', '/api/estate/apply', body)
    expect(same.headers.get('x-change-id')).toBeNull()
  })

  test('a reservation that has expired is no error in a file', async () => {
    const reservations = [{ pool: 'r', ip_address: '10.60.0.15', expires_at: inv.inMs(60_000) }]
    expect(await counts({ reservations })).toEqual({ reservations: row({ created: 1 }) })
    inv.advance(120_000)
    expect(await counts({ reservations })).toEqual({ reservations: row({ unchanged: 1 }) })
  })

  test('twenty applies of one document at once make each object once', async () => {
    const body = { devices: [{ name: 'race-1' }, { name: 'race-2' }], datacenters: [{ name: 'race' }] }
    const all = await Promise.all(Array.from({ length: 20 }, () => inv.ask('POST /api/estate/apply', body)))
    // One runs at a time, and the others wait for half a second.
    expect(new Set(all.map(({ status }) => status)).difference(new Set([200, 429]))).toEqual(new Set())
    const names = (await inv.api.devices.list({})).map(({ name }) => name).filter((name) => name.startsWith('race'))
    expect(names.sort()).toEqual(['race-1', 'race-2'])
  })
})
