// The body of a worker that copies or checks an SQLite file: each is one call that may take a minute, in which nobody
// could show progress or stop it if it were made on the main thread.

import { type SentError, sentError } from '../worker-error.ts'
import { type FileJob, type FileReport, runFileJob } from './file.ts'

export type WorkerReply = { readonly ok: true; readonly report: FileReport } | ({ readonly ok: false } & SentError)

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<FileJob>) => self.postMessage(reply(data))

function reply(job: FileJob): WorkerReply {
  try {
    return { ok: true, report: runFileJob(job) }
  } catch (error) {
    return { ok: false, ...sentError(error) }
  }
}
