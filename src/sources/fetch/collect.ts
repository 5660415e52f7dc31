/** Fetches a source on a client, which may ask whatever the person may ask there. No secret leaves the client. */

import { createTargetRules } from '../../base/security/outbound-target.ts'
import { formatFingerprint } from '../checks.ts'
import { SOURCE_KINDS } from '../kinds/index.ts'
import type { Json, Options, RunProgram, SecretValues } from '../kinds/source-kind.ts'
import type { Kind } from '../schema.ts'
import { anonymizeCase } from './anonymize.ts'
import { FetchError } from './fetch-error.ts'
import { FetchLog } from './fetch-log.ts'
import type { FetchFacts, TargetSettings } from './protocol.ts'
import { createRecorder, type RecordedCase } from './record.ts'
import { fetchSnapshot } from './run-job.ts'
import { createSend } from './send.ts'

export type CollectRequest = {
  readonly kind: Kind
  /** '' for the default one of the kind. */
  readonly url: string
  readonly options: Options
  readonly secrets: SecretValues
  readonly tlsCa?: string
  readonly tlsFingerprint?: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Runs programs of this machine, for kinds that are pushed only. */
  readonly run?: RunProgram
  /** Keeps the answers for a test: `anonymized` replaces names and addresses. */
  readonly record?: 'no' | 'exact' | 'anonymized'
}

export type Collected = {
  readonly snapshot: Json
  readonly facts: FetchFacts
  /** The content of `answers.json`, if it was wanted. */
  readonly recorded?: RecordedCase
}

/** Replaces each secret by a text of its name, which a recording may have. */
const inventSecrets = (secrets: SecretValues): SecretValues =>
  Object.fromEntries(Object.keys(secrets).map((name) => [name, `invented-${name}`]))

/** @throws FetchError */
export const collectSnapshot = async (request: CollectRequest): Promise<Collected> => {
  const { kind: name, options, secrets, timeoutMs, signal, run, record = 'no' } = request
  const kind = SOURCE_KINDS[name]
  if (!kind) throw new FetchError('bad_answer', `the kind ${name} is unknown to this program`)
  const url = request.url || (kind.defaultUrl ?? '')
  const log = new FetchLog(secrets)
  const target: TargetSettings = {
    url,
    allowPrivate: true,
    targets: [],
    tlsCa: request.tlsCa ?? '',
    tlsFingerprint: formatFingerprint(request.tlsFingerprint ?? ''),
  }
  const now = new Date()
  const rules = { ...createTargetRules(true), reach: () => 'public' as const, allowsLoopback: true as const }
  const send = createSend({ target, secrets, log, rules })
  // A recorder keeps every answer in memory.
  const recorder = record === 'no' ? { send, answers: () => [] } : createRecorder(send, { url, secrets })
  const asking = { send: recorder.send, log, timeoutMs, ...(signal && { signal }), ...(run && { run }) }
  const snapshot = await fetchSnapshot(kind, { url, options, secrets, nowMs: now.getTime() }, asking)
  const facts = log.facts()
  if (record === 'no') return { snapshot, facts }
  const recorded = {
    url,
    options,
    secrets: inventSecrets(secrets),
    now: now.toISOString(),
    answers: recorder.answers(),
  }
  return { snapshot, facts, recorded: record === 'anonymized' ? anonymizeCase(recorded) : recorded }
}
