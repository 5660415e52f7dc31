// Writers at once that each make a new set of scopes, which is stored once.
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { testApp } from '../../../testing/app/app.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'

test.each(engines())('twenty devices at once in new sets of scopes on %s', async (dialect) => {
  const app = await testApp({ dialect })
  const admin = await app.as('admin')
  const tags = ['a', 'b', 'c', 'd', 'e']
  for (const tag of tags)
    expect((await admin.request('POST', '/api/scopes', { name: tag, tags: [tag] })).status).toBe(201)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      admin.request('POST', '/api/devices', {
        name: `d${i}`,
        tags: tags.filter((_tag, bit) => ((i % 10) + 1) & (1 << bit)),
      }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
  const sets = await app.db.read.selectFrom('areas').select('scopes').execute()
  expect(new Set(sets.map(({ scopes }) => scopes)).size).toBe(10)
  const { length } = await app.db.read.selectFrom('devices').select('id').where('area', '=', 0).execute()
  expect(length).toBe(0)
  await app.close()
})

test.skipIf(!engines().includes('postgres'))('a write that began before the first scope is in it', async () => {
  const app = await testApp({ dialect: 'postgres' })
  const admin = await app.as('admin')
  const { id } = await admin.api.networks.create({ name: 'n', subnet: '10.0.0.0/24' })
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holder = app.db.write(async ({ db }) => {
    await app.db.sql.lockRows(db.selectFrom('networks').select('id').where('id', '=', id)).execute()
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const write = admin.api.networks.update({ id, subnet: '10.1.0.0/24' })
  await until('write that has begun and waits for the row', async () => {
    const { rows } = await sql`SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(app.db.read)
    return rows.length === 1 ? true : undefined
  })
  const scope = await admin.api.scopes.create({ name: 's', subnets: ['10.1.0.0/16'] })
  release.resolve()
  await Promise.all([holder, write])
  expect(await admin.api.scopes.counts({ id: scope.id })).toMatchObject({ networks: 1 })
  await app.close()
})
