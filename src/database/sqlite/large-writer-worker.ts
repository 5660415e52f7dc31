// The body of a worker that writes to a SQLite file, for large transactions. Answers in order.
import type { Database } from 'bun:sqlite'
import type { QueryResult } from 'kysely'
import { type SentError, toSentError } from '../worker-error.ts'
import { connectWriter } from './connection.ts'
import { createStatementCache, runStatement, type StatementCache } from './dialect.ts'

export type SentStatement = { readonly sql: string; readonly parameters: readonly unknown[] }
export type LargeWriterRequest =
  /** @param maxPages maximum number of pages of the file @param cachePages pages that the connection caches */
  | { readonly kind: 'open'; readonly file: string; readonly maxPages: number; readonly cachePages: number }
  /** Run in sequence; the first failure ends them. */
  | { readonly kind: 'statements'; readonly statements: readonly SentStatement[] }
  | { readonly kind: 'close' }
/** @param result of the last statement */
export type LargeWriterAnswer = { readonly inTransaction: boolean } & (
  | { readonly ok: true; readonly result: QueryResult<unknown> }
  | ({ readonly ok: false } & SentError)
)

const BEGINS = /^BEGIN/

declare const self: Worker

let database: Database | undefined
let statements: StatementCache | undefined

self.onmessage = ({ data }: MessageEvent<LargeWriterRequest>) => self.postMessage(answer(data))

function answer(request: LargeWriterRequest): LargeWriterAnswer {
  try {
    const result = perform(request)
    return { ok: true, result, inTransaction: database?.inTransaction ?? false }
  } catch (error) {
    return { ok: false, ...toSentError(error), inTransaction: database?.inTransaction ?? false }
  }
}

function perform(request: LargeWriterRequest): QueryResult<unknown> {
  if (request.kind === 'close') close()
  else if (request.kind === 'open') open(request)
  else return runAll(request.statements)
  return { rows: [] }
}

function runAll(all: readonly SentStatement[]): QueryResult<unknown> {
  if (!database || !statements) throw new Error('The connection is not open')
  let result: QueryResult<unknown> = { rows: [] }
  for (const { sql, parameters } of all) {
    if (!database.inTransaction && !BEGINS.test(sql)) throw new Error('The transaction has ended')
    result = runStatement(statements, sql, parameters)
  }
  return result
}

function open({ file, maxPages, cachePages }: Extract<LargeWriterRequest, { kind: 'open' }>): void {
  close()
  // checkpoints.ts moves the log into the file after the commit.
  database = connectWriter(file, { logPages: 0, cachePages })
  database.run(`PRAGMA max_page_count = ${maxPages}`)
  statements = createStatementCache(database)
}

function close(): void {
  statements?.clear()
  database?.close()
  statements = undefined
  database = undefined
}
