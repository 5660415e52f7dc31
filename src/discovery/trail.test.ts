// The audit entries of scans.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../testing/discovery.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

describe.each(onSqlite())('the trail of scans on %s', (dialect) => {
  const d = discoveryApp(dialect, { AUDIT_ENABLED: 'true' })
  const entries = async () => {
    const { body } = await d.ask('GET /api/audit?resource=scan')
    return (body as { action: string; status: string }[]).map(({ action, status }) => [action, status])
  }

  test('holds none that was only tried, but every one that was started', async () => {
    const { id } = await d.network()
    await d.ask(`POST /api/discovery/networks/${id}/scan?dry_run=true`)
    const tried = await entries()
    await d.scan(id, [])
    expect([tried, await entries()]).toEqual([[], [['create', 'success']]])
  })
})
