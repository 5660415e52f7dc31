// The body of a password worker: one bcrypt computation per message, answered in order. Being
// synchronous is the point: the second it takes belongs to this thread and to no shared pool.
import { getErrorMessage } from '../../contract/unknown.ts'
import type { WorkerAnswer } from '../jobs/worker-pool.ts'

/** A request to a password worker. The answer is the hash, or true if the password matches. */
export type PasswordJob =
  | { readonly kind: 'hash'; readonly password: string; readonly cost: number }
  | { readonly kind: 'verify'; readonly password: string; readonly hash: string }

declare const self: Worker

self.onmessage = (event: MessageEvent<PasswordJob>) => {
  self.postMessage(answer(event.data))
}

function answer(job: PasswordJob): WorkerAnswer<string | boolean> {
  try {
    return { ok: true, value: compute(job) }
  } catch (error) {
    return { ok: false, message: getErrorMessage(error) }
  }
}

/** Text of another form matches no password. */
const HASH = /^\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}$/

function compute(job: PasswordJob): string | boolean {
  if (job.kind === 'hash') return Bun.password.hashSync(job.password, { algorithm: 'bcrypt', cost: job.cost })
  return HASH.test(job.hash) && Bun.password.verifySync(job.password, job.hash, 'bcrypt')
}
