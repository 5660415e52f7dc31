// The body of a worker that copies or checks an SQLite file: each is one call that may take a minute, in which nobody
// could show progress or stop it if it were made on the main thread.
import { type FileJob, type FileReport, runFileJob } from './sqlite-file.ts'

export type WorkerReply =
  | { readonly ok: true; readonly report: FileReport }
  | { readonly ok: false; readonly message: string; readonly code: string }

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<FileJob>) => self.postMessage(reply(data))

function reply(job: FileJob): WorkerReply {
  try {
    return { ok: true, report: runFileJob(job) }
  } catch (error) {
    // Errors lose their class and their code on the way to another thread.
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return { ok: false, message: error instanceof Error ? error.message : String(error), code }
  }
}
