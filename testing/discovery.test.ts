/** The scans of a test are kept apart from scans that a rule starts beside them. */
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from './discovery.ts'
import { onSqlite } from './servers/servers.ts'
import { until } from './until.ts'

describe.each(onSqlite())('the scan of a test on %s', (dialect) => {
  const d = discoveryApp(dialect)

  test('ends while the scan of a rule still runs', async () => {
    const [ruled, own] = [await d.network(), await d.network()]
    await d.api.discoveryRules.create({ network_id: ruled.id })
    await d.runJob('discovery.start-due')
    await until('the scan of the rule', () => d.scanner.all.at(0))
    const id = await d.scan(own.id, [])
    expect(await d.api.scans.get({ id })).toMatchObject({ status: 'completed', network_id: own.id })
  })
})
