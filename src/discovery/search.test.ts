// Discovered devices in the search over everything.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../testing/discovery.ts'
import { host } from '../../testing/servers/scripted-scanner.ts'
import { engines } from '../../testing/servers/servers.ts'

const MAC = '00:1b:21:00:00:0a'

describe.each(engines())('a search on %s', (dialect) => {
  const d = discoveryApp(dialect)
  const find = async (q: string) =>
    (await d.api.search.all({ q })).results.flatMap(({ type, name, match }) =>
      type === 'discovered_device' ? [`${name}: ${match}`] : [],
    )

  test('finds discovered devices by name, address, MAC and vendor', async () => {
    const { id, at, subnet } = await d.network()
    const names = [{ name: 'printer-7', source: 'mdns' as const }]
    await d.scan(id, [host(at(3), { mac: MAC, vendor: 'Lexmark', names }), host(at(4), { mac: MAC })])
    expect([
      await find('PRINTER'),
      await find(at(4)),
      await find(subnet),
      await find(MAC),
      await find('lexmark 7'),
    ]).toEqual([
      ['printer-7: printer-7'],
      [`printer-7: ${at(4)}`],
      [`printer-7: ${at(3)}`],
      [`printer-7: ${MAC}`],
      ['printer-7: Lexmark'],
    ])
  })

  test('finds a documented one as a device only', async () => {
    const { id, at } = await d.network()
    await d.scan(id, [host(at(3), { names: [{ name: 'scanner-9', source: 'mdns' }] })])
    const [found] = await d.api.discovery.list({ network_id: id })
    await d.api.discovery.promote({ id: found?.id ?? '', name: 'scanner-9' })
    expect((await d.api.search.all({ q: 'scanner-9' })).results.map(({ type }) => type)).toEqual(['device'])
  })
})
