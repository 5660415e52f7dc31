/** The main of the process of a conversion: converts one file. Its output is the JSON of the result. */
import { runJobChild } from '../../../platform/runtime/bounded-job-child.ts'
import type { ConvertOptions } from './converter.ts'
import { CONVERTERS, formatOf } from './converters.ts'
import type { Format } from './formats.ts'
import { jsonPieces } from './json-pieces.ts'

export type ConvertJob = {
  /** By default the one of the content. */
  readonly format: Format | undefined
  readonly withLeftover: boolean
  readonly options: Omit<ConvertOptions, 'now'> & { readonly nowMs: number }
}

/** Returns the JSON of a conversion, in pieces. @throws AppError of the converter */
export const convertToJson = async (
  { format: given, withLeftover, options: { nowMs, ...options } }: ConvertJob,
  bytes: Uint8Array,
): Promise<Iterable<Uint8Array>> => {
  const format = given ?? formatOf(bytes)
  const convert = await CONVERTERS[format].load()
  const { leftover, ...result } = await convert(bytes, { ...options, now: new Date(nowMs) })
  return jsonPieces({ format, ...result, ...(withLeftover && { leftover }) })
}

/** @returns the exit code */
export const runConvertChild = (): Promise<number> =>
  // Both halves are one program: the job is a `ConvertJob`.
  runJobChild('convert-child', (job, bytes) => convertToJson(job as ConvertJob, bytes))
