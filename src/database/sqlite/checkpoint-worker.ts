// The body of a worker that runs a checkpoint of SQLite's log: one call. Its duration depends on the disk. It waits for no lock; pages
// that a reader or another process needs stay in the log.
import { Database } from 'bun:sqlite'
import type { WorkerAnswer } from '../../base/jobs/worker-pool.ts'
import { getErrorMessage } from '../../contract/unknown.ts'

export type CheckpointJob = { readonly file: string }
/** The extent of the checkpoint: all of the log, or a part. */
export type Moved = 'moved' | 'part'
export type CheckpointAnswer = WorkerAnswer<Moved>

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<CheckpointJob>) => self.postMessage(answer(data))

function answer(job: CheckpointJob): CheckpointAnswer {
  try {
    return { ok: true, value: moveLog(job) }
  } catch (error) {
    return { ok: false, message: getErrorMessage(error) }
  }
}

/** Opens a connection for this one call: a permanent one would have to be closed before the database is. */
function moveLog({ file }: CheckpointJob): Moved {
  const database = new Database(file, { readwrite: true, create: false, strict: true })
  try {
    database.run('PRAGMA busy_timeout = 0')
    // The log and the file are synced before the pages of the log count as moved.
    database.run('PRAGMA synchronous = FULL')
    const pages = database.query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(PASSIVE)').get()
    return pages?.log === pages?.checkpointed ? 'moved' : 'part'
  } finally {
    database.close()
  }
}
