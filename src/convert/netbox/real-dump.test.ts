/** A dump that pg_dump itself writes, of tables with the types that NetBox gives them. */
import { describe, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { SQL } from 'bun'
import { findPostgres } from '../../../scripts/server-binaries.mjs'
import { dumpdata, tables, VERSIONS, type Version } from '../../../testing/netbox/forms.ts'
import { engines, postgresDatabase } from '../../../testing/servers/servers.ts'
import { convertNetbox } from './netbox.ts'

/** Types of columns that are neither text nor a reference. */
const TYPES: Readonly<Record<string, string>> = {
  address: 'inet',
  created: 'timestamptz',
  custom_field_data: 'jsonb',
  end_address: 'inet',
  id: 'bigint',
  last_updated: 'timestamptz',
  latitude: 'numeric(8,6)',
  longitude: 'numeric(9,6)',
  mac_address: 'macaddr',
  position: 'numeric(4,1)',
  postchange_data: 'jsonb',
  prefix: 'cidr',
  start_address: 'inet',
  vcpus: 'numeric(6,2)',
}
const typeOf = (column: string, values: readonly unknown[]): string => {
  const known = TYPES[column]
  if (known) return known
  const value = values.find((one) => one !== null && one !== undefined)
  return typeof value === 'boolean' ? 'boolean' : typeof value === 'number' ? 'bigint' : 'text'
}

const fill = async (url: string, version: Version): Promise<void> => {
  const sql = new SQL(url)
  try {
    for (const [table, rows] of tables(version)) {
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
      const types = columns.map(
        (column) =>
          `"${column}" ${typeOf(
            column,
            rows.map((row) => row[column]),
          )}`,
      )
      await sql.unsafe(`create table ${table} (${types.join(', ')})`)
      for (const row of rows) {
        const values = columns.map((column) => {
          const value = row[column]
          if (value === null || value === undefined) return 'null'
          const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
          return `'${text.replaceAll("'", "''")}'`
        })
        await sql.unsafe(`insert into ${table} values (${values.join(', ')})`)
      }
    }
  } finally {
    await sql.close()
  }
}

describe.skipIf(!engines().includes('postgres'))('a dump of pg_dump', () => {
  test.each(VERSIONS)('of NetBox %s gives the same document as dumpdata', async (version) => {
    const database = await postgresDatabase()
    try {
      await fill(database.url, version)
      const program = join(dirname(findPostgres()?.postgres ?? ''), 'pg_dump')
      const child = Bun.spawn([program, database.url], { stdio: ['ignore', 'pipe', 'inherit'] })
      const dump = await new Response(child.stdout).bytes()
      expect(await child.exited).toBe(0)
      const expected = await convertNetbox(new TextEncoder().encode(dumpdata(version)), { now: new Date(0) })
      const conversion = await convertNetbox(dump, { now: new Date(0) })
      expect([conversion.source, conversion.documents]).toEqual(['pg_dump', expected.documents])
    } finally {
      await database.drop()
    }
  })
})
