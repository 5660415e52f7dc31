/** The job of the process that fetches and converts a source, and its output. */
import type { ConvertReport, EstateDocument, Host } from '../../convert/converter.ts'
import type { About, Options, SecretValues } from '../kinds/source-kind.ts'
import type { Placing } from '../patterns.ts'
import type { Certificate, Kind, RunErrorCode } from '../schema.ts'

/** How the requests of a source reach it. */
export type TargetSettings = {
  readonly url: string
  readonly allowPrivate: boolean
  /** Addresses, CIDRs and `unix:/path` of `SOURCE_TARGETS`. */
  readonly targets: readonly string[]
  /** PEM; '' for none. */
  readonly tlsCa: string
  /** In capitals with colons; '' for none. */
  readonly tlsFingerprint: string
}

type Common = {
  readonly kind: Kind
  readonly options: Options
  readonly ref: string
  readonly nowMs: number
  /** Where the source puts rows that name no space. */
  readonly placing?: Placing
}

/** What a fetch compares its snapshot with: see `snapshot-hash.ts`. */
export type Repeat = {
  /** All that the rows depend on beside the snapshot. */
  readonly salt: string
  /** The hash of the last snapshot that was read; '' without one. */
  readonly known: string
}

/** Fetches and converts, or converts the pushed bytes, or sends only the first request. */
export type SourceJob = Common &
  (
    | {
        readonly do: 'fetch' | 'test'
        readonly target: TargetSettings
        readonly secrets: SecretValues
        readonly timeoutMs: number
        readonly repeat?: Repeat
      }
    | { readonly do: 'push' }
  )

export type LogLine = { readonly at: string; readonly text: string }

/** The counts and messages of a fetch, also of a failed one. */
export type FetchFacts = {
  readonly product: string
  readonly requests: number
  readonly bytes: number
  readonly latencyMs: number
  readonly certificate: Certificate | null
  readonly warnings: readonly { readonly message: string }[]
  /** At most 200 lines. */
  readonly log: readonly LogLine[]
}

export type SourceOutcome = FetchFacts & { readonly snapshotHash?: string } & (
    | {
        readonly isDone: true
        readonly isSame?: false
        readonly documents: EstateDocument
        /** Its keys are `<resource> <key>`. */
        readonly about: Readonly<Record<string, About>>
        readonly hosts: readonly Host[]
        readonly report: ConvertReport
      }
    /** The snapshot is the one that was read last. */
    | { readonly isDone: true; readonly isSame: true }
    | { readonly isDone: false; readonly error: FetchFailure }
  )

export type FetchFailure = {
  readonly code: RunErrorCode
  readonly message: string
  /** In seconds, of 429 and 503: at most 3,600. */
  readonly retryAfterSeconds?: number
  /** A snapshot that is pushed: the field of the request. */
  readonly field?: 'kind' | 'snapshot'
}
