/** The programs that are connected to a database, by the names of their connections. */
import { CompiledQuery } from 'kysely'
import type { OtherProgram, QueryRunner, Sql } from '../../database.ts'
import { IS_PROGRAM, parseProgramName } from './program-name.ts'

/** A program with all its connections. */
export type ProgramRow = {
  /** The name of its connections. */
  readonly name: string
  /** '' on the machine of the server, by a socket. */
  readonly address: string
  /** The start of its oldest connection, in UTC; '' if the server does not tell it to this user. */
  readonly since: string
  /** True for the one that asks. */
  readonly is_this: boolean
}

/**
 * A name and an address together are a program: the names of two containers may be equal.
 * Connections of programs before 0059 all have one name.
 */
export const PROGRAMS = `SELECT application_name AS name, coalesce(host(client_addr), '') AS address,
    coalesce(to_char(min(backend_start) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '') AS since,
    bool_or(pid = pg_backend_pid()) AS is_this
  FROM pg_stat_activity WHERE datname = current_database() AND ${IS_PROGRAM}
  GROUP BY application_name, client_addr ORDER BY min(backend_start), name, address`

export const readPrograms = async (db: QueryRunner): Promise<readonly ProgramRow[]> =>
  (await db.executeQuery<ProgramRow>(CompiledQuery.raw(PROGRAMS))).rows

export const toOtherPrograms = (rows: readonly ProgramRow[]): OtherProgram[] =>
  rows
    .filter(({ is_this }) => !is_this)
    .map(({ name, address, since }) => {
      const { version, level } = parseProgramName(name) ?? {}
      return { version, level, address: address || 'the machine of the database', since }
    })

export const otherPrograms: Sql['otherPrograms'] = async (db) => toOtherPrograms(await readPrograms(db))
