/** The programs that are connected to a database, by the names of their connections. */
import { CompiledQuery } from 'kysely'
import type { OtherProgram, Sql } from '../database.ts'
import { IS_PROGRAM, parseProgramName } from './program-name.ts'

type Row = { readonly name: string; readonly address: string | null; readonly since: string | null }

/** Connections of this program have its name. Those of an earlier program without a version all have one name. */
export const OTHER_PROGRAMS = `SELECT application_name AS name, host(client_addr) AS address,
    to_char(min(backend_start) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
  FROM pg_stat_activity
  WHERE datname = current_database() AND ${IS_PROGRAM} AND application_name <> current_setting('application_name')
  GROUP BY application_name, client_addr ORDER BY min(backend_start)`

export const otherProgramOf = ({ name, address, since }: Row): OtherProgram => {
  const { version, level } = parseProgramName(name) ?? {}
  // Without an address, it is connected by a socket of the server's own machine.
  return { version, level, address: address ?? 'the machine of the database', since: since ?? '' }
}

export const otherPrograms: Sql['otherPrograms'] = async (db) => {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(OTHER_PROGRAMS))
  return rows.map(otherProgramOf)
}
