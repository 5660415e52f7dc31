// A network moves to another subnet together with its pools and the addresses of devices, in one document.
import { describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

describe.each(onSqlite())('on %s', (dialect) => {
  const inv = inventory(dialect)
  /** @param third octet of the subnet */
  const site = (name: string, third: number, more: object = {}) => ({
    networks: [{ name, subnet: `10.70.${third}.0/24` }],
    pools: [{ name: `${name}-pool`, network: name, start_ip: `10.70.${third}.10`, end_ip: `10.70.${third}.20` }],
    devices: [
      { name: `${name}-1`, addresses: [{ ip: `10.70.${third}.11`, network: name, pool: `${name}-pool` }] },
      { name: `${name}-2`, addresses: [{ ip: `10.70.${third}.30`, network: name }] },
    ],
    ...more,
  })
  const apply = (body: object, query = '') => inv.ask(`POST /api/estate/apply${query}`, body)
  const stateOf = async (name: string) => {
    const [network] = await inv.api.networks.list({ name })
    const pools = await inv.api.pools.list({ network_id: network?.id ?? '' })
    const devices = await inv.api.networks.devices({ id: network?.id ?? '' })
    const ips = devices.flatMap(({ addresses }) => addresses.map(({ ip, pool_id }) => [ip, pool_id !== null]))
    return [network?.subnet, pools.map(({ start_ip }) => start_ip), ips]
  }
  const at = (third: number) => [
    `10.70.${third}.0/24`,
    [`10.70.${third}.10`],
    [
      [`10.70.${third}.11`, true],
      [`10.70.${third}.30`, false],
    ],
  ]

  test('all of it moves, after which nothing is left to do', async () => {
    await apply(site('a', 1))
    const before = await inv.api.networks.list({ name: 'a' })
    const plan = await apply(site('a', 2), '?dry_run=true')
    expect(plan).toMatchObject({ status: 200, body: { summary: 'changes 1 network, 1 pool and 2 devices' } })
    expect(await apply(site('a', 2))).toMatchObject({ status: 200, body: { changed: true } })
    expect(await stateOf('a')).toEqual(at(2))
    expect((await inv.api.networks.list({ name: 'a' })).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
    expect(await apply(site('a', 2))).toMatchObject({ body: { changed: false } })
  })

  test('the move is undone as a whole', async () => {
    await apply(site('b', 3))
    await apply(site('b', 4))
    const [change] = await inv.api.history.list({ limit: 1 })
    await inv.api.history.undo({ id: change?.id ?? '' })
    expect(await stateOf('b')).toEqual(at(3))
  })

  test('two networks exchange their subnets', async () => {
    await apply(site('c', 5))
    await apply(site('d', 6))
    const [one, other] = [site('c', 6), site('d', 5)]
    const both = {
      networks: [...one.networks, ...other.networks],
      pools: [...one.pools, ...other.pools],
      devices: [...one.devices, ...other.devices],
    }
    expect(await apply(both)).toMatchObject({ status: 200 })
    expect([await stateOf('c'), await stateOf('d')]).toEqual([at(6), at(5)])
  })

  test.each([
    ['a pool', { pools: [] }, 'would leave the pool "e-pool" (10.70.7.10 - 10.70.7.20) outside'],
    ['a device', { devices: [] }, 'would leave the address 10.70.7.11 of device'],
  ])('%s that stays behind is named at the row of the network', async (_, without, message) => {
    await apply(site('e', 7))
    const refused = await apply(site('e', 8, without))
    const { details } = refused.body as unknown as { details: { field: string; message: string }[] }
    expect([refused.status, details[0]?.field]).toEqual([400, 'networks[0].subnet'])
    expect(details[0]?.message).toContain(message)
    expect(await stateOf('e')).toEqual(at(7))
  })

  test('a pool that is outside in the end is refused, and nothing has moved', async () => {
    await apply(site('f', 9))
    const pools = [{ name: 'f-pool', network: 'f', start_ip: '10.70.99.10', end_ip: '10.70.99.20' }]
    for (const atomic of [true, false]) {
      const answer = await apply({ ...site('f', 10, { pools }), atomic })
      if (atomic) expect(answer.status).toBe(400)
      else expect(answer).toMatchObject({ status: 200, body: { applied: true, changed: false } })
      expect(await stateOf('f')).toEqual(at(9))
    }
  })
})
