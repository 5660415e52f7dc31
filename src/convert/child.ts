/** The main of the process of a conversion: converts one file. Its output is the JSON of the result. */

import { runJobChild } from '../base/jobs/bounded-job-child.ts'
import { withSourceRules } from '../contract/fields/row-rules.ts'
import { type LazyConversion, toDocument } from './converter.ts'
import { CONVERTERS, type ConverterParts, detectFormat } from './converters.ts'
import { streamJson } from './json-pieces.ts'
import { replayPages } from './netbox/read/page-file.ts'
import { readNetboxApi } from './netbox/read/read-api.ts'
import type { ConvertJob, PullJob } from './protocol.ts'

/** Returns the parts of an answer in their order. The report and the leftover are read behind the rows, which complete them. */
const listParts = (conversion: LazyConversion, { withLeftover, options }: ConvertJob) => ({
  source: conversion.source,
  documents: { ...withSourceRules(toDocument(conversion)), ...(options.clearsEmpty && { empty: 'clear' }) },
  hosts: conversion.hosts,
  ...(conversion.sheet && { sheet: conversion.sheet }),
  report: () => conversion.report,
  ...(withLeftover && { leftover: () => conversion.leftover }),
})

/** Returns the JSON of a conversion, in pieces. @throws AppError of the converter */
const convertToJson = async (
  job: ConvertJob,
  bytes: Uint8Array,
  parts: ConverterParts,
): Promise<Iterable<Uint8Array>> => {
  const { withLeftover, options } = job
  const { nowMs, ...others } = options
  const format = job.format ?? detectFormat(bytes)
  const convert = await CONVERTERS[format].load(parts)
  const conversion = await convert(bytes, { ...others, withLeftover, now: new Date(nowMs) })
  return streamJson({ format, ...listParts(conversion, job) })
}

const pullToJson = async ({ pages, withLeftover }: PullJob, bytes: Uint8Array): Promise<Iterable<Uint8Array>> => {
  const { convertObjects } = await import('./netbox/netbox.ts')
  const conversion = convertObjects(await readNetboxApi(replayPages(bytes)))
  const { source, report, leftover } = conversion
  const documents = withSourceRules(toDocument(conversion))
  return streamJson({ format: pages, source, documents, report, ...(withLeftover && { leftover }) })
}

/** @returns the exit code */
export const runConvertChild = (parts: ConverterParts): Promise<number> =>
  runJobChild('convert-child', (given, bytes) => {
    // Both halves are one program.
    const job = given as ConvertJob | PullJob
    return 'pages' in job ? pullToJson(job, bytes) : convertToJson(job, bytes, parts)
  })
