/** The snapshot of a document: the file, as text or else in base64. */
import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { parseSnapshot } from '../parse.ts'
import { type Json, SnapshotError } from '../source-kind.ts'

const Snapshot = z.union([z.strictObject({ text: z.string() }), z.strictObject({ base64: z.base64() })])

/** @throws SnapshotError for an empty file */
export const fromFile = (bytes: Uint8Array): Json => {
  if (bytes.length === 0) throw new SnapshotError('the file is empty')
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return isUtf8(buffer) ? { text: buffer.toString('utf8') } : { base64: buffer.toString('base64') }
}

export const toFile = (snapshot: Json): Uint8Array => {
  const file = parseSnapshot(Snapshot, snapshot)
  return 'text' in file ? Buffer.from(file.text, 'utf8') : Buffer.from(file.base64, 'base64')
}
