/** Sends the first request of a source, for people who set it up. */
import { SealedValueError } from '../../base/security/crypto.ts'
import { AppError, type FieldIssue, invalidField } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { isFetched } from '../checks.ts'
import type { SourceReader } from '../fetch/process.ts'
import type { FetchFacts, FetchFailure, SourceJob } from '../fetch/protocol.ts'
import type { Certificate } from '../schema.ts'
import { getKindOrThrow } from '../settings.ts'
import type { Stored } from '../store.ts'
import { buildJob, type JobOptions } from './job.ts'

const MAX_TEST_MS = 30_000

type Tested = { readonly latency_ms: number; readonly product: string; readonly certificate: Certificate | null }

const createError = ({ code, message }: FetchFailure, { certificate }: FetchFacts): AppError => {
  const details: FieldIssue[] = [{ field: code, message }]
  if (code === 'tls' && certificate) details.push({ field: 'tls_fingerprint', message: certificate.sha256 })
  return new AppError('PROVIDER_UNREACHABLE', message, { details })
}

/** @throws AppError VALIDATION_ERROR for secrets that cannot be opened */
const buildTestJob = (options: JobOptions, stored: Stored): SourceJob => {
  const kind = getKindOrThrow(stored.source.kind)
  if (!isFetched(kind, stored.source)) throw invalidField('url', 'is empty: the snapshots of this source are pushed')
  try {
    const job = buildJob(options, { stored, kind }, 'test')
    return job.do === 'test' ? { ...job, timeoutMs: Math.min(job.timeoutMs, MAX_TEST_MS) } : job
  } catch (error) {
    if (!(error instanceof SealedValueError)) throw error
    throw new AppError('PROVIDER_UNREACHABLE', `the secrets cannot be decrypted: ${error.message}`, {
      details: [{ field: 'key', message: error.message }],
    })
  }
}

/** @throws AppError PROVIDER_UNREACHABLE with the error code in its details */
export const testSource = async (
  ctx: Ctx,
  options: JobOptions & { readonly reader: SourceReader },
  stored: Stored,
): Promise<Tested> => {
  const outcome = await options.reader.read(buildTestJob(options, stored), { signal: ctx.signal })
  if (!outcome.isDone) throw createError(outcome.error, outcome)
  const { latencyMs, product, certificate } = outcome
  return { latency_ms: Math.round(latencyMs), product, certificate }
}
