/** The route that takes snapshots which were fetched elsewhere. */

import type { Config } from '../../base/config/config.ts'
import { createSpool, type Spool } from '../../base/runtime/spool.ts'
import { getTemporaryFolder } from '../../base/runtime/unnamed-file.ts'
import { invalidField, orNotFound } from '../../contract/errors.ts'
import { parseRawQuery } from '../../contract/raw-query.ts'
import type { Tables } from '../../database/tables.ts'
import { storeBody } from '../../exchange/convert/route.ts'
import type { RawHandler } from '../../kernel/context.ts'
import { MAX_PUSH_BYTES, PushQuery } from '../api.ts'
import { NOTHING_FETCHED, type SourceReader } from '../fetch/process.ts'
import type { SourceOutcome } from '../fetch/protocol.ts'
import { startSnapshotHash } from '../fetch/snapshot-hash.ts'
import { getKindOrThrow } from '../settings.ts'
import * as store from '../store.ts'
import { buildPushJob, buildSalt } from './job.ts'
import { toRun } from './run-store.ts'
import type { Runner } from './runner.ts'

type Parts = {
  readonly config: Pick<Config, 'dataDir'>
  readonly reader: SourceReader
  readonly runner: Pick<Runner, 'push' | 'requireRoom'>
  readonly now: () => Date
}

/** @throws AppError VALIDATION_ERROR for the snapshot of another kind, or of another shape */
const requireSnapshot = (outcome: SourceOutcome): SourceOutcome => {
  if (!outcome.isDone && outcome.error.field !== undefined)
    throw invalidField(outcome.error.field, outcome.error.message)
  return outcome
}

const hashPushed = async (salt: string, spool: Pick<Spool, 'read'>): Promise<string> => {
  const hash = startSnapshotHash(salt)
  for await (const piece of spool.read()) hash.update(piece)
  return hash.digest('hex')
}

export const createPushHandler =
  ({ config, reader, runner, now }: Parts): RawHandler<Tables> =>
  async (ctx, request, audit, { params }) => {
    const { id = '' } = params
    audit.note({ resourceId: id })
    const { force } = parseRawQuery(PushQuery, request)
    if (force) ctx.require('sources:run')
    const { source } = orNotFound(await store.find({ db: ctx.store.read }, id), 'source', id)
    if (!source.enabled) throw invalidField('enabled', 'the source is disabled')
    const kind = getKindOrThrow(source.kind)
    // Before the body is read and converted.
    runner.requireRoom(id)
    const spool = createSpool({ dir: getTemporaryFolder(config.dataDir) })
    let outcome: SourceOutcome
    try {
      const length = await storeBody(request, spool, { field: 'snapshot', maxBytes: MAX_PUSH_BYTES })
      await ctx.confirmRights()
      const signal = AbortSignal.any([ctx.signal, request.signal])
      const snapshotHash = await hashPushed(buildSalt(source), spool)
      const state = await store.findState({ db: ctx.store.read }, id)
      if (state?.snapshot_hash === snapshotHash)
        outcome = { ...NOTHING_FETCHED, isDone: true, isSame: true, snapshotHash }
      else {
        const pushed = { pieces: spool.read(), length }
        const read = requireSnapshot(await reader.read(buildPushJob(kind, source, now()), { signal, pushed }))
        outcome = { ...read, snapshotHash }
      }
    } finally {
      await spool.close()
    }
    const run = await runner.push({ id, outcome, force })
    await audit.succeeded()
    return Response.json(toRun(run), { status: 202, headers: { 'Cache-Control': 'no-store' } })
  }
