// Applies estate documents: matching of rows with objects, changes, and refusals.
import { describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const DOCUMENT = {
  relationships: [{ parent: 'ams-web-1', child: 'AMS-DB-1', type: 'depends_on', notes: 'sql' }],
  reservations: [{ pool: 'web', ip_address: '10.40.1.30', purpose: 'migration' }],
  devices: [
    {
      name: 'ams-web-1',
      datacenter: 'amsterdam',
      refs: { servicenow: 'CI0012' },
      addresses: [{ ip: '10.40.1.21', network: '10.40.1.9/24', pool: 'web' }],
    },
    { name: 'ams-db-1', datacenter: { ref: 'netbox:dcim.site.1' } },
  ],
  pools: [{ name: 'web', network: 'ams-web', start_ip: '10.40.1.20', end_ip: '10.40.1.99' }],
  networks: [{ name: 'ams-web', subnet: '10.40.1.7/24', vlan_id: 401, datacenter: ' Amsterdam ' }],
  datacenters: [{ name: 'Amsterdam', refs: { netbox: 'dcim.site.1' } }],
}

describe.each(onSqlite())('on %s', (dialect) => {
  const inv = inventory(dialect)

  test('a dry run tells the plan and changes nothing', async () => {
    const plan = await inv.api.estate.apply({ ...DOCUMENT, dry_run: true })
    expect(plan).toMatchObject({ applied: false, changed: true, changes_total: 7, lacking: [], errors: [] })
    expect(plan.counts.devices).toEqual({ created: 2, updated: 0, unchanged: 0, deleted: 0, failed: 0 })
    expect(plan.changes.map(({ id }) => id)).toEqual(Array(7).fill(undefined))
    expect(await inv.api.devices.list({})).toEqual([])
  })

  test('a plan names a device type by its manufacturer and model, and a cable by its ends', async () => {
    const plan = await inv.api.estate.apply({
      'device-types': [{ manufacturer: 'Acme', model: 'S48' }],
      devices: [{ name: 'one' }, { name: 'two', refs: { x: '2' } }],
      cables: [{ a: { device: 'one', port: 'e1' }, b: { device: { ref: 'x:2' }, port: 'e2' } }],
      dry_run: true,
    })
    expect(plan.changes.map(({ name }) => name)).toEqual(['Acme S48', 'one', 'two', 'one e1 - e2'])
  })

  test('has a limit of rows, and another one of ports and cables', async () => {
    const rows = (count: number) => Array.from({ length: count }, () => 1)
    expect(await inv.ask('POST /api/estate/apply', { devices: rows(100_001) })).toMatchObject({
      status: 400,
      body: { error: 'body: has 100001 rows; there may be 100000' },
    })
    expect(await inv.ask('POST /api/estate/apply', { ports: rows(200_000), cables: [1] })).toMatchObject({
      status: 400,
      body: { error: 'body: has 200001 ports and cables; there may be 200000' },
    })
  })

  test('an apply does it, and a second one nothing', async () => {
    const { fingerprint } = await inv.api.estate.apply({ ...DOCUMENT, dry_run: true })
    const made = await inv.api.estate.apply({ ...DOCUMENT, expect: fingerprint })
    expect(made).toMatchObject({ applied: true, changed: true, fingerprint })
    const [web] = (await inv.api.devices.list({})).filter(({ name }) => name === 'ams-web-1')
    const [network] = await inv.api.networks.list({})
    expect(web).toMatchObject({ refs: { servicenow: 'CI0012' }, addresses: [{ network_id: network?.id }] })
    expect(network?.subnet).toBe('10.40.1.0/24')
    expect(await inv.api.estate.apply(DOCUMENT)).toMatchObject({ changed: false, changes: [] })
    expect(await inv.api.estate.apply({ ...DOCUMENT, dry_run: true })).toMatchObject({ changed: false, changes: [] })
  })

  describe('a client that accepts JSON lines gets', () => {
    const lines = async (body: object, query = '') => {
      const response = await inv.app.fetch(
        new Request(`http://plat.test/api/estate/apply${query}`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${inv.admin.key}`,
            'Content-Type': 'application/json',
            Accept: 'application/x-ndjson, application/json',
          },
          body: JSON.stringify(body),
        }),
      )
      const text = await response.text()
      const all = text
        .trimEnd()
        .split('\n')
        .map((line): Record<string, unknown> => JSON.parse(line))
      return { status: response.status, type: response.headers.get('content-type'), all, last: all.at(-1) }
    }

    test('its progress, the result, and the id of the change', async () => {
      const rows = Array.from({ length: 2000 }, (_, n) => ({ name: `line-${n}` }))
      const { status, type, all, last } = await lines({ devices: rows })
      expect([status, type]).toEqual([200, 'application/x-ndjson'])
      expect(last).toEqual({
        result: expect.objectContaining({ applied: true, changes_total: 2000 }),
        change_id: expect.any(String),
      })
      expect((await inv.api.history.list({})).map(({ id }) => id)).toContain(String(last?.change_id))
      const done = all.slice(0, -1).map(({ progress }) => progress as { done: number; total: number })
      expect(done.length).toBeGreaterThan(0)
      expect(done.map((one) => one.done)).toEqual(done.map((one) => one.done).toSorted((a, b) => a - b))
      expect(done.at(-1)?.total).toBe(4000)
    })

    test('a dry run without a change', async () => {
      const { last } = await lines({ datacenters: [{ name: 'dry' }] }, '?dry_run=true')
      expect(last).toEqual({ result: expect.objectContaining({ applied: false, changed: true }) })
      expect((await inv.api.datacenters.list({})).map(({ name }) => name)).not.toContain('dry')
    })

    test('the error of a bad row as the last line', async () => {
      const { status, last } = await lines({ devices: [{ name: '' }] })
      expect(status).toBe(200)
      expect(last).toEqual({
        error: expect.objectContaining({
          code: 'VALIDATION_ERROR',
          details: [expect.objectContaining({ field: 'devices[0].name' })],
        }),
      })
    })

    test('nothing applied if it leaves', async () => {
      const devices = Array.from({ length: 3000 }, (_, n) => ({ name: `left-${n}` }))
      const response = await inv.app.fetch(
        new Request('http://plat.test/api/estate/apply', {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${inv.admin.key}`,
            'Content-Type': 'application/json',
            Accept: 'application/x-ndjson',
          },
          body: JSON.stringify({ devices }),
        }),
      )
      const reader = response.body?.getReader()
      await reader?.read()
      await reader?.cancel()
      // Waits for the turn of applies, after the one that ends.
      await inv.api.estate.apply({ datacenters: [{ name: 'after' }] })
      expect((await inv.api.devices.list({})).filter(({ name }) => name.startsWith('left-'))).toEqual([])
    })

    test('the status of an error that is known before the work', async () => {
      const { status, last } = await lines([])
      expect([status, last?.code]).toEqual([400, 'INVALID_JSON'])
    })
  })
})
