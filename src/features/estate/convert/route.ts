/** The route that converts an uploaded file. It writes nothing. */
import { invalidField } from '../../../platform/contract/errors.ts'
import { rawQuery } from '../../../platform/contract/raw-query.ts'
import { parse } from '../../../platform/contract/validate.ts'
import { pacedBody } from '../../../platform/http/paced-body.ts'
import type { Ctx } from '../../ctx.ts'
import { ConvertQuery, MAX_CONVERT_BYTES, MappingInput } from '../api.ts'
import type { Slots } from '../import-slots.ts'
import { convertFile } from './convert.ts'
import type { Mapping } from './converter.ts'

const mappingOf = (text: string | undefined): Partial<Mapping> => {
  if (text === undefined) return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidField('mapping', 'must be JSON, like {"columns":{"Host Name":"name"}}')
  }
  const { resource, columns } = parse(MappingInput, value)
  return { ...(resource && { resource }), ...(columns && { columns }) }
}

/** Reads the whole body. @throws AppError as `pacedBody`, and VALIDATION_ERROR on `file` for an empty one */
const bodyOf = async (request: Request): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = []
  for await (const piece of pacedBody(request, MAX_CONVERT_BYTES)) pieces.push(piece)
  if (pieces.length === 0) throw invalidField('file', 'is empty')
  return new Uint8Array(Bun.concatArrayBuffers(pieces))
}

/** @param slots that conversions share with imports */
export const convertHandler =
  (slots: Slots) =>
  async (ctx: Ctx, request: Request): Promise<Response> => {
    const { format, leftover, origin, resource, mapping: text } = rawQuery(ConvertQuery, request)
    const mapping = { ...mappingOf(text), ...(resource && { resource }) }
    const free = slots.take(ctx.caller, ctx.now)
    try {
      const bytes = await bodyOf(request)
      await ctx.confirmRights()
      const options = { now: new Date(ctx.now), mapping, ...(origin !== undefined && { origin }) }
      const gone = AbortSignal.any([ctx.signal, request.signal])
      const json = await convertFile({ bytes, format, withLeftover: leftover, options }, gone)
      return new Response(json, { headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' } })
    } finally {
      free()
    }
  }
