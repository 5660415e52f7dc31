/** Reads answers and snapshots by their schemas. An error names the place of the wrong value. */
import type { z } from 'zod'
import { FetchError } from '../fetch/fetch-error.ts'
import { type Json, SnapshotError } from './source-kind.ts'

const formatIssue = ({ issues: [issue] }: z.ZodError): string => {
  if (!issue) return 'has another shape'
  const path = issue.path.map(String).join('.')
  return `${path === '' ? 'the value' : path}: ${issue.message}`
}

/** @throws FetchError `bad_answer` that names the request */
export const parseAnswer = <S extends z.ZodType>(schema: S, path: string, answer: unknown): z.output<S> => {
  const read = schema.safeParse(answer)
  if (read.success) return read.data
  throw new FetchError('bad_answer', `${path} answered with another shape: ${formatIssue(read.error)}`)
}

/** @throws SnapshotError */
export const parseSnapshot = <S extends z.ZodType>(schema: S, snapshot: Json): z.output<S> => {
  const read = schema.safeParse(snapshot)
  if (read.success) return read.data
  throw new SnapshotError(formatIssue(read.error))
}
