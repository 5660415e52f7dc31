// Discovered devices, many at once: deleted together, and asked for by the device that they are.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../testing/discovery.ts'
import { host } from '../../testing/servers/scripted-scanner.ts'
import { engines } from '../../testing/servers/servers.ts'

describe.each(engines())('many discovered devices on %s', (dialect) => {
  const d = discoveryApp(dialect)
  const found = async (count: number) => {
    const { id, at } = await d.network()
    await d.scan(
      id,
      Array.from({ length: count }, (_, i) => host(at(i + 1))),
    )
    return { id, at, ids: (await d.api.discovery.list({ network_id: id })).map((one) => one.id) }
  }
  const left = async (id: string) => (await d.api.discovery.list({ network_id: id })).map(({ ip }) => ip)

  describe('that are deleted together', () => {
    test('are gone, and no others', async () => {
      const { id, at, ids } = await found(4)
      await d.api.discovery.removeMany({ ids: ids.slice(0, 3) })
      expect(await left(id)).toEqual([at(4)])
    })

    test('have one event each', async () => {
      const { ids } = await found(1)
      const answer = await d.api.discovery.removeMany({ ids: ['nobody', ...ids, ...ids] })
      expect([
        answer.succeeded,
        answer.failed,
        answer.results.map(({ status, error }) => [status, error?.code]),
      ]).toEqual([
        1,
        2,
        [
          ['failed', 'NOT_FOUND'],
          ['deleted', undefined],
          ['failed', 'NOT_FOUND'],
        ],
      ])
    })

    test('are created again by the next scan', async () => {
      const { id, at, ids } = await found(1)
      await d.api.discovery.removeMany({ ids })
      const scan = await d.scan(id, [host(at(1))])
      expect((await d.api.scans.diff({ id: scan })).counts.new).toBe(1)
    })
  })

  test('are deleted with their network, also in several statements', async () => {
    const { id } = await found(230)
    await d.api.discovery.clear({ network_id: id })
    expect(await left(id)).toEqual([])
  })

  test('are listed by their documented device', async () => {
    const { at } = await found(3)
    const { id: device_id } = await d.api.devices.create({ name: 'known', addresses: [{ ip: at(2) }, { ip: at(3) }] })
    expect((await d.api.discovery.list({ network_id: '*', device_id })).map(({ ip }) => ip)).toEqual([at(2), at(3)])
  })
})
