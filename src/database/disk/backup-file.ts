/**
 * The format of a backup: one line of JSON, the manifest, then the compressed database (zstd, RFC 8878). It can be
 * unpacked without Plat: `tail -n +2 FILE | zstd -d > plat.db`.
 */
import { closeSync, createReadStream, createWriteStream, fstatSync, openSync, readSync, writeFileSync } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { readSize, type Watch } from '../sqlite/file-work.ts'
import { findFrameEnd } from './zstd-frame.ts'

const FORMAT = 'plat-backup/1'
const CHUNK_BYTES = 1024 * 1024
/** Maximum length of a manifest: a file without a line break in this many bytes has another format. */
const LONGEST_MANIFEST = 1024 * 1024
const SQLITE_MAGIC = 'SQLite format 3\0'

const Manifest = z.object({
  format: z.literal(FORMAT),
  /** The version of the program that made it. */
  version: z.string(),
  /** The applied migrations of the database. */
  schema: z.array(z.string()),
  created_at: z.string(),
  /** The checksum of the uncompressed database. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.int().nonnegative(),
  /** Rows of each table. */
  counts: z.record(z.string(), z.int()),
})
export type Manifest = z.infer<typeof Manifest>

const LaterFormat = z.object({ format: z.string().regex(/^plat-backup\/(?!1$)/) })

/** A file that can't be restored; the message has the reason. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

type Packed = {
  readonly kind: 'backup'
  readonly manifest: Manifest
  /** The position at which the data begin. */
  readonly offset: number
}

/** The kind of a file, recognized by its beginning. */
export type BackupFile = Packed | { readonly kind: 'database' }

/** Hashes and counts the bytes that pass, and reports the progress. */
const createMeter = (stage: string, total: number, { progress }: Watch) => {
  const hash = new Bun.CryptoHasher('sha256')
  let bytes = 0
  const stream = new Transform({
    transform(chunk: Uint8Array, _, done) {
      bytes += chunk.length
      // A file with a false size must not fill the disk.
      if (bytes > total) return done(new BackupError('it is larger than its manifest says'))
      hash.update(chunk)
      progress(stage, bytes, total)
      done(null, chunk)
    },
  })
  return { stream, result: () => ({ size: bytes, sha256: hash.digest('hex') }) }
}

const hashFile = async (file: string, { signal }: Watch): Promise<string> => {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES, signal })) hash.update(chunk)
  return hash.digest('hex')
}

/** Packs a database file that is not in use. Overwrites `to`. */
export const pack = async (
  {
    database,
    to,
    ...about
  }: { readonly database: string; readonly to: string } & Omit<Manifest, 'format' | 'sha256' | 'size'>,
  watch: Watch,
): Promise<Manifest> => {
  const size = readSize(database)
  const manifest: Manifest = { format: FORMAT, ...about, sha256: await hashFile(database, watch), size }
  writeFileSync(to, `${JSON.stringify(manifest)}\n`, { mode: 0o600 })
  const packed = createMeter('compressing', size, watch)
  await pipeline(
    createReadStream(database, { highWaterMark: CHUNK_BYTES }),
    packed.stream,
    // A checksum at the end of the frame detects a change of any byte (RFC 8878 3.1.1).
    createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
    createWriteStream(to, { flags: 'a' }),
    { signal: watch.signal },
  )
  return manifest
}

/** Reads the first bytes, up to the first line break if there is one. */
const readBeginning = (file: string): Buffer => {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(LONGEST_MANIFEST)
    const length = readSync(descriptor, bytes, 0, bytes.length, 0)
    const end = bytes.subarray(0, length).indexOf('\n')
    return bytes.subarray(0, end === -1 ? length : end)
  } finally {
    closeSync(descriptor)
  }
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    // Text other than JSON is not a manifest.
    return undefined
  }
}

/** @throws BackupError for a file that is neither a backup nor a database */
export const inspect = (file: string): BackupFile => {
  const beginning = readBeginning(file)
  if (beginning.toString('latin1', 0, SQLITE_MAGIC.length) === SQLITE_MAGIC) return { kind: 'database' }
  const line = parsed(beginning.toString('utf8'))
  // First, because the other fields of a later format are unknown.
  if (LaterFormat.safeParse(line).success)
    throw new BackupError(`${file} was made by a newer Plat, whose backups this version can't read. Use a newer one.`)
  const manifest = Manifest.safeParse(line)
  if (!manifest.success) throw new BackupError(`${file} is no backup of Plat, or its beginning is damaged`)
  return { kind: 'backup', manifest: manifest.data, offset: beginning.length + 1 }
}

/** Returns the size of the file, and the number of bytes behind the end of the backup; negative if bytes are missing there. */
const measure = (file: string, offset: number): { readonly bytes: number; readonly behind: number } => {
  const descriptor = openSync(file, 'r')
  try {
    const { size: bytes } = fstatSync(descriptor)
    return { bytes, behind: bytes - (findFrameEnd(descriptor, offset) ?? bytes) }
  } finally {
    closeSync(descriptor)
  }
}

/** Unpacks a backup into a new private file. @throws BackupError unless it equals the original */
export const unpack = async (
  { file, manifest, offset, to }: Omit<Packed, 'kind'> & { readonly file: string; readonly to: string },
  watch: Watch,
): Promise<void> => {
  const unpacked = createMeter('unpacking', manifest.size, watch)
  const { bytes, behind } = measure(file, offset)
  const damaged = (cause?: unknown) => {
    const reason =
      behind < 0 ? `bytes are missing at its end, at least ${-behind}` : 'its content does not match its checksum'
    return new BackupError(`${file} is damaged: ${reason}`, { cause })
  }
  try {
    await pipeline(
      // Bytes behind the frame may be an error of the decompressor or none, as its buffers happen to end.
      createReadStream(file, { start: offset, end: bytes - Math.max(0, behind) - 1, highWaterMark: CHUNK_BYTES }),
      createZstdDecompress(),
      unpacked.stream,
      createWriteStream(to, { flags: 'wx', mode: 0o600 }),
      { signal: watch.signal },
    )
  } catch (error) {
    watch.signal.throwIfAborted()
    throw isOfSystem(error) ? error : damaged(error)
  }
  const { size, sha256 } = unpacked.result()
  // The decompressor does not miss the checksum of the frame.
  if (size !== manifest.size || sha256 !== manifest.sha256 || behind < 0) throw damaged()
  if (behind > 0)
    throw new BackupError(
      `${file} has ${behind} bytes behind the end of the backup, so it is not as it was written: copy it again. Without the last ${behind} bytes it is complete`,
    )
}

/** A full disk is no fault of the backup. */
const isOfSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error
