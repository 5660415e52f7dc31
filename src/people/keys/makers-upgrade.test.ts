// Keys of before are given the maker that the audit trail knows, and no other.
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { upgraded } from '../../../testing/servers/earlier-version.ts'
import { engines } from '../../../testing/servers/servers.ts'

/** An entry that says who called what on a key. */
type Entry = {
  readonly key: string
  readonly by: string
  readonly action?: string
  readonly status?: string
  readonly resource?: string
}

test.each(engines())('keys get the maker that the audit trail knows on %s', async (dialect) => {
  const entries: Entry[] = [
    { key: 'own', by: 'owner' },
    { key: 'foreign', by: 'clerk' },
    { key: 'failed', by: 'clerk', status: 'failure' },
    { key: 'deleted', by: 'clerk', action: 'delete' },
    { key: 'device', by: 'clerk', resource: 'device' },
    { key: 'by-key', by: 'own' },
  ]
  const { db, close } = await upgraded(dialect, '0022', async (tx) => {
    const at = '2026-01-02T03:04:05.678Z'
    await sql`INSERT INTO users (id, username, username_key, email, full_name, password_hash, is_active, generation, created_at, updated_at)
              VALUES ('owner', 'owner', 'owner', '', '', '', 1, 0, ${at}, ${at})`.execute(tx)
    for (const id of [...entries.map(({ key }) => key), 'unheard'])
      await sql`INSERT INTO api_keys (id, user_id, name, name_key, key_hash, prefix, created_at)
                VALUES (${id}, 'owner', ${id}, ${id}, ${id}, '', ${at})`.execute(tx)
    for (const [place, { key, by, action = 'create', status = 'success', resource = 'key' }] of entries.entries())
      await sql`INSERT INTO audit (id, timestamp, action, resource, resource_id, user_id, username, key_id, ip_address, changes, status, error, request_id, oauth_client, tool, place, hash)
                VALUES (${key}, ${at}, ${action}, ${resource}, ${key}, ${by}, '', '', '', '', ${status}, '', '', '', '', ${place}, '')`.execute(
        tx,
      )
  })
  const rows = await db.read.selectFrom('api_keys').select(['id', 'created_by']).execute()
  expect(Object.fromEntries(rows.map(({ id, created_by }) => [id, created_by]))).toEqual({
    own: 'owner',
    foreign: 'clerk',
    failed: null,
    deleted: null,
    device: null,
    'by-key': null,
    unheard: null,
  })
  await close()
})
