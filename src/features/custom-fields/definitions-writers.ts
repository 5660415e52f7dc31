/** The transactions that have changed definitions: they read them from the database, and no cache keeps what they read. */
import type { DbScope } from '../ctx.ts'

const writers = new WeakSet<object>()

export const noteWrite = ({ db }: DbScope): void => void writers.add(db)

export const hasWritten = ({ db }: DbScope): boolean => writers.has(db)
