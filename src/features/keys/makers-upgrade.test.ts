// Keys of before are given the maker that the audit trail knows, and no other.
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { migrations } from '../../migrations/index.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { emptyDatabase } from '../../testing/database.ts'
import { dialects } from '../../testing/servers.ts'
import type { Tables } from '../tables.ts'

const now = () => new Date('2026-01-02T03:04:05.678Z')

/** An entry that says who called what on a key. */
type Entry = {
  readonly key: string
  readonly by: string
  readonly action?: string
  readonly status?: string
  readonly resource?: string
}

test.each([...dialects()])('keys get the maker that the audit trail knows on %s', async (dialect) => {
  const { db, close } = await emptyDatabase<Tables>(dialect)
  const before = migrations.filter(({ name }) => name < '0022')
  await migrate(db, { migrations: before, now })
  const entries: Entry[] = [
    { key: 'own', by: 'owner' },
    { key: 'foreign', by: 'clerk' },
    { key: 'failed', by: 'clerk', status: 'failure' },
    { key: 'deleted', by: 'clerk', action: 'delete' },
    { key: 'device', by: 'clerk', resource: 'device' },
    { key: 'by-key', by: 'own' },
  ]
  await db.write(async ({ db: tx }) => {
    const at = now().toISOString()
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
  await migrate(db, { migrations, now })
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
