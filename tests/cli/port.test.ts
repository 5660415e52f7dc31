/** Ports and cables on the command line, against a real server, in process: names in place of ids, also inside of an end. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { runCommand } from '../../testing/run-command.ts'

describe('plat port and plat cable', () => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp()
    admin = await app.as('admin')
    for (const name of ['sw1', 'web-1']) await admin.api.devices.create({ name })
  })
  afterAll(() => app.close())

  const run = (...argv: readonly string[]) => runCommand({ app, key: admin.key }, { argv })

  test('make a port and a cable by the names of devices, and show the path', async () => {
    expect(await run('port', 'create', 'sw1', 'Gi0/1', '--type', '1000base-t')).toMatchObject({ code: 0 })
    const ends = ['--a', 'device=sw1,port=Gi0/1', '--b', 'device=web-1,port=eth0']
    expect(await run('cable', 'create', ...ends, '--label', 'A-1')).toMatchObject({ code: 0 })
    const [port] = await admin.api.ports.list({})
    const trace = await run('port', 'trace', port?.id ?? '', '--output', 'json')
    expect(JSON.parse(trace.out)).toMatchObject({
      hops: [{ from: { device: 'sw1' }, to: { device: 'web-1', port: 'eth0' } }],
    })
    const paths = await run('device', 'paths', 'sw1', '--output', 'json')
    expect(JSON.parse(paths.out)).toMatchObject([{ port: 'Gi0/1' }])
    const listed = await run('device', 'ports', 'web-1', '--include', 'peers', '--output', 'json')
    expect(JSON.parse(listed.out)).toMatchObject([{ name: 'eth0', peers: [{ device: 'sw1', port: 'Gi0/1' }] }])
    expect((await run('cable', 'list', '--device', 'sw1')).out).toContain('A-1')
  })

  test('show paths as tables with a row for each hop', async () => {
    const devices = await admin.api.devices.list({})
    const idOf = (wanted: string) => devices.find(({ name }) => name === wanted)?.id ?? ''
    const panel = await admin.api.devices.create({ name: 'panel' })
    const { id: port_id } = await admin.api.ports.create({ device_id: panel.id, name: '7', pass_through: true })
    const [lone, [other]] = [
      await admin.api.ports.create({ device_id: idOf('sw1'), name: 'Gi0/9' }),
      await admin.api.cables.list({}),
    ]
    await admin.api.cables.delete({ id: other?.id ?? '' })
    expect((await run('device', 'paths', 'sw1')).out.split('\n').length).toBe(2)
    await admin.api.cables.create({
      ...{ a: { device_id: idOf('sw1'), port: 'Gi0/1' }, b: { port_id }, label: 'A-1', type: 'cat6', length_m: 2 },
    })
    await admin.api.cables.create({
      ...{ a: { device_id: idOf('web-1'), port: 'eth0' }, b: { port_id, side: 'rear' }, status: 'planned' },
    })
    const hops = [
      'sw1 Gi0/1     A-1    cat6  connected  2         panel 7',
      'panel 7 rear  -      -     planned    -         web-1 eth0',
    ]
    const head = 'FROM          CABLE  TYPE  STATUS     LENGTH_M  TO'
    const [first] = await admin.api.ports.list({ device_id: lone.device_id })
    expect((await run('port', 'trace', first?.id ?? '')).out).toBe(
      `ends:     sw1 Gi0/1, web-1 eth0\nlength_m: 2\nis_loop:  false\n\nhops:\n${[head, ...hops].join('\n')}\n`,
    )
    expect((await run('port', 'trace', lone.id)).out).toBe(
      'ends:     sw1 Gi0/9\nlength_m: -\nis_loop:  false\nhops:     -\n',
    )
    expect((await run('device', 'paths', 'sw1')).out).toBe(
      `PORT   HOP  ${head}\nGi0/1  1    ${hops[0]}\nGi0/1  2    ${hops[1]}\n`,
    )
    expect((await run('device', 'ports', 'panel', '--include', 'peers', '--no-headers')).out).toContain(
      'sw1 Gi0/1, web-1 eth0',
    )
    expect(JSON.parse((await run('device', 'paths', 'sw1', '-o', 'json')).out)).toMatchObject([{ length_m: 2 }])
  })

  test('say which end is bad', async () => {
    const taken = await run('cable', 'create', '--a', 'device=sw1,port=gi0/1', '--b', 'device=web-1,port=eth1')
    expect([taken.code, taken.err]).toEqual([2, expect.stringContaining('a: Gi0/1 has a cable already')])
    const unknown = await run('cable', 'create', '--a', 'device=none,port=x', '--b', 'device=web-1,port=eth1')
    expect([unknown.code, unknown.err]).toEqual([4, expect.stringContaining('none')])
  })

  test('read a cable, and write it back as it was read', async () => {
    const [cable] = await admin.api.cables.list({})
    const body = JSON.stringify({ ...cable, color: 'blue' })
    const argv = ['cable', 'update', cable?.id ?? '', '--input', '-']
    expect(await runCommand({ app, key: admin.key }, { argv, stdin: body })).toMatchObject({ code: 0 })
    expect((await admin.api.cables.list({}))[0]?.color).toBe('blue')
  })
})
