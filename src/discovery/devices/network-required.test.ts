// Discovered devices are listed of one network, or of all networks where the caller asks for them with `*`.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { callTool } from '../../../testing/mcp.ts'
import { memoryIo } from '../../../testing/memory-io.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { runCli } from '../../app/cli.ts'

describe.each(onSqlite())('the list of discovered devices on %s', (dialect) => {
  const d = discoveryApp(dialect)
  const cli = async (...argv: string[]) => {
    const env = { PLAT_URL: 'http://plat.test', PLAT_TOKEN: d.admin.key }
    const { io, out } = memoryIo({ argv, env, fetch: (target, init) => d.app.fetch(new Request(target, init)) })
    return { code: await runCli(io), out: out() }
  }
  const twoNetworks = async () => {
    const [one, two] = [await d.network(), await d.network()]
    await d.scan(one.id, [host(one.at(1))])
    await d.scan(two.id, [host(two.at(1))])
    return { one, two, ips: [one.at(1), two.at(1)] }
  }

  test.each(['', '?network_id=', '?status=up', '?device_id=x'])(
    'with %p is refused, and names the field',
    async (query) => {
      expect(await d.ask(`GET /api/discovery/devices${query}`)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_ERROR', details: [{ field: 'network_id' }] },
      })
    },
  )

  test.each(['*', '%2A'])('the list with %p has the devices of every network', async (all) => {
    const { ips } = await twoNetworks()
    const { body } = await d.ask(`GET /api/discovery/devices?network_id=${all}`)
    expect((body as { ip: string }[]).map(({ ip }) => ip)).toEqual(expect.arrayContaining(ips))
  })

  test('with a network holds no others', async () => {
    const { one, ips } = await twoNetworks()
    expect((await d.api.discovery.list({ network_id: one.id })).map(({ ip }) => ip)).toEqual(ips.slice(0, 1))
  })

  test('with * does not open the deletion of all', async () => {
    const { ips } = await twoNetworks()
    await d.ask('DELETE /api/discovery/devices?network_id=*')
    expect((await d.api.discovery.list({ network_id: '*' })).map(({ ip }) => ip)).toEqual(expect.arrayContaining(ips))
  })

  test.each([[[]], [['--network', '*']]])(
    'the list on the command line with %p has the devices of every network',
    async (flags) => {
      const { ips } = await twoNetworks()
      const { code, out } = await cli('discovery', 'list', ...flags, '-o', 'json')
      expect([code, (JSON.parse(out) as { ip: string }[]).map(({ ip }) => ip)]).toEqual([
        0,
        expect.arrayContaining(ips),
      ])
    },
  )

  test('on the command line takes the name of a network', async () => {
    const { one } = await twoNetworks()
    const { name } = await d.api.networks.get({ id: one.id })
    const { out } = await cli('discovery', 'list', '--network', name, '-o', 'json')
    expect((JSON.parse(out) as { ip: string }[]).map(({ ip }) => ip)).toEqual([one.at(1)])
  })

  test('as a tool needs the network, or *', async () => {
    const { ips } = await twoNetworks()
    const peer = { fetch: d.app.fetch, key: d.admin.key }
    expect(await callTool(peer, 'discovery_list', {})).toMatchObject({
      isError: true,
      value: { code: 'VALIDATION_ERROR', details: [{ field: 'network_id' }] },
    })
    const { value } = await callTool(peer, 'discovery_list', { network_id: '*', fields: ['ip'], limit: 1000 })
    expect(JSON.stringify(value.items)).toContain(`"${ips[1]}"`)
  })
})
