/** Reports the name and the duration of every query to a listener. */
import type { LogEvent } from 'kysely'

export type QueryListener = (query: string, durationMs: number) => void

export type QueryMetrics = {
  /** For Kysely's `log`. */
  readonly log: (event: LogEvent) => void
  readonly listen: (listener: QueryListener) => void
}

/** Bound of the cache of names by statement; lists of values make statements of many lengths. */
const MAX_CACHED_NAMES = 2000

const STATEMENT = /^\s*(select|insert|update|delete|with)\b/i
const TABLE = /\b(?:from|into|update)\s+"?(\w+)"?/i

/** Returns the verb and first table. @example getQueryName('select "doc" from "devices"') // 'select devices' */
export const getQueryName = (sql: string): string => {
  const verb = STATEMENT.exec(sql)?.[1]?.toLowerCase()
  const table = TABLE.exec(sql)?.[1]?.toLowerCase()
  return verb && table ? `${verb} ${table}` : 'other'
}

export const createQueryMetrics = (): QueryMetrics => {
  let listener: QueryListener = () => {}
  const names = new Map<string, string>()
  return {
    listen: (next) => {
      listener = next
    },
    log: ({ query, queryDurationMillis }) => {
      let name = names.get(query.sql)
      if (name === undefined) {
        name = getQueryName(query.sql)
        if (names.size < MAX_CACHED_NAMES) names.set(query.sql, name)
      }
      listener(name, queryDurationMillis)
    },
  }
}
