// The body of a worker that moves what SQLite's log holds into the file: one call, in which the disk may take its time. It
// waits for nobody; what a reader or another process still needs stays in the log.
import { Database } from 'bun:sqlite'
import type { WorkerAnswer } from '../../runtime/worker-gate.ts'

export type CheckpointJob = { readonly file: string }
/** Whether all of the log was moved, or a part. */
export type Moved = 'moved' | 'part'
export type CheckpointAnswer = WorkerAnswer<Moved>

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<CheckpointJob>) => self.postMessage(answer(data))

function answer(job: CheckpointJob): CheckpointAnswer {
  try {
    return { ok: true, value: moveLog(job) }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

/** With a connection for this one time: one that is kept would have to be closed before the database is. */
function moveLog({ file }: CheckpointJob): Moved {
  const database = new Database(file, { readwrite: true, create: false, strict: true })
  try {
    database.run('PRAGMA busy_timeout = 0')
    // Before a page of the log is taken as moved, the log and the file have both reached the disk.
    database.run('PRAGMA synchronous = FULL')
    const pages = database.query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(PASSIVE)').get()
    return pages?.log === pages?.checkpointed ? 'moved' : 'part'
  } finally {
    database.close()
  }
}
