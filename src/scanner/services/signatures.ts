/**
 * What services say of themselves, and what that means. The data is `signatures.json`: to add one, add an entry with an example of
 * what such a service says and what is to be read from it; a test tries every example. The first that matches counts, so the
 * special go before the general.
 */
import data from './signatures.json' with { type: 'json' }

/**
 * What a signature is matched with: `banner` all that came back, as Latin-1; of an answer by HTTP `server`, `realm`, `title` or
 * the whole `head`; `sysdescr` of SNMP.
 */
export type Place = 'banner' | 'server' | 'realm' | 'title' | 'head' | 'sysdescr'

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
  /** What is read from the example. */
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

const PLACES: readonly Place[] = ['banner', 'server', 'realm', 'title', 'head', 'sysdescr']

/** @throws when the entry names no place that texts have, so that a slip is not merely a signature that never matches */
const signatureOf = (entry: Entry): Signature => {
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

export const SIGNATURES: readonly Signature[] = entries.map(signatureOf)
