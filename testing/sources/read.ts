/** Reads a source on loopback as the process of a source does, in the process of the test. */
import type { FetchFacts, SourceJob } from '../../src/sources/fetch/protocol.ts'
import { type JobResult, type JobRows, runSourceJob } from '../../src/sources/fetch/run-job.ts'

type Given = Pick<SourceJob, 'kind' | 'options'> & {
  readonly url: string
  readonly secrets: Readonly<Record<string, string>>
  readonly tlsFingerprint?: string
  readonly do?: 'fetch' | 'test'
}

/** Returns the outcome of a fetch, and of its conversion. */
export const readSource = ({ kind, options, url, secrets, ...given }: Given): Promise<JobResult> =>
  runSourceJob(
    {
      ...{ kind, options, secrets, ref: kind, nowMs: Date.now(), timeoutMs: 300_000, do: given.do ?? 'fetch' },
      target: {
        ...{ url, allowPrivate: false, targets: ['127.0.0.1'], tlsCa: '' },
        tlsFingerprint: given.tlsFingerprint ?? '',
      },
    },
    new Uint8Array(),
  )

/** Returns the rows of a fetch that must succeed. */
export const readRows = (outcome: JobResult): JobRows & { readonly facts: FetchFacts } => {
  if ('error' in outcome) throw new Error(`${outcome.error.code}: ${outcome.error.message}`)
  if (!('rows' in outcome)) throw new Error('the snapshot is the known one')
  return { ...outcome.rows, facts: outcome.facts }
}
