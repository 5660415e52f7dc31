// The metrics of the estate: each family, hostile names, permissions, and their age.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { engines } from '../../../testing/servers/servers.ts'

const NAMES = [
  'plat_network_utilization_ratio',
  'plat_pool_utilization_ratio',
  'plat_pool_available_addresses',
  'plat_conflicts',
  'plat_scan_age_seconds',
  'plat_discovered_devices',
  'plat_inbox_items',
  'plat_scanner_up',
  'plat_report_findings',
]
const HOSTILE = 'a "quoted" \\ name\nplat_conflicts{type="fake"} 9 \u202e'

/** A sample of the text format, whose label values end only at a quote without a backslash. */
const SAMPLE = /^[a-z_]+(?:\{[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\["\\n])*")*\})? [0-9.e+-]+$/

describe.each(engines())('the metrics of the estate on %s', (dialect) => {
  const clock = { ms: Date.parse('2026-06-01T00:00:00.000Z') }
  let app: TestApp
  let admin: TestCaller
  let net = ''
  let pool = ''
  beforeAll(async () => {
    // The clock of PostgreSQL is months ahead of this one: a job would forget the device that is down.
    app = await testApp({ dialect, now: () => new Date(clock.ms), withJobs: false })
    admin = await app.as('admin')
    const { networks, pools, devices, scans } = admin.api
    net = (await networks.create({ name: 'Office', subnet: '10.80.0.0/28' })).id
    await networks.create({ name: 'Never scanned', subnet: '10.81.0.0/24' })
    pool = (await pools.create({ network_id: net, name: HOSTILE, start_ip: '10.80.0.1', end_ip: '10.80.0.4' })).id
    await devices.create({ name: 'one', addresses: [{ ip: '10.80.0.1' }] })
    await devices.create({ name: 'two', addresses: [{ ip: '10.80.0.1' }] })
    const hosts = [{ ip: '10.80.0.1' }, { ip: '10.80.0.9' }]
    await scans.record({ id: net, hosts })
    clock.ms += 60_000
    await scans.record({ id: net, hosts: hosts.slice(0, 1) })
    clock.ms += 90_000
  }, 60_000)
  afterAll(() => app.close(), 60_000)

  const read = async (): Promise<string> => {
    clock.ms += 15_000
    return (await admin.request('GET', '/metrics/estate')).text()
  }
  const listSamples = (text: string, name: string) => text.split('\n').filter((line) => line.startsWith(`${name}{`))

  test('has each family with its help and its type, and only samples', async () => {
    const text = await read()
    const comments = text.split('\n').filter((line) => line.startsWith('#'))
    expect(comments.filter((line) => line.startsWith('# TYPE'))).toEqual(NAMES.map((name) => `# TYPE ${name} gauge`))
    expect(comments.filter((line) => line.startsWith('# HELP')).length).toBe(NAMES.length)
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(samples.filter((line) => !SAMPLE.test(line))).toEqual([])
    expect(text.endsWith('\n')).toBe(true)
  })

  test('has the numbers of the estate', async () => {
    const text = await read()
    expect(listSamples(text, 'plat_network_utilization_ratio')).toContain(
      `plat_network_utilization_ratio{network_id="${net}",network="Office",subnet="10.80.0.0/28"} 0.0714`,
    )
    expect(listSamples(text, 'plat_conflicts')).toEqual([
      'plat_conflicts{type="duplicate_ip"} 1',
      'plat_conflicts{type="overlapping_subnet"} 0',
    ])
    expect(listSamples(text, 'plat_discovered_devices')).toEqual([
      `plat_discovered_devices{network_id="${net}",status="up"} 1`,
      `plat_discovered_devices{network_id="${net}",status="down"} 1`,
    ])
    expect(listSamples(text, 'plat_inbox_items').length).toBe(4)
    expect(listSamples(text, 'plat_report_findings').length).toBe(12)
  })

  test('has the age of the last completed scan, and none for a network without one', async () => {
    const since = Date.parse('2026-06-01T00:01:00.000Z')
    const text = await read()
    expect(listSamples(text, 'plat_scan_age_seconds')).toEqual([
      `plat_scan_age_seconds{network_id="${net}"} ${Math.round((clock.ms - since) / 1000)}`,
    ])
  })

  test('escapes hostile names', async () => {
    const escaped = 'a \\"quoted\\" \\\\ name\\nplat_conflicts{type=\\"fake\\"} 9 \u202e'
    const text = await read()
    expect(listSamples(text, 'plat_pool_utilization_ratio')).toEqual([
      `plat_pool_utilization_ratio{pool_id="${pool}",pool="${escaped}",network_id="${net}"} 0.25`,
    ])
    expect(text).toContain(`plat_pool_available_addresses{pool_id="${pool}",pool="${escaped}",network_id="${net}"} 3\n`)
  })

  test('is computed once in five seconds', async () => {
    const first = await read()
    await admin.api.networks.create({ name: 'Later', subnet: '10.82.0.0/24' })
    clock.ms += 4000
    expect(await (await admin.request('GET', '/metrics/estate')).text()).toBe(first)
    clock.ms += 1000
    expect(await (await admin.request('GET', '/metrics/estate')).text()).toContain('network="Later"')
  })

  test('needs metrics:read everywhere', async () => {
    expect((await app.guest('GET', '/metrics/estate')).status).toBe(401)
    const ask = async (...permissions: string[]) =>
      (await (await app.as(permissions)).request('GET', '/metrics/estate')).status
    expect([await ask('networks:list'), await ask('metrics:read')]).toEqual([403, 200])
  })
})
