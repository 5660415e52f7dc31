/** The interface of kinds of sources: how one is fetched, and how its snapshot becomes rows of an estate document. */

import type { z } from 'zod'
import type { Conversion, Host } from '../../convert/converter.ts'
import type { Resource } from '../../inventory/resources.ts'
import type { Placing } from '../patterns.ts'
import type { Kind, OptionSpec, SecretSpec, WhenGone } from '../schema.ts'

/** A member that is undefined is absent. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined }

/** The options of a source, with the defaults of its kind for absent ones. */
export type Options = Readonly<Record<string, unknown>>
/** The secrets of a source by name. An absent one is not set. */
export type SecretValues = Readonly<Record<string, string>>

export type AskOptions = {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Another status than 200 is a warning of the run, and the caller reads it; else it ends the run as failed. */
  readonly isOptional?: boolean
  /** Takes a web page as an answer, which otherwise ends the run as `wrong_url`. */
  readonly allowsHtml?: boolean
  /** Another status than 200 that is an answer as well. */
  readonly alsoAllows?: readonly number[]
  /** A limit of this request, beside the one of the whole fetch. */
  readonly timeoutMs?: number
}

export type Answered = {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

/** The only way out of a fetch. It judges the target, limits, counts and names errors. */
export type Ask = {
  /** @param path below the URL of the source, a whole URL of the same origin, or '' for the URL itself @throws FetchError */
  (path: string, options?: AskOptions): Promise<Answered>
  /** Asks, and parses JSON of a depth of at most 64. @throws FetchError `bad_answer` with the path, or `wrong_url` for HTML */
  readonly json: <T = Json>(path: string, options?: AskOptions) => Promise<T>
  /** Asks an optional request: undefined and a warning for any answer but 200. @throws FetchError if nothing answers at all */
  readonly optionalJson: <T = Json>(path: string, options?: AskOptions) => Promise<T | undefined>
  /** Another base than the URL of the source, such as the endpoint of a region. It is judged as the URL is. */
  readonly at: (base: string) => Ask
}

/**
 * Runs a program on this machine and returns its standard output as text.
 * @throws FetchError `target` without the program, `unreachable` with its words if it fails, `timeout`, `too_large`
 */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>

export type FetchMeans = {
  readonly ask: Ask
  /** Only the command line has it: the server starts no programs. */
  readonly run?: RunProgram
  /** The URL of the source, or the default one of its kind. It has no final `/`. */
  readonly url: string
  readonly options: Options
  readonly secrets: SecretValues
  /** The time of the run, for signatures. */
  readonly now: Date
  /** Adds a line to the log of the run. */
  readonly log: (text: string) => void
  /** Adds a warning to the run, which goes on. */
  readonly warn: (text: string) => void
  /** The product and its version, as the run shows it. */
  readonly product: (text: string) => void
}

/** The description of a device row, or of another row by its noun. */
export type About = {
  /** `host`, `vm`, `container`, `appliance`, `node`; of other rows the noun. */
  readonly type: string
  /** Such as `DC1/Cluster2`. */
  readonly place?: string
  /** At most 20: name up to 32, text up to 255 characters. Facts are shown, not written. */
  readonly facts?: Readonly<Record<string, string>>
  /** MAC addresses by which a device is found, of containers none. */
  readonly macs?: readonly string[]
  /**
   * The ports and the parent of the device are not known now, as of a node that is off: its earlier rows stay. A device without a row, as
   * of a guest on that node, keeps its row as well.
   */
  readonly isPartial?: true
}

export type ConvertMeans = {
  readonly options: Options
  /** The source of the refs of the rows. */
  readonly ref: string
  /** The time of the run. */
  readonly now: Date
  /** Where the source puts rows that name no space. Without it they are all in one. */
  readonly placing?: Placing
}

/** Rows with `refs: { <ref>: <key> }`, and their descriptions by `<resource> <key>`. */
export type SnapshotRows = Pick<Conversion, 'documents' | 'report'> & {
  readonly about: ReadonlyMap<string, About>
  /** Machines that are only evidence: they are recorded as DHCP leases are. */
  readonly hosts: readonly Host[]
}

export type SourceKind = {
  readonly kind: Kind
  readonly title: string
  readonly description: string
  /** The right of its account. */
  readonly needs: string
  readonly defaultUrl?: string
  readonly isPushedOnly?: true
  /** True if it makes other resources than devices, networks, ports and relationships. */
  readonly makesAll?: true
  /** Other resources that it makes with these options. */
  readonly alsoMakes?: (options: Options) => readonly Resource[]
  /** True if several sources may share a ref, because the keys are unique everywhere. */
  readonly hasGlobalIds?: true
  /** True if the rows of one snapshot differ with the time, such as leases that expire. */
  readonly dependsOnTime?: (options: Options) => boolean
  /** True if each of its types may be empty, although there were objects. */
  readonly maybeEmpty?: readonly string[]
  readonly secrets: readonly z.infer<typeof SecretSpec>[]
  readonly options: readonly z.infer<typeof OptionSpec>[]
  /** The options as they are stored: unknown names are errors on `options.<name>`. */
  readonly Options: z.ZodObject
  /** The types of objects that it reads. */
  readonly types: readonly string[]
  readonly whenGone: WhenGone
  readonly goneAfterHours: number
  readonly maxGonePercent?: number
  /** Returns the snapshot as JSON. @throws FetchError, and as `ask` */
  readonly fetch: (means: FetchMeans) => Promise<Json>
  /** Sends only the first request. @throws FetchError */
  readonly test: (means: FetchMeans) => Promise<void>
  /** Pure: no clock, no I/O. It may load its parts when it is called. @throws SnapshotError for another shape */
  readonly convert: (snapshot: Json, means: ConvertMeans) => SnapshotRows | Promise<SnapshotRows>
  /** Returns the snapshot of a file that is pushed as it is. Other kinds are pushed as `{kind, snapshot}`. @throws SnapshotError */
  readonly fromFile?: (bytes: Uint8Array) => Json
  /** Returns the file of a snapshot, which a client pushes, of a kind that has `fromFile`. @throws SnapshotError */
  readonly toFile?: (snapshot: Json) => Uint8Array
}

/** The snapshot has not the shape of its kind. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError'
}
