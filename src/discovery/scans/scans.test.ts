// Requesting, running, stopping and resuming scans, with a scripted scanner.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { alreadyExists, missing, refusal } from '../../../testing/estates/inventory.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'

describe.each(onSqlite())('scans on %s', (dialect) => {
  const d = discoveryApp(dialect, { DISCOVERY_MAX_CONCURRENT: '2' })
  const start = (id: string, body?: unknown) => d.ask(`POST /api/discovery/networks/${id}/scan`, body)

  describe('the start', () => {
    test('answers with a scan that waits, quick without a body', async () => {
      const { id } = await d.network()
      const answer = await start(id)
      expect(answer).toMatchObject({
        status: 202,
        body: {
          network_id: id,
          scan_type: 'quick',
          total_hosts: 254,
          scanned_hosts: 0,
          found_hosts: 0,
          progress_percent: 0,
        },
      })
      const scan = await d.scanner.next()
      scan.end('done')
      await d.ended((answer.body as { id: string }).id)
    })

    test.each([
      ['an unknown network', 'nothing', {}, missing],
      ['another type', undefined, { scan_type: 'slow' }, refusal('scan_type')],
      ['what is no address to exclude', undefined, { exclude_ips: 'gateway' }, refusal('exclude_ips')],
      ['nothing left to scan', undefined, { exclude_ips: '127.0.0.0/8' }, refusal('exclude_ips')],
    ])('refuses %s', async (_, id, body, refused) => {
      expect(await start(id ?? (await d.network()).id, body)).toMatchObject(refused)
    })

    test.each([
      ['127.0.0.0/15', 'too large'],
      ['10.0.0.0/24', 'DISCOVERY_ALLOWED_SUBNETS'],
      ['2001:db8::/64', 'too large'],
    ])('refuses %s: %s', async (subnet, why) => {
      const { id } = await d.api.networks.create({ name: subnet, subnet })
      const answer = await start(id, {})
      expect(answer).toMatchObject(refusal('subnet'))
      expect((answer.body as { error: string }).error).toContain(why)
    })

    test('excludes the addresses of its rule and of the request', async () => {
      const { id, at } = await d.network()
      await d.api.discoveryRules.create({ network_id: id, enabled: false, exclude_ips: `${at(1)}-${at(9)}` })
      const answer = await start(id, { exclude_ips: `${at(20)}, ${at(1)}` })
      expect(answer.body).toMatchObject({ total_hosts: 244, exclude_ips: `${at(1)}-${at(9)}, ${at(20)}, ${at(1)}` })
      const scan = await d.scanner.next()
      expect(scan.plan.excludes).toEqual([`${at(1)}-${at(9)}`, at(20), at(1)])
      scan.end('done')
      await d.ended((answer.body as { id: string }).id)
    })
  })

  describe('a dry run', () => {
    test.each(['?dry_run=true', ''])('answers with its estimate (%s)', async (query) => {
      const { id } = await d.network()
      const body = query === '' ? { scan_type: 'full', dry_run: true } : { scan_type: 'full' }
      const answer = await d.ask(`POST /api/discovery/networks/${id}/scan${query}`, body)
      expect(answer).toMatchObject({ status: 200, body: { total_hosts: 254 } })
      expect((answer.body as { techniques: string[] }).techniques).toContain('TCP ports')
    })

    test('starts nothing', async () => {
      const { id } = await d.network()
      await d.ask(`POST /api/discovery/networks/${id}/scan?dry_run=true`)
      expect(await d.api.scans.list({ network_id: id })).toEqual([])
    })
  })

  describe('the progress', () => {
    test('goes from running to completed', async () => {
      const { id, at } = await d.network()
      const { id: scanId, scan } = await d.begin(id)
      await scan.found([host(at(5))], { share: 0.25 })
      expect(await d.api.scans.get({ id: scanId })).toMatchObject({
        status: 'running',
        stage: 'liveness',
        scanned_hosts: 64,
        found_hosts: 1,
        progress_percent: 25.19,
      })
      scan.end('done')
      await d.ended(scanId)
      expect(await d.api.scans.get({ id: scanId })).toMatchObject({
        status: 'completed',
        stage: '',
        scanned_hosts: 254,
        progress_percent: 100,
        completed_at: d.now(),
      })
    })

    test('stores the privileges of the scanner, and its notes', async () => {
      const { id } = await d.network()
      const { id: scanId, scan } = await d.begin(id)
      await scan.report({ type: 'note', text: 'halved the rate' })
      scan.end('done')
      await d.ended(scanId)
      const { privilege, log } = await d.api.scans.get({ id: scanId })
      expect([privilege?.icmp, log.map(({ text }) => text)]).toEqual([true, ['halved the rate']])
    })

    test('keeps at most 100 notes', async () => {
      const { id } = await d.network()
      const { id: scanId, scan } = await d.begin(id)
      for (let i = 0; i < 110; i++) await scan.report({ type: 'note', text: `note ${i}` })
      scan.end('done')
      await d.ended(scanId)
      const { log } = await d.api.scans.get({ id: scanId })
      expect([log.length, log[0]?.text, log.at(-1)?.text]).toEqual([100, 'note 0', 'note 109'])
    })

    test('of a scan that failed says why', async () => {
      const { id } = await d.network()
      const { id: scanId, scan } = await d.begin(id)
      scan.end('failed', 'no such interface')
      expect(await d.ended(scanId)).toBe('failed')
      expect((await d.api.scans.get({ id: scanId })).error_message).toBe('no such interface')
    })
  })

  describe('the line', () => {
    const stateOf = async (id: string) => (await d.api.scans.get({ id })).status
    const idOf = async (networkId: string) => ((await start(networkId)).body as { id: string }).id

    test('has one scan of a network at a time, and as many as are allowed in all', async () => {
      const [one, two, three] = [await d.network(), await d.network(), await d.network()]
      const ids = [await idOf(one.id), await idOf(one.id), await idOf(two.id), await idOf(three.id)]
      const running = [await d.scanner.next(), await d.scanner.next()]
      // Which of the two is the first to begin is open, where they do not share a connection.
      const of = ({ subnet }: { subnet: string }) => running.find(({ plan }) => plan.subnet === subnet)
      expect([of(one), of(two)]).not.toContain(undefined)
      expect(await Promise.all(ids.map(stateOf))).toEqual(['running', 'pending', 'running', 'pending'])
      of(one)?.end('done')
      const next = await d.scanner.next()
      expect(next.plan.subnet).toBe(one.subnet)
      of(two)?.end('done')
      const last = await d.scanner.next()
      expect(last.plan.subnet).toBe(three.subnet)
      next.end('done')
      last.end('done')
      for (const id of ids) expect(await d.ended(id)).toBe('completed')
    })

    test('loses a scan that is cancelled before it runs', async () => {
      const { id } = await d.network()
      const { id: first, scan } = await d.begin(id)
      const second = await idOf(id)
      expect((await d.ask(`POST /api/discovery/scans/${second}/cancel`)).status).toBe(204)
      scan.end('done')
      await d.ended(first)
      expect(await stateOf(second)).toBe('cancelled')
    })
  })

  describe('a cancel', () => {
    test('stops the scanner, and keeps discovered devices', async () => {
      const { id, at } = await d.network()
      const { id: scanId, scan } = await d.begin(id)
      await scan.found([host(at(7))])
      expect((await d.ask(`POST /api/discovery/scans/${scanId}/cancel`)).status).toBe(204)
      await until('the scanner was told', () => scan.isCancelled() || undefined)
      expect(await d.api.scans.get({ id: scanId })).toMatchObject({ status: 'cancelled', completed_at: d.now() })
      expect((await d.api.discovery.list({ network_id: id })).map(({ ip }) => ip)).toEqual([at(7)])
    })

    test('of a scan that has ended is refused', async () => {
      const { id } = await d.network()
      const scanId = await d.scan(id, [])
      expect(await d.ask(`POST /api/discovery/scans/${scanId}/cancel`)).toMatchObject(refusal('scan'))
    })

    test('ignores later reports', async () => {
      const { id, at } = await d.network()
      const { id: scanId, scan } = await d.begin(id)
      await d.ask(`POST /api/discovery/scans/${scanId}/cancel`)
      await scan.found([host(at(7))])
      expect(await d.api.discovery.list({ network_id: id })).toEqual([])
    })
  })

  describe('a delete', () => {
    test('of a running scan stops it', async () => {
      const { id } = await d.network()
      const { id: scanId, scan } = await d.begin(id)
      expect((await d.ask(`DELETE /api/discovery/scans/${scanId}`)).status).toBe(204)
      await until('the scanner was told', () => scan.isCancelled() || undefined)
      expect(await d.ask(`GET /api/discovery/scans/${scanId}`)).toMatchObject(missing)
    })

    test('of the network takes its scans, discovered devices and rule', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(3), { mac: '00:1b:21:00:00:01' })])
      await d.api.discoveryRules.create({ network_id: id, enabled: false })
      const { scan } = await d.begin(id)
      expect((await d.ask(`DELETE /api/networks/${id}`)).status).toBe(204)
      await until('the scanner was told', () => scan.isCancelled() || undefined)
      expect([
        await d.api.scans.list({ network_id: id }),
        await d.api.discovery.list({ network_id: id }),
        await d.api.discoveryRules.list({ network_id: id }),
      ]).toEqual([[], [], []])
    })
  })

  describe('a process that dies', () => {
    test('is followed by another, which goes on from the last checkpoint', async () => {
      const { id, at } = await d.network()
      const { id: scanId, scan } = await d.begin(id)
      await scan.found([host(at(3))], { share: 0.5, mark: 'half-way' })
      scan.end('died', 'killed by SIGKILL')
      const second = await d.scanner.next()
      expect(second.plan.checkpoint).toEqual({ version: 1, mark: 'half-way' })
      second.end('done')
      expect(await d.ended(scanId)).toBe('completed')
    })

    test('again and again fails', async () => {
      const { id } = await d.network()
      const { id: scanId, scan } = await d.begin(id)
      scan.end('died', 'killed by SIGKILL')
      for (let i = 0; i < 3; i++) (await d.scanner.next()).end('died', 'killed by SIGKILL')
      expect(await d.ended(scanId)).toBe('failed')
      expect((await d.api.scans.get({ id: scanId })).error_message).toBe('its process died 4 times')
    })
  })

  describe('the differences', () => {
    const A = '00:1b:21:00:01:0a'
    const diff = async (id: string) => {
      const { new: fresh, changed, gone, counts, previous_scan_id } = await d.api.scans.diff({ id })
      const ips = (all: readonly { readonly ip: string }[]) => all.map(({ ip }) => ip)
      return {
        new: ips(fresh),
        changed: changed.map(({ ip, changes }) => [ip, ...changes]),
        gone: ips(gone),
        counts,
        previous_scan_id,
      }
    }

    test('of a first scan are all that it found', async () => {
      const { id, at } = await d.network()
      const scanId = await d.scan(id, [host(at(1)), host(at(2))])
      expect(await diff(scanId)).toEqual({
        new: [at(1), at(2)],
        changed: [],
        gone: [],
        counts: { new: 2, changed: 0, gone: 0 },
        previous_scan_id: null,
      })
    })

    test('of a second scan are what is new, changed and gone', async () => {
      const { id, at } = await d.network()
      const first = await d.scan(id, [host(at(1), { mac: A, openPorts: [22] }), host(at(2)), host(at(4))], 'full')
      const second = await d.scan(id, [host(at(1), { mac: A, openPorts: [22, 80] }), host(at(3)), host(at(4))], 'full')
      expect(await diff(second)).toEqual({
        new: [at(3)],
        changed: [[at(1), { field: 'open_ports', before: '22', after: '22, 80' }]],
        gone: [at(2)],
        counts: { new: 1, changed: 1, gone: 1 },
        previous_scan_id: first,
      })
    })

    test('include the devices of a cancelled scan in between', async () => {
      const { id, at } = await d.network()
      const first = await d.scan(id, [host(at(1), { openPorts: [22] })], 'full')
      const { id: cancelled, scan } = await d.begin(id, 'full')
      await scan.found([host(at(1), { openPorts: [80] }), host(at(2))], { stage: 'ports' })
      await d.ask(`POST /api/discovery/scans/${cancelled}/cancel`)
      const last = await d.scan(id, [host(at(1), { openPorts: [80] }), host(at(2))], 'full')
      expect(await diff(last)).toMatchObject({
        new: [at(2)],
        changed: [[at(1), { field: 'open_ports', before: '22', after: '80' }]],
        previous_scan_id: first,
      })
    })

    test('include a device that is back', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(1))])
      await d.scan(id, [])
      const last = await d.scan(id, [host(at(1))])
      expect(await diff(last)).toMatchObject({ new: [at(1)], changed: [], gone: [] })
    })

    test('are none where nothing has changed', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(1))])
      const last = await d.scan(id, [host(at(1))])
      expect(await diff(last)).toMatchObject({ counts: { new: 0, changed: 0, gone: 0 } })
    })
  })

  test('a second rule for a network is a conflict', async () => {
    const { id } = await d.network()
    await d.api.discoveryRules.create({ network_id: id, enabled: false })
    expect(await d.ask('POST /api/discovery/rules', { network_id: id })).toMatchObject(alreadyExists)
  })
})
