/** `plat network tree` and the commands that plan subnets, against a real server, in process. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { runCommand } from '../../testing/run-command.ts'

describe('plat network', () => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp()
    admin = await app.as('admin')
    await admin.api.networks.create({ name: 'corp', subnet: '10.0.0.0/8' })
    const { id: network_id } = await admin.api.networks.create({ name: 'campus', subnet: '10.1.0.0/22', vlan_id: 12 })
    await admin.api.networks.create({ name: 'e\u001b[2Jvil', subnet: '10.1.1.0/24' })
    await admin.api.pools.create({ network_id, name: 'dhcp', start_ip: '10.1.0.10', end_ip: '10.1.0.20' })
    await admin.api.devices.create({ name: 'web', addresses: [{ ip: '10.1.1.7' }, { ip: '10.1.0.1' }] })
  })
  afterAll(() => app.close())

  const run = (...argv: readonly string[]) => runCommand({ app, key: admin.key }, { argv: ['network', ...argv] })

  test('tree draws the networks around and in a network with the free blocks', async () => {
    expect((await run('tree', 'campus')).out).toBe(
      [
        '10.0.0.0/8         corp',
        '└─ 10.1.0.0/22     campus  VLAN 12',
        '   ├─ 10.1.0.0/24  free: 256 addresses  1 used  in pool dhcp',
        '   ├─ 10.1.1.0/24  e\\x1b[2Jvil  1 address used (0.39 %)',
        '   └─ 10.1.2.0/23  free: 512 addresses',
        '',
      ].join('\n'),
    )
  })

  test('next-subnet, allocate, split and merge take names', async () => {
    expect((await run('next-subnet', 'campus', '--prefix-length', '24')).out).toContain('10.1.2.0/24')
    expect((await run('next-subnet', 'campus', '--prefix-length', '24', '-q')).out).toBe('10.1.2.0/24\n')
    const allocated = await run('allocate', 'campus', '--prefix-length', '24', '--name', 'new', '-o', 'json')
    expect(JSON.parse(allocated.out)).toMatchObject({ networks: [{ name: 'new', subnet: '10.1.2.0/24' }] })
    expect((await run('split', 'new', '--prefix-length', '25', '-q')).code).toBe(0)
    const merged = await run('merge', '--network', 'new 1', '--network', 'new 2', '--name', 'again', '-o', 'json')
    expect(JSON.parse(merged.out)).toMatchObject({ network: { name: 'again', subnet: '10.1.2.0/24' } })
    expect((await run('tree', 'none')).code).not.toBe(0)
  })

  test('next-ip, heatmap, allocate-ip and devices take names, and address free a text', async () => {
    const { id: network_id } = await admin.api.networks.create({ name: 'office', subnet: '10.9.0.0/29' })
    await admin.api.pools.create({ network_id, name: 'desks', start_ip: '10.9.0.2', end_ip: '10.9.0.3' })
    expect((await run('next-ip', 'office', '-q')).out).toBe('10.9.0.1\n')
    const counted = JSON.parse((await run('next-ip', 'office', '--count', '2', '-o', 'json')).out)
    expect(counted).toEqual({ ip: '10.9.0.1', ips: ['10.9.0.1', '10.9.0.2'] })
    expect((await run('allocate-ip', 'office', '--device', 'web', '-q')).out).toBe('10.9.0.1\n')
    const reserved = await run('allocate-ip', 'office', '--ip', '10.9.0.3', '--hostname', 'desk', '-o', 'json')
    expect(JSON.parse(reserved.out)).toMatchObject({ reservations: [{ ip_address: '10.9.0.3', hostname: 'desk' }] })
    expect((await run('heatmap', 'office')).out).toContain('10.9.0.3')
    expect((await run('devices', 'corp', '--nested', '-q')).out.split('\n')).toHaveLength(2)
    const free = await runCommand(
      { app, key: admin.key },
      { argv: ['address', 'free', '--q', '10.9.0.', '-o', 'json'] },
    )
    expect(JSON.parse(free.out)).toMatchObject([
      { kind: 'pool', name: 'desks', ip: '10.9.0.2', available_ips: 1 },
      { kind: 'network', name: 'office', ip: '10.9.0.2', available_ips: 4 },
      { kind: 'network', name: 'corp' },
    ])
    const table = await runCommand({ app, key: admin.key }, { argv: ['address', 'free', '--q', 'desks'] })
    expect(table.out).toContain('10.9.0.2')
    const pooled = await run('allocate-ip', 'office', '--ip', '10.9.0.6', '--create-pool', '-q')
    expect(pooled).toMatchObject({ code: 0, out: '10.9.0.6\n' })
  })
})
