/** The main of the process of a conversion: converts one file. Its output is the JSON of the result. */
import { runJobChild } from '../../../platform/runtime/bounded-job-child.ts'
import { withSourceRules } from '../row-rules.ts'
import type { ConvertOptions } from './converter.ts'
import { CONVERTERS, detectFormat } from './converters.ts'
import type { Format } from './formats.ts'
import { streamJson } from './json-pieces.ts'
import { replayPages } from './netbox/page-file.ts'
import { readNetboxApi } from './netbox/read-api.ts'

export type ConvertJob = {
  /** The format of the content by default. */
  readonly format: Format | undefined
  readonly withLeftover: boolean
  readonly options: Omit<ConvertOptions, 'now'> & { readonly nowMs: number }
}

/** Returns the JSON of a conversion, in pieces. @throws AppError of the converter */
export const convertToJson = async (
  { format: given, withLeftover, options: { nowMs, ...options } }: ConvertJob,
  bytes: Uint8Array,
): Promise<Iterable<Uint8Array>> => {
  const format = given ?? detectFormat(bytes)
  const convert = await CONVERTERS[format].load()
  const { leftover, ...result } = await convert(bytes, { ...options, now: new Date(nowMs) })
  const documents = withSourceRules(result.documents)
  return streamJson({ format, ...result, documents, ...(withLeftover && { leftover }) })
}

/** The bytes are the pages of a NetBox, see `page-file.ts`. */
export type PullJob = { readonly pages: 'netbox'; readonly withLeftover: boolean }

const pullToJson = async ({ pages, withLeftover }: PullJob, bytes: Uint8Array): Promise<Iterable<Uint8Array>> => {
  const { convertObjects } = await import('./netbox/netbox.ts')
  const { source, documents: rows, report, leftover } = convertObjects(await readNetboxApi(replayPages(bytes)))
  const documents = withSourceRules(rows)
  return streamJson({ format: pages, source, documents, report, ...(withLeftover && { leftover }) })
}

/** @returns the exit code */
export const runConvertChild = (): Promise<number> =>
  runJobChild('convert-child', (given, bytes) => {
    // Both halves are one program.
    const job = given as ConvertJob | PullJob
    return 'pages' in job ? pullToJson(job, bytes) : convertToJson(job, bytes)
  })
