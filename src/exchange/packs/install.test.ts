// Packs on a server: installation, rows of users, removal, undo, dry run and permissions.
import { describe, expect, test } from 'bun:test'
import { testApp } from '../../../testing/app/app.ts'
import { failure, inventory, missing } from '../../../testing/estates/inventory.ts'
import { engines, onSqlite } from '../../../testing/servers/servers.ts'
import { PACK_NAMES } from './names.ts'

type Inventory = ReturnType<typeof inventory>
type Row = Readonly<Record<string, unknown>>
type Shown = {
  readonly name: string
  readonly installed: number | null
  readonly kinds: string[]
  readonly objects: number
}

/** Returns the kinds and fields, without times. */
const readDefinitions = async ({ ask }: Inventory): Promise<Row[]> => {
  const lists = [await ask('GET /api/kinds'), await ask('GET /api/custom-fields')]
  return lists.flatMap(({ body }) =>
    (body as Row[]).map(({ created_at: _, updated_at: __, id, ...row }) =>
      row.resource === undefined ? { id, ...row } : row,
    ),
  )
}

describe.each(engines())('a pack on %s', (dialect) => {
  const inv = inventory(dialect, { AUDIT_ENABLED: 'true' })
  const install = (name: string, query = '') => inv.ask(`POST /api/packs/${name}/install${query}`)
  const uninstall = (name: string, query = '') => inv.ask(`DELETE /api/packs/${name}${query}`)
  const show = async (name: string) => (await inv.ask(`GET /api/packs/${name}`)).body as Shown

  test('is installed with its owner, in one change, once', async () => {
    expect(await inv.ask('GET /api/packs/none')).toMatchObject(missing)
    expect(await install('none')).toMatchObject(missing)
    const first = await install('circuits', '?dry_run=true')
    expect(first.status).toBe(200)
    expect(await inv.api.kinds.list({})).toEqual([])
    const made = await inv.ask('POST /api/packs/circuits/install', undefined, { 'X-Change-Note': 'for lines' })
    expect(made).toMatchObject({
      status: 200,
      body: { name: 'circuits', version: 1, from: null, created: 27, kept: [] },
    })
    expect(new Set((await readDefinitions(inv)).map(({ managed_by }) => managed_by))).toEqual(
      new Set(['pack/circuits@1']),
    )
    const before = await readDefinitions(inv)
    expect((await install('circuits')).body).toMatchObject({
      from: 1,
      version: 1,
      created: 0,
      updated: 0,
      removed: 0,
      kept: [],
    })
    expect(await readDefinitions(inv)).toEqual(before)
    const [change] = await inv.api.history.list({ limit: 1 })
    expect(change).toMatchObject({ operation: 'packs.install', note: 'for lines' })
    const entries = (await inv.ask('GET /api/audit?resource=pack')).body as Row[]
    expect(entries.map(({ action, resource, resource_id }) => [action, resource, resource_id])).toContainEqual([
      'update',
      'pack',
      'circuits',
    ])
  })

  test('is listed with what it has, and what is installed', async () => {
    await inv.api.objects.create({ kind_id: 'providers', name: 'Carrier' })
    const { body } = await inv.ask('GET /api/packs')
    expect((body as Shown[]).map(({ name }) => name)).toEqual([...PACK_NAMES])
    expect(await show('circuits')).toMatchObject({
      installed: 1,
      version: 1,
      kinds: ['providers', 'provider-networks', 'circuits'],
      fields: 24,
      objects: 1,
    })
    expect(await show('tenancy')).toMatchObject({ installed: null, objects: 0 })
  })

  test('stays while it is used, and goes without a trace', async () => {
    const [carrier] = await inv.api.objects.list({})
    const used = await uninstall('circuits')
    expect(used).toMatchObject(failure(409, 'IN_USE'))
    expect(used.body).toMatchObject({ error: 'The pack "circuits" is in use: the kind "Providers" has 1 object' })
    await inv.api.objects.delete({ id: carrier?.id ?? '' })
    const own = await inv.api.customFields.create({
      resource: 'devices',
      name: 'carrier',
      type: 'reference',
      reference_to: 'providers',
    })
    expect((await uninstall('circuits')).body).toMatchObject({
      error: 'The pack "circuits" is in use: the custom field devices.carrier refers to the kind providers',
    })
    await inv.api.customFields.delete({ id: own.id })
    expect((await uninstall('circuits', '?dry_run=true')).status).toBe(200)
    const before = await readDefinitions(inv)
    expect((await uninstall('circuits')).status).toBe(204)
    expect(await readDefinitions(inv)).toEqual([])
    expect(await uninstall('circuits')).toMatchObject(missing)
    const [change] = await inv.api.history.list({ limit: 1 })
    expect((await inv.ask(`POST /api/history/${change?.id}/undo`)).status).toBe(200)
    expect(await readDefinitions(inv)).toEqual(before)
  })

  test('is made once by two calls at once, and taken away by one', async () => {
    await uninstall('circuits')
    const made = await Promise.all([install('circuits'), install('circuits')])
    const counts = made.map(({ body }) => (body as { created: number }).created)
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, 27])
    const gone = await Promise.all([uninstall('circuits'), uninstall('circuits')])
    expect(gone.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 404])
    await install('circuits')
    const [change] = await inv.api.history.list({ limit: 1 })
    expect((await inv.ask(`POST /api/history/${change?.id}/undo`)).status).toBe(200)
    expect(await readDefinitions(inv)).toEqual([])
  })

  test('leaves out fields of kinds that are not there, and makes them with the pack that has the kinds', async () => {
    await uninstall('circuits')
    await install('tenancy')
    const resources = async () =>
      (await inv.api.customFields.list({})).filter(({ name }) => name === 'tenant').map(({ resource }) => resource)
    expect(await resources()).not.toContain('circuits')
    const { body } = await install('circuits')
    expect(body).toMatchObject({ created: 28 })
    expect(await resources()).toContain('circuits')
    const [tenant] = (await inv.api.customFields.list({ resource: 'circuits' })).filter(({ name }) => name === 'tenant')
    expect(tenant?.managed_by).toBe('pack/tenancy@1')
    expect((await uninstall('circuits')).status).toBe(204)
    expect((await show('tenancy')).installed).toBe(1)
  })
})

describe.each(onSqlite())('rows of users on %s', (dialect) => {
  const inv = inventory(dialect)
  const install = (name: string) => inv.ask(`POST /api/packs/${name}/install`)

  test('stay theirs, and are named', async () => {
    await inv.api.kinds.create({ name: 'Providers', icon: 'star' })
    await inv.api.customFields.create({ resource: 'providers', name: 'account', type: 'text', label: 'Number' })
    const { status, body } = await install('circuits')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      created: 25,
      kept: [
        { resource: 'kinds', name: 'providers', field: null },
        { resource: 'custom-fields', name: 'providers.account', field: null },
      ],
    })
    expect(await inv.api.kinds.get({ id: 'providers' })).toMatchObject({ icon: 'star', managed_by: '' })
    expect((await inv.ask('DELETE /api/packs/circuits')).status).toBe(204)
    const left = await readDefinitions(inv)
    expect(left.map(({ id, name }) => id ?? name)).toEqual(['providers', 'account'])
  })

  test('with values of another meaning exclude the pack', async () => {
    const before = await readDefinitions(inv)
    const { id } = await inv.api.customFields.create({ resource: 'providers', name: 'portal', type: 'text' })
    const refused = await install('circuits')
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'ALREADY_EXISTS',
        error: 'A custom field "portal" of providers exists already, with another type',
        details: [{ field: 'providers.portal' }],
      },
    })
    await inv.api.customFields.delete({ id })
    expect(await readDefinitions(inv)).toEqual(before)
  })

  test('count as values that keep a pack', async () => {
    await install('virtualization')
    const cluster = await inv.api.objects.create({ kind_id: 'clusters', name: 'c' })
    await inv.api.devices.create({ name: 'vm', custom: { cluster: cluster.id } })
    expect((await inv.ask('DELETE /api/packs/virtualization')).body).toMatchObject({
      code: 'IN_USE',
      error:
        'The pack "virtualization" is in use: the kind "Clusters" has 1 object; the custom field devices.cluster has a value in 1 object',
    })
  })

  test('are changed by those alone who may define kinds', async () => {
    const viewer = await inv.app.as('viewer')
    expect((await viewer.request('GET', '/api/packs')).status).toBe(200)
    const operator = await inv.app.as('operator')
    expect((await operator.request('POST', '/api/packs/nat/install')).status).toBe(403)
    expect((await operator.request('DELETE', '/api/packs/virtualization')).status).toBe(403)
  })
})

describe.each(engines())('a document with packs on %s', (dialect) => {
  const inv = inventory(dialect)
  const document = {
    packs: ['circuits', 'tenancy'],
    objects: [
      { kind: 'circuits', name: 'CID-1', custom: { provider: 'Carrier', tenant: 'Acme' } },
      { kind: 'providers', name: 'Carrier' },
      { kind: 'tenants', name: 'Acme' },
    ],
    devices: [{ name: 'a', custom: { tenant: 'Acme' } }],
  }
  const own = { managed_by: 'git', prune: true }
  const apply = (more: object = {}) => inv.ask('POST /api/estate/apply', { ...document, ...own, ...more })

  test('installs them before its rows, with their own owner, in one change', async () => {
    expect(await inv.ask('POST /api/estate/apply', { packs: ['circuit'] })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'packs[0]' }] },
    })
    const plan = (await apply({ dry_run: true })).body as { fingerprint: string }
    expect(plan).toMatchObject({
      applied: false,
      changed: true,
      lacking: [],
      counts: {
        kinds: { created: 4 },
        'custom-fields': { created: 34 },
        objects: { created: 3 },
        devices: { created: 1 },
      },
    })
    expect(await inv.api.kinds.list({})).toEqual([])
    expect(await apply({ expect: plan.fingerprint })).toMatchObject({ status: 200, body: { applied: true } })
    expect((await inv.api.kinds.list({})).map(({ id, managed_by }) => [id, managed_by])).toEqual([
      ['providers', 'pack/circuits@1'],
      ['provider-networks', 'pack/circuits@1'],
      ['circuits', 'pack/circuits@1'],
      ['tenants', 'pack/tenancy@1'],
    ])
    const [circuit] = await inv.api.objects.list({ kind_id: 'circuits' })
    expect(circuit).toMatchObject({ managed_by: 'git' })
    expect(Object.keys(circuit?.custom ?? {})).toEqual(['provider', 'tenant'])
  })

  test('changes nothing the second time', async () => {
    expect((await apply()).body).toMatchObject({ changed: false, changes: [], extra: {} })
    expect((await apply({ dry_run: true })).body).toMatchObject({ changed: false })
  })

  test('is undone with the packs', async () => {
    const [change] = await inv.api.history.list({ limit: 1 })
    expect((await inv.ask(`POST /api/history/${change?.id}/undo`)).status).toBe(200)
    expect(await readDefinitions(inv)).toEqual([])
    expect(await inv.api.objects.list({})).toEqual([])
  })

  test('needs the permissions of the packs', async () => {
    const viewer = await inv.app.as('viewer')
    const dry = await viewer.request('POST', '/api/estate/apply?dry_run=true', document)
    expect([dry.status, await dry.json()]).toMatchObject([
      200,
      { lacking: ['custom-fields:create', 'devices:create', 'kinds:create', 'objects:create'], also: null },
    ])
    const operator = await inv.app.as('operator')
    expect((await operator.request('POST', '/api/estate/apply', document)).status).toBe(403)
    expect(await readDefinitions(inv)).toEqual([])
  })

  test('is exported with what the packs have brought, and makes the same server', async () => {
    await apply()
    const exported = await (await inv.admin.request('GET', '/api/estate/export')).text()
    const other = await testApp({ dialect })
    try {
      const admin = await other.as('admin')
      const copied = await admin.request('POST', '/api/estate/apply', JSON.parse(exported) as object)
      expect(copied.status).toBe(200)
      expect(await (await admin.request('GET', '/api/estate/export')).text()).toBe(exported)
      const shown = (await (await admin.request('GET', '/api/packs/circuits')).json()) as Shown
      expect(shown.installed).toBe(1)
    } finally {
      await other.close()
    }
  })
})
