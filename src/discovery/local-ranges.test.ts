// No scan reads services of the server itself: local ranges are refused, unless the operator allows them.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../testing/discovery.ts'
import { refusal } from '../../testing/estates/inventory.ts'
import { callTool } from '../../testing/mcp.ts'
import { onSqlite } from '../../testing/servers/servers.ts'
import { startScan } from '../scanner/process.ts'
import { buildPlan, runPlan } from '../scanner/testing/plans.ts'

const REFUSING = { DISCOVERY_ALLOW_LOCAL: 'false', DISCOVERY_ALLOWED_SUBNETS: '' }

const LOCAL = [
  ['127.0.0.0/24', '127.0.0.0/8'],
  ['127.0.0.0/8', '127.0.0.0/8'],
  ['0.0.0.0/8', '0.0.0.0/8'],
  ['0.0.0.0/24', '0.0.0.0/8'],
  ['169.254.169.254/32', '169.254.0.0/16'],
  ['169.254.0.0/16', '169.254.0.0/16'],
  ['::1/128', '::1'],
  ['::/128', '::'],
  ['::/112', '::1'],
  ['fe80::/112', 'fe80::/10'],
  ['fe80::/10', 'fe80::/10'],
  ['::ffff:127.0.0.1/128', '127.0.0.0/8'],
  ['::ffff:127.0.0.0/112', '127.0.0.0/8'],
  ['::ffff:169.254.169.0/120', '169.254.0.0/16'],
  ['::ffff:0:0/112', '0.0.0.0/8'],
  ['::127.0.0.0/112', '127.0.0.0/8'],
  ['64:ff9b::7f00:0/112', '127.0.0.0/8'],
  ['2002:7f00:1::/112', '127.0.0.0/8'],
] as const

describe.each(onSqlite())('local ranges on %s', (dialect) => {
  const d = discoveryApp(dialect, REFUSING)
  let count = 0
  const networkOf = async (subnet: string): Promise<string> => {
    const { id } = await d.api.networks.create({ name: `net ${++count}`, subnet })
    return id
  }
  const elsewhere = (): Promise<string> => networkOf(`10.7.${++count}.0/24`)
  const ruleOf = (id: string) => d.api.discoveryRules.get({ id })

  test.each(LOCAL)('a scan of %s is refused, naming %s', async (subnet, range) => {
    const answer = await d.ask(`POST /api/discovery/networks/${await networkOf(subnet)}/scan`, {})
    expect(answer).toMatchObject(refusal('network_id'))
    expect((answer.body as { error: string }).error).toContain(`the local range ${range}`)
  })

  test.each(LOCAL)('a rule for %s is refused, naming %s', async (subnet, range) => {
    const answer = await d.ask('POST /api/discovery/rules', { network_id: await networkOf(subnet), enabled: false })
    expect(answer).toMatchObject(refusal('network_id'))
    expect((answer.body as { error: string }).error).toContain(`the local range ${range}`)
  })

  test.each([
    ['a dry run', '127.0.0.0/24', '?dry_run=true', {}],
    ['a deep scan', '127.0.0.0/24', '', { scan_type: 'deep' }],
    ['a scan that excludes the local addresses', '::/112', '', { exclude_ips: '::-::ff' }],
  ])('%s is refused', async (_, subnet, query, body) => {
    const id = await networkOf(subnet)
    expect(await d.ask(`POST /api/discovery/networks/${id}/scan${query}`, body)).toMatchObject(refusal('network_id'))
  })

  test('a scan by an AI client is refused', async () => {
    const id = await networkOf('127.9.0.0/24')
    const answer = await callTool({ fetch: d.app.fetch, key: d.admin.key }, 'discovery_scan', { id })
    expect(answer).toMatchObject({
      isError: true,
      value: { code: 'VALIDATION_ERROR', details: [{ field: 'network_id' }] },
    })
  })

  test('the networks can be documented all the same', async () => {
    const id = await networkOf('169.254.0.0/16')
    expect(await d.api.networks.get({ id })).toMatchObject({ subnet: '169.254.0.0/16' })
  })

  test('a rule is not moved to such a network', async () => {
    const rule = await d.api.discoveryRules.create({ network_id: await elsewhere(), enabled: false })
    const network_id = await networkOf('127.10.0.0/24')
    expect(await d.ask(`PUT /api/discovery/rules/${rule.id}`, { network_id })).toMatchObject(refusal('network_id'))
  })

  test('a rule says why it does not run when its network became a local range', async () => {
    const network_id = await elsewhere()
    const { id } = await d.api.discoveryRules.create({ network_id })
    expect(await ruleOf(id)).toMatchObject({ skipped_reason: '', next_run_at: d.now() })
    await d.api.networks.update({ id: network_id, subnet: '127.11.0.0/24' })
    const why = { skipped_reason: expect.stringContaining('the local range 127.0.0.0/8'), next_run_at: null }
    expect(await ruleOf(id)).toMatchObject(why)
    expect(await d.api.discoveryRules.list({ network_id })).toMatchObject([why])
    await d.api.discoveryRules.delete({ id })
  })

  test('a rule starts no scan while its network is a local range, and starts one afterwards', async () => {
    const network_id = await elsewhere()
    const { id } = await d.api.discoveryRules.create({ network_id })
    await d.api.networks.update({ id: network_id, subnet: '127.12.0.0/24' })
    await d.runJob('discovery.start-due')
    expect(await d.api.scans.list({ network_id })).toEqual([])
    await d.api.networks.update({ id: network_id, subnet: '10.99.12.0/24' })
    await d.runJob('discovery.start-due')
    ;(await d.scanner.next()).end('done')
    expect(await d.api.scans.list({ network_id })).toMatchObject([{ rule_id: id }])
    await d.api.discoveryRules.delete({ id })
  })

  test('a rule is not enabled when its network became a local range', async () => {
    const network_id = await elsewhere()
    const { id } = await d.api.discoveryRules.create({ network_id, enabled: false })
    await d.api.networks.update({ id: network_id, subnet: '127.13.0.0/24' })
    expect(await d.ask(`PUT /api/discovery/rules/${id}`, { enabled: true })).toMatchObject(refusal('network_id'))
  })

  test('a rule can be changed otherwise when its network became a local range, against its tag', async () => {
    const network_id = await elsewhere()
    const { id } = await d.api.discoveryRules.create({ network_id })
    await d.api.networks.update({ id: network_id, subnet: '127.14.0.0/24' })
    const { headers } = await d.admin.request('GET', `/api/discovery/rules/${id}`)
    const match = { 'If-Match': headers.get('etag') ?? '' }
    const answer = await d.ask(`PUT /api/discovery/rules/${id}`, { interval_hours: 7 }, match)
    expect(answer).toMatchObject({ status: 200, body: { interval_hours: 7, next_run_at: null } })
    await d.api.discoveryRules.delete({ id })
  })

  test('a queued scan fails without a scanner when its network became a local range', async () => {
    const first = await d.begin(await elsewhere())
    const second = await d.begin(await elsewhere())
    const network_id = await elsewhere()
    const waiting = await d.api.scans.start({ id: network_id })
    if (!('id' in waiting)) throw new Error('a scan that is no dry run has an id')
    await d.api.networks.update({ id: network_id, subnet: '127.15.0.0/24' })
    first.scan.end('done')
    second.scan.end('done')
    expect(await d.ended(waiting.id)).toBe('failed')
    const { error_message } = await d.api.scans.get({ id: waiting.id })
    expect(error_message).toContain('the local range 127.0.0.0/8')
  })

  test('results of another scanner there are recorded', async () => {
    const id = await networkOf('127.16.0.0/24')
    const body = { scan_type: 'quick', hosts: [{ ip: '127.16.0.7' }] }
    expect(await d.ask(`POST /api/discovery/networks/${id}/results`, body)).toMatchObject({ status: 201 })
  })
})

describe('with DISCOVERY_ALLOW_LOCAL=true', () => {
  const d = discoveryApp('sqlite', { DISCOVERY_ALLOWED_SUBNETS: '' })

  test.each(['127.0.0.0/24', '::1/128', '::ffff:127.0.0.0/112'])('%s is scanned', async (subnet) => {
    const { id } = await d.api.networks.create({ name: subnet, subnet })
    const { scan } = await d.begin(id)
    expect(scan.plan.allowLocal).toBe(true)
    scan.end('done')
  })
})

describe('the scanner itself', () => {
  test.each(LOCAL.filter(([subnet]) => !/\/(8|10)$/.test(subnet)))('refuses %s', async (subnet, range) => {
    const { result, message } = await runPlan(buildPlan({ subnet, allowLocal: false }))
    expect({ result, message }).toEqual({
      result: 'failed',
      message: expect.stringContaining(`the local range ${range}`),
    })
  })

  test('refuses them where the plan does not mention them', async () => {
    const { allowLocal: _, ...silent } = buildPlan({ subnet: '127.0.0.0/28' })
    // The plan of an older server.
    const scan = startScan(silent as ReturnType<typeof buildPlan>, async () => {})
    expect(await scan.ended).toMatchObject({ result: 'failed' })
  })
})
