// The devices of a network, also of the networks inside it.
import { describe, expect, test } from 'bun:test'
import { inventory, missing, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'

describe.each(engines())('the devices of a network on %s', (dialect) => {
  const inv = inventory(dialect)
  const network = (subnet: string, more: { space_id?: string } = {}) =>
    inv.api.networks.create({ name: subnet, subnet, ...more })
  const host = (name: string, ...addresses: { ip: string; space_id?: string; network_id?: string }[]) =>
    inv.api.devices.create({ name, addresses })
  const names = async (id: string, nested: boolean) =>
    (await inv.api.networks.devices({ id, nested })).map(({ name }) => name)

  test('include the devices of the networks inside it on request, each once, by name', async () => {
    const { id: space_id } = await inv.api.spaces.create({ name: 'lab' })
    const outer = await network('10.1.0.0/16')
    const twin = await network('10.1.0.0/16')
    const inner = await network('10.1.1.0/24')
    const deep = await network('10.1.1.64/26')
    await network('10.1.0.0/24', { space_id })
    await host('d', { ip: '10.1.1.65' }, { ip: '10.1.1.1' }, { ip: '10.1.9.9' })
    await host('c', { ip: '10.1.1.66' })
    await host('b', { ip: '10.1.2.1' })
    await host('a', { ip: '10.1.0.1', space_id })
    await host('named', { ip: '10.1.1.2', network_id: twin.id })
    await host('outside', { ip: '10.2.0.1' })
    expect([await names(outer.id, false), await names(outer.id, true)]).toEqual([
      ['b', 'd'],
      ['b', 'c', 'd'],
    ])
    expect(await names(twin.id, true)).toEqual(['b', 'c', 'd', 'named'])
    expect([await names(inner.id, false), await names(inner.id, true)]).toEqual([['d'], ['c', 'd']])
    expect(await names(deep.id, true)).toEqual(['c', 'd'])
    const page = await inv.ask(`GET /api/networks/${outer.id}/devices?nested=true&limit=1&offset=1`)
    expect(page).toMatchObject({ status: 200, total: '3', body: [{ name: 'c' }] })
  })

  test('are another list after a network is made or deleted inside it', async () => {
    const outer = await network('10.3.0.0/16')
    await host('x', { ip: '10.3.1.1' })
    const list = () => inv.ask(`GET /api/networks/${outer.id}/devices?nested=true`)
    const before = await list()
    const inner = await network('10.3.1.0/24')
    expect(await names(outer.id, false)).toEqual([])
    expect((await list()).body).toEqual(before.body)
    await inv.api.networks.update({ id: outer.id, subnet: '10.3.0.0/24' })
    const after = await list()
    expect([after.body, after.total]).toEqual([[], '0'])
    expect(after.etag).not.toBe(before.etag)
    expect(await names(inner.id, true)).toEqual(['x'])
  })

  test('need a network, and a boolean', async () => {
    expect(await inv.ask('GET /api/networks/none/devices?nested=true')).toMatchObject(missing)
    const { id } = await network('10.4.0.0/16')
    expect(await inv.ask(`GET /api/networks/${id}/devices?nested=maybe`)).toMatchObject(refusal('nested'))
  })

  test('of a moment are the devices of then', async () => {
    // The history of a database begins with its migration, by the clock of the machine.
    inv.advance(Date.parse('2100-01-01T00:00:00Z') - Date.parse(inv.now()))
    const outer = await network('10.5.0.0/16')
    const inner = await network('10.5.1.0/24')
    const { id } = await host('then', { ip: '10.5.1.1' })
    const at = inv.now()
    inv.advance(1000)
    await inv.api.devices.delete({ id })
    await inv.api.networks.delete({ id: inner.id })
    const path = `GET /api/networks/${outer.id}/devices?nested=true`
    expect((await inv.ask(path)).body).toEqual([])
    expect((await inv.ask(`${path}&as_of=${encodeURIComponent(at)}`)).body).toMatchObject([{ name: 'then' }])
  })
})
