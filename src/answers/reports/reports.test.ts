// The reports over HTTP: their list, pages, filters, files, errors and rights.
import { describe, expect, test } from 'bun:test'
import { writeIn } from '../../../testing/app-write.ts'
import { discoveryApp } from '../../../testing/discovery.ts'
import { ask, failure, forbidden, missing, refusal } from '../../../testing/estates/inventory.ts'
import { createTransactions, enrolScanner } from '../../../testing/scanners.ts'
import { host, ssh } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { ReportExtract } from '../../record/notifications/reports.ts'
import type { Finding, ReportSummary } from './api.ts'
import { REPORTS } from './registry.ts'
import { createReportSource } from './reports.ts'

const DAY_MS = 86_400_000
const STARRED = ['ghosts', 'stale-reservations', 'expiring-certificates', 'new-ports', 'unscanned-networks']

describe.each(onSqlite())('reports on %s', (dialect) => {
  const d = discoveryApp(dialect)
  const show = async (name: string, query = '') =>
    (await d.ask(`GET /api/reports/${name}${query === '' ? '' : `?${query}`}`)).body as Finding[]
  const namesOf = async (name: string, query = '') => (await show(name, query)).map((one) => one.name)
  const ofNetwork = async (id: string, name: string, more = '') => show(name, `network_id=${id}${more}`)

  test('the list has twelve reports in a fixed order, with their parameters', async () => {
    const list = await d.api.reports.list({})
    expect(list.map(({ name, days }) => [name, days])).toEqual([
      ['ghosts', 30],
      ['shadows', null],
      ['duplicate-macs', null],
      ['dns-mismatch', null],
      ['unplaced-addresses', null],
      ['full-pools', null],
      ['stale-reservations', 90],
      ['unlocated-devices', null],
      ['expiring-certificates', 30],
      ['new-ports', 7],
      ['unscanned-networks', 30],
      ['disagreements', null],
    ])
    expect(list.find(({ name }) => name === 'full-pools')?.uses).toEqual(['min', 'network_id', 'datacenter_id'])
  })

  test('a report that does not exist is not found', async () => {
    for (const path of ['nobody', 'constructor', 'Ghosts', '%00'])
      expect(await d.ask(`GET /api/reports/${path}`)).toMatchObject(missing)
    expect(await d.ask('GET /api/reports/nobody/export')).toMatchObject(missing)
  })

  test('a parameter out of its bounds is refused by its name', async () => {
    for (const days of ['-1', '3651', '1.5', 'x'])
      expect(await d.ask(`GET /api/reports/ghosts?days=${days}`)).toMatchObject(refusal('days'))
    for (const min of ['-1', '100.5', 'x'])
      expect(await d.ask(`GET /api/reports/full-pools?min=${min}`)).toMatchObject(refusal('min'))
    expect(await d.ask('GET /api/reports/ghosts/export?format=xlsx')).toMatchObject(refusal('format'))
    expect(await d.ask('GET /api/reports/ghosts/export?days=-1')).toMatchObject(refusal('days'))
  })

  test('a report ignores the parameters that it does not use', async () => {
    const before = await show('unlocated-devices')
    expect(await show('unlocated-devices', 'days=3&min=7')).toEqual(before)
    expect(await d.ask('GET /api/reports/unlocated-devices?min=101')).toMatchObject(refusal('min'))
  })

  test('ghosts come in the order of their last sighting, devices that were never seen first', async () => {
    const net = await d.network()
    for (const [n, name] of ['b', 'a', 'early', 'late'].entries())
      await d.api.devices.create({ name, addresses: [{ ip: net.at(n + 1) }] })
    await d.scan(net.id, [host(net.at(3)), host(net.at(4))])
    await d.scan(net.id, [host(net.at(4))])
    await d.scan(net.id, [])
    d.advance(31 * DAY_MS)
    const found = await ofNetwork(net.id, 'ghosts')
    expect(found.map(({ name, since }) => [name, since === null])).toEqual([
      ['a', true],
      ['b', true],
      ['early', false],
      ['late', false],
    ])
    expect(found[2]).toMatchObject({
      ...{ resource: 'device', ip_address: net.at(3), network_id: net.id, value: null, details: {} },
      message: 'Not seen for 31 days: retire it, or correct its addresses',
    })
    expect(await ofNetwork(net.id, 'ghosts', '&days=32')).toEqual([])
  })

  test('a page has its rows, and the number of all', async () => {
    const { id } = await d.api.datacenters.create({ name: 'pages' })
    const net = await d.api.networks.create({ name: 'pages', subnet: '127.9.0.0/24', datacenter_id: id })
    for (let n = 1; n <= 5; n++)
      await d.api.devices.create({ name: `page ${n}`, addresses: [{ ip: `127.9.0.${n}`, network_id: net.id }] })
    const page = await d.ask(`GET /api/reports/unlocated-devices?datacenter_id=${id}&limit=2&offset=1`)
    expect(page).toMatchObject({ total: '5', body: [{ name: 'page 2' }, { name: 'page 3' }] })
  })

  test('the filter by datacenter takes those below it along, and compares the datacenter of the network', async () => {
    const site = await d.api.datacenters.create({ name: 'site' })
    const room = await d.api.datacenters.create({ name: 'room', parent_id: site.id })
    const net = await d.network()
    await d.api.networks.update({ id: net.id, datacenter_id: room.id })
    await d.scan(net.id, [host(net.at(9))])
    const found = await show('shadows', `datacenter_id=${site.id}`)
    expect(found).toMatchObject([{ ip_address: net.at(9), datacenter_id: room.id, network_id: net.id }])
    expect(await show('shadows', 'datacenter_id=none')).toEqual([])
  })

  test('a report has an ETag that its tables change, unless time alone changes it', async () => {
    for (const { name } of REPORTS) {
      const { etag } = await d.ask(`GET /api/reports/${name}`)
      expect([name, etag === null]).toEqual([
        name,
        STARRED.includes(name) || ['full-pools', 'disagreements'].includes(name),
      ])
    }
    const { etag } = await d.ask('GET /api/reports/unlocated-devices')
    const headers = { 'If-None-Match': etag ?? '' }
    expect((await d.ask('GET /api/reports/unlocated-devices', undefined, headers)).status).toBe(304)
    await d.api.devices.create({ name: 'changes the tag' })
    expect((await d.ask('GET /api/reports/unlocated-devices', undefined, headers)).status).toBe(200)
  })

  test('counts are kept for ten seconds, and findings are always fresh', async () => {
    const count = async () =>
      (await d.api.reports.list({})).find(({ name }) => name === 'unlocated-devices')?.count ?? -1
    d.advance(10_000)
    const before = await count()
    await d.api.devices.create({ name: 'counted later' })
    expect([await count(), (await show('unlocated-devices')).length]).toEqual([before, before + 1])
    d.advance(10_000)
    expect(await count()).toBe(before + 1)
  })

  test('the findings say what differs', async () => {
    const net = await d.network()
    await d.api.devices.create({
      ...{ name: 'mail', hostname: 'mail', domains: ['mail.example.com'] },
      addresses: [{ ip: net.at(1), mac_address: '00:1b:21:00:07:01' }],
    })
    const valid = new Date(Date.parse(d.now()) + 20 * DAY_MS).toUTCString()
    const details = {
      certificate: 'CN=mail',
      issuer: 'CN=ca',
      names: 'mail.example.com, *.example.com',
      'valid-to': valid,
    }
    const seen = (ports: number[]) => [
      host(net.at(1), {
        ...{ mac: '00:1b:21:00:07:02', openPorts: ports },
        names: [{ name: 'old.example.com', source: 'ptr' }],
        services: [{ ...ssh, port: 443, service: 'https', details }],
      }),
    ]
    await d.scan(net.id, seen([443]), 'deep')
    await d.scan(net.id, seen([22, 443, 8080]), 'deep')
    expect(await ofNetwork(net.id, 'dns-mismatch')).toMatchObject([
      { name: 'mail', details: { documented: 'mail, mail.example.com', observed: 'old.example.com' } },
    ])
    expect(await ofNetwork(net.id, 'expiring-certificates')).toMatchObject([
      {
        ...{ resource: 'discovered', name: 'old.example.com', value: 19 },
        details: {
          ...{ port: 443, subject: 'CN=mail', issuer: 'CN=ca', names: ['mail.example.com', '*.example.com'] },
          expires_at: new Date(valid).toISOString(),
        },
      },
    ])
    expect(await ofNetwork(net.id, 'new-ports')).toMatchObject([{ details: { ports: [22, 8080] } }])
    const [disagreement] = await ofNetwork(net.id, 'disagreements')
    expect(disagreement).toMatchObject({
      ...{ resource: 'device', name: 'mail', ip_address: net.at(1) },
      message:
        'MAC address: the documentation says 00:1b:21:00:07:01, the last scan says 00:1b:21:00:07:02; correct the documentation, or find out who uses the address',
      details: { documented: { name: 'mail' }, named: { name: 'old.example.com' }, leased: null },
    })
  })

  test('a lease, and the names of a DNS server, count for a host that the last scan missed', async () => {
    const net = await d.network()
    const mac = '00:1b:21:00:08:01'
    await d.api.devices.create({ name: 'gone', hostname: 'gone', addresses: [{ ip: net.at(1), mac_address: mac }] })
    const until = Math.floor(Date.parse(d.now()) / 1000) + 3600
    /** The server leases the address, then a scan misses its host. */
    const lease = async (given: string) => {
      await d.scan(net.id, [host(net.at(1), { mac }), host(net.at(2))])
      await d.ask('POST /api/discovery/leases', { text: `${until} ${given} ${net.at(1)} gone *\n` })
      await d.scan(net.id, [host(net.at(2))])
    }
    await lease('00:1b:21:00:08:02')
    const [ofLease] = await ofNetwork(net.id, 'disagreements')
    expect(ofLease?.message).toContain(`the documentation says ${mac}, the DHCP server says 00:1b:21:00:08:02`)
    expect(ofLease?.details.seen).toBe(null)
    await lease(mac)
    expect(await ofNetwork(net.id, 'disagreements')).toEqual([])

    const zone = await d.api.dnsZones.create({ name: 'example.com' })
    const entry = { kind: 'foreign', plat: [], plat_ttl: null, server_ttl: 300 }
    const entries = [
      { ...entry, name: 'camera', type: 'A', server: ['192.0.2.1', net.at(1)] },
      { ...entry, name: 'text', type: 'TXT', server: [net.at(2)] },
    ]
    const doc = JSON.stringify({ checked_at: d.now(), entries })
    await d.app.db.write(({ db }) => db.insertInto('dns_reports').values({ zone_id: zone.id, doc }).execute())
    expect(await ofNetwork(net.id, 'disagreements')).toMatchObject([
      {
        ...{
          name: 'gone',
          message:
            'Name: the documentation says gone, the DNS says camera.example.com; correct the documentation, or find out who uses the address',
        },
        details: { named: { name: 'camera.example.com', at: d.now() }, seen: null, leased: { name: 'gone' } },
      },
    ])
    await d.api.dnsZones.delete({ id: zone.id })
  })

  test('a network says why no scan has covered it', async () => {
    const [idle, ruled, off, failing] = [await d.network(), await d.network(), await d.network(), await d.network()]
    for (const [network, enabled] of [
      [ruled, true],
      [off, false],
    ] as const)
      await d.api.discoveryRules.create({ network_id: network.id, enabled })
    const { id, scan } = await d.begin(failing.id)
    scan.end('failed', 'no route')
    await d.ended(id)
    const messageOf = async (network: { id: string }) =>
      (await ofNetwork(network.id, 'unscanned-networks')).map(({ message }) => message)
    expect(await messageOf(idle)).toEqual(['Never scanned: no rule scans it: scan it, or add a rule'])
    expect(await messageOf(ruled)).toEqual(['Never scanned: a rule would scan it: look at its next run'])
    expect(await messageOf(off)).toEqual(['Never scanned: its rule is disabled: enable it, or scan it'])
    expect(await messageOf(failing)).toEqual(['Never scanned: its last scan failed (no route)'])
    await d.api.networks.update({ id: failing.id, scanner: 'branch' })
    expect(await messageOf(failing)).toEqual([
      'Never scanned: no scanner answers to its label "branch": enrol one with this name or tag, or change the label',
    ])
    const write = createTransactions(d.app, () => new Date(d.now()))
    await enrolScanner({ admin: d.admin, write }, { name: 'of the branch', tags: ['branch'] })
    expect(await messageOf(failing)).toEqual(['Never scanned: its last scan failed (no route)'])
  })

  test('a MAC of more devices than a finding names is counted whole', async () => {
    const net = await d.network()
    const hosts = Array.from({ length: 120 }, (_, n) => host(net.at(n + 1), { mac: '00:1b:21:00:09:09' }))
    await d.scan(net.id, hosts)
    const [found] = await ofNetwork(net.id, 'duplicate-macs')
    expect(found?.value).toBe(120)
    expect(found?.details.members).toHaveLength(100)
  })

  test('a report of objects that the caller may not list is forbidden, and not in the list', async () => {
    const caller = await d.app.as(['reports:read', 'devices:list'])
    const list = (await ask(caller, 'GET /api/reports')).body as ReportSummary[]
    expect(list.map(({ name }) => name)).toEqual(['ghosts', 'dns-mismatch', 'unplaced-addresses', 'unlocated-devices'])
    for (const path of ['shadows', 'disagreements', 'full-pools/export'])
      expect(await ask(caller, `GET /api/reports/${path}`)).toMatchObject(forbidden)
    expect((await ask(caller, 'GET /api/reports/ghosts?days=0')).status).toBe(200)
    const none = await d.app.as(['devices:list'])
    for (const path of ['', '/ghosts', '/ghosts/export'])
      expect(await ask(none, `GET /api/reports${path}`)).toMatchObject(forbidden)
    expect(await ask({ request: d.app.guest }, 'GET /api/reports')).toMatchObject(failure(401, 'UNAUTHORIZED'))
  })

  test('a caller without networks sees no datacenter of a network', async () => {
    const site = await d.api.datacenters.create({ name: 'hidden' })
    const net = await d.network()
    await d.api.networks.update({ id: net.id, datacenter_id: site.id })
    await d.scan(net.id, [host(net.at(1))])
    const caller = await d.app.as(['reports:read', 'discovery:list'])
    const found = (await ask(caller, `GET /api/reports/shadows?network_id=${net.id}`)).body
    expect(found).toMatchObject([{ network_id: net.id, datacenter_id: null }])
  })

  test('the first page has the counts of the reports that the caller may see', async () => {
    d.advance(10_000)
    const counts = (await d.api.reports.list({})).map(({ name, title, count }) => ({ name, title, count }))
    expect((await d.api.dashboard.show()).reports).toEqual(counts)
    const caller = await d.app.as(['dashboard:read', 'devices:list'])
    expect((await caller.api.dashboard.show()).reports).toBeNull()
    const reader = await d.app.as(['dashboard:read', 'reports:read', 'pools:list'])
    expect((await reader.api.dashboard.show()).reports?.map(({ name }) => name)).toEqual(['full-pools'])
  })

  test('a digest has the count of a report and its first five findings', async () => {
    const source = createReportSource({ poolUtilizationThresholdPercent: 90 })
    const all = await show('unlocated-devices')
    let extracts: readonly ReportExtract[] = []
    await writeIn(d.app, async (ctx) => {
      extracts = await source(ctx, ['unlocated-devices', 'none'])
    })
    expect(extracts).toEqual([
      {
        name: 'unlocated-devices',
        title: 'Devices without a datacenter',
        count: all.length,
        findings: all.slice(0, 5),
      },
    ])
  })

  test('no cell of a file is a formula, whatever the names are', async () => {
    const names = ['=cmd|/C calc!A0', '+1', '-2+3', '@SUM(A1)', 'a"b,c', '\u202egnp.exe', '=HYPERLINK("http://x";"y")']
    for (const name of names) await d.api.devices.create({ name, hostname: '', description: 'x'.repeat(4096) })
    const response = await d.admin.request('GET', '/api/reports/unlocated-devices/export')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="unlocated-devices-${d.now().slice(0, 10)}.csv"`,
    )
    const text = await response.text()
    const [header, ...lines] = text.split('\r\n')
    expect(header).toBe(
      'id,resource,resource_id,name,ip_address,mac_address,network_id,datacenter_id,message,since,value,details',
    )
    expect(lines.length).toBe((await show('unlocated-devices')).length + 1)
    expect(text).not.toMatch(/(?:^|[,\n])"?[=+@-](?!\d)/)
    expect(text).toContain(`'=cmd|/C calc!A0`)
    expect(text).not.toContain('\u202e')
    const json = await d.admin.request('GET', '/api/reports/unlocated-devices/export?format=json')
    expect(await json.json()).toEqual(await show('unlocated-devices'))
  })

  test('names in the order of names, numbers by their value', async () => {
    const { id } = await d.api.datacenters.create({ name: 'numbers' })
    const net = await d.api.networks.create({ name: 'numbers', subnet: '127.8.0.0/24', datacenter_id: id })
    for (const n of [10, 9, 1])
      await d.api.devices.create({ name: `vm${n}`, addresses: [{ ip: `127.8.0.${n}`, network_id: net.id }] })
    expect(await namesOf('unlocated-devices', `datacenter_id=${id}`)).toEqual(['vm1', 'vm9', 'vm10'])
  })
})
