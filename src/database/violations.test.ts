/** Broken constraints are recognized by kind and by the columns that they name. On both databases. */
import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { thing, thingsSuite, thrown } from '../../testing/app/things.ts'
import { engines } from '../../testing/servers/servers.ts'
import { getViolation } from './violations.ts'

describe.each(engines())('constraints on %s', (dialect) => {
  const suite = thingsSuite(dialect)

  describe('a broken constraint', () => {
    const owner = (id: string, name: string) =>
      suite.db.write((tx) => tx.db.insertInto('owners').values({ id, name }).execute())

    test('has the name of the unique columns', async () => {
      await owner('a', 'Ann')
      expect(getViolation(await thrown(owner('b', 'Ann')))).toEqual({ kind: 'unique', name: 'owners_name' })
    })

    test('has the name of the primary key', async () => {
      await owner('a', 'Ann')
      expect(getViolation(await thrown(owner('a', 'Bea')))).toEqual({ kind: 'unique', name: 'owners_id' })
    })

    test('says that a reference points nowhere', async () => {
      const row = { ...thing('a'), owner_id: 'nobody' }
      const failing = suite.db.write((tx) => tx.db.insertInto('things').values(row).execute())
      expect(getViolation(await thrown(failing))?.kind).toBe('foreign_key')
    })

    test('says that something still refers to the row', async () => {
      await owner('a', 'Ann')
      await suite.db.write((tx) =>
        tx.db
          .insertInto('things')
          .values({ ...thing('t'), owner_id: 'a' })
          .execute(),
      )
      const failing = suite.db.write((tx) => tx.db.deleteFrom('owners').execute())
      expect(getViolation(await thrown(failing))?.kind).toBe('foreign_key')
    })

    test.each(['a', 'b.c'])('is not seen in an error of ours that talks of %s', (name) => {
      expect(getViolation(new Error(`UNIQUE constraint failed: ${name}`))).toBeUndefined()
    })

    test('is not seen in another error of the engine', async () => {
      const failing = suite.db.write((tx) =>
        tx.db
          .insertInto('nowhere' as 'things')
          .values(thing('a'))
          .execute(),
      )
      expect(getViolation(await thrown(failing))).toBeUndefined()
    })
  })
})

test('errors of PostgreSQL that name a constraint by another scheme keep that name', () => {
  const error = new SQL.PostgresError('no', {
    code: 'ERR_POSTGRES_SERVER_ERROR',
    errno: '23505',
    constraint: 'by_hand',
    detail: '',
    hint: '',
    severity: 'ERROR',
  })
  expect(getViolation(error)).toEqual({ kind: 'unique', name: 'by_hand' })
})
