/** Converts a file of another program to rows of an estate document, and reports each object and field of it. */

import { invalidField } from '../contract/errors.ts'
import type { DocumentName } from '../contract/fields/document-names.ts'
import type { Resource } from '../inventory/resources.ts'
import type { ConvertedCells, ConvertOptions, Mapping } from './protocol.ts'

/** A row of an estate document: the fields of a create, and names in place of ids. */
export type EstateRow = Record<string, unknown>
/** The lists of an estate document. */
export type EstateDocument = Partial<Record<Resource, EstateRow[]>>
/** The lists of a large file, with rows that are made while they are written. */
export type LazyDocument = Partial<Record<Resource, Iterable<EstateRow> & { readonly length: number }>>

/** A machine in a scan or a list of leases, as `scans.record` takes it. */
export type Host = {
  readonly ip: string
  readonly mac_address?: string
  readonly hostname?: string
  readonly vendor?: string
  readonly os?: string
  readonly open_ports?: readonly number[]
  readonly services?: readonly { readonly port: number; readonly protocol: 'tcp' | 'udp'; readonly name: string }[]
}

export type ConvertReport = {
  /** The number of objects of each kind, as the source names it. */
  readonly read: Readonly<Record<string, number>>
  readonly made: Readonly<Partial<Record<Resource, number>>>
  /** Fields that became lines of `description`. */
  readonly described: readonly { readonly field: string; readonly count: number }[]
  /** Objects and fields without a place in Plat. */
  readonly left: readonly {
    readonly what: string
    readonly count: number
    readonly why: string
    /** The first of them, cut to its beginning. Secrets have none. */
    readonly example?: string
  }[]
  readonly warnings: readonly { readonly message: string }[]
  readonly mapping?: Mapping
}

/** The left objects and values by kind, as the source has them. */
export type Leftover = Readonly<Record<string, readonly unknown[]>>

export type LazyConversion = {
  /** The form of the file, of formats that have several. */
  readonly source: string
  /** The packs that the rows need. */
  readonly packs?: readonly string[]
  /** Slugs, colors and descriptions of names. */
  readonly names?: readonly DocumentName[]
  readonly documents: LazyDocument
  readonly hosts: Iterable<Host>
  /** Complete once the rows have been read. */
  readonly report: ConvertReport
  readonly leftover: Leftover
  /** Of a spreadsheet, if it is wanted. */
  readonly sheet?: ConvertedCells
}

type Others = { readonly packs?: readonly string[]; readonly names?: readonly DocumentName[] }

/** Returns the lists of a conversion behind the packs and the names that they need. */
export const toDocument = <D extends object>({
  packs = [],
  names = [],
  documents,
}: Others & { readonly documents: D }): Others & D => ({
  ...(packs.length > 0 && { packs }),
  ...(names.length > 0 && { names }),
  ...documents,
})

/** A conversion with all rows in memory. */
export type Conversion = LazyConversion & { readonly documents: EstateDocument; readonly hosts: readonly Host[] }

/** Pure: reads the bytes and nothing else. @throws AppError VALIDATION_ERROR on `file` */
export type Converter = (bytes: Uint8Array, options: ConvertOptions) => LazyConversion | Promise<LazyConversion>

export type WholeConverter = (...input: Parameters<Converter>) => Conversion | Promise<Conversion>

/** Returns the error of a file that is not of its format, or is cut off. `where` names a line or a byte. */
export const createFileError = (where: string, message: string) => invalidField('file', `${where}: ${message}`)
