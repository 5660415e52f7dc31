/** Converts one file in a thread. The answer is the JSON of the result, or an error. */
import { type ErrorBody, toAppError } from '../../../platform/contract/errors.ts'
import type { ConvertOptions } from './converter.ts'
import { CONVERTERS, formatOf } from './converters.ts'
import type { Format } from './formats.ts'

export type ConvertJob = {
  readonly bytes: Uint8Array
  /** By default that of the content. */
  readonly format: Format | undefined
  readonly withLeftover: boolean
  readonly options: ConvertOptions
}

export type ConvertAnswer = { readonly json: Uint8Array } | { readonly error: ErrorBody; readonly cause: string }

declare const self: Worker

self.onmessage = async ({ data }: MessageEvent<ConvertJob>) => {
  try {
    const json = await converted(data)
    self.postMessage({ json } satisfies ConvertAnswer, [json.buffer])
  } catch (error) {
    const { code, ...failure } = toAppError(error).toBody()
    const cause = code === 'INTERNAL_ERROR' ? String(error instanceof Error ? error.stack : error) : ''
    self.postMessage({ error: { ...failure, code, details: [...failure.details] }, cause } satisfies ConvertAnswer)
  }
}

async function converted({
  bytes,
  format = formatOf(bytes),
  withLeftover,
  options,
}: ConvertJob): Promise<Uint8Array<ArrayBuffer>> {
  const { leftover, ...result } = await CONVERTERS[format].convert(bytes, options)
  return new TextEncoder().encode(JSON.stringify({ format, ...result, ...(withLeftover && { leftover }) }))
}
