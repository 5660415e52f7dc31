// The body of a worker that moves what SQLite's log holds into the file: one call, in which the disk may take its time. It
// waits for nobody; what a reader or another process still needs stays in the log.
import { Database } from 'bun:sqlite'
import type { WorkerAnswer } from '../worker-gate.ts'

export type CheckpointJob = { readonly file: string }
export type CheckpointAnswer = WorkerAnswer<'moved'>

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<CheckpointJob>) => self.postMessage(answer(data))

function answer(job: CheckpointJob): CheckpointAnswer {
  try {
    moveLog(job)
    return { ok: true, value: 'moved' }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

/** With a connection for this one time: one that is kept would have to be closed before the database is. */
function moveLog({ file }: CheckpointJob): void {
  const database = new Database(file, { readwrite: true, create: false, strict: true })
  try {
    database.run('PRAGMA busy_timeout = 0')
    // Before a page of the log is taken as moved, the log and the file have both reached the disk.
    database.run('PRAGMA synchronous = FULL')
    database.run('PRAGMA wal_checkpoint(PASSIVE)')
  } finally {
    database.close()
  }
}
