/** Reads a snapshot that is pushed: `{kind, snapshot}`, or a file for kinds that take one. */
import { isRecord } from '../../contract/unknown.ts'
import { type Json, SnapshotError, type SourceKind } from '../kinds/source-kind.ts'
import { parseAnswer } from './json-answer.ts'

/** The snapshot is of another kind of source. */
export class WrongKindError extends SnapshotError {}

/** @throws SnapshotError for another shape */
export const parsePush = (kind: SourceKind, bytes: Uint8Array): Json => {
  if (kind.fromFile) return kind.fromFile(bytes)
  const parsed = parseAnswer(bytes)
  if (!parsed.isJson) throw new SnapshotError(parsed.problem)
  const { value } = parsed
  if (!isRecord(value) || !('snapshot' in value))
    throw new SnapshotError('must be {kind, snapshot}, as plat source collect prints it')
  if (value.kind !== kind.kind)
    throw new WrongKindError(`must be ${kind.kind}: this is a snapshot of ${String(value.kind).slice(0, 64)}`)
  // It is parsed JSON.
  return value.snapshot as Json
}
