// The import finds networks and devices by their names.
import { describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { ImportResult } from './api.ts'

describe.each(onSqlite())('an import on %s', (dialect) => {
  const inv = inventory(dialect)
  const load = async (resource: string, rows: readonly object[]): Promise<ImportResult> => {
    // An update is known by its time.
    inv.advance(1000)
    const response = await inv.admin.request('POST', `/api/estate/import?resource=${resource}`, rows)
    const last = (await response.text()).trimEnd().split('\n').at(-1) ?? ''
    return (JSON.parse(last) as { result: ImportResult }).result
  }

  test('compares subnets without their host bits', async () => {
    const rows = (subnet: string, vlan_id: number) => [{ name: 'lan', subnet, vlan_id }]
    expect(await load('networks', rows('10.0.0.0/24', 1))).toMatchObject({ created: 1 })
    expect(await load('networks', rows('10.0.0.5/24', 2))).toMatchObject({ created: 0, updated: 1 })
    expect(await load('networks', [{ name: 'six', subnet: '2001:DB8::1/64' }])).toMatchObject({ created: 1 })
    expect(await load('networks', [{ name: 'six', subnet: '2001:db8:0::/64' }])).toMatchObject({ unchanged: 1 })
    expect((await inv.api.networks.list({})).map(({ subnet, vlan_id }) => [subnet, vlan_id])).toEqual([
      ['10.0.0.0/24', 2],
      ['2001:db8::/64', null],
    ])
  })

  test('refuses a name that several devices have, on the name', async () => {
    await inv.api.devices.create({ id: 'first', name: 'twin' })
    await inv.api.devices.create({ id: 'second', name: 'Twin' })
    const { failed, errors } = await load('devices', [{ name: 'twin', os: 'x' }, { name: 'single' }])
    const message = 'is the name of several devices; give the id'
    expect([failed, errors[0]?.details]).toEqual([1, [{ field: 'name', message }]])
    expect(await load('devices', [{ id: 'second', name: 'twin', os: 'x' }])).toMatchObject({ updated: 1 })
    expect((await inv.api.devices.get({ id: 'first' })).os).toBe('')
  })
})
