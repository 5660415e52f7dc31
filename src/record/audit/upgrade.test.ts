// Trails of earlier versions verify and can be read.
import { describe, expect, test } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import { emptyDatabase } from '../../../testing/servers/database.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { migrate } from '../../database/migrate.ts'
import { migrations } from '../../database/migrations/index.ts'
import type { Tables } from '../../database/tables.ts'
import { createSigner } from './chain.ts'
import { selectMatching } from './store.ts'
import { verify } from './verify.ts'

const now = () => new Date('2026-01-02T03:04:05.678Z')
const signer = createSigner({ encryptionKeyPrevious: [] })

/** The fields of the first version, in their hash order. */
const FIRST = [
  ...['id', 'timestamp', 'action', 'resource', 'resource_id', 'user_id', 'username', 'key_id', 'ip_address', 'changes'],
  ...['status', 'error', 'request_id'],
] as const
const CLIENTS = [...FIRST, 'oauth_client', 'tool'] as const

type Stored = Readonly<Record<string, string>>

const entryOf = (id: string, more: Stored = {}): Stored => ({
  ...{ id, timestamp: now().toISOString(), action: 'create', resource: 'device', resource_id: id, user_id: 'u' },
  ...{ username: 'ada', key_id: 'k', ip_address: '192.0.2.1', changes: '{}', status: 'success', error: '' },
  request_id: `request of ${id}`,
  ...more,
})

const hashOf = (previous: string, [chain, seq]: readonly [number, number], values: readonly (string | undefined)[]) =>
  new Bun.CryptoHasher('sha256').update(JSON.stringify([previous, chain, seq, ...values])).digest('hex')

type Row = Readonly<Record<string, string | number | undefined>>

const insert = async (db: Kysely<Tables>, row: Row): Promise<void> => {
  const names = Object.keys(row).map((name) => sql.ref(name))
  await sql`INSERT INTO audit (${sql.join(names)}) VALUES (${sql.join(Object.values(row))})`.execute(db)
}

const end = (db: Kysely<Tables>, chain: number, hash: string) =>
  sql`UPDATE audit_chains SET end_seq = 2, end_hash = ${hash} WHERE chain = ${chain}`.execute(db)

describe.each(engines())('on %s', (dialect) => {
  test('a trail of before entries had places is whole', async () => {
    const { db, close } = await emptyDatabase<Tables>(dialect)
    await migrate(db, { migrations: migrations.slice(0, 5), now })
    await db.write(async (tx) => {
      for (const chain of [0, 31]) {
        let hash = ''
        for (const seq of [1, 2]) {
          const entry = entryOf(`${chain}-${seq}`)
          const values = FIRST.map((column) => entry[column])
          hash = hashOf(hash, [chain, seq], values)
          await insert(tx.db, { ...entry, chain, seq, hash })
        }
        await end(tx.db, chain, hash)
      }
    })
    await migrate(db, { migrations, now })
    expect(await verify({ db: db.read, store: db }, signer)).toMatchObject({ ok: true, checked: 4 })
    await close()
  })

  test('a trail of before keys had owners in it is whole, and its entries are found by key and by owner', async () => {
    const { db, close } = await emptyDatabase<Tables>(dialect)
    await migrate(db, { migrations: migrations.filter(({ name }) => name < '0029'), now })
    await db.write(async (tx) => {
      const plain = entryOf('plain', { oauth_client: '', tool: '' })
      const first = hashOf(
        '',
        [0, 1],
        FIRST.map((column) => plain[column]),
      )
      await insert(tx.db, { ...plain, place: 1, hash: first })
      const byTool = entryOf('tool', { oauth_client: '', tool: 'device_create' })
      const second = hashOf(
        first,
        [0, 2],
        CLIENTS.map((column) => byTool[column]),
      )
      await insert(tx.db, { ...byTool, place: 2, hash: second })
      await end(tx.db, 0, second)
    })
    await migrate(db, { migrations, now })
    const scope = { db: db.read, store: db }
    expect(await verify(scope, signer)).toMatchObject({ ok: true, checked: 2 })
    for (const user_id of ['u', 'k'])
      expect(await selectMatching(scope, { user_id }).execute()).toMatchObject([
        { id: 'tool', user_id: 'u', key_id: 'k', key_owner_id: '' },
        { id: 'plain', user_id: 'u', key_id: 'k', key_owner_id: '' },
      ])
    await close()
  })
})
