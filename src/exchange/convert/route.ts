/** The route that converts an uploaded file. It writes nothing. */

import { type JobOutput, readWhole } from '../../base/jobs/bounded-job.ts'
import { createSpool, type Spool } from '../../base/runtime/spool.ts'
import { invalidField } from '../../contract/errors.ts'
import { parseRawQuery } from '../../contract/raw-query.ts'
import { parse } from '../../contract/validate.ts'
import type { ConvertFile } from '../../convert/convert.ts'
import type { Mapping } from '../../convert/protocol.ts'
import { getOwner } from '../../kernel/caller.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { loadFields } from '../../resource/custom/definitions.ts'
import { isKind } from '../../resource/custom/store.ts'
import { readPacedBody } from '../../surfaces/http/answer/paced-body.ts'
import { createLongResponse } from '../../surfaces/http/answer/respond.ts'
import { ConvertQuery, MAX_CONVERT_BYTES, MappingInput } from '../estate/api.ts'
import type { Slots } from '../import/import-slots.ts'

const parseMapping = (text: string | undefined): Partial<Mapping> => {
  if (text === undefined) return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidField('mapping', 'must be JSON, like {"columns":{"Host Name":"name"}}')
  }
  const { resource, columns, kind } = parse(MappingInput, value)
  return { ...(resource && { resource }), ...(columns && { columns }), ...(kind && { kind }) }
}

/** Returns the labels of the custom fields of a kind, by their names. @throws AppError VALIDATION_ERROR on `kind` */
const findLabels = async (ctx: Ctx, kind: string): Promise<Readonly<Record<string, string>>> => {
  if (!(await isKind(ctx, kind))) throw invalidField('kind', `there is no kind with id "${kind}"`)
  return Object.fromEntries([...(await loadFields(ctx, kind)).values()].map(({ name, label }) => [name, label]))
}

type BodyLimits = { readonly field: string; readonly maxBytes: number }

/**
 * Stores the whole body, so that a slow client holds no process. @returns the number of bytes
 * @throws AppError as `readPacedBody` and `Spool.write`, and VALIDATION_ERROR on `field` for an empty body
 */
export const storeBody = async (
  request: Request,
  spool: Pick<Spool, 'write'>,
  { field, maxBytes }: BodyLimits,
): Promise<number> => {
  let length = 0
  for await (const piece of readPacedBody(request, maxBytes)) {
    length += piece.length
    await spool.write(piece)
  }
  if (length === 0) throw invalidField(field, 'is empty')
  return length
}

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }

/** The longest answer that is sent from memory, as the output of its process was kept. */
const MAX_WHOLE_BYTES = 2 ** 20

/** Answers with a short output, and closes it. */
const respondWhole = async (output: JobOutput): Promise<Response> => {
  const body = new Uint8Array(await readWhole(output))
  await output.close()
  return new Response(body, { headers: HEADERS })
}

/** Answers with a long output, and closes it with the last byte or when the client leaves. `closed` is called once. */
const sendOutput = ({ read, close, length }: JobOutput, closed: () => void): Response => {
  const pieces = read()
  let sent = 0
  let isOpen = true
  const end = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    closed()
    await close()
  }
  const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    const { done, value } = isOpen ? await pieces.next() : { done: true, value: undefined }
    if (done || value === undefined) {
      await end()
      return { done: true, value: undefined }
    }
    sent += value.length
    // The piece is valid until the next one is requested, but the client may ask for more than one.
    const piece = value.slice()
    // Before the last piece, because its reader may start the next import at once.
    if (sent >= length) await end()
    return { done: false, value: piece }
  }
  const stop = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    await end()
    return { done: true, value: undefined }
  }
  return createLongResponse({ source: { next, return: stop }, length }, { headers: HEADERS })
}

type Parts = { readonly slots: Slots; readonly convertFile: ConvertFile; readonly dir: string }

/** @param parts `slots` are shared with imports, `dir` is the folder of temporary files */
export const convertHandler =
  ({ slots, convertFile, dir }: Parts) =>
  async (ctx: Ctx, request: Request): Promise<Response> => {
    const {
      format,
      leftover,
      sheet,
      empty,
      origin,
      resource,
      kind,
      mapping: text,
    } = parseRawQuery(ConvertQuery, request)
    const mapping = { ...parseMapping(text), ...(resource && { resource }), ...(kind && { kind }) }
    const labels = mapping.kind === undefined ? undefined : await findLabels(ctx, mapping.kind)
    const free = slots.take(ctx.caller, ctx.now)
    const spool = createSpool({ dir })
    try {
      const length = await storeBody(request, spool, { field: 'file', maxBytes: MAX_CONVERT_BYTES })
      await ctx.confirmRights()
      const options = {
        ...{ nowMs: Date.parse(ctx.now), mapping },
        ...(labels && { labels }),
        ...(origin !== undefined && { origin }),
        ...(sheet && { withSheet: true }),
        ...(empty === 'clear' && { clearsEmpty: true }),
      }
      const output = await convertFile({
        job: { format, withLeftover: leftover, options },
        field: 'file',
        bytes: spool.read(),
        length,
        owner: getOwner(ctx.caller),
        signal: AbortSignal.any([ctx.signal, request.signal]),
      })
      if (output.length > MAX_WHOLE_BYTES) return sendOutput(output, free)
      const answer = await respondWhole(output)
      free()
      return answer
    } catch (error) {
      free()
      throw error
    } finally {
      await spool.close()
    }
  }
