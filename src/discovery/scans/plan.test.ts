// The plan that a scanner receives: credentials are in the plan of a deep scan only, and host keys are pinned.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const KEY = { ENCRYPTION_KEY: 'ab'.repeat(32), AUDIT_ENABLED: 'true' }

describe.each(onSqlite())('the plan of a scan on %s', (dialect) => {
  const d = discoveryApp(dialect, {
    ...KEY,
    DISCOVERY_PORTS: '22,80-82',
    DISCOVERY_RATE: '123',
    DISCOVERY_TIMEOUT: '250ms',
  })
  const planned = async (networkId: string, type: 'quick' | 'full' | 'deep') => {
    const { id, scan } = await d.begin(networkId, type)
    scan.end('done')
    await d.ended(id)
    return { plan: scan.plan, log: (await d.api.scans.get({ id })).log.map(({ text }) => text) }
  }
  const credential = (fields: { name: string; type: string; [field: string]: string }) =>
    d.ask('POST /api/credentials', fields)

  test('says what to scan, and how', async () => {
    const { id, subnet } = await d.network()
    expect((await planned(id, 'full')).plan).toEqual({
      subnet,
      type: 'full',
      excludes: [],
      ports: [22, 80, 81, 82],
      probesPerSecond: 123,
      probeTimeoutMs: 250,
      snmp: [],
      ssh: [],
      hostKeys: {},
      fingerprintsFolder: '',
      allowLocal: true,
      checkpoint: null,
    })
  })

  test('holds the credentials of the network and of the devices in it, opened', async () => {
    const { id, at } = await d.network()
    const device = await d.api.devices.create({ name: 'x', addresses: [{ ip: at(9) }] })
    await credential({
      name: 'v3',
      type: 'snmp_v3',
      username: 'u',
      auth_protocol: 'SHA',
      auth_password: 'secret 1',
      network_id: id,
    })
    await credential({
      name: 'ssh',
      type: 'ssh_password',
      username: 'root',
      password: 'secret 2',
      device_id: device.id,
    })
    const { plan } = await planned(id, 'deep')
    expect(plan.snmp).toMatchObject([{ version: 'v3', username: 'u', authProtocol: 'SHA', authPassword: 'secret 1' }])
    expect(plan.ssh).toMatchObject([{ username: 'root', password: 'secret 2', ip: at(9) }])
  })

  test('sends a credential of a device to the addresses of the device in the network only', async () => {
    const { id, at } = await d.network()
    const addresses = [{ ip: at(9) }, { ip: at(10) }, { ip: '192.0.2.1' }]
    const { id: device_id } = await d.api.devices.create({ name: 'switch', addresses })
    const v3 = { type: 'snmp_v3', username: 'u', auth_protocol: 'SHA', auth_password: 'secret 1' }
    await credential({ ...v3, name: 'of the device', device_id })
    await credential({ ...v3, name: 'with a network too', device_id, network_id: id })
    await credential({ ...v3, name: 'of the network', network_id: id })
    const { plan } = await planned(id, 'deep')
    expect(plan.snmp.map(({ ip }) => ip).sort()).toEqual(['', at(10), at(10), at(9), at(9)])
  })

  test('holds none for a scan that is not deep', async () => {
    const { id } = await d.network()
    await credential({ name: 'ssh', type: 'ssh_password', username: 'root', password: 'secret', network_id: id })
    const { plan } = await planned(id, 'full')
    expect([plan.snmp, plan.ssh]).toEqual([[], []])
  })

  test('holds no community while SNMPv2c is off, and the log says so', async () => {
    const { id } = await d.network()
    await credential({ name: 'public', type: 'snmp_v2c', community: 'public', network_id: id })
    const { plan, log } = await planned(id, 'deep')
    expect([plan.snmp, log.filter((text) => text.includes('"public"'))]).toEqual([
      [],
      ['the credential "public" is not used: SNMPv2c is off (DISCOVERY_SNMPV2C_ENABLED)'],
    ])
  })

  test('leaves no secret in what is stored of the scan', async () => {
    const { id } = await d.network()
    await credential({ name: 'ssh', type: 'ssh_password', username: 'root', password: 'sesame-9', network_id: id })
    await planned(id, 'deep')
    const states = await d.app.db.read.selectFrom('discovery_scan_states').selectAll().execute()
    const audit = await d.app.db.read.selectFrom('audit').selectAll().execute()
    expect(JSON.stringify([states, audit])).not.toContain('sesame-9')
  })

  describe('a host key', () => {
    const withLogin = async () => {
      const net = await d.network()
      await credential({ name: 'ssh', type: 'ssh_password', username: 'root', password: 'secret', network_id: net.id })
      return net
    }

    test('is pinned when it is first seen, and the next plan says so', async () => {
      const { id, at } = await withLogin()
      await d.scan(id, [host(at(1), { sshHostKey: 'SHA256:one' })], 'deep')
      expect((await planned(id, 'deep')).plan.hostKeys).toEqual({ [at(1)]: 'SHA256:one' })
    })

    test('that is another one is a contradiction, and the pinned one stays', async () => {
      const { id, at } = await withLogin()
      const mac = '00:1b:21:00:00:01'
      await d.scan(id, [host(at(1), { mac, sshHostKey: 'SHA256:one' })], 'deep')
      await d.scan(id, [host(at(1), { mac, sshHostKey: 'SHA256:two' })], 'deep')
      const [item] = await d.api.inbox.list({ network_id: id, bucket: 'conflict' })
      expect(item?.fields[0]).toMatchObject({ field: 'ssh_host_key', documented: 'SHA256:one', observed: 'SHA256:two' })
      expect((await planned(id, 'deep')).plan.hostKeys).toEqual({ [at(1)]: 'SHA256:one' })
    })

    test('that is accepted is the pinned one', async () => {
      const { id, at } = await withLogin()
      const mac = '00:1b:21:00:00:01'
      await d.scan(id, [host(at(1), { mac, sshHostKey: 'SHA256:one' })], 'deep')
      await d.scan(id, [host(at(1), { mac, sshHostKey: 'SHA256:two' })], 'deep')
      const [item] = await d.api.inbox.list({ network_id: id, bucket: 'conflict' })
      await d.api.inbox.accept({ items: [{ id: item?.id ?? '' }] })
      expect(await d.api.inbox.list({ network_id: id, bucket: 'conflict' })).toEqual([])
      expect((await planned(id, 'deep')).plan.hostKeys).toEqual({ [at(1)]: 'SHA256:two' })
    })

    test('is not pinned where no login is tried', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(1), { sshHostKey: 'SHA256:one' })], 'deep')
      const pins = d.app.db.read.selectFrom('discovery_host_keys').select('ip').where('network_id', '=', id)
      expect(await pins.execute()).toEqual([])
    })
  })
})
