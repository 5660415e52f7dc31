/** Tells a listener of every query, by what it does to which table, and how long it took. */
import type { LogEvent } from 'kysely'

export type QueryListener = (query: string, durationMs: number) => void

export type QueryWatch = {
  /** For Kysely's `log`. */
  readonly log: (event: LogEvent) => void
  readonly listen: (listener: QueryListener) => void
}

/** Distinct statements whose name is remembered; lists of values make some of many lengths. */
const REMEMBERED = 2000

const STATEMENT = /^\s*(select|insert|update|delete|with)\b/i
const TABLE = /\b(?:from|into|update)\s+"?(\w+)"?/i

/**
 * A name of which there are few: the verb and the first table.
 * @example queryName('select "doc" from "devices" where "id" = ?') // 'select devices'
 */
export const queryName = (sql: string): string => {
  const verb = STATEMENT.exec(sql)?.[1]?.toLowerCase()
  const table = TABLE.exec(sql)?.[1]?.toLowerCase()
  return verb && table ? `${verb} ${table}` : 'other'
}

export const createQueryWatch = (): QueryWatch => {
  let listener: QueryListener = () => {}
  const names = new Map<string, string>()
  return {
    listen: (next) => {
      listener = next
    },
    log: ({ query, queryDurationMillis }) => {
      let name = names.get(query.sql)
      if (name === undefined) {
        name = queryName(query.sql)
        if (names.size < REMEMBERED) names.set(query.sql, name)
      }
      listener(name, queryDurationMillis)
    },
  }
}
