/**
 * Converts an uploaded file in a process with bounds, so that it can harm neither the server nor other requests. Reads the
 * pages of a NetBox for that process, or for a conversion here.
 */
import { totalmem } from 'node:os'
import type { Bounds } from '../base/child/bounds.ts'
import { type JobOutput, runBoundedJob } from '../base/jobs/bounded-job.ts'
import { createFairLane, type Owner } from '../base/jobs/fair-lane.ts'
import type { Spool } from '../base/runtime/spool.ts'
import type { Outbound } from '../base/security/outbound.ts'
import { AppError } from '../contract/errors.ts'
import { type Conversion, toDocument } from './converter.ts'
import type { ConvertedSheet } from './csv.ts'
import { storePages } from './netbox/read/page-file.ts'
import { connectNetbox, type PullRequest } from './netbox/read/pull.ts'
import { buildAuthorization, type PageAnswer, readNetboxApi } from './netbox/read/read-api.ts'
import type { ConvertJob, Mapping, PullJob } from './protocol.ts'
import type { RowSchemas } from './row-schemas.ts'

const MEBIBYTE = 2 ** 20
/** The memory of a machine that conversions leave to the server. */
const SERVER_BYTES = 384 * MEBIBYTE
/** The memory that allows two conversions at a time. */
const BYTES_FOR_TWO_CONVERSIONS = 3072 * MEBIBYTE
/** The most memory of one conversion. A NetBox of 52 MB took 0.6 GB, so one of 256 MiB may need 3 GiB. */
const MAX_MEMORY_BYTES = 4096 * MEBIBYTE
/** The largest answer: as much as an import takes. */
const MAX_OUTPUT_BYTES = 512 * MEBIBYTE
/** A NetBox of 52 MB took 8 s on a busy machine, so one of 256 MiB may take 45 s. */
const MAX_MS = 120_000
/** Conversions that wait for a process. The slots that they share with imports allow fewer. */
const MAX_WAITING = 8
const RETRY_AFTER_MS = 10_000

export type ConversionBounds = Bounds & { readonly atOnce: number }

/** Returns the memory of this machine, or of its container, in bytes. */
export const readMachineBytes = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)

/** @param machineBytes the memory of the machine */
export const computeBounds = (machineBytes: number): ConversionBounds => {
  const atOnce = machineBytes >= BYTES_FOR_TWO_CONVERSIONS ? 2 : 1
  const free = Math.max(machineBytes - SERVER_BYTES, machineBytes / 2)
  const memoryBytes = Math.floor(Math.min(free / atOnce, MAX_MEMORY_BYTES))
  return { ms: MAX_MS, memoryBytes, outputBytes: MAX_OUTPUT_BYTES, atOnce }
}

export type ConversionTask = {
  readonly job: ConvertJob | PullJob
  /** The field of the request that errors name. */
  readonly field: 'file' | 'url'
  /** The largest answer, where it is less than the usual one. */
  readonly outputBytes?: number
  readonly bytes: AsyncIterable<Uint8Array>
  /** The number of these bytes. */
  readonly length: number
  readonly owner: Owner
  readonly signal: AbortSignal
}

/** Converts a file. @returns the JSON, which the caller closes. @throws AppError as `runBoundedJob`, and UNAVAILABLE */
export type ConvertFile = (task: ConversionTask) => Promise<JobOutput>

/** @param dir the folder of temporary files. @param given other bounds than the usual ones */
export const createConverter = (dir: string, given: Partial<ConversionBounds> = {}): ConvertFile => {
  const { atOnce, ...bounds } = { ...computeBounds(readMachineBytes()), ...given }
  const lane = createFairLane({
    atOnce,
    waiting: MAX_WAITING,
    refusal: () =>
      new AppError('UNAVAILABLE', 'Too many files wait to be converted: try again later', {
        retryAt: new Date(Date.now() + RETRY_AFTER_MS),
      }),
  })
  return ({ owner, outputBytes = bounds.outputBytes, ...work }) =>
    lane.run(
      owner,
      () => runBoundedJob({ command: 'convert-child', bounds: { ...bounds, outputBytes }, dir, ...work }),
      work.signal,
    )
}

/**
 * Stores the pages of a NetBox, which a `PullJob` converts. @returns the number of bytes
 * @throws AppError VALIDATION_ERROR on `url` or `token`, PROVIDER_UNREACHABLE, and as `Spool.write`
 */
export const storeNetboxPages = async (
  outbound: Outbound,
  request: PullRequest,
  spool: Pick<Spool, 'write'>,
): Promise<number> => storePages(await connectNetbox(outbound, request), spool)

/** Fetches a path below the address of a NetBox with these headers. */
export type SendToNetbox = (path: string, headers: Readonly<Record<string, string>>) => Promise<PageAnswer>

/**
 * Reads a NetBox and converts it in this process. The document names its packs.
 * @throws AppError VALIDATION_ERROR on `token`, or PROVIDER_UNREACHABLE
 */
export const convertNetboxHere = async (token: string, send: SendToNetbox): Promise<Conversion> => {
  const headers = { Accept: 'application/json', Authorization: buildAuthorization(token) }
  const { convertObjects } = await import('./netbox/netbox.ts')
  const conversion = convertObjects(await readNetboxApi((path) => send(path, headers)))
  return { ...conversion, documents: toDocument(conversion) }
}

/** The columns of a resource, and the mapping of a spreadsheet. */
export type SheetOptions = RowSchemas & {
  readonly mapping: Partial<Mapping>
  /** The labels of the custom fields of the kind of the mapping, by their names. */
  readonly labels?: Readonly<Record<string, string>> | undefined
}

/** Converts a spreadsheet in this process. @throws AppError VALIDATION_ERROR on `file`, `resource` or `mapping` */
export const convertSheetHere = async (
  bytes: Uint8Array,
  { getSheet, mapping, labels = {} }: SheetOptions,
): Promise<ConvertedSheet> => {
  const { convertSheet } = await import('./csv.ts')
  return convertSheet({ getSheet }, bytes, { mapping, labels })
}

export type { ConvertedSheet }
