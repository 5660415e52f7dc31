/** A switch and a server with snmpd and lldpd in network namespaces: their ports, and the cables between them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { testAll } from '../../testing/cases.ts'
import { COMMUNITY } from '../../testing/scanner-lab/daemons.ts'
import { checkLab, createLab, type Lab } from '../../testing/scanner-lab/lab.ts'
import { SERVER, SWITCH, SWITCHES, type Switches, startSwitches } from '../../testing/scanner-lab/switches.ts'
import { until } from '../../testing/until.ts'
import type { ScanEnd, startScan as StartScan } from '../scanner/process.ts'

const problem = process.env.PLAT_TEST_LAB === 'off' ? 'PLAT_TEST_LAB is off' : checkLab()
if (problem !== undefined) console.log(`The tests with a real SNMP agent are left out: ${problem}`)

describe.skipIf(problem !== undefined)('a switch and a server with SNMP and LLDP', () => {
  let lab: Lab
  let switches: Switches
  let app: TestApp
  let api: TestCaller['api']

  /** Runs the scanner in the namespace of the lab. */
  const startScan: typeof StartScan = (plan, onReport) => {
    const run = async (): Promise<ScanEnd> => {
      const { hosts, result, message } = await lab.scan(plan)
      const progress = { stage: 'services', scanned: 6, total: 6, found: hosts.length, probesPerSecond: 100 } as const
      await onReport({ type: 'batch', progress, hosts, checkpoint: { version: 1, mark: '' } })
      return { result: result === 'done' ? 'done' : 'failed', message }
    }
    return { cancel: () => {}, ended: run(), pid: 0 }
  }

  beforeAll(async () => {
    lab = createLab({ hostCount: 5 })
    switches = startSwitches(lab)
    const env = {
      DISCOVERY_SNMPV2C_ENABLED: 'true',
      DISCOVERY_ALLOWED_SUBNETS: SWITCHES,
      DISCOVERY_TIMEOUT: '3s',
      ENCRYPTION_KEY: '11'.repeat(32),
    }
    app = await testApp({ startScan, env })
    ;({ api } = await app.as('admin'))
    await switches.ready()
  }, 60_000)
  afterAll(async () => {
    lab?.remove()
    switches?.remove()
    await app?.close()
  })

  const scanned = async (id: string) => {
    const scan = await api.scans.start({ id, scan_type: 'deep' })
    if (!('id' in scan)) throw new Error('a scan that is no dry run has an id')
    const status = await until('the end of the scan', async () => {
      const { status } = await api.scans.get({ id: scan.id })
      return status === 'pending' || status === 'running' ? undefined : status
    })
    expect(status).toBe('completed')
  }
  const connections = async () =>
    (await api.inbox.list({ bucket: 'changed' })).filter(({ fields }) =>
      fields.some(({ field }) => field === 'connected_to'),
    )
  const cables = async () =>
    (await api.cables.list({})).map(({ a, b }) => [a.device, a.port, b.device, b.port].join(' '))

  const create = (name: string, address?: { ip: string; network_id: string }) =>
    api.devices.create({ name, hostname: name, addresses: address ? [address] : [] })
  /** Documents both, and a panel at the second port of the switch; then scans. */
  const documented = async () => {
    const { id: network_id } = await api.networks.create({ name: 'management', subnet: SWITCHES })
    await api.credentials.create({ name: 'lab', type: 'snmp_v2c', community: COMMUNITY, network_id })
    const [panel, sw, server] = [
      await create('panel'),
      await create(SWITCH.name, { ip: SWITCH.ip, network_id }),
      await create(SERVER.name, { ip: SERVER.ip, network_id }),
    ]
    await api.cables.create({ a: { device_id: panel.id, port: '7' }, b: { device_id: sw.id, port: 'swp2' } })
    await scanned(network_id)
    return { network_id, sw, server }
  }
  let known: Awaited<ReturnType<typeof documented>>
  const portsOf = async (device_id: string) =>
    (await api.ports.list({ device_id })).map(({ name, mac_address }) => [name, mac_address])
  const acceptAll = async () => {
    const items = (await connections()).map(({ id }) => ({ id, fields: ['connected_to' as const] }))
    return (await api.inbox.accept({ items })).succeeded
  }
  const CABLES = ['panel 7 sw-1 swp2', 'srv-1 eno1 sw-1 swp1']

  test('their interfaces become ports of the device that adopts them', async () => {
    known = await documented()
    expect(await api.ports.adopt({ device_id: known.sw.id })).toEqual({ added: 3, updated: 1 })
    expect(await portsOf(known.sw.id)).toEqual([
      ['lo', ''],
      ['mgmt0', SWITCH.mac],
      ['swp1', `${SWITCH.portMacs}1`],
      ['swp2', `${SWITCH.portMacs}2`],
    ])
  })

  test('each names its own port and the port of the other', async () => {
    const reasons = (await connections()).map(({ device_name, fields }) => [
      device_name,
      fields.find(({ field }) => field === 'connected_to')?.because,
    ])
    expect(reasons.sort()).toEqual([
      ['srv-1', 'LLDP: eno2 to swp2'],
      ['sw-1', `LLDP: swp2 to ${SERVER.portMacs}2 (eno2)`],
    ])
  })

  testAll(
    'an accepted connection becomes a cable between the named ports, and replaces no documented cable',
    async () => {
      expect(await acceptAll()).toBe(1)
      expect(await cables()).toEqual(CABLES)
      // The first cable made the port of the server, and nothing made one for the port of the refused cable.
      expect(await portsOf(known.server.id)).toEqual([['eno1', '']])
    },
  )

  testAll('a second scan and adoption change nothing', async () => {
    await scanned(known.network_id)
    expect(await connections()).toEqual([])
    expect(await api.ports.adopt({ device_id: known.sw.id })).toEqual({ added: 0, updated: 0 })
    expect(await cables()).toEqual(CABLES)
  })

  testAll('a connection that is accepted again, by its other side too, changes no cable', async () => {
    expect(await api.ports.adopt({ device_id: known.server.id })).toEqual({ added: 3, updated: 1 })
    const [link] = await api.relationships.list({ device_id: known.sw.id })
    if (!link) throw new Error('the relationship was accepted')
    await api.relationships.delete({ device_id: link.parent_id, child_id: link.child_id, type: link.type })
    const again = (await connections()).filter(({ device_name }) => device_name === SWITCH.name)
    const accepted = await api.inbox.accept({ items: again.map(({ id }) => ({ id, fields: ['connected_to'] })) })
    expect([again.length, accepted.succeeded]).toEqual([1, 1])
    expect(await cables()).toEqual(CABLES)
  })
})
