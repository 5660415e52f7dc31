// Rules: which networks are scanned automatically, when, and the effect of changing a rule.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { refusal } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const HOUR_MS = 3_600_000

describe.each(onSqlite())('rules on %s', (dialect) => {
  const d = discoveryApp(dialect)
  const due = () => d.runJob('discovery.start-due')
  const scansOf = (network_id: string) => d.api.scans.list({ network_id })
  /** Runs the due scans to their end. */
  const runDue = async (networkId: string) => {
    await due()
    const [scan] = await scansOf(networkId)
    if (scan?.status !== 'pending' && scan?.status !== 'running') return
    ;(await d.scanner.next()).end('done')
    await d.ended(scan.id)
  }
  const hoursUntil = (at: string | null) => (at === null ? null : (Date.parse(at) - Date.parse(d.now())) / HOUR_MS)

  test('are quick, daily and enabled by default', async () => {
    const { id } = await d.network()
    const rule = await d.api.discoveryRules.create({ network_id: id })
    expect(rule).toMatchObject({
      network_id: id,
      scan_type: 'quick',
      interval_hours: 24,
      enabled: true,
      exclude_ips: '',
      listen: false,
      last_run_at: null,
      next_run_at: d.now(),
    })
    await d.api.discoveryRules.delete({ id: rule.id })
  })

  test.each([
    ['no network', {}, refusal('network_id')],
    ['an unknown network', { network_id: 'nothing' }, refusal('network_id')],
    ['an interval of 0', { network_id: 'nothing', interval_hours: 0 }, refusal('interval_hours')],
    ['an interval of more than a year', { network_id: 'nothing', interval_hours: 8761 }, refusal('interval_hours')],
    ['a text for whether to listen', { network_id: 'nothing', listen: 'yes please' }, refusal('listen')],
    ['another type', { network_id: 'nothing', scan_type: 'slow' }, refusal('scan_type')],
    ['what is nothing to exclude', { network_id: 'nothing', exclude_ips: '10.0.0.9-10.0.0.1' }, refusal('exclude_ips')],
  ])('with %s are refused', async (_, body, refused) => {
    expect(await d.ask('POST /api/discovery/rules', body)).toMatchObject(refused)
  })

  test('listen until they are changed, and null stops it', async () => {
    const { id } = await d.network()
    const rule = await d.api.discoveryRules.create({ network_id: id, listen: true, enabled: false })
    const kept = await d.api.discoveryRules.update({ id: rule.id, interval_hours: 7 })
    const cleared = await d.ask(`PUT /api/discovery/rules/${rule.id}`, { listen: null })
    expect([rule.listen, kept.listen, cleared.body]).toEqual([true, true, expect.objectContaining({ listen: false })])
  })

  test('for a network that cannot be scanned are refused', async () => {
    const { id } = await d.api.networks.create({ name: 'wide', subnet: '127.0.0.0/8' })
    expect(await d.ask('POST /api/discovery/rules', { network_id: id })).toMatchObject(refusal('network_id'))
  })

  test('run when they are made, and again an interval after that run has ended', async () => {
    const { id } = await d.network()
    const { id: ruleId } = await d.api.discoveryRules.create({ network_id: id, interval_hours: 6, scan_type: 'full' })
    await runDue(id)
    const [scan] = await scansOf(id)
    expect(scan).toMatchObject({ rule_id: ruleId, scan_type: 'full', status: 'completed', created_by: '' })
    const rule = await d.api.discoveryRules.get({ id: ruleId })
    expect(rule.last_run_at).toBe(d.now())
    const hours = hoursUntil(rule.next_run_at) ?? 0
    expect(hours >= 6 && hours <= 6.3).toBe(true)
    d.advance(6 * HOUR_MS - 1000)
    await runDue(id)
    expect((await scansOf(id)).length).toBe(1)
    d.advance(HOUR_MS)
    await runDue(id)
    expect((await scansOf(id)).length).toBe(2)
    await d.api.discoveryRules.delete({ id: ruleId })
  })

  test('start no second scan while the first has not ended', async () => {
    const { id } = await d.network()
    const { id: ruleId } = await d.api.discoveryRules.create({ network_id: id, interval_hours: 1 })
    await due()
    await due()
    expect((await scansOf(id)).length).toBe(1)
    ;(await d.scanner.next()).end('done')
    await d.ended((await scansOf(id))[0]?.id ?? '')
    await d.api.discoveryRules.delete({ id: ruleId })
  })

  test('that are off never run, and have no next time', async () => {
    const { id } = await d.network()
    const rule = await d.api.discoveryRules.create({ network_id: id, enabled: false })
    await due()
    expect([rule.next_run_at, await scansOf(id)]).toEqual([null, []])
  })

  test('that are switched off and on are due as they were', async () => {
    const { id } = await d.network()
    const { id: ruleId } = await d.api.discoveryRules.create({ network_id: id, interval_hours: 10 })
    await runDue(id)
    await d.api.discoveryRules.update({ id: ruleId, enabled: false })
    d.advance(4 * HOUR_MS)
    const { next_run_at } = await d.api.discoveryRules.update({ id: ruleId, enabled: true })
    expect(hoursUntil(next_run_at)).toBe(6)
    await d.api.discoveryRules.delete({ id: ruleId })
  })

  test('rules are due at once when their interval is cut short', async () => {
    const { id } = await d.network()
    const { id: ruleId } = await d.api.discoveryRules.create({ network_id: id, interval_hours: 100 })
    await runDue(id)
    d.advance(5 * HOUR_MS)
    const { next_run_at } = await d.api.discoveryRules.update({ id: ruleId, interval_hours: 2 })
    expect(next_run_at).toBe(d.now())
    await d.api.discoveryRules.delete({ id: ruleId })
  })

  test('can be given another network, but not one that has a rule', async () => {
    const [one, two, three] = [await d.network(), await d.network(), await d.network()]
    const rule = await d.api.discoveryRules.create({ network_id: one.id, enabled: false })
    await d.api.discoveryRules.create({ network_id: two.id, enabled: false })
    expect((await d.ask(`PUT /api/discovery/rules/${rule.id}`, { network_id: two.id })).status).toBe(409)
    expect(await d.api.discoveryRules.update({ id: rule.id, network_id: three.id })).toMatchObject({
      network_id: three.id,
    })
  })

  test('that cannot start record a failed scan, and continue', async () => {
    const { id, subnet } = await d.network()
    const { id: ruleId } = await d.api.discoveryRules.create({ network_id: id, enabled: false })
    await d.api.discoveryRules.update({ id: ruleId, exclude_ips: subnet, enabled: true })
    await due()
    expect(await scansOf(id)).toMatchObject([{ status: 'failed', error_message: 'leaves no address to scan' }])
    expect(hoursUntil((await d.api.discoveryRules.get({ id: ruleId })).next_run_at)).toBeGreaterThanOrEqual(24)
    await d.api.discoveryRules.delete({ id: ruleId })
  })
})
