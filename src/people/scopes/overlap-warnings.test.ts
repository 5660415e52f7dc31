// Administrators learn of networks that users with rights in a scope have created over the address space of others.
import { describe, expect, test } from 'bun:test'
import { type Person, people } from '../../../testing/estates/people.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Warning } from '../../kernel/context.ts'

const KIND = 'network_overlaps_outside_scope'

describe.each(engines())('warnings of networks over the address space of others on %s', (dialect) => {
  const all = people(dialect)

  const make = async (path: string, body: object, by: Person = all.admin): Promise<string> => {
    const answer = await by.ask(`POST /api/${path}`, body)
    expect([path, answer.status, answer.body]).toEqual([path, 201, answer.body])
    return (answer.body as { id: string }).id
  }
  const warnings = async (): Promise<Warning[]> => {
    const { status, body } = await all.admin.ask('GET /api/system/warnings')
    expect(status).toBe(200)
    return (body as Warning[]).filter(({ kind }) => kind === KIND)
  }
  const names = async () => (await warnings()).map(({ name }) => name).sort()

  test('they name the network and the user whom the history names as its maker', async () => {
    const own = await make('datacenters', { name: 'own' })
    const other = await make('datacenters', { name: 'other' })
    const scope = await make('scopes', { name: 'own', datacenter_ids: [own] })
    const bea = await all.person()
    const grant = await make('grants', { role_id: 'admin', user_id: bea.id, scope_id: scope })
    const group = await make('groups', { name: 'operators of own' })
    const dan = await all.person()
    await make('grants', { role_id: 'operator', group_id: group, scope_id: scope })
    await make(`groups/${group}/members`, { user_id: dan.id })
    const network = (name: string, subnet: string, by: Person) =>
      make('networks', { name, subnet, datacenter_id: own }, by)
    const device = (datacenter_id: string, ip: string) =>
      make('devices', { name: ip, datacenter_id, addresses: [{ ip }] })

    await network('clean', '10.1.0.0/24', bea)
    const over = await network('over a device', '10.2.0.0/24', bea)
    await network('of a group', '10.3.0.0/24', dan)
    await network('held', '10.4.0.0/24', bea)
    await network('of an administrator', '10.5.0.0/24', all.admin)
    await device(own, '10.1.0.9')
    expect(await names()).toEqual([])

    // Other callers then create objects that the rule would have refused.
    const guest = await device(other, '10.2.0.9')
    await device(other, '10.5.0.9')
    await make('networks', { name: 'inside', subnet: '10.3.0.128/25', datacenter_id: other })
    const outer = await make('networks', { name: 'outer', subnet: '10.4.0.0/16', datacenter_id: other })
    expect(await names()).toEqual(['held', 'of a group', 'over a device'])
    expect((await warnings()).find(({ id }) => id === over)).toEqual({
      kind: KIND,
      resource: 'networks',
      id: over,
      name: 'over a device',
      message: expect.stringContaining(
        `The user "${bea.username}" has created the network "over a device" (10.2.0.0/24)`,
      ),
    })
    expect(await all.admin.ask(`GET /api/networks/${over}`)).toMatchObject({ status: 200 })

    // They follow what is there, and what the user may do.
    await all.admin.ask(`DELETE /api/devices/${guest}`)
    await all.admin.ask(`DELETE /api/networks/${outer}`)
    expect(await names()).toEqual(['of a group'])
    await device(other, '10.2.0.10')
    expect(await names()).toEqual(['of a group', 'over a device'])
    await make('grants', { role_id: 'admin', user_id: bea.id })
    expect(await names()).toEqual(['of a group'])
    await all.admin.ask(`DELETE /api/grants/${grant}`)
    expect(await names()).toEqual(['of a group'])
  })

  test('a network that was deleted and restored has one warning, by the last who made it', async () => {
    const own = await make('datacenters', { name: 'own again' })
    const other = await make('datacenters', { name: 'other again' })
    const scope = await make('scopes', { name: 'own again', datacenter_ids: [own] })
    const eve = await all.person()
    await make('grants', { role_id: 'admin', user_id: eve.id, scope_id: scope })
    const body = { name: 'restored', subnet: '10.9.0.0/24', datacenter_id: own }
    const id = await make('networks', body)
    const device = { name: 'x', datacenter_id: other, addresses: [{ ip: '10.9.0.9' }] }
    for (const by of [eve, all.admin]) {
      const removal = await eve.ask(`DELETE /api/networks/${id}`)
      expect(removal.status).toBe(204)
      const undone = await by.ask(`POST /api/history/${removal.headers.get('x-change-id')}/undo`, {})
      expect(undone.status).toBe(200)
      const guest = await make('devices', device)
      expect((await names()).filter((name) => name === 'restored')).toEqual(by === eve ? ['restored'] : [])
      await all.admin.ask(`DELETE /api/devices/${guest}`)
    }
  })

  test('there are at most 100', async () => {
    const own = await make('datacenters', { name: 'own of many' })
    const other = await make('datacenters', { name: 'other of many' })
    const scope = await make('scopes', { name: 'own of many', datacenter_ids: [own] })
    const fay = await all.person()
    await make('grants', { role_id: 'admin', user_id: fay.id, scope_id: scope })
    const operations = Array.from({ length: 150 }, (_, i) => ({
      op: 'create',
      network: { name: `many ${i}`, subnet: `10.50.${i}.0/24`, datacenter_id: own },
    }))
    expect(await fay.ask('POST /api/networks/bulk', { operations })).toMatchObject({ body: { succeeded: 150 } })
    await make('networks', { name: 'around all', subnet: '10.50.0.0/16', datacenter_id: other })
    expect(await warnings()).toHaveLength(100)
  })
})
