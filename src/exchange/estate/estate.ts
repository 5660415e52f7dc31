/** Imports a whole resource: validates every row, writes all or nothing, and reports progress. */

import type { Config } from '../../base/config/config.ts'
import { getTemporaryFolder } from '../../base/runtime/unnamed-file.ts'
import type { Outbound } from '../../base/security/outbound.ts'
import { toSingular } from '../../contract/command-name.ts'
import { AppError, toAppError } from '../../contract/errors.ts'
import { readHeaderKey, readHeaderNote } from '../../contract/fields/history-fields.ts'
import { parseRawQuery } from '../../contract/raw-query.ts'
import { createConverter } from '../../convert/convert.ts'
import { createAttempt } from '../../kernel/changes/attempt.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { inTurn } from '../../kernel/turn.ts'
import type { Means } from '../../record/history/kinds.ts'
import { streamProgress, toErrorLine } from '../../surfaces/http/answer/progress-lines.ts'
import { requireJsonType } from '../../surfaces/http/body/body.ts'
import { applyHandler } from '../apply/apply.ts'
import type { KeepNames } from '../apply/names.ts'
import { createPullHandler } from '../convert/pull.ts'
import { convertHandler } from '../convert/route.ts'
import { exportHandler } from '../export/route.ts'
import { respondWithSchema } from '../export/schema-route.ts'
import { type ImportTask, runImport } from '../import/import-run.ts'
import { createSlots } from '../import/import-slots.ts'
import { createImporters } from '../import/importers.ts'
import { type Received, receive } from '../import/received.ts'
import type { Packs } from '../packs/files.ts'
import { estate, estateRoutes, ImportQuery } from './api.ts'

type Work = Omit<ImportTask, 'progress' | 'signal'> & {
  /** Releases the slot and the spooled body, so that the next import can start. */
  readonly release: () => Promise<void>
}

/** Streams the lines of the answer. A client that disconnects aborts the import. */
const streamImport = (ctx: Ctx, { release, ...task }: Work): Response => {
  const { query, body, audit } = task
  const gone = new AbortController()
  const signal = AbortSignal.any([ctx.signal, gone.signal])
  const outcome = async (progress: ImportTask['progress']): Promise<object> => {
    try {
      return { result: await runImport(ctx, { ...task, signal, progress }) }
    } catch (thrown) {
      // A dry run changes nothing, and is not recorded.
      if (!query.dry_run) await audit.failed(thrown)
      const error = toAppError(thrown)
      if (error.code === 'INTERNAL_ERROR' && !signal.aborted)
        ctx.log.error('import failed', { resource: query.resource, error: thrown })
      return toErrorLine(error)
    }
  }
  const lines = streamProgress({
    total: body.total,
    run: async (progress) => {
      const last = await outcome(progress)
      // Before the last line, because its reader may start the next import at once.
      await release()
      return last
    },
    cancelled: () => gone.abort(),
  })
  return new Response(lines, { headers: { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' } })
}

type EstateOptions = {
  readonly config: Pick<Config, 'dataDir'> & Omit<Means, 'operations'>
  readonly outbound: Outbound
  readonly packs: () => Packs
  readonly keepNames: KeepNames
  /** The operations of all features. */
  readonly operations: Feature['operations']
}

export const estateFeature = ({ config, operations, outbound, packs, keepNames }: EstateOptions): Feature => {
  const importers = createImporters(operations)
  const slots = createSlots('import')
  const applies = createSlots('apply')
  const dir = getTemporaryFolder(config.dataDir)
  const convertFile = createConverter(dir)

  const receiveBody = async (ctx: Ctx, request: Request, isHashed: boolean): Promise<Received> => {
    try {
      return await receive({ request, dir, confirmRights: ctx.confirmRights, isHashed })
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAVAILABLE')
        ctx.log.error('the body of an import could not be stored', { dir, error: error.cause ?? error })
      throw error
    }
  }

  return {
    operations: inTurn(
      implement(estate, {
        apply: applyHandler({ ...config, operations, packs, keepNames }),
        pull: createPullHandler({ slots, convertFile, dir, outbound }),
      }),
      { [estate.apply.name]: applies.enter },
    ),
    routes: [
      { route: estateRoutes.schema, handler: async (_ctx, request) => respondWithSchema(request) },
      { route: estateRoutes.export, handler: exportHandler },
      { route: estateRoutes.convert, handler: convertHandler({ slots, convertFile, dir }) },
      {
        route: estateRoutes.import,
        handler: async (ctx, request, audit) => {
          const query = parseRawQuery(ImportQuery, request)
          const note = readHeaderNote(request.headers)
          const given = readHeaderKey(request.headers)
          // A dry run uses up no key.
          const key = query.dry_run ? undefined : given
          audit.note({ resource: toSingular(query.resource) })
          for (const verb of ['create', 'update']) ctx.require(`${query.resource}:${verb}`)
          requireRowsType(request)
          const free = slots.take(ctx.caller, ctx.now)
          let body: Received | undefined
          const release = async () => {
            await body?.close()
            free()
          }
          try {
            body = await receiveBody(ctx, request, key !== undefined)
            const attempt = createAttempt({
              operation: estateRoutes.import.name,
              key,
              inputs: [[query, body.hash]],
              isLong: true,
            })
            return streamImport(ctx, {
              query,
              importer: importers[query.resource],
              body,
              audit,
              note,
              attempt,
              release,
            })
          } catch (error) {
            await release()
            throw error
          }
        },
      },
    ],
  }
}

/** Requires JSON or JSON lines. @throws AppError INVALID_INPUT for any other type. */
function requireRowsType(request: Request): void {
  if (/^application\/(x-)?ndjson\b/i.test(request.headers.get('content-type') ?? '')) return
  requireJsonType(request)
}
