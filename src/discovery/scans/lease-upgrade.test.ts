// Scans and deliveries of an earlier version: a scan resumes from its last heartbeat, and no claim is left.
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { insertDiscovered, upgraded } from '../../../testing/servers/earlier-version.ts'
import { engines } from '../../../testing/servers/servers.ts'

const BEAT_MS = Date.parse('2026-01-02T03:00:00.000Z')

test.each(engines())('on %s', async (dialect) => {
  const { db, close } = await upgraded(dialect, '0031', async (tx) => {
    await insertDiscovered(tx, [])
    await sql`INSERT INTO discovery_scans (id, network_id, status, scan_type, stage, total_hosts, scanned_hosts,
        found_hosts, hosts_per_second, exclude_ips, error_message, created_by, created_at, updated_at, runner,
        heartbeat_at, resumes, beat_ms)
      VALUES ('s', 'n', 'running', 'quick', '', 1, 0, 0, 0, '', '', '', '', '', 'a process',
        ${new Date(BEAT_MS).toISOString()}, 2, ${BEAT_MS})`.execute(tx)
    await sql`INSERT INTO webhooks (id, name, name_key, url, events, enabled, disabled_reason, description, headers,
        timeout_seconds, retry_count, created_at, updated_at)
      VALUES ('w', 'w', 'w', '', '[]', 1, '', '', '{}', 10, 0, '', '')`.execute(tx)
    await sql`INSERT INTO webhook_deliveries (id, webhook_id, event, body, status, attempt_number, attempts_left,
        response_body, error, attempts, due_ms, lease_ms, claim, created_at)
      VALUES ('d', 'w', '', '{}', 'pending', 0, 1, '', '', '[]', 1, ${BEAT_MS}, 'a claim', '')`.execute(tx)
  })
  const scan = await db.read.selectFrom('discovery_scans').select(['holder', 'until_ms', 'resumes']).executeTakeFirst()
  const delivery = await db.read.selectFrom('webhook_deliveries').select(['holder', 'until_ms']).executeTakeFirst()
  await close()
  // PostgreSQL sends 64-bit numbers as text.
  expect({ ...scan, until_ms: Number(scan?.until_ms) }).toEqual({
    holder: 'a process',
    until_ms: BEAT_MS,
    resumes: 2,
  })
  expect({ ...delivery, until_ms: Number(delivery?.until_ms) }).toEqual({ holder: '', until_ms: 0 })
})
