// The body of a worker that copies or checks an SQLite file. Each is one call of up to a minute. On the main thread it
// would block progress and cancellation.

import { type SentError, toSentError } from '../worker-error.ts'
import { type FileJob, type FileReport, runFileJob } from './file.ts'

export type WorkerReply = { readonly ok: true; readonly report: FileReport } | ({ readonly ok: false } & SentError)

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<FileJob>) => self.postMessage(reply(data))

function reply(job: FileJob): WorkerReply {
  try {
    return { ok: true, report: runFileJob(job) }
  } catch (error) {
    return { ok: false, ...toSentError(error) }
  }
}
