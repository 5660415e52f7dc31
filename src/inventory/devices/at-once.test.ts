// Concurrent creates of devices with addresses in the same blocks: creates that wait for each other may share a transaction.
import { describe, expect, test } from 'bun:test'
import { inventory, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'

const COUNT = 48

describe.each(engines())('devices made at once on %s', (dialect) => {
  const inv = inventory(dialect)
  const create = (name: string, ...addresses: { ip: string; pool_id?: string }[]) =>
    inv.ask('POST /api/devices', { name, addresses })

  test('are each made or refused by themselves', async () => {
    const { id: network_id } = await inv.api.networks.create({ name: 'n', subnet: '10.70.0.0/24' })
    const range = { start_ip: '10.70.0.1', end_ip: '10.70.0.200' }
    const { id: pool_id } = await inv.api.pools.create({ network_id, name: 'p', ...range })
    const answers = await Promise.all(
      Array.from({ length: COUNT }, (_, i) =>
        // Two of three request the same address, and one is outside the pool that it names.
        create(`d${i}`, { ip: `10.70.0.${i % 3 === 2 ? 201 : Math.floor(i / 3) + 1}`, pool_id }),
      ),
    )
    for (let i = 0; i < COUNT; i += 3) {
      expect([answers[i]?.status, answers[i + 1]?.status].toSorted()).toEqual([201, 409])
      expect(answers[i + 2]).toMatchObject(refusal('addresses[0].pool_id'))
    }
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => (body as { id: string }).id)
    const there = (await inv.api.devices.list({ network_id })).map(({ id }) => id)
    expect(there.toSorted()).toEqual(made.toSorted())
    expect(await inv.api.networks.utilization({ id: network_id })).toMatchObject({ used_ips: COUNT / 3 })
  })

  // Only there is each commit counted.
  if (dialect === 'postgres')
    test.each([
      ['the same block', (i: number) => [{ ip: `10.71.0.${i}` }], true],
      [
        'the same two blocks, in any order',
        (i: number) => [`10.72.${i % 2}.${i}`, `10.72.${1 - (i % 2)}.${i}`].map((ip) => ({ ip })),
        true,
      ],
      ['blocks of their own', (i: number) => [{ ip: `10.73.${i}.1` }], false],
      ['no address', () => [], false],
    ] as const)('share transactions if they are in %s', async (name, addressesOf, isShared) => {
      // Behind the timeline.
      const commits = async () => Number((await inv.app.db.revision(['devices'])).split('/').at(-1))
      const before = await commits()
      const answers = await Promise.all(Array.from({ length: COUNT }, (_, i) => create(name, ...addressesOf(i))))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
      const transactions = (await commits()) - before
      if (isShared) expect(transactions).toBeLessThan(COUNT / 2)
      else expect(transactions).toBe(COUNT)
    })
})
