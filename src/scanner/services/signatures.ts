/**
 * Recognizes services by their own messages. The data is `signatures.json`: a new entry needs an example message with
 * the expected result, and a test checks every example. The first match counts, so specific entries precede general
 * ones.
 */
import data from './signatures.json' with { type: 'json' }

/** `banner` is the whole answer as Latin-1; `server` to `head` are parts of an HTTP answer. */
export type Place = 'banner' | 'server' | 'realm' | 'title' | 'head'

export type Signature = {
  readonly in: Place
  /** One that cannot run for long: no repetition within a repetition. */
  readonly pattern: RegExp
  readonly service: string
  /** `$1` to `$9` stand for the groups of the pattern, here and in `version` and `os`. */
  readonly product: string
  readonly version: string
  /** The system it speaks for. */
  readonly os: string
  readonly example: string
  /** The expected result for the example. */
  readonly reads: { readonly product: string; readonly version: string; readonly os: string }
}

type Entry = {
  readonly in: string
  readonly pattern: string
  readonly flags?: string
  readonly service: string
  readonly product: string
  readonly version?: string
  readonly os?: string
  readonly example: string
  readonly reads: { readonly product: string; readonly version?: string; readonly os?: string }
}

const PLACES: readonly Place[] = ['banner', 'server', 'realm', 'title', 'head']

/** @throws when the entry names no place that texts have, so that a slip is not merely a signature that never matches */
const toSignature = (entry: Entry): Signature => {
  const place = PLACES.find((one) => one === entry.in)
  if (place === undefined) throw new Error(`signatures.json: in: ${entry.in} is none of ${PLACES.join(', ')}`)
  const { pattern, flags, service, product, version = '', os = '', example, reads } = entry
  return {
    in: place,
    pattern: new RegExp(pattern, flags),
    service,
    product,
    version,
    os,
    example,
    reads: { product: reads.product, version: reads.version ?? '', os: reads.os ?? '' },
  }
}

const entries: readonly Entry[] = data

export const SIGNATURES: readonly Signature[] = entries.map(toSignature)
