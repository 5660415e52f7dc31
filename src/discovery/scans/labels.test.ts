/** The start of scans of networks that a scanner scans. */
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { refusal } from '../../../testing/estates/inventory.ts'
import { createTransactions, enrolScanner } from '../../../testing/scanners.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { sayGoodbye } from '../../inventory/scanners/state-store.ts'

const DAY_MS = 24 * 60 * 60 * 1000

describe.each(onSqlite())('scans by label on %s', (dialect) => {
  const d = discoveryApp(dialect)
  const write: ReturnType<typeof createTransactions> = (work) =>
    createTransactions(d.app, () => new Date(d.now()))(work)
  const enrol = (name: string, tags: string[] = []) => enrolScanner({ admin: d.admin, write }, { name, tags })
  const leave = (id: string) => write((ctx) => sayGoodbye(ctx, id))
  const labelled = async (scanner: string) => {
    const { id } = await d.network()
    await d.api.networks.update({ id, scanner })
    return id
  }
  const start = (id: string, body?: unknown) => d.ask(`POST /api/discovery/networks/${id}/scan`, body)
  const begin = async (id: string) => (((await start(id)).body ?? {}) as { id: string }).id
  const getLog = async (id: string) => (await d.api.scans.get({ id })).log.map(({ text }) => text)

  test('a scan is refused on scanner if no scanner has the label', async () => {
    const id = await labelled('nobody')
    const refused = await start(id)
    expect(refused).toMatchObject(refusal('scanner'))
    expect(JSON.stringify(refused.body)).toContain('no enrolled scanner has the name or the tag \\"nobody\\"')
    expect(await d.api.scans.list({ network_id: id })).toEqual([])
  })

  test('a dry run needs no scanner', async () => {
    expect(await start(await labelled('nobody'), { dry_run: true })).toMatchObject({
      status: 200,
      body: { total_hosts: 254 },
    })
  })

  test('pending and revoked scanners do not count', async () => {
    const id = await labelled('site')
    await d.api.scanners.create({ name: 'site' })
    expect(await start(id)).toMatchObject(refusal('scanner'))
    const { id: revoked } = await enrol('site two', ['site'])
    await d.api.scanners.revoke({ id: revoked })
    expect(await start(id)).toMatchObject(refusal('scanner'))
  })

  test('a scan of an online scanner waits without a note', async () => {
    await enrol('here')
    const answer = await start(await labelled('here'))
    expect(answer).toMatchObject({ status: 202, body: { status: 'pending', scanner_id: null, scanner_name: '' } })
    expect(await getLog((answer.body as { id: string }).id)).toEqual([])
  })

  test('a scan of an offline scanner says whom it waits for', async () => {
    const { id } = await enrol('asleep')
    await leave(id)
    expect(await getLog(await begin(await labelled('asleep')))).toEqual([
      'waits for the scanner "asleep", which is offline',
    ])
  })

  test('a scan of several offline scanners names the first three', async () => {
    for (const name of ['s1', 's2', 's3', 's4']) await leave((await enrol(name, ['several'])).id)
    expect(await getLog(await begin(await labelled('several')))).toEqual([
      'waits for one of the scanners "s1", "s2", "s3" and 1 more, which are offline',
    ])
  })

  test('the server does not take a scan with a label, and takes it when the label is removed', async () => {
    await enrol('far')
    const id = await labelled('far')
    const scan = await begin(id)
    await d.runJob('discovery.run-scans')
    expect((await d.api.scans.get({ id: scan })).status).toBe('pending')
    const { subnet } = await d.api.networks.update({ id, scanner: '' })
    await d.runJob('discovery.run-scans')
    const process = await d.scanner.next(subnet)
    process.end('done')
    expect(await d.ended(scan)).toBe('completed')
  })

  test('a scan that no scanner has taken fails after 24 hours', async () => {
    await enrol('never')
    const scan = await begin(await labelled('never'))
    d.advance(DAY_MS - 1)
    await d.runJob('discovery.fail-waiting')
    expect((await d.api.scans.get({ id: scan })).status).toBe('pending')
    d.advance(1)
    await d.runJob('discovery.fail-waiting')
    expect(await d.api.scans.get({ id: scan })).toMatchObject({
      ...{ status: 'failed', error_message: 'no scanner "never" came for it' },
    })
  })

  test('a rule without a scanner puts a failed scan on record', async () => {
    const id = await labelled('no one')
    await d.api.discoveryRules.create({ network_id: id, scan_type: 'quick', interval_hours: 1 })
    await d.runJob('discovery.start-due')
    expect(await d.api.scans.list({ network_id: id })).toMatchObject([
      { status: 'failed', error_message: 'no enrolled scanner has the name or the tag "no one"' },
    ])
  })

  test('a network in a space that this server does not reach is scanned by its scanner only', async () => {
    await enrol('customer')
    const { id: space_id } = await d.api.spaces.create({ name: 'Customer', reachable: false })
    const { id } = await d.api.networks.create({ name: 'inside', subnet: '127.200.0.0/24', space_id })
    expect(await start(id)).toMatchObject(refusal('network_id'))
    await d.api.networks.update({ id, scanner: 'customer' })
    expect(await start(id)).toMatchObject({ status: 202 })
    const rule = await d.api.discoveryRules.create({ network_id: id, scan_type: 'quick', interval_hours: 1 })
    expect(rule.skipped_reason).toBe('')
    await d.api.networks.update({ id, scanner: '' })
    expect((await d.api.discoveryRules.get({ id: rule.id })).skipped_reason).toContain('"Customer" is not reachable')
  })
})
