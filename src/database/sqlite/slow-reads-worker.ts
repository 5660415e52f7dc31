// The body of a worker that reads from a SQLite file: one query per message.

import type { WorkerAnswer } from '../../base/jobs/worker-pool.ts'
import { getErrorMessage } from '../../contract/unknown.ts'
import { connect } from './connection.ts'
import { createStatementCache, runStatement } from './dialect.ts'
import type { SentStatement } from './large-writer-worker.ts'

export type SlowRead = { readonly file: string; readonly statement: SentStatement }

/** Pages that the connection caches: 4 MB. */
const CACHE_PAGES = 1024

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<SlowRead>) => self.postMessage(answer(data))

function answer(job: SlowRead): WorkerAnswer<unknown[]> {
  try {
    return { ok: true, value: read(job) }
  } catch (error) {
    return { ok: false, message: getErrorMessage(error) }
  }
}

/** Opens a connection for this one call: a permanent one would have to be closed before the database is. */
function read({ file, statement }: SlowRead): unknown[] {
  const database = connect(file, CACHE_PAGES)
  const statements = createStatementCache(database)
  try {
    return runStatement(statements, statement.sql, statement.parameters).rows
  } finally {
    statements.clear()
    database.close()
  }
}
