import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { migrations } from '../../migrations/index.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { emptyDatabase } from '../../testing/database.ts'
import { dialects } from '../../testing/servers.ts'
import type { Tables } from '../tables.ts'
import { columns, createSigner, type Entry, hashOf } from './chain.ts'
import { verify } from './verify.ts'

const now = () => new Date('2026-01-02T03:04:05.678Z')
const signer = createSigner({ encryptionKeyPrevious: [] })

const entryOf = (id: string): Entry => ({
  ...{ id, timestamp: now().toISOString(), action: 'create', resource: 'device', resource_id: id, user_id: 'u' },
  ...{ username: 'ada', key_id: '', ip_address: '192.0.2.1', changes: '{}', status: 'success', error: '' },
  request_id: `request of ${id}`,
  oauth_client: '',
  tool: '',
})

test.each([...dialects()])('a trail of before entries had places is whole on %s', async (dialect) => {
  const { db, close } = await emptyDatabase<Tables>(dialect)
  await migrate(db, { migrations: migrations.slice(0, 5), now })
  await db.write(async (tx) => {
    for (const chain of [0, 31]) {
      let hash = ''
      for (const seq of [1, 2]) {
        const entry = entryOf(`${chain}-${seq}`)
        hash = hashOf(hash, { ...entry, chain, seq })
        // Those that the table had then.
        const had = columns.filter((column) => column !== 'oauth_client' && column !== 'tool')
        const values = [...had.map((column) => entry[column]), chain, seq, hash]
        const names = [...had, 'chain', 'seq', 'hash'].map((name) => sql.ref(name))
        await sql`INSERT INTO audit (${sql.join(names)}) VALUES (${sql.join(values)})`.execute(tx.db)
      }
      await sql`UPDATE audit_chains SET end_seq = 2, end_hash = ${hash} WHERE chain = ${chain}`.execute(tx.db)
    }
  })
  await migrate(db, { migrations, now })
  expect(await verify({ db: db.read, store: db }, signer)).toMatchObject({ ok: true, checked: 4 })
  await close()
})
