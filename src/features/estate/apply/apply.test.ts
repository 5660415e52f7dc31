// Applies estate documents: matching of rows with objects, changes, and refusals.
import { describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/inventory.ts'
import { dialects } from '../../../testing/servers.ts'

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

describe.each(dialects())('on %s', (dialect) => {
  const inv = inventory(dialect)

  test('a dry run tells the plan and changes nothing', async () => {
    const plan = await inv.api.estate.apply({ ...DOCUMENT, dry_run: true })
    expect(plan).toMatchObject({ applied: false, changed: true, changes_total: 7, lacking: [], errors: [] })
    expect(plan.counts.devices).toEqual({ created: 2, updated: 0, unchanged: 0, deleted: 0, failed: 0 })
    expect(plan.changes.map(({ id }) => id)).toEqual(Array(7).fill(undefined))
    expect(await inv.api.devices.list({})).toEqual([])
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
})
