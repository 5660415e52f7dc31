/**
 * The name of a program's connections to PostgreSQL: `plat/VERSION LEVEL HOST:PID`. By it the programs on one database
 * find each other in `pg_stat_activity`, without a table.
 */
import { hostname } from 'node:os'

export type Program = {
  readonly version: string
  /** The number of the newest migration that it knows. */
  readonly level: number
}

export type NamedProgram = Program & {
  /** Its host name and process id: `web1:4711`. */
  readonly name: string
}

/** The name of connections without a version, as programs before 0059 have it. */
export const PROGRAM_NAME = 'plat'
/** The server cuts longer names off (NAMEDATALEN). */
const MOST_BYTES = 63

/** A condition on `application_name`, as SQL text: connections of any version. */
export const IS_PROGRAM = `(application_name = '${PROGRAM_NAME}' OR application_name LIKE '${PROGRAM_NAME}/%')`

/** A long host name loses its beginning, because pods of one deployment differ at the end. */
export const formatProgramName = ({ version, level }: Program, host = hostname(), pid = process.pid): string => {
  const before = `${PROGRAM_NAME}/${version} ${level} `
  const after = `:${pid}`
  // The server replaces all but printable ASCII.
  const [label = '', ...domain] = host.replaceAll(/[^\x21-\x7e]/g, '?').split('.')
  const full = [label, ...domain].join('.')
  const room = Math.max(1, MOST_BYTES - before.length - after.length)
  return `${before}${full.length > room ? label.slice(-room) : full}${after}`
}

/** Returns undefined for names of other programs, and for names without a level. */
export const parseProgramName = (text: string): NamedProgram | undefined => {
  const [, version, level, name] = /^plat\/(\S+) (\d+) (\S+)$/.exec(text) ?? []
  return version && level && name ? { version, level: Number(level), name } : undefined
}
