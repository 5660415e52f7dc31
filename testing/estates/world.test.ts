/** The saved world has an object of each noun, on both engines, and its copies are separate. */
import { describe, expect, test } from 'bun:test'
import { INVENTORY } from '../../src/inventory/resources.ts'
import { engines } from '../servers/servers.ts'
import { worldApp, worldSuite } from './world.ts'

describe.each(engines())('a copy of the world on %s', (dialect) => {
  const world = worldSuite({ dialect })

  test('has an object of each resource', async () => {
    for (const resource of INVENTORY) {
      const rows = (await (await world.admin.request('GET', `/api/${resource}`)).json()) as unknown[]
      expect([resource, rows.length > 0]).toEqual([resource, true])
    }
    expect(Object.entries(world.ids).filter(([noun, id]) => id === '' && noun !== 'relationships')).toEqual([])
  })

  test('does not change with another copy', async () => {
    const other = await worldApp({ dialect })
    try {
      const { id } = await other.admin.api.datacenters.create({ name: 'elsewhere' })
      expect((await world.admin.request('GET', `/api/datacenters/${id}`)).status).toBe(404)
      await other.make('reservations')
    } finally {
      await other.app.close()
    }
  })
})
