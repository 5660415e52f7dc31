// The networks that the addresses of a device belong to.
import { describe, expect, test } from 'bun:test'
import { inventory, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'

describe.each(engines())('the networks of a device on %s', (dialect) => {
  const inv = inventory(dialect)
  const network = async (subnet: string, more: { space_id?: string } = {}) => {
    const { id, name } = await inv.api.networks.create({ name: `net ${subnet}`, subnet, ...more })
    return { id, name, subnet }
  }
  const shown = async (id: string, query = '') => inv.ask(`GET /api/devices/${id}?include=networks${query}`)

  test('follow from each address, also where it names none', async () => {
    const { id: space_id } = await inv.api.spaces.create({ name: 'lab' })
    const outer = await network('10.1.0.0/16')
    const inner = await network('10.1.1.0/24')
    const lab = await network('10.1.1.0/24', { space_id })
    const twins = [await network('2001:db8:1::/64'), await network('2001:db8:1::/64')]
    const { id } = await inv.api.devices.create({
      name: 'd',
      addresses: [
        { ip: '10.1.1.1' },
        { ip: '10.1.1.2', network_id: outer.id },
        { ip: '10.1.2.1' },
        { ip: '10.1.1.1', space_id },
        { ip: '2001:db8:1::1' },
        { ip: '192.0.2.1' },
      ],
    })
    const plain = await inv.ask(`GET /api/devices/${id}`)
    expect(plain.body).not.toHaveProperty('networks')
    const byId = twins.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect((await shown(id)).body).toEqual({
      ...(plain.body as object),
      networks: [
        { ip: '10.1.1.1', ...inner },
        { ip: '10.1.1.2', ...outer },
        { ip: '10.1.2.1', ...outer },
        { ip: '10.1.1.1', space_id, ...lab },
        ...byId.map((one) => ({ ip: '2001:db8:1::1', ...one })),
      ],
    })
    expect(await inv.ask(`GET /api/devices/${id}?include=pools`)).toMatchObject(refusal('include[0]'))
  })

  test('are none of a device without addresses', async () => {
    const { id } = await inv.api.devices.create({ name: 'bare' })
    expect((await shown(id)).body).toMatchObject({ name: 'bare', networks: [] })
  })

  test('of a moment are those of then', async () => {
    // The history of a database begins with its migration, by the clock of the machine.
    inv.advance(Date.parse('2100-01-01T00:00:00Z') - Date.parse(inv.now()))
    const outer = await network('10.3.0.0/16')
    const { id } = await inv.api.devices.create({ name: 'd', addresses: [{ ip: '10.3.1.1' }] })
    const at = inv.now()
    inv.advance(1000)
    const inner = await network('10.3.1.0/24')
    expect((await shown(id)).body).toMatchObject({ networks: [{ ip: '10.3.1.1', ...inner }] })
    const then = await shown(id, `&as_of=${encodeURIComponent(at)}`)
    expect(then.body).toMatchObject({ networks: [{ ip: '10.3.1.1', ...outer }] })
  })
})
